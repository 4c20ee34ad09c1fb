// The member's own account: name and email, password, sessions and leaving; for owners also the organization's name and
// settings.
import { Button, TextInput } from '@mantine/core';
import type { Session } from '@roster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { LeavePanel } from '../account/leave-panel.tsx';
import { SessionsPanel } from '../account/sessions-panel.tsx';
import { WebhookSetting } from '../account/webhook-setting.tsx';
import { keys } from '../api/queries.ts';
import { Form, useForm } from '../components/form.tsx';
import { useNotify } from '../components/notices.tsx';
import { Page, Panel } from '../components/page.tsx';
import { NewPassword, PasswordField } from '../components/password-field.tsx';
import { roleNames } from '../members/role-names.ts';
import { sessionKey, useSessionChange, useSignedIn } from '../session.tsx';
import classes from './account.module.css';

export default function AccountPage() {
  const { isOwner } = useSignedIn();
  return (
    <Page title="Your account">
      <OwnMemberPanel />
      {isOwner && <OrganizationPanel />}
      <PasswordPanel />
      <SessionsPanel />
      <LeavePanel />
    </Page>
  );
}

function OwnMemberPanel() {
  const { connection, session } = useSignedIn();
  const { member, organization } = session;
  const queries = useQueryClient();
  const notify = useNotify();
  const form = useForm(
    { name: member.name, email: member.email, password: '' },
    ({ password }, { name, email }) =>
      connection.call('updateOwnMember', {
        body: { password, ...(name !== undefined && { name }), ...(email !== undefined && { email }) },
      }),
    ({ data }) => {
      queries.setQueryData<Session>(sessionKey, (now) => now && { ...now, member: data });
      queries.invalidateQueries({ queryKey: keys.members });
      form.restart({ name: data.name, email: data.email, password: '' });
      notify('Saved.');
    },
  );
  const isChanged = form.values.name !== member.name || form.values.email !== member.email;
  return (
    <Panel title="You" lead={`${roleNames[member.role]} of ${organization.name}`}>
      <div className={classes.narrow}>
        <Form form={form} label="You">
          <TextInput label="Your name" required autoComplete="name" {...form.field('name')} />
          <TextInput label="Your email" type="email" required autoComplete="username" {...form.field('email')} />
          {isChanged && (
            <PasswordField label="Your password" autoComplete="current-password" {...form.field('password')} />
          )}
          <Button type="submit" className={classes.submit ?? ''} loading={form.isPending} disabled={!isChanged}>
            Save
          </Button>
        </Form>
      </div>
    </Panel>
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
      <div className={classes.setting}>
        <WebhookSetting />
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
      notify('Your password was changed. All your other sessions have ended.');
    },
  );
  return (
    <Panel title="Password" lead="Changing it ends all your other sessions.">
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
