// What is wrong with a file: each reason once, with the number of its rows and an example.
import { Table } from '@mantine/core';
import type { FaultGroup } from '@roster/contact-files';
import { count } from '../components/moment.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import classes from './import.module.css';

export function ProblemList({ label, groups }: { label: string; groups: readonly FaultGroup[] }) {
  return (
    <div className={classes.problems}>
      <TableScroll label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{label}</Table.Th>
            <Table.Th>Field</Table.Th>
            <Table.Th>Reason</Table.Th>
            <Table.Th>Example</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map(({ field, message, count: times, line, example }) => (
            <Table.Tr key={`${field} ${message}`}>
              <Table.Td data-label={label}>{count(times)}</Table.Td>
              <Table.Td>{field ?? 'Row'}</Table.Td>
              <Table.Td className={classes.reason ?? ''}>{message}</Table.Td>
              <Table.Td className={classes.reason ?? ''}>
                {example && <q>{example}</q>} <span className={classes.line}>line {count(line)}</span>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </TableScroll>
    </div>
  );
}
