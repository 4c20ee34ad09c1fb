// The form that renames a tag on all contacts that have it.
import { TextInput } from '@mantine/core';
import type { Tag } from '@roster/client';
import { limits } from '@roster/contract/limits';
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../api/queries.ts';
import { Dialog } from '../components/confirm.tsx';
import { Form, FormButtons, useForm } from '../components/form.tsx';
import { useNotify } from '../components/notices.tsx';
import { useSignedIn } from '../session.tsx';

export function TagForm({ botId, tag, onClose }: { botId: string; tag: Tag; onClose: () => void }) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const form = useForm(
    { name: tag.name },
    ({ name }) => connection.tagsOf(botId).rename(tag.name, { name }),
    ({ data }) => {
      queries.invalidateQueries({ queryKey: keys.tags(botId) });
      queries.invalidateQueries({ queryKey: keys.contacts(botId) });
      queries.removeQueries({ queryKey: keys.contact(botId) });
      notify(`${tag.name} is now called ${data.name}.`);
      onClose();
    },
  );
  return (
    <Dialog title={`Rename ${tag.name}`} onClose={onClose}>
      <Form form={form} label="Tag">
        <TextInput
          label="Name"
          required
          data-autofocus
          autoComplete="off"
          maxLength={limits.tagLength}
          {...form.field('name')}
        />
        <FormButtons form={form} submitLabel="Rename" onClose={onClose} />
      </Form>
    </Dialog>
  );
}
