// The rejected rows: line, field and reason.
import { Table } from '@mantine/core';
import { count } from '../components/moment.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import classes from './import.module.css';
import type { Problem } from './run-import.ts';

export function ProblemList({ problems, total }: { problems: readonly Problem[]; total: number }) {
  const lines = new Set(problems.map(({ line }) => line)).size;
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
            {problems.map(({ line, field, reason }) => (
              <Table.Tr key={`${line} ${field} ${reason}`}>
                <Table.Td data-label="Line">{count(line)}</Table.Td>
                <Table.Td>{field}</Table.Td>
                <Table.Td className={classes.reason ?? ''}>{reason}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </TableScroll>
      </div>
      {total > lines && (
        <p className={classes.note}>
          These are the first {count(lines)} of {count(total)} rows.
        </p>
      )}
    </>
  );
}
