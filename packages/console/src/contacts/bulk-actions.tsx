// The dialogs of the actions on the chosen contacts: delete, add and remove a tag, set and remove the value of an attribute.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Attribute, Tag } from '@roster/client';
import type { Contacts } from '@roster/client/parts';
import { limits } from '@roster/contract/limits';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../components/confirm.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { count, counted } from '../components/moment.tsx';
import { readValue } from './attribute-value.tsx';
import { type BulkAction, type Chosen, type ChosenMatches, countChosen } from './bulk.ts';
import classes from './bulk-actions.module.css';
import { BulkDialog } from './bulk-dialog.tsx';
import { ValueInput } from './value-input.tsx';

interface ActionProps {
  botId: string;
  contacts: Contacts;
  chosen: Chosen;
  onClose(isDone: boolean): void;
}

interface BulkActProps extends ActionProps {
  kind: BulkAction['kind'];
  tags: readonly Tag[];
  attributes: readonly Attribute[];
}

export function BulkAct({ kind, tags, attributes, ...props }: BulkActProps) {
  if (kind === 'delete') return <DeleteContacts {...props} />;
  if (kind === 'tag') return <AddTag {...props} tags={tags} />;
  if (kind === 'untag') return <RemoveTag {...props} tags={tags} />;
  if (kind === 'clear') return <RemoveValue {...props} attributes={attributes} />;
  return <SetAttribute {...props} attributes={attributes} />;
}

/** Beyond it, the number must be typed. */
const deletedUntyped = 100;

function DeleteContacts(props: ActionProps) {
  return 'search' in props.chosen ? <DeleteMatches {...props} chosen={props.chosen} /> : <ConfirmDelete {...props} />;
}

/** Counts them before it asks: the total that the list shows may be some seconds old. */
function DeleteMatches(props: ActionProps & { chosen: ChosenMatches }) {
  const { botId, contacts, chosen, onClose } = props;
  const { data: total, error } = useQuery({
    queryKey: ['count', botId, chosen.search],
    queryFn: async ({ signal }) => {
      const { pagination } = await contacts.search({ ...chosen.search, limit: 1 }, { signal, isFresh: true });
      return pagination.total;
    },
    // Once for each time that somebody is asked, and not again while they are.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (total !== undefined) return <ConfirmDelete {...props} chosen={{ ...chosen, total }} />;
  return (
    <Dialog title="Delete contacts" onClose={() => onClose(false)}>
      {error === null ? <p role="status">Counting…</p> : <FailureNote error={error} />}
    </Dialog>
  );
}

function ConfirmDelete(props: ActionProps) {
  const total = countChosen(props.chosen);
  const contacts = counted(total, 'contact');
  const [typed, setTyped] = useState('');
  // With or without separators.
  const isReady = total <= deletedUntyped || typed.replaceAll(/[\s.,’']/g, '') === String(total);
  return (
    <BulkDialog
      {...props}
      title={`Delete ${contacts}?`}
      taskTitle={`Delete ${contacts}`}
      confirmLabel="Delete"
      action={isReady ? { kind: 'delete' } : undefined}
    >
      <p className={classes.text}>
        Their tokens are deleted too, and the widget no longer recognizes them. This can’t be undone.
      </p>
      {total > deletedUntyped && (
        <TextInput
          label={
            <>
              Type <strong>{count(total)}</strong> to confirm
            </>
          }
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </BulkDialog>
  );
}

function AddTag({ tags, ...props }: ActionProps & { tags: readonly Tag[] }) {
  const [tag, setTag] = useState('');
  return (
    <BulkDialog
      {...props}
      title={`Add a tag to ${counted(countChosen(props.chosen), 'contact')}`}
      taskTitle={`Add tag “${tag.trim()}” to ${counted(countChosen(props.chosen), 'contact')}`}
      confirmLabel="Add tag"
      isHarmless
      action={tag.trim() === '' ? undefined : { kind: 'tag', tag: tag.trim() }}
    >
      <TextInput
        label="Tag"
        data-autofocus
        autoComplete="off"
        maxLength={limits.tagLength}
        list="bot-tags"
        value={tag}
        onChange={(event) => setTag(event.currentTarget.value)}
      />
      <datalist id="bot-tags">
        {tags.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </BulkDialog>
  );
}

function RemoveTag({ tags, ...props }: ActionProps & { tags: readonly Tag[] }) {
  const [chosenTag, setTag] = useState('');
  const tag = chosenTag || (tags[0]?.name ?? '');
  return (
    <BulkDialog
      {...props}
      title={`Remove a tag from ${counted(countChosen(props.chosen), 'contact')}`}
      taskTitle={`Remove tag “${tag}” from ${counted(countChosen(props.chosen), 'contact')}`}
      confirmLabel="Remove tag"
      isHarmless
      action={tag === '' ? undefined : { kind: 'untag', tag }}
    >
      <NativeSelect
        label="Tag"
        data-autofocus
        data={tags.map(({ name }) => name)}
        value={tag}
        onChange={(event) => setTag(event.currentTarget.value)}
      />
    </BulkDialog>
  );
}

interface AttributeChoiceProps {
  attributes: readonly Attribute[];
  value: string;
  onChange(key: string): void;
}

/** None is chosen at first: a wrong one would be overwritten for all of the contacts. */
function AttributeChoice({ attributes, value, onChange }: AttributeChoiceProps) {
  return (
    <NativeSelect
      label="Attribute"
      data-autofocus
      data={[
        { value: '', label: 'Choose an attribute' },
        ...attributes.map(({ key, label }) => ({ value: key, label })),
      ]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function SetAttribute({ attributes, ...props }: ActionProps & { attributes: readonly Attribute[] }) {
  const [key, setKey] = useState('');
  const [typed, setTyped] = useState('');
  const attribute = attributes.find((each) => each.key === key);
  const value = attribute ? readValue(attribute.type, typed) : null;
  const contacts = counted(countChosen(props.chosen), 'contact');
  return (
    <BulkDialog
      {...props}
      title={`Set an attribute for ${contacts}`}
      taskTitle={`Set ${attribute?.label} for ${contacts}`}
      confirmLabel="Set attribute"
      isHarmless
      action={value === null ? undefined : { kind: 'attribute', key, value }}
    >
      <AttributeChoice
        attributes={attributes}
        value={key}
        onChange={(chosen) => {
          setKey(chosen);
          setTyped('');
        }}
      />
      {attribute && (
        <ValueInput
          type={attribute.type}
          choices={attribute.choices}
          label="Value"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </BulkDialog>
  );
}

function RemoveValue({ attributes, ...props }: ActionProps & { attributes: readonly Attribute[] }) {
  const [key, setKey] = useState('');
  const attribute = attributes.find((each) => each.key === key);
  const contacts = counted(countChosen(props.chosen), 'contact');
  return (
    <BulkDialog
      {...props}
      title={`Remove an attribute value from ${contacts}`}
      taskTitle={`Remove ${attribute?.label} from ${contacts}`}
      confirmLabel="Remove value"
      action={attribute && { kind: 'clear', key }}
    >
      <AttributeChoice attributes={attributes} value={key} onChange={setKey} />
    </BulkDialog>
  );
}
