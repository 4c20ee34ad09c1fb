// The audit log: actions of members, secrets and the operator, latest first. What is shown can be narrowed and exported.
import { Button, Table } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { AuditFilters } from '../audit/audit-filters.tsx';
import { auditQuery, filterOf, readEntries } from '../audit/audit-query.ts';
import { actorOf, addressOf, describeEntry } from '../audit/describe-entry.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { Icon } from '../components/icons.tsx';
import { LoadingSkeleton } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { Page, Panel } from '../components/page.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { saveBlob } from '../download.ts';
import { useSignedIn } from '../session.tsx';
import classes from './audit.module.css';

export default function AuditPage({ parameters }: { parameters: URLSearchParams }) {
  const { connection } = useSignedIn();
  const filter = filterOf(parameters);
  const log = useInfiniteQuery(auditQuery(connection, filter));
  const download = useMutation({
    mutationFn: async () => {
      await import('../schema-library.ts');
      const { csvOf } = await import('../audit/entries-csv.ts');
      saveBlob('audit-log.csv', csvOf(await readEntries(connection, filter)));
    },
  });
  const entries = log.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page
      title="Audit log"
      lead="Actions of members, secrets and the server’s operator. Contact changes made with secrets aren’t listed."
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          Export CSV
        </Button>
      }
    >
      {download.error !== null && <FailureNote error={download.error} />}
      <Panel isFlush>
        <AuditFilters parameters={parameters} />
        {log.isPending && <LoadingSkeleton lines={8} />}
        {log.isSuccess && entries.length === 0 && (
          <EmptyState icon="log" title="No entries" level={2}>
            <p>Try another person, action or date.</p>
          </EmptyState>
        )}
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
