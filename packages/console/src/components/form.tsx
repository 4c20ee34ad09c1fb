// Forms: their values, the server's errors per field, the focus after an error, and edits that must not get lost.
import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { describeFailure } from '../api/failure.ts';
import { useKept } from '../kept-state.ts';
import { useUnsaved } from '../unsaved.ts';
import { FailureNote } from './failure-note.tsx';
import classes from './form.module.css';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export interface FormState<Values extends Record<string, string>> {
  values: Values;
  /** Whether any value differs from its initial one. */
  isChanged: boolean;
  set(changes: Partial<Values>): void;
  /** Replaces the initial values and everything that was typed. */
  restart(values: Values): void;
  /** The props of an input of this name. */
  field(name: keyof Values & string): {
    name: string;
    value: string;
    error: string | undefined;
    onChange(event: ChangeEvent<Field>): void;
  };
  error: unknown;
  isPending: boolean;
  submit(event: FormEvent): void;
}

/**
 * `stored` may change while the form is open, when other members save changes. `send` receives the values that differ
 * from the initial ones as `changed`: writing the others back would undo the changes of other members. `keptAs` is the
 * name by which what was typed is found after a sign-in, where the names of the values may not all be known by then.
 */
export function useForm<Values extends Record<string, string>, Answer>(
  stored: Values,
  send: (values: Values, changed: Partial<Values>) => Promise<Answer>,
  onDone: (answer: Answer, values: Values) => void,
  keptAs = `${Object.keys(stored)}`,
): FormState<Values> {
  const [{ initial, values }, setEdit] = useKept(
    `form of ${keptAs}`,
    { initial: stored, values: stored },
    withoutPasswords,
  );
  const isChanged = !isEmpty(changesOf(initial, values));
  const restart = (next: Values) => setEdit({ initial: next, values: next });
  const [lastStored, setLastStored] = useState(stored);
  if (!isEmpty(changesOf(lastStored, stored))) {
    setLastStored(stored);
    // The user has not typed anything, so the form shows the current values.
    if (!isChanged) restart(stored);
  }
  const isSending = useRef(false);
  const mutation = useMutation({
    mutationFn: (sent: Values) => send(sent, changesOf(initial, sent)),
    onSuccess: (answer) => onDone(answer, values),
    onSettled: () => {
      isSending.current = false;
    },
  });
  const faults = mutation.error === null ? {} : describeFailure(mutation.error).fields;
  const set = (changes: Partial<Values>) =>
    setEdit((before) => ({ ...before, values: { ...before.values, ...changes } }));
  return {
    values,
    isChanged,
    set,
    restart,
    field: (name) => ({
      name,
      value: values[name] ?? '',
      error: faultOf(faults, name),
      onChange: (event) => set({ [name]: event.currentTarget.value } as Partial<Values>),
    }),
    error: mutation.error ?? undefined,
    isPending: mutation.isPending,
    submit(event) {
      event.preventDefault();
      // Two clicks may come before the button is shown as busy.
      if (isSending.current) return;
      isSending.current = true;
      mutation.mutate(values);
    },
  };
}

/** The errors of a field and of what it contains: `allowedOrigins.1` is the second entry of a list. */
function faultOf(faults: Readonly<Record<string, string>>, name: string): string | undefined {
  const messages = Object.entries(faults).flatMap(([field, message]) => {
    if (field === name) return message;
    if (!field.startsWith(`${name}.`)) return [];
    const [, entry] = /^(\d+)/.exec(field.slice(name.length + 1)) ?? [];
    return entry === undefined ? message : `Entry ${Number(entry) + 1}: ${message}`;
  });
  return messages.length === 0 ? undefined : messages.join(' ');
}

/** A password is typed again after the sign-in. */
function withoutPasswords<Values extends Record<string, string>>(edit: { initial: Values; values: Values }) {
  const entries = Object.entries(edit.values).map(([name, value]) => [name, /password/i.test(name) ? '' : value]);
  return { ...edit, values: Object.fromEntries(entries) as Values };
}

function changesOf<Values extends Record<string, string>>(before: Values, after: Values): Partial<Values> {
  const changed = Object.entries(after).filter(([name, value]) => value !== before[name]);
  return Object.fromEntries(changed) as Partial<Values>;
}

function isEmpty(values: object): boolean {
  return Object.keys(values).length === 0;
}

interface FormProps {
  form: Pick<FormState<Record<string, string>>, 'values' | 'isChanged' | 'error' | 'submit' | 'isPending'>;
  label?: string;
  /** What was typed is not worth a question before it is lost: a sign-in. */
  isDisposable?: boolean;
  children: ReactNode;
}

export function Form({ form, label, isDisposable = false, children }: FormProps) {
  useUnsaved(form.isChanged && !isDisposable);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.error === undefined) return;
    const find = (selector: string) => element.current?.querySelector<HTMLElement>(selector);
    // The button has lost the focus while it was disabled.
    (find('[aria-invalid=true]') ?? find('[type=submit]'))?.focus();
  }, [form.error]);
  return (
    <form ref={element} onSubmit={form.submit} className={classes.form} aria-label={label} noValidate>
      {form.error !== undefined && <FailureNote error={form.error} fieldsBelow={Object.keys(form.values)} />}
      {children}
    </form>
  );
}

interface FormButtonsProps {
  form: Pick<FormState<Record<string, string>>, 'isPending'>;
  submitLabel: string;
  onClose(): void;
}

/** The buttons of a form in a dialog. */
export function FormButtons({ form, submitLabel, onClose }: FormButtonsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      <Button type="submit" loading={form.isPending}>
        {submitLabel}
      </Button>
    </Group>
  );
}
