// Forms: their values, the server's errors per field, and the focus after an error.
import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { describeFailure } from '../api/failure.ts';
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
 * from the initial ones as `changed`: writing the others back would undo the changes of other members.
 */
export function useForm<Values extends Record<string, string>, Answer>(
  stored: Values,
  send: (values: Values, changed: Partial<Values>) => Promise<Answer>,
  onDone: (answer: Answer, values: Values) => void,
): FormState<Values> {
  const [initial, setInitial] = useState(stored);
  const [values, setValues] = useState(stored);
  const isChanged = !isEmpty(changesOf(initial, values));
  const restart = (next: Values) => {
    setInitial(next);
    setValues(next);
  };
  const [lastStored, setLastStored] = useState(stored);
  if (!isEmpty(changesOf(lastStored, stored))) {
    setLastStored(stored);
    // The user has not typed anything, so the form shows the current values.
    if (!isChanged) restart(stored);
  }
  const mutation = useMutation({
    mutationFn: (sent: Values) => send(sent, changesOf(initial, sent)),
    onSuccess: (answer) => onDone(answer, values),
  });
  const faults = mutation.error === null ? {} : describeFailure(mutation.error).fields;
  const set = (changes: Partial<Values>) => setValues((before) => ({ ...before, ...changes }));
  return {
    values,
    isChanged,
    set,
    restart,
    field: (name) => ({
      name,
      value: values[name] ?? '',
      error: faults[name],
      onChange: (event) => set({ [name]: event.currentTarget.value } as Partial<Values>),
    }),
    error: mutation.error ?? undefined,
    isPending: mutation.isPending,
    submit(event) {
      event.preventDefault();
      if (!mutation.isPending) mutation.mutate(values);
    },
  };
}

function changesOf<Values extends Record<string, string>>(before: Values, after: Values): Partial<Values> {
  const changed = Object.entries(after).filter(([name, value]) => value !== before[name]);
  return Object.fromEntries(changed) as Partial<Values>;
}

function isEmpty(values: object): boolean {
  return Object.keys(values).length === 0;
}

interface FormProps {
  form: Pick<FormState<Record<string, string>>, 'error' | 'submit' | 'isPending'>;
  label?: string;
  children: ReactNode;
}

export function Form({ form, label, children }: FormProps) {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.error !== undefined) element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [form.error]);
  return (
    <form ref={element} onSubmit={form.submit} className={classes.form} aria-label={label} noValidate>
      {form.error !== undefined && <FailureNote error={form.error} isAboveFields />}
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
