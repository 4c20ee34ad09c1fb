// Pending invitations.
import { Button } from '@mantine/core';
import type { Invitation } from '@roster/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { invitationsQuery, keys } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import danger from '../components/danger.module.css';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { useNotify } from '../components/notices.tsx';
import { Panel } from '../components/page.tsx';
import classes from '../pages/members.module.css';
import { useSignedIn } from '../session.tsx';
import { RoleBadge } from './role-badge.tsx';

export function OpenInvitations() {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const invitations = useQuery(invitationsQuery(connection));
  const [revoked, setRevoked] = useState<Invitation>();
  if (invitations.data?.length === 0) return null;
  return (
    <Panel title="Open invitations" isFlush>
      <Loaded query={invitations} lines={2}>
        {(all) => (
          <ul className={classes.list}>
            {all.map((invitation) => (
              <li key={invitation.id} className={classes.row}>
                <div className={classes.words}>
                  <div className={classes.name}>{invitation.email}</div>
                  <div className={classes.email}>Invited by {invitation.invitedBy ?? 'the operator'}</div>
                </div>
                <div className={classes.seen}>
                  Expires <Moment at={invitation.expiresAt} isDate />
                </div>
                <RoleBadge role={invitation.role} />
                <Button
                  variant="default"
                  size="xs"
                  className={danger.item ?? ''}
                  aria-label={`Revoke the invitation of ${invitation.email}`}
                  onClick={() => setRevoked(invitation)}
                >
                  Revoke…
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {revoked !== undefined && (
        <Confirm
          title="Revoke this invitation?"
          confirmLabel="Revoke"
          onClose={() => setRevoked(undefined)}
          onConfirm={() => connection.call('revokeInvitation', { path: { invitationId: revoked.id } })}
          onDone={() => {
            setRevoked(undefined);
            queries.invalidateQueries({ queryKey: keys.invitations });
            notify('The invitation was revoked.');
          }}
        >
          <p>{revoked.email} can no longer join with this link.</p>
        </Confirm>
      )}
    </Panel>
  );
}
