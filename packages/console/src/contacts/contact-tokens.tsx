// The active tokens of a contact: their dates, never the tokens themselves.
import { Button } from '@mantine/core';
import type { Contact } from '@roster/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { serviceUrl } from '../api/connection.ts';
import { keys } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import { CopyBox } from '../components/copy.tsx';
import danger from '../components/danger.module.css';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/loaded.tsx';
import { counted, Moment } from '../components/moment.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { useNotify } from '../components/notices.tsx';
import { Panel } from '../components/page.tsx';
import { useSignedIn } from '../session.tsx';
import classes from './contact-tokens.module.css';

/** In place of an id. */
const all = 'all';

export function ContactTokens({ botId, contact }: { botId: string; contact: Contact }) {
  const { connection, canWrite } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  /** The id of one, or all. */
  const [revoking, setRevoking] = useState<string>();
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
      lead="Anyone with one of these is recognized as this contact."
      isFlush
      actions={
        canWrite &&
        (tokens.data?.length ?? 0) > 0 && (
          <Button variant="default" size="xs" className={danger.item ?? ''} onClick={() => setRevoking(all)}>
            Revoke all…
          </Button>
        )
      }
    >
      <Loaded query={tokens} lines={2}>
        {(listed) =>
          listed.length === 0 ? (
            <EmptyState icon="key" title="No active tokens">
              <p>When this visitor signs in to your site, your server gets a token and passes it to the widget:</p>
              <CopyBox
                label="Command for a contact token"
                text={`curl -X POST ${serviceUrl}/v1/bots/${botId}/auth/contact \\\n  -H "Authorization: Bearer $ROSTER_SECRET" \\\n  -d id=${contact.id}`}
              />
            </EmptyState>
          ) : (
            <ul className={classes.tokens} aria-label="Tokens">
              {listed.map(({ id, createdAt, expiresAt, lastSeenAt }) => (
                <li key={id}>
                  <div>
                    {lastSeenAt === null ? (
                      'Not used yet'
                    ) : (
                      <>
                        Last seen <Moment at={lastSeenAt} />
                      </>
                    )}
                    <div className={classes.dates}>
                      Created <Moment at={createdAt} /> · Expires <Moment at={expiresAt} isDate />
                    </div>
                  </div>
                  {canWrite && (
                    <Button variant="default" size="xs" className={danger.item ?? ''} onClick={() => setRevoking(id)}>
                      Revoke…
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton query={tokens} />
      {revoking !== undefined && (
        <Confirm
          title={revoking === all ? 'Revoke all tokens?' : 'Revoke this token?'}
          confirmLabel={revoking === all ? 'Revoke all' : 'Revoke token'}
          onClose={() => setRevoking(undefined)}
          onConfirm={() =>
            revoking === all
              ? connection.call('revokeContactTokens', { path })
              : connection.call('revokeListedToken', { path: { ...path, tokenId: revoking } })
          }
          onDone={() => {
            setRevoking(undefined);
            queries.invalidateQueries({ queryKey: keys.tokens(botId, contact.id) });
            queries.invalidateQueries({ queryKey: keys.events(botId) });
            notify(revoking === all ? 'The tokens were revoked.' : 'The token was revoked.');
          }}
        >
          {revoking === all ? (
            <p>
              {tokens.hasNextPage ? 'All tokens' : counted(tokens.data?.length ?? 0, 'token')} of {contact.name} will
              stop working. The widget treats this visitor as a guest until your server passes it a new token.
            </p>
          ) : (
            <p>A browser that has it treats {contact.name} as a guest until your server passes it a new token.</p>
          )}
        </Confirm>
      )}
    </Panel>
  );
}
