// The value of an attribute: shown, and typed or chosen.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Attribute, AttributeType } from '@roster/client';
import type { ChangeEvent, KeyboardEvent, ReactNode, Ref } from 'react';
import { count } from '../components/moment.tsx';
import { dayText } from './conditions.ts';

export type Value = string | number | boolean;

/** Undefined when there is none. */
export function shownValue({ type }: Attribute, value: Value | undefined): ReactNode {
  if (value === undefined) return undefined;
  if (type === 'date') return <time dateTime={String(value)}>{dayText(String(value))}</time>;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'number' ? count(value) : value;
}

const midnight = /^(\d{4}-\d\d-\d\d)T00:00:00\.000Z$/;

/** As it is typed. A date at midnight is a day. */
export function typedValue({ type }: Attribute, value: Value | undefined): string {
  const text = String(value ?? '');
  return type === 'date' ? (midnight.exec(text)?.[1] ?? text) : text;
}

/** What to send. The server says what is wrong with a number that is none. */
export function readValue(type: AttributeType, typed: string): Value | null {
  const text = typed.trim();
  if (text === '') return null;
  if (type === 'boolean') return text === 'true';
  const number = Number(text);
  return type === 'number' && Number.isFinite(number) ? number : text;
}

interface ValueInputProps {
  type: AttributeType;
  label?: string;
  'aria-label'?: string;
  description?: string;
  name?: string;
  value: string;
  error?: string | undefined;
  onChange(event: ChangeEvent<HTMLInputElement | HTMLSelectElement>): void;
  onKeyDown?(event: KeyboardEvent): void;
  ref?: Ref<HTMLInputElement & HTMLSelectElement>;
}

export function ValueInput({ type, ...props }: ValueInputProps) {
  if (type === 'boolean') {
    return (
      <NativeSelect
        {...props}
        data-autofocus
        data={[
          { value: '', label: 'No value' },
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
      />
    );
  }
  const isDay = type === 'date' && /^(?:\d{4}-\d\d-\d\d)?$/.test(props.value);
  return (
    <TextInput
      {...props}
      data-autofocus
      autoComplete="off"
      type={isDay ? 'date' : 'text'}
      // Not an input of numbers: it would hide what it cannot read, and that would be taken for no value.
      {...(type === 'number' && { inputMode: 'decimal' as const })}
    />
  );
}
