// Creates a secret, which is shown once, or renames one.
import { NativeSelect, TextInput } from '@mantine/core';
import type { SecretState } from '@roster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../api/queries.ts';
import { Dialog } from '../components/confirm.tsx';
import { Form, FormButtons, useForm } from '../components/form.tsx';
import { NewSecret } from '../components/new-secret.tsx';
import { useNotify } from '../components/notices.tsx';
import { useSignedIn } from '../session.tsx';
import { ScopeFields, scopeOf, usualScope } from './scope-fields.tsx';

const dayMs = 86_400_000;
const lifetimes = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days (recommended)' },
  { value: '365', label: 'In a year' },
  { value: '', label: 'Never' },
];

export function CreateSecret({ onClose }: { onClose: () => void }) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const form = useForm(
    { name: '', days: '90', ...usualScope },
    ({ name, days, ...scope }) => {
      const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString();
      return connection.call('createSecret', { body: { name, expiresAt, ...scopeOf(scope) } });
    },
    ({ data }) => {
      setSecret(data.secret);
      queries.invalidateQueries({ queryKey: keys.secrets });
    },
  );
  if (secret !== undefined) {
    return (
      <NewSecret title="Your new secret" secret={secret} onClose={onClose}>
        Store it where your server can read it, and nowhere else.
      </NewSecret>
    );
  }
  return (
    <Dialog title="New secret" onClose={onClose} size="lg">
      <Form form={form} label="New secret">
        <TextInput
          label="Name"
          description="Where it is used: “web shop”, “nightly import”."
          required
          data-autofocus
          autoComplete="off"
          {...form.field('name')}
        />
        <ScopeFields form={form} />
        <NativeSelect label="Expires" data={lifetimes} {...form.field('days')} />
        <FormButtons form={form} submitLabel="Create secret" onClose={onClose} />
      </Form>
    </Dialog>
  );
}

export function RenameSecret({ secret, onClose }: { secret: SecretState; onClose: () => void }) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const form = useForm(
    { name: secret.name },
    (body) => connection.call('updateSecret', { path: { secretId: secret.id }, body }),
    () => {
      queries.invalidateQueries({ queryKey: keys.secrets });
      notify('Renamed.');
      onClose();
    },
  );
  return (
    <Dialog title="Rename secret" onClose={onClose}>
      <Form form={form} label="Rename secret">
        <TextInput label="Name" required data-autofocus autoComplete="off" {...form.field('name')} />
        <FormButtons form={form} submitLabel="Rename" onClose={onClose} />
      </Form>
    </Dialog>
  );
}
