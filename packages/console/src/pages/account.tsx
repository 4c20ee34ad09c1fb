// The member's own account: password and sessions; for owners also the organization's name.
import { Button, TextInput } from '@mantine/core';
import type { Session } from '@roster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../components/confirm.tsx';
import { Form, useForm } from '../components/form.tsx';
import { Moment } from '../components/moment.tsx';
import { useNotify } from '../components/notices.tsx';
import { Page, Panel } from '../components/page.tsx';
import { NewPassword, PasswordField } from '../components/password-field.tsx';
import { roleNames } from '../members/role-badge.tsx';
import { sessionKey, useSessionChange, useSignedIn } from '../session.tsx';
import { useSignOut } from '../sign-out.ts';
import classes from './account.module.css';
import facts from './contact.module.css';

export default function AccountPage() {
  const { session, isOwner } = useSignedIn();
  const { member, organization } = session;
  return (
    <Page title="Your account">
      <Panel title="You">
        <dl className={facts.fields}>
          <div>
            <dt>Name</dt>
            <dd>{member.name}</dd>
          </div>
          <div>
            <dt>Email</dt>
            <dd>{member.email}</dd>
          </div>
          <div>
            <dt>Role</dt>
            <dd>
              {roleNames[member.role]} of {organization.name}
            </dd>
          </div>
        </dl>
      </Panel>
      {isOwner && <OrganizationPanel />}
      <PasswordPanel />
      <SessionsPanel />
    </Page>
  );
}

function OrganizationPanel() {
  const { connection, session } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const form = useForm(
    { name: session.organization.name },
    (body) => connection.call('updateOrganization', { body }),
    ({ data }) => {
      queries.setQueryData<Session>(sessionKey, (now) => now && { ...now, organization: data });
      form.restart({ name: data.name });
      notify('Renamed.');
    },
  );
  return (
    <Panel title="Organization">
      <div className={classes.narrow}>
        <Form form={form} label="Organization">
          <TextInput label="Name" required autoComplete="organization" {...form.field('name')} />
          <Button type="submit" className={classes.submit ?? ''} loading={form.isPending} disabled={!form.isChanged}>
            Rename
          </Button>
        </Form>
      </div>
    </Panel>
  );
}

function PasswordPanel() {
  const { connection, session } = useSignedIn();
  const changeSession = useSessionChange();
  const notify = useNotify();
  const empty = { currentPassword: '', newPassword: '' };
  const form = useForm(
    empty,
    (body) => connection.call('changePassword', { body }),
    ({ data }) => {
      form.restart(empty);
      changeSession(data);
      notify('Your password is changed. All your other sessions have ended.');
    },
  );
  return (
    <Panel title="Password" lead="A new one ends all your other sessions.">
      <div className={classes.narrow}>
        <Form form={form} label="Password">
          <input type="hidden" name="username" autoComplete="username" value={session.member.email} readOnly />
          <PasswordField label="Current password" autoComplete="current-password" {...form.field('currentPassword')} />
          <NewPassword label="New password" {...form.field('newPassword')} />
          <Button type="submit" className={classes.submit ?? ''} loading={form.isPending}>
            Change password
          </Button>
        </Form>
      </div>
    </Panel>
  );
}

function SessionsPanel() {
  const { session } = useSignedIn();
  const { signOut, signOutEverywhere } = useSignOut();
  const [isLeaving, setIsLeaving] = useState(false);
  return (
    <Panel
      title="Sessions"
      lead={
        <>
          You signed in <Moment at={session.createdAt} />. This session ends <Moment at={session.expiresAt} /> at the
          latest, and earlier when it is not used.
        </>
      }
      actions={
        <>
          <Button variant="default" onClick={() => setIsLeaving(true)}>
            Sign out everywhere…
          </Button>
          <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
            Sign out
          </Button>
        </>
      }
    >
      {isLeaving && (
        <Confirm
          title="Sign out everywhere?"
          confirmLabel="Sign out everywhere"
          isHarmless
          onClose={() => setIsLeaving(false)}
          onConfirm={() => signOutEverywhere.mutateAsync()}
          onDone={() => {}}
        >
          <p>On every device, this one too.</p>
        </Confirm>
      )}
    </Panel>
  );
}
