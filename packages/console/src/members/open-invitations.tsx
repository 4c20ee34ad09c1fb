// Pending invitations.
import { Button } from '@mantine/core';
import type { Invitation } from '@roster/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { invitationsQuery, keys } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
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
  const [withdrawn, setWithdrawn] = useState<Invitation>();
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
                  <div className={classes.email}>by {invitation.invitedBy ?? 'the operator'}</div>
                </div>
                <div className={classes.seen}>
                  until <Moment at={invitation.expiresAt} isDate />
                </div>
                <RoleBadge role={invitation.role} />
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`Withdraw the invitation of ${invitation.email}`}
                  onClick={() => setWithdrawn(invitation)}
                >
                  Withdraw…
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {withdrawn !== undefined && (
        <Confirm
          title="Withdraw the invitation?"
          confirmLabel="Withdraw"
          onClose={() => setWithdrawn(undefined)}
          onConfirm={() => connection.call('revokeInvitation', { path: { invitationId: withdrawn.id } })}
          onDone={() => {
            setWithdrawn(undefined);
            queries.invalidateQueries({ queryKey: keys.invitations });
            notify('The link is worth nothing from now on.');
          }}
        >
          <p>{withdrawn.email} cannot join by this link any more.</p>
        </Confirm>
      )}
    </Panel>
  );
}
