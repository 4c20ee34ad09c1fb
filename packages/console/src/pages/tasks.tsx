// The imports and bulk actions of this tab, newest first.
import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../api/queries.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { Moment } from '../components/moment.tsx';
import { Page, Panel } from '../components/page.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { OrganizationTasks } from '../tasks/organization-tasks.tsx';
import { stateLabels } from '../tasks/state-labels.ts';
import { summaryOf } from '../tasks/summary.ts';
import { useTasks } from '../tasks/tasks.ts';

export default function TasksPage() {
  const { connection, isOwner } = useSignedIn();
  const { data: bots = [] } = useQuery(botsQuery(connection));
  const tasks = useTasks().toReversed();
  return (
    <Page
      title="Imports and bulk actions"
      lead="They keep running while you use the console. Keep this tab open until they finish."
    >
      <Panel title="In this tab" isFlush>
        {tasks.length === 0 ? (
          <EmptyState icon="upload" title="No imports or bulk actions" level={2}>
            <p>Imports and bulk actions you start in this tab appear here.</p>
          </EmptyState>
        ) : (
          <TableScroll label="Imports and bulk actions">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Bot</Table.Th>
                <Table.Th>Started</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Result</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {tasks.map((task) => (
                <Table.Tr key={task.id}>
                  <Table.Td>
                    <a href={linkTo(['tasks', task.id])}>{task.title}</a>
                  </Table.Td>
                  <Table.Td>{bots.find(({ id }) => id === task.botId)?.name}</Table.Td>
                  <Table.Td>
                    <Moment at={task.createdAt} />
                  </Table.Td>
                  <Table.Td>
                    {task.state === 'running' ? `${Math.floor(task.share * 100)}%` : stateLabels[task.state]}
                  </Table.Td>
                  <Table.Td>{summaryOf(task.progress)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </TableScroll>
        )}
      </Panel>
      {isOwner && <OrganizationTasks />}
    </Page>
  );
}
