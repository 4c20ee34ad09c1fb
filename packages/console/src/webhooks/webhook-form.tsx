// Creates a webhook, whose secret is shown once, or edits one.
import { NativeSelect, TextInput } from '@mantine/core';
import type { EventType, Webhook } from '@roster/client';
import { limits } from '@roster/contract/limits';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../api/queries.ts';
import { Choices, itemsOf } from '../components/choices.tsx';
import { Dialog } from '../components/confirm.tsx';
import { Form, FormButtons, useForm } from '../components/form.tsx';
import { useNotify } from '../components/notices.tsx';
import { useSignedIn } from '../session.tsx';
import { eventTypeTexts } from './event-types.tsx';
import { NewWebhookSecret } from './new-webhook-secret.tsx';
import { useCanManageWebhooks } from './use-can-manage-webhooks.ts';

const reaches = [
  { value: 'all', label: 'All events, including future types' },
  { value: 'some', label: 'Only the types I choose' },
];

const types = Object.entries(eventTypeTexts).map(([id, text]) => ({ id, label: id, text }));

const newValues = { url: '', reach: 'all', types: '', description: '' };
type Values = typeof newValues;

function valuesOf({ url, types, description }: Webhook): Values {
  return { url, reach: types === null ? 'all' : 'some', types: types?.join(' ') ?? '', description };
}

function typesOf({ reach, types }: Pick<Values, 'reach' | 'types'>): EventType[] | null {
  return reach === 'all' ? null : (itemsOf(types) as EventType[]);
}

interface WebhookFormProps {
  botId: string;
  /** The webhook to edit. Left out: a new one. */
  webhook?: Webhook;
  onClose(): void;
}

export function WebhookForm({ botId, webhook, onClose }: WebhookFormProps) {
  const { connection } = useSignedIn();
  const canManage = useCanManageWebhooks();
  const isUrlFixed = webhook !== undefined && !canManage;
  const queries = useQueryClient();
  const notify = useNotify();
  const [secret, setSecret] = useState<string>();
  const form = useForm(
    webhook === undefined ? newValues : valuesOf(webhook),
    async (values, { url, reach, types, description }): Promise<string | undefined> => {
      const webhooks = connection.webhooksOf(botId);
      if (webhook === undefined) {
        const { reach: _, ...given } = values;
        return (await webhooks.create({ ...given, types: typesOf(values) })).data.secret;
      }
      const hasTypes = reach !== undefined || types !== undefined;
      await webhooks.update(webhook.id, { url, description, ...(hasTypes && { types: typesOf(values) }) });
      return undefined;
    },
    (made) => {
      queries.invalidateQueries({ queryKey: keys.webhooks(botId) });
      if (made !== undefined) return setSecret(made);
      notify('Saved.');
      onClose();
    },
  );
  if (secret !== undefined) return <NewWebhookSecret secret={secret} onClose={onClose} />;
  const title = webhook === undefined ? 'New webhook' : 'Edit webhook';
  return (
    <Dialog title={title} onClose={onClose} size="lg">
      <Form form={form} label={title}>
        <TextInput
          label="URL"
          type="url"
          description={isUrlFixed ? 'An owner can change it, or allow members to.' : 'Where Roster sends events.'}
          placeholder="https://shop.example.com/hooks/roster"
          required
          readOnly={isUrlFixed}
          data-autofocus={!isUrlFixed || undefined}
          autoComplete="off"
          maxLength={limits.webhookUrlLength}
          {...form.field('url')}
        />
        <TextInput
          label="Description"
          description="What it’s for. Optional."
          data-autofocus
          autoComplete="off"
          maxLength={limits.webhookDescriptionLength}
          {...form.field('description')}
        />
        <NativeSelect label="Events" data={reaches} {...form.field('reach')} />
        {form.values.reach === 'some' && <Choices form={form} name="types" legend="Chosen types" items={types} />}
        <FormButtons form={form} submitLabel={webhook === undefined ? 'Create webhook' : 'Save'} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
