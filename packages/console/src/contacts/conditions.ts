// The filters of a list as people read and edit them: which operators each kind of field has, and which parameters of the API
// each of them is.
import type { Attribute, AttributeType } from '@roster/client';
import { count, counted } from '../components/moment.tsx';
import { baseOf, type Condition } from './list-state.ts';

/** What a filter can be about. */
export interface FilterField {
  /** The API's name: `tag`, `createdAt`, `attributes[plan]` */
  name: string;
  label: string;
  kind: AttributeType | 'tag' | 'name' | 'email' | 'field' | 'time' | 'seen';
  attribute?: Attribute;
}

const fixedFields: readonly FilterField[] = [
  { name: 'tag', label: 'Tag', kind: 'tag' },
  { name: 'name', label: 'Name', kind: 'name' },
  { name: 'email', label: 'Email', kind: 'email' },
  { name: 'phone', label: 'Phone', kind: 'field' },
  { name: 'wid', label: 'WhatsApp', kind: 'field' },
  { name: 'mid', label: 'Messenger ID', kind: 'field' },
  { name: 'createdAt', label: 'Created', kind: 'time' },
  { name: 'updatedAt', label: 'Updated', kind: 'time' },
  { name: 'lastSeenAt', label: 'Last seen', kind: 'seen' },
];

export function filterFields(attributes: readonly Attribute[]): FilterField[] {
  const ofAttributes = attributes.map((attribute): FilterField => {
    return { name: `attributes[${attribute.key}]`, label: attribute.label, kind: attribute.type, attribute };
  });
  return [...fixedFields, ...ofAttributes];
}

export interface Operator {
  label: string;
  /** What is typed or chosen for it; with an s, any number of them. */
  input: 'text' | 'texts' | 'number' | 'numbers' | 'days' | 'day' | 'boolean' | 'tag' | 'tags' | 'choices' | 'none';
  /** The parameters of the API that it consists of. */
  parts: readonly Part[];
  /** The whole filter in words, where it is not field, label and values. */
  text?: string;
}

interface Part {
  /** Behind the field's name. */
  suffix: `[${string}]` | '';
  /** The values of the parameter for those that were typed. */
  write(typed: readonly string[]): string[];
  /** The opposite. Undefined: they are not of this operator. */
  read(values: readonly string[]): string[] | undefined;
}

/** `read` undoes `write`, unless the value was not written by it. */
function typed(suffix: Part['suffix'], write = trimmed, read: (value: string) => string | undefined = trimmed): Part {
  return {
    suffix,
    write: (values) => values.map(write),
    read(values) {
      const found = values.map(read).filter((value) => value !== undefined);
      return found.length === values.length ? found : undefined;
    },
  };
}

/** It has the same value always. Others that mean the same are read too. */
function fixed(suffix: Part['suffix'], value: string, ...same: string[]): Part {
  return { suffix, write: () => [value], read: ([given = '']) => ([value, ...same].includes(given) ? [] : undefined) };
}

function trimmed(value: string): string {
  return value.trim();
}

const asNumber = (value: string) => JSON.stringify(Number(value));
const number = (suffix: Part['suffix']) => [typed(suffix, asNumber)];

const daysAgo = (suffix: Part['suffix']) =>
  typed(
    suffix,
    (value) => `-${Number(value)}d`,
    (value) => /^-(\d+)d$/.exec(value)?.[1],
  );
const daysAhead = (suffix: Part['suffix']) =>
  typed(
    suffix,
    (value) => `+${Number(value)}d`,
    (value) => /^\+?(\d+)d$/.exec(value.trim())?.[1],
  );

/** A day begins at midnight where the reader is. */
const localDay = (suffix: Part['suffix']) =>
  typed(
    suffix,
    (value) => new Date(`${value}T00:00`).toISOString(),
    (value) => {
      const at = new Date(value);
      const day = Number.isNaN(at.getTime()) ? '' : dayOf(at);
      return new Date(`${day}T00:00`).getTime() === at.getTime() ? day : undefined;
    },
  );
