// The audit log: actions of members and the operator, newest first.
import { Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { keys } from '../api/queries.ts';
import { actorOf, addressOf, describeEntry } from '../audit/describe-entry.ts';
import { FailureNote } from '../components/failure-note.tsx';
import { LoadingSkeleton } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { Page, Panel } from '../components/page.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { useSignedIn } from '../session.tsx';
import classes from './audit.module.css';

export default function AuditPage() {
  const { connection } = useSignedIn();
  const log = useInfiniteQuery({
    queryKey: keys.audit,
    queryFn: ({ pageParam, signal }) =>
      connection.call('listAuditEntries', { query: { before: pageParam ?? undefined } }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const entries = log.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page
      title="Audit log"
      lead="Actions of members, secrets and the server’s operator. Contact changes made with secrets aren’t listed."
    >
      <Panel isFlush>
        {log.isPending && <LoadingSkeleton lines={8} />}
        {entries.length > 0 && (
          <TableScroll label="Entries">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>When</Table.Th>
                <Table.Th>Who</Table.Th>
                <Table.Th>What</Table.Th>
                <Table.Th>From</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {entries.map((entry) => (
                <Table.Tr key={entry.id}>
                  <Table.Td className={classes.when ?? ''}>
                    <Moment at={entry.at} />
                  </Table.Td>
                  <Table.Td className={classes.who ?? ''}>{actorOf(entry) ?? '–'}</Table.Td>
                  <Table.Td className={classes.what ?? ''}>{describeEntry(entry)}</Table.Td>
                  <Table.Td className={classes.from ?? ''} data-label="from">
                    {addressOf(entry)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </TableScroll>
        )}
        {log.isError && <FailureNote error={log.error} onRetry={() => log.refetch()} />}
        <MoreButton query={log} />
      </Panel>
    </Page>
  );
}
