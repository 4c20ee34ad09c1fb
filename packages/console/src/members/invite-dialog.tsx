// Creates an invitation and shows its link once: Roster sends no email.
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import type { Role } from '@roster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../api/queries.ts';
import classes from '../components/confirm.module.css';
import { Dialog } from '../components/confirm.tsx';
import { CopyBox } from '../components/copy.tsx';
import { Form, FormButtons, useForm } from '../components/form.tsx';
import { Moment } from '../components/moment.tsx';
import { useSignedIn } from '../session.tsx';

const roles: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: sees bots and contacts' },
  { value: 'member', label: 'Member: also changes bots and contacts' },
  { value: 'owner', label: 'Owner: everything' },
];

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const [made, setMade] = useState<{ email: string; link: string; expiresAt: string }>();
  const form = useForm(
    { email: '', role: 'member' as string },
    ({ email, role }) => connection.call('createInvitation', { body: { email, role: role as Role } }),
    ({ data }) => {
      setMade(data);
      queries.invalidateQueries({ queryKey: keys.invitations });
    },
  );
  if (made !== undefined) {
    return (
      <Dialog title={`Invitation for ${made.email}`} onClose={onClose} isDismissible={false} size="lg">
        <div className={classes.form}>
          <Text>
            Send this link yourself: Roster doesn’t send email. It works once, expires <Moment at={made.expiresAt} />,
            and won’t be shown again.
          </Text>
          <CopyBox text={made.link} label="Invitation link" isFirst />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Invite a colleague" onClose={onClose}>
      <Form form={form} label="Invite a colleague">
        <TextInput label="Email" type="email" required data-autofocus autoComplete="off" {...form.field('email')} />
        <NativeSelect label="Role" data={roles} {...form.field('role')} />
        <FormButtons form={form} submitLabel="Create link" onClose={onClose} />
      </Form>
    </Dialog>
  );
}
