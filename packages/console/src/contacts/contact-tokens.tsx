// The active tokens of a contact: their dates, never the tokens themselves.
import { Button, Table } from '@mantine/core';
import type { Contact } from '@roster/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { serviceUrl } from '../api/connection.ts';
import { keys } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import { CopyBox } from '../components/copy.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/loaded.tsx';
import { counted, Moment } from '../components/moment.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { useNotify } from '../components/notices.tsx';
import { Panel } from '../components/page.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { useSignedIn } from '../session.tsx';

export function ContactTokens({ botId, contact }: { botId: string; contact: Contact }) {
  const { connection, canWrite } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const [isRevoking, setIsRevoking] = useState(false);
  const path = { botId, contactId: contact.id };
  const tokens = useInfiniteQuery({
    queryKey: keys.tokens(botId, contact.id),
    queryFn: ({ pageParam, signal }) =>
      connection.call('listContactTokens', { path, query: { after: pageParam ?? undefined } }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });
  return (
    <Panel
      title="Tokens"
      lead="Each is a browser, or a server’s word for one, that the widget greets as this contact."
      isFlush
      actions={
        canWrite &&
        (tokens.data?.length ?? 0) > 0 && (
          <Button variant="default" size="xs" onClick={() => setIsRevoking(true)}>
            Revoke all…
          </Button>
        )
      }
    >
      <Loaded query={tokens} lines={2}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="key" title="No live token">
              <p>When this visitor signs in on your site, your server gets one and passes it to the widget:</p>
              <CopyBox
                label="Command for a contact token"
                text={`curl -X POST ${serviceUrl}/v1/bots/${botId}/auth/contact \\\n  -H "Authorization: Bearer $ROSTER_SECRET" \\\n  -d id=${contact.id}`}
              />
            </EmptyState>
          ) : (
            <TableScroll label="Tokens">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Created</Table.Th>
                  <Table.Th>Expires</Table.Th>
                  <Table.Th>Last seen</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {all.map(({ createdAt, expiresAt, lastSeenAt }) => (
                  <Table.Tr key={`${createdAt} ${expiresAt} ${lastSeenAt}`}>
                    <Table.Td data-label="Created">
                      <Moment at={createdAt} />
                    </Table.Td>
                    <Table.Td data-label="Expires">
                      <Moment at={expiresAt} isDate />
                    </Table.Td>
                    <Table.Td data-label="Last seen">
                      {lastSeenAt === null ? 'never' : <Moment at={lastSeenAt} />}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </TableScroll>
          )
        }
      </Loaded>
      <MoreButton query={tokens} />
      {isRevoking && (
        <Confirm
          title="Revoke all tokens?"
          confirmLabel="Revoke all"
          onClose={() => setIsRevoking(false)}
          onConfirm={() => connection.call('revokeContactTokens', { path })}
          onDone={() => {
            setIsRevoking(false);
            queries.invalidateQueries({ queryKey: keys.tokens(botId, contact.id) });
            notify('The tokens are worth nothing from now on.');
          }}
        >
          <p>
            {tokens.hasNextPage ? 'All tokens' : counted(tokens.data?.length ?? 0, 'token')} of {contact.name}: the
            widget greets this visitor as a guest until your server passes it a new one.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}
