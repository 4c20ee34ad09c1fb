// The member's sessions: where they are signed in, and how to end that.
import { Badge, Button } from '@mantine/core';
import type { SessionState } from '@roster/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys, sessionsQuery } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { useNotify } from '../components/notices.tsx';
import { Panel } from '../components/page.tsx';
import classes from '../pages/members.module.css';
import { useSignedIn } from '../session.tsx';
import { useSignOut } from '../sign-out.ts';

export function SessionsPanel() {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const { signOut, signOutEverywhere } = useSignOut();
  const sessions = useQuery(sessionsQuery(connection));
  const [isLeaving, setIsLeaving] = useState(false);
  const refresh = () => queries.invalidateQueries({ queryKey: keys.sessions });
  const endOthers = useMutation({
    mutationFn: () => connection.call('endOtherSessions', {}),
    onSuccess: () => {
      refresh();
      notify('All your other sessions have ended.');
    },
  });
  const end = useMutation({
    mutationFn: ({ id }: SessionState) => connection.call('endSession', { path: { sessionId: id } }),
    onSuccess: () => notify('The session has ended.'),
    onSettled: refresh,
  });
  const hasOthers = (sessions.data?.length ?? 0) > 1;
  return (
    <Panel
      title="Sessions"
      isFlush
      lead="Where you are signed in. A session ends after 12 hours of inactivity, or 30 days."
      actions={
        <>
          {hasOthers && (
            <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
              Sign out other sessions
            </Button>
          )}
          <Button variant="default" onClick={() => setIsLeaving(true)}>
            Sign out everywhere…
          </Button>
          <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
            Sign out
          </Button>
        </>
      }
    >
      {(end.error ?? endOthers.error) && <FailureNote error={end.error ?? endOthers.error} />}
      <Loaded query={sessions} lines={2}>
        {(all) => (
          <ul className={classes.list} aria-label="Sessions">
            {all.map((session) => (
              <li key={session.id} className={classes.row}>
                <div className={classes.words}>
                  <div className={classes.name}>{session.browser || 'Unknown browser'}</div>
                  <div className={classes.email}>
                    {session.address ?? 'Unknown address'}, signed in <Moment at={session.createdAt} />
                  </div>
                </div>
                <div className={classes.seen}>
                  Last used <Moment at={session.lastUsedAt} />
                </div>
                {session.isCurrent ? (
                  <Badge variant="light" className={classes.badge ?? ''}>
                    This device
                  </Badge>
                ) : (
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={`End the session of ${session.browser || 'an unknown browser'}`}
                    loading={end.isPending && end.variables.id === session.id}
                    onClick={() => end.mutate(session)}
                  >
                    End
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {isLeaving && (
        <Confirm
          title="Sign out everywhere?"
          confirmLabel="Sign out everywhere"
          isHarmless
          onClose={() => setIsLeaving(false)}
          onConfirm={() => signOutEverywhere.mutateAsync()}
          onDone={() => {}}
        >
          <p>On every device, including this one.</p>
        </Confirm>
      )}
    </Panel>
  );
}
