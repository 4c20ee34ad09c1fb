// The members of the organization and pending invitations.
import { Button } from '@mantine/core';
import type { Member, Role } from '@roster/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys, membersQuery } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { useNotify } from '../components/notices.tsx';
import { Page, Panel } from '../components/page.tsx';
import { useKept } from '../kept-state.ts';
import { InviteDialog } from '../members/invite-dialog.tsx';
import { MemberMenu } from '../members/member-menu.tsx';
import { OpenInvitations } from '../members/open-invitations.tsx';
import { RoleBadge } from '../members/role-badge.tsx';
import { SecretsOfMember } from '../members/secrets-of-member.tsx';
import { WebhooksOfMember } from '../members/webhooks-of-member.tsx';
import { sessionKey, useSignedIn } from '../session.tsx';
import classes from './members.module.css';

type DialogShown = { act: 'invite' } | { act: Role | 'remove'; member: Member };

export default function MembersPage() {
  const { connection, isOwner, session } = useSignedIn();
  const members = useQuery(membersQuery(connection));
  const [dialog, setDialog] = useKept<DialogShown | undefined>('dialog', undefined);
  const close = () => setDialog(undefined);
  return (
    <Page
      title="Members"
      lead={
        isOwner
          ? 'Viewers see bots and contacts. Members also change them. Owners also create secrets, invite colleagues, delete bots and read the audit log.'
          : 'Viewers see bots and contacts. Members also change them. Owners also create secrets, invite colleagues and delete bots: ask one of them.'
      }
      actions={
        isOwner && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog({ act: 'invite' })}>
            Invite
          </Button>
        )
      }
    >
      <Panel isFlush>
        <Loaded query={members}>
          {(all) => (
            <ul className={classes.list}>
              {all.map((member) => (
                <li key={member.id} className={classes.row}>
                  <span className={classes.initial} aria-hidden="true">
                    {Array.from(member.name)[0]?.toUpperCase()}
                  </span>
                  <div className={classes.words}>
                    <div className={classes.name}>
                      {member.name}
                      {member.id === session.member.id && <span className={classes.you}> (you)</span>}
                    </div>
                    <div className={classes.email}>{member.email}</div>
                  </div>
                  <div className={classes.seen}>
                    {member.lastSignInAt === null ? (
                      'Never signed in'
                    ) : (
                      <>
                        Last sign-in <Moment at={member.lastSignInAt} isDate />
                      </>
                    )}
                  </div>
                  <RoleBadge role={member.role} />
                  {isOwner && <MemberMenu member={member} onAct={(act) => setDialog({ act, member })} />}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Panel>
      {isOwner && <OpenInvitations />}
      {dialog?.act === 'invite' && <InviteDialog onClose={close} />}
      {dialog !== undefined && dialog.act !== 'invite' && (
        <MemberChange act={dialog.act} member={dialog.member} onClose={close} />
      )}
    </Page>
  );
}

interface MemberChangeProps {
  act: Role | 'remove';
  member: Member;
  onClose(): void;
}

function MemberChange({ act, member, onClose }: MemberChangeProps) {
  const { connection, session } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const [revokesSecrets, setRevokesSecrets] = useState(false);
  const [disablesWebhooks, setDisablesWebhooks] = useState(false);
  const path = { memberId: member.id };
  const removal = { revokeSecrets: String(revokesSecrets), disableWebhooks: String(disablesWebhooks) };
  const { id, name } = member;
  const changes = {
    owner: {
      title: `Make ${name} an owner?`,
      label: 'Make owner',
      text: 'Owners can create secrets, invite and remove members, delete bots and read the audit log.',
      done: `${name} is an owner now.`,
      run: () => connection.call('updateMember', { path, body: { role: 'owner' } }),
    },
    member: {
      title: `Make ${name} a member?`,
      label: 'Make member',
      text: 'Members can see and change bots and contacts. They can’t do what only owners can.',
      done: `${name} is a member now.`,
      run: () => connection.call('updateMember', { path, body: { role: 'member' } }),
    },
    viewer: {
      title: `Make ${name} a viewer?`,
      label: 'Make viewer',
      text: 'Viewers can see bots and contacts. They can’t change or export anything.',
      done: `${name} is a viewer now.`,
      run: () => connection.call('updateMember', { path, body: { role: 'viewer' } }),
    },
    remove: {
      title: `Remove ${name}?`,
      label: 'Remove',
      text: 'They’re signed out everywhere immediately.',
      done: `${name} was removed.`,
      run: () => connection.call('removeMember', { path, query: removal }),
    },
  } as const;
  const { title, label, text, done, run } = changes[act];
  return (
    <Confirm
      title={title}
      confirmLabel={label}
      isHarmless={act !== 'remove'}
      onClose={onClose}
      onConfirm={run}
      onDone={() => {
        onClose();
        queries.invalidateQueries({ queryKey: keys.members });
        if (revokesSecrets) queries.invalidateQueries({ queryKey: keys.secrets });
        if (disablesWebhooks) queries.invalidateQueries({ queryKey: keys.webhooks() });
        // The session contains the member's own role, which decides what the console shows.
        if (id === session.member.id) {
          queries.invalidateQueries({ queryKey: sessionKey });
        }
        notify(done);
      }}
    >
      <p>{text}</p>
      {act === 'remove' && (
        <>
          <SecretsOfMember memberId={id} isChecked={revokesSecrets} onChange={setRevokesSecrets} />
          <WebhooksOfMember isChecked={disablesWebhooks} onChange={setDisablesWebhooks} />
          <p>Rotate any secrets they know.</p>
        </>
      )}
    </Confirm>
  );
}
