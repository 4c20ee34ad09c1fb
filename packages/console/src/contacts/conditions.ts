// The conditions of a filter in words, and the operators by which each kind of field can be compared.
import type { Attribute, AttributeType } from '@roster/client';
import { count, counted } from '../components/moment.tsx';
import type { Condition } from './list-state.ts';

/** What a filter can be about. */
export interface FilterField {
  /** The API's name: `tag`, `createdAt`, `attributes[plan]` */
  name: string;
  label: string;
  kind: AttributeType | 'tag' | 'time';
}

export function filterFields(attributes: readonly Attribute[]): FilterField[] {
  return [
    { name: 'tag', label: 'Tag', kind: 'tag' },
    { name: 'createdAt', label: 'Created', kind: 'time' },
    { name: 'updatedAt', label: 'Updated', kind: 'time' },
    ...attributes.map(({ key, label, type }) => ({ name: `attributes[${key}]`, label, kind: type })),
  ];
}

interface Operator {
  label: string;
  /** What is typed or chosen for it. */
  input: 'text' | 'number' | 'days' | 'day' | 'boolean' | 'tag' | 'none';
  /** Behind the field's name. */
  suffix: '' | '[gte]' | '[gt]' | '[lte]' | '[lt]' | '[exists]';
  /** The value as the API reads it. */
  write(value: string): string;
}

const asTyped = (value: string) => value.trim();
/** Midnight where the reader is. */
const localMidnight = (value: string) => new Date(`${value}T00:00`).toISOString();
const daysBeforeNow = (value: string) => `-${Number(value)}d`;
const asNumber = (value: string) => JSON.stringify(Number(value));

const relative: Operator[] = [
  { label: 'in the last … days', input: 'days', suffix: '[gte]', write: daysBeforeNow },
  { label: 'more than … days ago', input: 'days', suffix: '[lt]', write: daysBeforeNow },
];
const existence: Operator[] = [
  { label: 'has a value', input: 'none', suffix: '[exists]', write: () => 'true' },
  { label: 'has no value', input: 'none', suffix: '[exists]', write: () => 'false' },
];
const day = (write: Operator['write']): Operator[] => [
  { label: 'on or after', input: 'day', suffix: '[gte]', write },
  { label: 'before', input: 'day', suffix: '[lt]', write },
];

export const operatorsOf: Record<FilterField['kind'], readonly Operator[]> = {
  tag: [{ label: 'is', input: 'tag', suffix: '', write: asTyped }],
  time: [...relative, ...day(localMidnight)],
  text: [{ label: 'is', input: 'text', suffix: '', write: asTyped }, ...existence],
  number: [
    { label: 'is', input: 'number', suffix: '', write: asNumber },
    { label: 'is at least', input: 'number', suffix: '[gte]', write: asNumber },
    { label: 'is at most', input: 'number', suffix: '[lte]', write: asNumber },
    { label: 'is more than', input: 'number', suffix: '[gt]', write: asNumber },
    { label: 'is less than', input: 'number', suffix: '[lt]', write: asNumber },
    ...existence,
  ],
  boolean: [{ label: 'is', input: 'boolean', suffix: '', write: asTyped }, ...existence],
  date: [...day(asTyped), ...relative, ...existence],
  choice: [{ label: 'is', input: 'text', suffix: '', write: asTyped }, ...existence],
};

const timeWords: Record<string, string> = { gte: 'on or after', gt: 'after', lte: 'until', lt: 'before' };
const numberWords: Record<string, string> = {
  gte: 'is at least',
  gt: 'is more than',
  lte: 'is at most',
  lt: 'is less than',
};

/** "Plan is pro or premium", "Created in the last 30 days" */
export function describeCondition({ name, values }: Condition, attributes: readonly Attribute[]): string {
  const [, base = name, operator = ''] = /^(.*?)(?:\[(gte?|lte?|exists)\])?$/.exec(name) ?? [];
  const field = filterFields(attributes).find((each) => each.name === base);
  const label = field?.label ?? base.replace(/^attributes\[(\w+)\]$/, '$1');
  const kind = field?.kind ?? 'text';
  const [value = ''] = values;
  if (operator === 'exists') return `${label} ${value === 'false' ? 'has no value' : 'has a value'}`;
  if (operator === '') return `${label} is ${values.map((each) => valueText(kind, each)).join(' or ')}`;
  if (kind === 'number') return `${label} ${numberWords[operator]} ${valueText(kind, value)}`;
  const [, amount, unit] = /^-(\d+)([dh])$/.exec(value) ?? [];
  if (amount === undefined) return `${label} ${timeWords[operator]} ${dayText(value)}`;
  const span = counted(Number(amount), unit === 'h' ? 'hour' : 'day');
  return operator.startsWith('g') ? `${label} in the last ${span}` : `${label} more than ${span} ago`;
}

function valueText(kind: FilterField['kind'], value: string): string {
  if (kind === 'boolean') return value === 'true' ? 'Yes' : 'No';
  if (kind === 'date') return dayText(value);
  return kind === 'number' && Number.isFinite(Number(value)) ? count(Number(value)) : value;
}

const localDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const utcDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A date without a time is the same day for every reader. */
export function dayText(value: string): string {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return value;
  return (/^\d{4}-\d\d-\d\d(?:T00:00:00\.000Z)?$/.test(value) ? utcDay : localDay).format(at);
}
