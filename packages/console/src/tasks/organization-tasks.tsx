// The imports and bulk actions of the organization's members, by the audit log: those of this tab are listed with their progress.
import { Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { auditQuery } from '../audit/audit-query.ts';
import { actionsOf, actorOf, describeEntry } from '../audit/describe-entry.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { Panel } from '../components/page.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { useSignedIn } from '../session.tsx';

const filter = { action: actionsOf('Imports and bulk actions') };

export function OrganizationTasks() {
  const { connection } = useSignedIn();
  const log = useInfiniteQuery({
    ...auditQuery(connection, filter),
    select: ({ pages }) => pages.flatMap(({ data }) => data).filter(({ task }) => task !== null),
  });
  return (
    <Panel title="In this organization" lead="Imports and bulk actions of all members, from the audit log." isFlush>
      <Loaded query={log}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState icon="log" title="No recent imports or bulk actions">
              <p>Imports and bulk actions appear here when a member starts one.</p>
            </EmptyState>
          ) : (
            <TableScroll label="Imports and bulk actions of all members">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>When</Table.Th>
                  <Table.Th>Who</Table.Th>
                  <Table.Th>What</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {entries.map((entry) => (
                  <Table.Tr key={entry.id}>
                    <Table.Td>
                      <Moment at={entry.at} />
                    </Table.Td>
                    <Table.Td>{actorOf(entry)}</Table.Td>
                    <Table.Td>{describeEntry(entry)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </TableScroll>
          )
        }
      </Loaded>
      <MoreButton query={log} {...(log.data?.length === 0 && { label: 'Look further back' })} />
    </Panel>
  );
}
