// The attributes and tags of a contact, each of which is edited where it is shown.
import { ActionIcon, Anchor, Button, Group, TextInput } from '@mantine/core';
import type { Attribute, ContactWith } from '@roster/client';
import type { Contacts } from '@roster/client/parts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { attributesQuery, includedValues, keys, tagsQuery } from '../api/queries.ts';
import { Chip } from '../components/chip.tsx';
import { Detail, Details, NoValue } from '../components/details.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { Form, useForm } from '../components/form.tsx';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Panel } from '../components/page.tsx';
import { useKept } from '../kept-state.ts';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { readValue, shownValue, typedValue, type Value, ValueInput } from './attribute-value.tsx';
import classes from './contact-values.module.css';

export type ValuedContact = ContactWith<'attributes' | 'tags'>;

interface ValuesProps {
  botId: string;
  contacts: Contacts;
  contact: ValuedContact;
}

/** After a change, for all that shows the contact or counts it. */
function useChanged(botId: string): (changed: ValuedContact) => void {
  const queries = useQueryClient();
  return (changed) => {
    queries.setQueryData(keys.contact(botId, changed.id), changed);
    for (const queryKey of [keys.contacts(botId), keys.attributes(botId), keys.tags(botId), keys.events(botId)]) {
      queries.invalidateQueries({ queryKey });
    }
  };
}

export function ContactAttributes({ botId, contacts, contact }: ValuesProps) {
  const { connection, canWrite } = useSignedIn();
  const attributes = useQuery(attributesQuery(connection, botId));
  const [editing, setEditing] = useKept<string | undefined>('edited attribute', undefined);
  // The focus goes with the edit: into the field, and back to the button.
  const lastEdited = useRef<string>(undefined);
  const edit = (key: string) => {
    lastEdited.current = key;
    setEditing(key);
  };
  return (
    <Panel title="Attributes">
      <Loaded query={attributes} lines={2}>
        {(all) =>
          all.length === 0 ? (
            <p className={classes.none}>
              This bot has no attributes.{' '}
              {canWrite && <Anchor href={linkTo(['bots', botId, 'attributes'])}>Add your first attribute</Anchor>}
            </p>
          ) : (
            <Details>
              {all.map((attribute) => (
                <Detail key={attribute.key} label={attribute.label} title={attribute.description || undefined}>
                  {editing === attribute.key ? (
                    <AttributeEditor
                      {...{ botId, contacts, contact, attribute }}
                      onClose={() => setEditing(undefined)}
                    />
                  ) : (
                    <AttributeValue
                      attribute={attribute}
                      value={contact.attributes[attribute.key]}
                      hasFocus={lastEdited.current === attribute.key}
                      onEdit={canWrite ? () => edit(attribute.key) : undefined}
                    />
                  )}
                </Detail>
              ))}
            </Details>
          )
        }
      </Loaded>
    </Panel>
  );
}

function focusOn(element: HTMLElement | null): void {
  element?.focus();
}

interface AttributeValueProps {
  attribute: Attribute;
  value: Value | undefined;
  hasFocus: boolean;
  onEdit: (() => void) | undefined;
}

function AttributeValue({ attribute, value, hasFocus, onEdit }: AttributeValueProps) {
  return (
    <span className={classes.value}>
      <span className={classes.valueText}>{shownValue(attribute, value) ?? <NoValue />}</span>
      {onEdit && (
        <ActionIcon
          ref={hasFocus ? focusOn : null}
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`Edit ${attribute.label}`}
          onClick={onEdit}
        >
          <Icon name="edit" size={15} />
        </ActionIcon>
      )}
    </span>
  );
}

interface AttributeEditorProps extends ValuesProps {
  attribute: Attribute;
  onClose(): void;
}

function AttributeEditor({ botId, contacts, contact, attribute, onClose }: AttributeEditorProps) {
  const { key, type, label } = attribute;
  const changed = useChanged(botId);
  // The name by which the server reports what is wrong with it.
  const name = `attributes.${key}`;
  const form = useForm(
    { [name]: typedValue(attribute, contact.attributes[key]) },
    (values) =>
      contacts.update(
        contact.id,
        { attributes: { [key]: readValue(type, values[name] ?? '') } },
        { include: includedValues },
      ),
    ({ data }) => {
      changed(data);
      onClose();
    },
  );
  return (
    <Form form={form} label={`Value of ${label}`}>
      <ValueInput
        ref={focusOn}
        type={type}
        aria-label={label}
        onKeyDown={({ key: pressed }) => pressed === 'Escape' && onClose()}
        {...form.field(name)}
      />
      <Group gap="xs">
        <Button type="submit" size="xs" loading={form.isPending}>
          Save
        </Button>
        <Button variant="default" size="xs" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </Form>
  );
}

export function ContactTags({ botId, contacts, contact }: ValuesProps) {
  const { connection, canWrite } = useSignedIn();
  const { data: known = [] } = useQuery(tagsQuery(connection, botId));
  const changed = useChanged(botId);
  const [typed, setTyped] = useState('');
  const mutation = useMutation({
    mutationFn: (change: { addTags: string[] } | { removeTags: string[] }) =>
      contacts.update(contact.id, change, { include: includedValues }),
    onSuccess: ({ data }, change) => {
      changed(data);
      if ('addTags' in change) setTyped('');
    },
  });
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== '' && !mutation.isPending) mutation.mutate({ addTags: [typed.trim()] });
  };
  return (
    <Panel title="Tags">
      {mutation.error !== null && <FailureNote error={mutation.error} />}
      {contact.tags.length === 0 && !canWrite && <p className={classes.none}>No tags.</p>}
      <ul className={classes.tags} aria-label="Tags">
        {contact.tags.map((tag) => (
          <Chip
            key={tag}
            text={tag}
            removeLabel={`Remove tag: ${tag}`}
            isDisabled={mutation.isPending}
            onRemove={canWrite ? () => mutation.mutate({ removeTags: [tag] }) : undefined}
          />
        ))}
        {canWrite && (
          <li>
            <form onSubmit={add} className={classes.addTag}>
              <TextInput
                size="xs"
                aria-label="Add a tag"
                placeholder="Add a tag"
                autoComplete="off"
                list="known-tags"
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
              />
              <Button type="submit" size="xs" variant="default" disabled={typed.trim() === ''}>
                Add
              </Button>
              <datalist id="known-tags">
                {known.map(({ name }) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            </form>
          </li>
        )}
      </ul>
    </Panel>
  );
}