/** A date without a time is the same day for every reader. */
const sameDay = (suffix: Part['suffix']) =>
  typed(suffix, trimmed, (value) => /^(\d{4}-\d\d-\d\d)(?:T00:00:00\.000Z)?$/.exec(value)?.[1]);

function dayOf(at: Date): string {
  const [year, month, day] = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

const existence: Operator[] = [
  { label: 'has a value', input: 'none', parts: [fixed('[exists]', 'true')] },
  { label: 'has no value', input: 'none', parts: [fixed('[exists]', 'false')] },
];
const contains: Operator = { label: 'contains', input: 'text', parts: [typed('[contains]')] };
const days = (part: typeof localDay): Operator[] => [
  { label: 'on or after', input: 'day', parts: [part('[gte]')] },
  { label: 'before', input: 'day', parts: [part('[lt]')] },
];
const inTheLast: Operator = { label: 'in the last … days', input: 'days', parts: [daysAgo('[gte]')] };
const longerAgo: Operator = { label: 'more than … days ago', input: 'days', parts: [daysAgo('[lt]')] };
const past = [inTheLast, longerAgo, ...days(localDay)];

export const operatorsOf: Record<FilterField['kind'], readonly Operator[]> = {
  tag: [
    { label: 'is', input: 'tag', parts: [typed('')] },
    { label: 'is any of', input: 'tags', parts: [typed('[any]')] },
    { label: 'is not', input: 'tags', parts: [typed('[not]')] },
    { label: 'has a tag', input: 'none', parts: [fixed('[exists]', 'true')], text: 'Has a tag' },
    { label: 'has no tag', input: 'none', parts: [fixed('[exists]', 'false')], text: 'Has no tag' },
  ],
  name: [contains],
  email: [{ label: 'is', input: 'text', parts: [typed('')] }, contains],
  field: [{ label: 'is', input: 'text', parts: [typed('')] }, contains, ...existence],
  time: past,
  seen: [
    ...past,
    { label: 'at any time', input: 'none', parts: [fixed('[exists]', 'true')], text: 'Seen at least once' },
    { label: 'never', input: 'none', parts: [fixed('[exists]', 'false')], text: 'Never seen' },
  ],
  text: [
    { label: 'is', input: 'texts', parts: [typed('')] },
    { label: 'is not', input: 'texts', parts: [typed('[not]')] },
    contains,
    ...existence,
  ],
  choice: [
    { label: 'is', input: 'choices', parts: [typed('')] },
    { label: 'is not', input: 'choices', parts: [typed('[not]')] },
    ...existence,
  ],
  number: [
    { label: 'is', input: 'numbers', parts: number('') },
    { label: 'is not', input: 'numbers', parts: number('[not]') },
    { label: 'is at least', input: 'number', parts: number('[gte]') },
    { label: 'is at most', input: 'number', parts: number('[lte]') },
    { label: 'is more than', input: 'number', parts: number('[gt]') },
    { label: 'is less than', input: 'number', parts: number('[lt]') },
    ...existence,
  ],
  boolean: [
    { label: 'is', input: 'boolean', parts: [typed('')] },
    { label: 'is not', input: 'boolean', parts: [typed('[not]')] },
    ...existence,
  ],
  date: [
    ...days(sameDay),
    // Dates may be in the future, so that both ends count.
    { label: 'in the last … days', input: 'days', parts: [daysAgo('[gte]'), fixed('[lte]', '-0d')] },
    longerAgo,
    // Today counts, which began at midnight.
    { label: 'in the next … days', input: 'days', parts: [fixed('[gte]', '-1d', '-0d'), daysAhead('[lte]')] },
    ...existence,
  ],
};

/** One filter as it is shown. */
export interface Filter {
  conditions: readonly Condition[];
  text: string;
  /** Left out: the attribute was deleted. */
  field?: FilterField | undefined;
  /** As the form has it. Left out: the form has none like it. */
  form?: { operator: Operator; typed: readonly string[] };
}

/** The filters that these conditions are, in their order. */
export function filtersOf(conditions: readonly Condition[], attributes: readonly Attribute[]): Filter[] {
  const fields = filterFields(attributes);
  const left = new Set(conditions);
  return conditions.flatMap((condition): Filter[] => {
    if (!left.has(condition)) return [];
    const base = baseOf(condition.name);
    const field = fields.find(({ name }) => name === base);
    // An operator of two parts comes before those that are one of them.
    const operators = field ? operatorsOf[field.kind].toSorted((one, two) => two.parts.length - one.parts.length) : [];
    for (const operator of operators) {
      const matched = match(operator, base, condition, [...left]);
      if (field === undefined || matched === undefined) continue;
      for (const each of matched.conditions) left.delete(each);
      const form = { operator, typed: matched.typed };
      return [{ conditions: matched.conditions, text: describe(field, form), field, form }];
    }
    left.delete(condition);
    return [{ conditions: [condition], text: describeOther(condition, field), field }];
  });
}

export function conditionsFor(field: FilterField, { parts }: Operator, values: readonly string[]): Condition[] {
  return parts.map(({ suffix, write }) => ({ name: `${field.name}${suffix}`, values: write(values) }));
}

function match({ parts }: Operator, base: string, first: Condition, left: readonly Condition[]) {
  const conditions: Condition[] = [];
  const values: string[] = [];
  for (const { suffix, read } of parts) {
    const name = `${base}${suffix}`;
    // There may be several of one tag each.
    const condition = name === first.name ? first : left.find((each) => each.name === name);
    const found = condition && read(condition.values);
    if (condition === undefined || found === undefined) return undefined;
    conditions.push(condition);
    values.push(...found);
  }
  return conditions.includes(first) ? { conditions, typed: values } : undefined;
}

/** "Plan is pro or premium", "Created in the last 30 days" */
function describe(field: FilterField, { operator, typed }: NonNullable<Filter['form']>): string {
  if (operator.text !== undefined) return operator.text;
  const values = typed.map((value) => valueText(operator.input, value)).join(' or ');
  if (operator.input === 'days') {
    return `${field.label} ${operator.label.replace('… days', counted(Number(values), 'day'))}`;
  }
  return `${field.label} ${operator.label.replace(' any of', '')} ${values}`.trim();
}

function valueText(input: Operator['input'], value: string): string {
  if (input === 'boolean') return value === 'true' ? 'Yes' : 'No';
  if (input === 'day') return dayText(value);
  return /^numbers?$/.test(input) && Number.isFinite(Number(value)) ? count(Number(value)) : value;
}

const operatorWords: Record<string, string> = {
  gte: 'on or after',
  gt: 'after',
  lte: 'until',
  lt: 'before',
  not: 'is not',
  any: 'is any of',
  contains: 'contains',
};

/** What no operator of the form writes: a segment may have been defined by the API, or an address typed by hand. */
function describeOther(condition: Condition, field: FilterField | undefined): string {
  const base = baseOf(condition.name);
  const label = field?.label ?? base.replace(/^attributes\[(\w+)\]$/, '$1');
  const operator = /\w+/.exec(condition.name.slice(base.length))?.[0];
  if (operator === 'exists') return `${label} ${condition.values[0] === 'false' ? 'has no value' : 'has a value'}`;
  const [, sign, amount, unit] = /^([+-]?)(\d+)([dh])$/.exec(condition.values[0]?.trim() ?? '') ?? [];
  if (operator !== undefined && amount !== undefined) {
    const span = counted(Number(amount), unit === 'h' ? 'hour' : 'day');
    if (sign !== '-') return `${label} ${operatorWords[operator]} ${span} from now`;
    return `${label} ${operator.startsWith('g') ? `in the last ${span}` : `more than ${span} ago`}`;
  }
  const values = condition.values.map((value) => (/^\d{4}-/.test(value) ? dayText(value) : value)).join(' or ');
  return `${label} ${operator === undefined ? 'is' : operatorWords[operator]} ${values}`;
}

const localDate = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const utcDate = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A date without a time is the same day for every reader. */
export function dayText(value: string): string {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return value;
  return (/^\d{4}-\d\d-\d\d(?:T00:00:00\.000Z)?$/.test(value) ? utcDate : localDate).format(at);
}
