// A choice of some of several items in a form, as checkboxes.
import { Checkbox } from '@mantine/core';
import classes from './choices.module.css';
import type { FormState } from './form.tsx';

/** The fields of a form are text, so lists are joined by spaces. */
export const itemsOf = (list: string): string[] => list.split(' ').filter((item) => item !== '');

interface ChoicesProps<Name extends string> {
  form: Pick<FormState<Record<Name, string>>, 'values' | 'field'> & { set(changes: Record<string, string>): void };
  name: Name;
  legend: string;
  items: readonly { id: string; label: string; text?: string }[];
  /** There may be very many of them. */
  isLong?: boolean;
}

export function Choices<Name extends string>({ form, name, legend, items, isLong = false }: ChoicesProps<Name>) {
  const chosen = itemsOf(form.values[name]);
  const { error } = form.field(name);
  const toggle = (id: string, isChosen: boolean) => {
    const kept = chosen.filter((other) => other !== id);
    form.set({ [name]: (isChosen ? [...kept, id] : kept).join(' ') });
  };
  return (
    <fieldset className={classes.choices} data-scrolls={isLong || undefined}>
      <legend>{legend}</legend>
      {items.map(({ id, label, text }, at) => (
        <Checkbox
          key={id}
          label={label}
          description={text}
          checked={chosen.includes(id)}
          onChange={(event) => toggle(id, event.currentTarget.checked)}
          // The first one gets the focus after an error.
          aria-invalid={error !== undefined && at === 0}
        />
      ))}
      {error !== undefined && <p className={classes.error}>{error}</p>}
    </fieldset>
  );
}
