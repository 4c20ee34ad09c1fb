// A field of a contact, which is edited where it is shown: Enter saves, Escape cancels, and nothing else ends an edit.
import { ActionIcon, Button } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { isChangedMeanwhile } from '../api/failure.ts';
import { NoValue } from '../components/details.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { useForm } from '../components/form.tsx';
import { Icon } from '../components/icons.tsx';
import { useKept } from '../kept-state.ts';
import { useSignedIn } from '../session.tsx';
import { useUnsaved } from '../unsaved.ts';
import { shownValue, typedValue } from './attribute-value.tsx';
import { type ContactField, changeOf, fieldValue } from './contact-fields.ts';
import { fieldError } from './field-error.tsx';
import classes from './field-row.module.css';
import { ValueInput } from './value-input.tsx';
import { useContactWrites, type WholeContact } from './whole-contact.ts';

interface FieldRowProps {
  botId: string;
  contact: WholeContact;
  field: ContactField;
}

/** Closes the editors in which nothing was typed, when another one is opened. */
const untouched = new Set<() => void>();

function focusOn(element: HTMLElement | null): void {
  element?.focus();
}

/** A pair of a list of descriptions. */
export function FieldRow({ botId, contact, field }: FieldRowProps) {
  const { canWrite } = useSignedIn();
  const [isEditing, setIsEditing] = useKept(`edit of ${field.name}`, false);
  /** The focus goes with an edit: into the field, and back to the button. */
  const returnsFocus = useRef(false);
  const close = (isReturning: boolean) => {
    returnsFocus.current = isReturning;
    setIsEditing(false);
  };
  const open = () => {
    for (const closeIt of untouched) closeIt();
    setIsEditing(true);
  };
  return (
    <div className={classes.row}>
      <dt title={field.description}>{field.label}</dt>
      <dd>
        {isEditing ? (
          <FieldEditor botId={botId} contact={contact} field={field} onClose={close} />
        ) : (
          // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same, and a text that is a button cannot be selected.
          // biome-ignore lint/a11y/useKeyWithClickEvents: as above.
          <div
            className={classes.value}
            data-editable={canWrite || undefined}
            onClick={() => canWrite && getSelection()?.isCollapsed !== false && open()}
          >
            <span className={classes.text}>{shownValue(field, fieldValue(contact, field)) ?? <NoValue />}</span>
            {canWrite && (
              <ActionIcon
                ref={returnsFocus.current ? focusOn : null}
                className={classes.pencil ?? ''}
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`Edit ${field.label}`}
                onClick={open}
              >
                <Icon name="edit" size={15} />
              </ActionIcon>
            )}
          </div>
        )}
      </dd>
    </div>
  );
}

interface FieldEditorProps extends FieldRowProps {
  onClose(isReturning: boolean): void;
}

function FieldEditor({ botId, contact, field, onClose }: FieldEditorProps) {
  const { name, label } = field;
  const { update, readAgain } = useContactWrites(botId);
  /** The contact when its value was last in view: before anything was typed, or beside what was typed. */
  const seen = useRef(contact);
  const typedOf = (version: WholeContact) => typedValue(field, fieldValue(version, field));
  /** Changes of other fields are no reason to ask, nor is an earlier try of this one whose answer was lost. */
  const save = async (typed: string): Promise<WholeContact> => {
    try {
      return await update(contact.id, changeOf(field, typed), seen.current);
    } catch (error) {
      if (!isChangedMeanwhile(error)) throw error;
      const before = seen.current;
      seen.current = await readAgain(contact.id);
      const now = typedOf(seen.current);
      if (now === typed.trim()) return seen.current;
      if (now !== typedOf(before)) throw error;
      return save(typed);
    }
  };
  const input = useRef<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>(null);
  const stored = typedOf(contact);
  const form = useForm(
    { [name]: stored },
    (values) => save(values[name] ?? ''),
    () => onClose(true),
  );
  useUnsaved(form.isChanged);
  useEffect(() => {
    if (form.isChanged) return;
    seen.current = contact;
    const close = () => onClose(false);
    untouched.add(close);
    return () => {
      untouched.delete(close);
    };
  });
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    if (form.error !== undefined) input.current?.focus();
  }, [form.error]);
  const error = isChangedMeanwhile(form.error) ? (
    <>
      Somebody else changed this to <b>{shownValue(field, fieldValue(contact, field)) ?? 'no value'}</b>. Save to
      replace it, or cancel to keep it.
    </>
  ) : (
    fieldError(botId, form, name)
  );
  const isMultiline = stored.includes('\n');
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Escape' || form.isPending) return;
    // It must not close what the contact is shown in as well.
    event.preventDefault();
    event.stopPropagation();
    onClose(true);
  };
  return (
    <form
      className={classes.editor}
      aria-label={`Edit ${label}`}
      noValidate
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        if (form.isChanged) return form.submit(event);
        event.preventDefault();
        onClose(true);
      }}
    >
      <ValueInput
        {...form.field(name)}
        ref={input}
        type={field.type}
        choices={field.choices}
        description={field.description}
        isMultiline={isMultiline}
        aria-label={label}
        placeholder={field.placeholder}
        error={error}
        onKeyDown={(event) => {
          // A line more takes Shift, as where messages are written.
          if (!isMultiline || event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          input.current?.form?.requestSubmit();
        }}
      />
      <div className={classes.buttons}>
        <Button type="submit" size="xs" loading={form.isPending}>
          Save
        </Button>
        <Button variant="default" size="xs" disabled={form.isPending} onClick={() => onClose(true)}>
          Cancel
        </Button>
      </div>
      {form.error !== undefined && error === undefined && <FailureNote error={form.error} />}
    </form>
  );
}
