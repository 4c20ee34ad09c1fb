// The value of a field or an attribute: as it is shown, as it is typed, and as it is sent.
import type { AttributeType } from '@roster/client';
import type { ReactNode } from 'react';
import { count } from '../components/moment.tsx';
import { dayText } from './conditions.ts';

export type Value = string | number | boolean;

/** An email and a phone are texts for which phones show another keyboard. */
export type FieldType = AttributeType | 'email' | 'tel';

interface Typed {
  type: FieldType;
}

/** Undefined when there is none. */
export function shownValue({ type }: Typed, value: Value | undefined): ReactNode {
  if (value === undefined) return undefined;
  if (type === 'date') return <time dateTime={String(value)}>{dayText(String(value))}</time>;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'number' ? count(value) : value;
}

const midnight = /^(\d{4}-\d\d-\d\d)T00:00:00\.000Z$/;

/** As it is typed. A date at midnight is a day. */
export function typedValue({ type }: Typed, value: Value | undefined): string {
  const text = String(value ?? '');
  return type === 'date' ? (midnight.exec(text)?.[1] ?? text) : text;
}

/** What to send. The server says what is wrong with a number that is none. */
export function readValue(type: FieldType, typed: string): Value | null {
  const text = typed.trim();
  if (text === '') return null;
  if (type === 'boolean') return text === 'true';
  const number = Number(text);
  return type === 'number' && Number.isFinite(number) ? number : text;
}
