// A set of tags: each can be removed, and more can be typed, with those that the bot has as suggestions.
import { Button, Input, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import { tagsQuery } from '../api/queries.ts';
import { Chip } from '../components/chip.tsx';
import { useSignedIn } from '../session.tsx';
import classes from './tag-field.module.css';

interface TagListProps {
  tags: readonly string[];
  isDisabled?: boolean;
  /** Left out: none can be removed. */
  onRemove?(tag: string): void;
}

export function TagList({ tags, isDisabled = false, onRemove }: TagListProps) {
  return (
    <ul className={classes.tags} aria-label="Tags">
      {tags.map((tag) => (
        <Chip
          key={tag}
          text={tag}
          removeLabel={`Remove tag: ${tag}`}
          isDisabled={isDisabled}
          onRemove={onRemove && (() => onRemove(tag))}
        />
      ))}
    </ul>
  );
}

interface TagFieldProps {
  botId: string;
  /** Left out: what shows the field says that it is about tags. */
  label?: string;
  tags: readonly string[];
  /** What stands in the input. */
  typed: string;
  onType(text: string): void;
  onAdd(tags: string[]): void;
  onRemove(tag: string): void;
  /** Left out: Escape is for what the field stands in, a dialog. */
  onCancel?(): void;
  error?: string | undefined;
  isPending?: boolean;
}

/** No tag has a comma, so a comma ends one. */
export function splitTags(typed: string): string[] {
  const tags = typed.split(',').map((tag) => tag.trim());
  return tags.filter((tag) => tag !== '');
}

export function TagField(props: TagFieldProps) {
  const { botId, label, tags, typed, onType, onAdd, onRemove, onCancel, error, isPending = false } = props;
  const { connection } = useSignedIn();
  const { data: known = [] } = useQuery(tagsQuery(connection, botId));
  const field = useRef<HTMLDivElement>(null);
  const inputId = useId();
  const listId = useId();
  const added = splitTags(typed);
  const add = () => {
    if (added.length > 0 && !isPending) onAdd(added);
  };
  return (
    <div ref={field} tabIndex={-1} className={classes.field}>
      {label && <Input.Label htmlFor={inputId}>{label}</Input.Label>}
      {tags.length > 0 && (
        <TagList
          tags={tags}
          isDisabled={isPending}
          onRemove={(tag) => {
            // The button will be gone. Not the input: on a phone it would bring up the keyboard.
            field.current?.focus();
            onRemove(tag);
          }}
        />
      )}
      <div className={classes.add}>
        <TextInput
          id={inputId}
          aria-label={label === undefined ? 'Add a tag' : undefined}
          placeholder="Add a tag"
          autoComplete="off"
          list={listId}
          value={typed}
          error={error}
          onChange={(event) => onType(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && onCancel && typed !== '') {
              event.preventDefault();
              event.stopPropagation();
              onCancel();
            }
            // In a form, Enter without a tag is that of the form.
            if (event.key !== 'Enter' || added.length === 0) return;
            event.preventDefault();
            add();
          }}
        />
        <Button variant="default" disabled={added.length === 0 || isPending} onClick={add}>
          Add
        </Button>
      </div>
      <datalist id={listId}>
        {known
          .filter(({ name }) => !tags.includes(name))
          .map(({ name }) => (
            <option key={name} value={name} />
          ))}
      </datalist>
    </div>
  );
}
