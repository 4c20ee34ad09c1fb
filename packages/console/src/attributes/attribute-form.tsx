// The form that defines an attribute, or changes its name, description and choices.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Attribute, AttributeDefinition, AttributeType } from '@roster/client';
import { limits } from '@roster/contract/limits';
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../api/queries.ts';
import { Dialog } from '../components/confirm.tsx';
import { Form, FormButtons, useForm } from '../components/form.tsx';
import { useNotify } from '../components/notices.tsx';
import { useSignedIn } from '../session.tsx';
import { keyOfLabel } from './key-of-label.ts';

export const typeLabels: Record<AttributeType, string> = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  date: 'Date',
  choice: 'Choice',
};

interface AttributeFormProps {
  botId: string;
  /** Left out: a new one. */
  attribute?: Attribute;
  /** The attributes of the bot: neither their keys nor their names may be used again. */
  others: readonly Attribute[];
  onClose(): void;
}

export function AttributeForm({ botId, attribute, others, onClose }: AttributeFormProps) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const { key: fixedKey = '', type: fixedType = 'text', label = '', description = '', choices = [] } = attribute ?? {};
  const form = useForm(
    { label, key: fixedKey, type: fixedType as string, choices: choices.join('\n'), description },
    (values) => connection.attributesOf(botId).define(values.key || keyOfLabel(values.label), definitionOf(values)),
    ({ data }) => {
      queries.invalidateQueries({ queryKey: keys.attributes(botId) });
      notify(attribute === undefined ? `${data.label} was created.` : 'Saved.');
      onClose();
    },
  );
  const { values } = form;
  const key = values.key || keyOfLabel(values.label);
  const isTaken = attribute === undefined && others.some((each) => each.key === key);
  const folded = (name: string) => name.trim().toLowerCase();
  const hasTwin = others.some((each) => each.key !== fixedKey && folded(each.label) === folded(values.label));
  return (
    <Dialog title={attribute === undefined ? 'New attribute' : `Edit ${label}`} onClose={onClose}>
      <Form
        form={{ ...form, submit: (event) => (isTaken || hasTwin ? event.preventDefault() : form.submit(event)) }}
        label="Attribute"
      >
        <TextInput
          label="Name"
          required
          data-autofocus
          autoComplete="off"
          maxLength={limits.attributeLabelLength}
          {...form.field('label')}
          {...(hasTwin && { error: `An attribute named ${values.label.trim()} already exists.` })}
        />
        {attribute === undefined && (
          <>
            <TextInput
              label="Key"
              description="What the API and CSV files call it. It can’t be changed later."
              autoComplete="off"
              placeholder={keyOfLabel(values.label)}
              {...form.field('key')}
              {...(isTaken && { error: `The key ${key} is already in use.` })}
            />
            <NativeSelect
              label="Type"
              description="It can’t be changed later."
              data={Object.entries(typeLabels).map(([value, text]) => ({ value, label: text }))}
              {...form.field('type')}
            />
          </>
        )}
        {values.type === 'choice' && (
          <Textarea
            label="Choices"
            description={
              attribute === undefined
                ? 'The values that contacts can have, one per line.'
                : 'One per line. You can respell a choice in use, but not remove it.'
            }
            required
            rows={5}
            {...form.field('choices')}
          />
        )}
        <TextInput
          label="Description"
          autoComplete="off"
          maxLength={limits.attributeDescriptionLength}
          {...form.field('description')}
        />
        <FormButtons
          form={form}
          submitLabel={attribute === undefined ? 'Create attribute' : 'Save'}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}

function definitionOf({ type, label, description, choices }: Record<keyof AttributeDefinition, string>) {
  const lines = choices.split('\n').filter((line) => line.trim() !== '');
  return { type: type as AttributeType, label, description, ...(type === 'choice' && { choices: lines }) };
}
