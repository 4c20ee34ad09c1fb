// The dialogs of the actions on the chosen contacts: delete, add and remove a tag, set an attribute.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Attribute, Tag } from '@roster/client';
import type { Contacts } from '@roster/client/parts';
import { limits } from '@roster/contract/limits';
import { useState } from 'react';
import { counted } from '../components/moment.tsx';
import { readValue, ValueInput } from './attribute-value.tsx';
import { type BulkAction, type Chosen, countChosen } from './bulk.ts';
import classes from './bulk-actions.module.css';
import { BulkDialog } from './bulk-dialog.tsx';

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
  return <SetAttribute {...props} attributes={attributes} />;
}

function DeleteContacts(props: ActionProps) {
  const title = `Delete ${counted(countChosen(props.chosen), 'contact')}?`;
  return (
    <BulkDialog
      {...props}
      title={title}
      taskTitle={`Delete ${counted(countChosen(props.chosen), 'contact')}`}
      confirmLabel="Delete"
      action={{ kind: 'delete' }}
    >
      <p className={classes.text}>
        Their tokens are deleted too, and the widget no longer recognizes them. This can’t be undone.
      </p>
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

function SetAttribute({ attributes, ...props }: ActionProps & { attributes: readonly Attribute[] }) {
  const [key, setKey] = useState(attributes[0]?.key ?? '');
  const [typed, setTyped] = useState('');
  const attribute = attributes.find((each) => each.key === key);
  return (
    <BulkDialog
      {...props}
      title={`Set an attribute for ${counted(countChosen(props.chosen), 'contact')}`}
      taskTitle={`Set ${attribute?.label} for ${counted(countChosen(props.chosen), 'contact')}`}
      confirmLabel="Set attribute"
      isHarmless
      action={attribute && { kind: 'attribute', key, value: readValue(attribute.type, typed) }}
    >
      <NativeSelect
        label="Attribute"
        data-autofocus
        data={attributes.map((each) => ({ value: each.key, label: each.label }))}
        value={key}
        onChange={(event) => {
          setKey(event.currentTarget.value);
          setTyped('');
        }}
      />
      {attribute && (
        <ValueInput
          type={attribute.type}
          label="Value"
          {...(attribute.type !== 'boolean' && { description: 'Leave it empty to remove the value.' })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </BulkDialog>
  );
}
