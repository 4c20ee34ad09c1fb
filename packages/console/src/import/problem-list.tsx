// The rejected rows: line, field and reason.
import { Table } from '@mantine/core';
import type { AttributeDefinition, Rejection } from '@roster/contact-files';
import { count } from '../components/moment.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { labelOf } from './column-choices.ts';
import classes from './import.module.css';

interface ProblemListProps {
  problems: readonly Rejection[];
  total: number;
  definitions: readonly AttributeDefinition[];
}

export function ProblemList({ problems, total, definitions }: ProblemListProps) {
  return (
    <>
      <div className={classes.problems}>
        <TableScroll label="Rejected rows">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Line</Table.Th>
              <Table.Th>Field</Table.Th>
              <Table.Th>Reason</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {problems.flatMap(({ row, faults }) =>
              faults.map(({ field, message }) => (
                <Table.Tr key={`${row.line} ${field} ${message}`}>
                  <Table.Td data-label="Line">{count(row.line)}</Table.Td>
                  <Table.Td>{field === undefined ? 'row' : labelOf(field, definitions)}</Table.Td>
                  <Table.Td className={classes.reason ?? ''}>{message}</Table.Td>
                </Table.Tr>
              )),
            )}
          </Table.Tbody>
        </TableScroll>
      </div>
      {total > problems.length && (
        <p className={classes.note}>
          These are the first {count(problems.length)} of {count(total)} rows.
        </p>
      )}
    </>
  );
}
