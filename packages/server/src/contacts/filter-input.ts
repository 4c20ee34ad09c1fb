// Filters as callers write them, in a query string or in a segment, made into conditions on what a bot has: attributes by
// number, with values of their type. Faults are reported all at once, by the names of the caller.
import {
  type AttributeParameter,
  type AttributeType,
  type ContactFilter,
  emailKey,
  type FieldError,
  type FilteredTime,
  parseDateBound,
  type RangeOperator,
  rangeOperators,
  readAttributeValue,
} from '@roster/contract';
import { digitsOf, type Filter, type TimeRange, type ValueRange } from './filters.ts';
import { fold } from './search-text.ts';
import type { Definition } from './values.ts';

/** What both forms are read into, before the attributes of the bot are known. */
export interface GivenFilter {
  email?: string | undefined;
  phone?: string | undefined;
  mid?: string | undefined;
  wid?: string | undefined;
  createdAt?: GivenTimes | undefined;
  updatedAt?: GivenTimes | undefined;
  tags: readonly string[];
  attributes: readonly GivenAttribute[];
}

type GivenTimes = { readonly [Operator in RangeOperator]?: string | undefined };

interface GivenAttribute extends Omit<AttributeParameter, 'values'> {
  values: readonly (string | number | boolean)[];
  /** From a query string, in which numbers and booleans are written as in JSON. */
  isText: boolean;
}

export type FilterParameters = {
  [Name in 'email' | 'phone' | 'mid' | 'wid' | `${FilteredTime}[${RangeOperator}]`]?: string | undefined;
} & { tag?: readonly string[] | undefined };

export function givenByParameters(
  parameters: FilterParameters,
  attributes: readonly AttributeParameter[],
): GivenFilter {
  const { email, phone, mid, wid, tag = [] } = parameters;
  const timesOf = (name: FilteredTime): GivenTimes =>
    Object.fromEntries(rangeOperators.map((operator) => [operator, parameters[`${name}[${operator}]`]]));
  return {
    ...{ email, phone, mid, wid },
    createdAt: timesOf('createdAt'),
    updatedAt: timesOf('updatedAt'),
    tags: tag,
    attributes: attributes.map((attribute) => ({ ...attribute, isText: true })),
  };
}

/** `name` is where the filter stands, to report faults by. */
export function givenByObject(filter: ContactFilter, name: string): GivenFilter {
  const { tag = [], attributes = {}, createdAt, updatedAt, ...fields } = filter;
  const exact = Object.entries(fields).filter(([, value]) => typeof value === 'string');
  return {
    ...Object.fromEntries(exact),
    createdAt,
    updatedAt,
    tags: Array.isArray(tag) ? tag : (tag.all ?? []),
    attributes: Object.entries(attributes).flatMap(([key, condition]): GivenAttribute[] => {
      const given = { name: `${name}.attributes.${key}`, key, isText: false };
      if (Array.isArray(condition)) return [{ ...given, operator: undefined, values: condition }];
      const operators = condition as Record<string, string | number | boolean>;
      return Object.entries(operators).map(([operator, value]) => ({
        ...given,
        operator: operator as GivenAttribute['operator'],
        values: [value],
      }));
    }),
  };
}

export interface ReadFilters {
  filters: Filter[];
  errors: FieldError[];
}

export function readFilters(given: GivenFilter, definitions: readonly Definition[], nowMs: number): ReadFilters {
  const { email, phone, mid, wid, createdAt = {}, updatedAt = {}, tags, attributes } = given;
  const read: ReadFilters = { filters: [], errors: [] };
  const add = (filter: Filter | undefined) => filter !== undefined && read.filters.push(filter);
  add(email === undefined ? undefined : { kind: 'email', key: emailKey(email) });
  add(phone === undefined ? undefined : { kind: 'phone', digits: digitsOf(phone) });
  add(wid === undefined ? undefined : { kind: 'wid', digits: digitsOf(wid) });
  add(mid === undefined ? undefined : { kind: 'mid', value: mid });
  for (const [kind, times] of [
    ['createdAt', createdAt],
    ['updatedAt', updatedAt],
  ] as const) {
    const range = timeRangeOf(times, nowMs);
    add(range && { kind, ...range });
  }
  for (const key of new Set(tags.map(fold))) add({ kind: 'tag', key });
  for (const attribute of attributes) {
    const definition = definitions.find(({ key }) => key === attribute.key);
    const result =
      definition === undefined ? 'is not defined in this bot' : readAttribute(attribute, definition, nowMs);
    if (typeof result === 'string') read.errors.push({ field: attribute.name, message: result });
    else add(result);
  }
  return { ...read, filters: withWholeRanges(read.filters) };
}

/** The bounds of an attribute as one range. Apart, each would be searched for by itself, and match far more. */
function withWholeRanges(filters: readonly Filter[]): Filter[] {
  const ranges = new Map<number, ValueRange>();
  for (const filter of filters) {
    if (filter.kind !== 'attributeRange') continue;
    ranges.set(filter.number, { ...ranges.get(filter.number), ...filter.range });
  }
  return [
    ...filters.filter(({ kind }) => kind !== 'attributeRange'),
    ...Array.from(ranges, ([number, range]): Filter => ({ kind: 'attributeRange', number, range })),
  ];
}

/** Earlier and later than every time that a contact can have. */
const [firstMs, lastMs] = [-1e15, 1e15];

export function timeRangeOf(times: GivenTimes, nowMs: number): TimeRange | undefined {
  let [fromMs, toMs] = [firstMs, lastMs];
  const given = rangeOperators.flatMap((operator) => {
    const text = times[operator];
    return text === undefined ? [] : [{ operator, ms: parseDateBound(text, nowMs) as number }];
  });
  for (const { operator, ms } of given) {
    if (operator === 'gte') fromMs = Math.max(fromMs, ms);
    else if (operator === 'gt') fromMs = Math.max(fromMs, ms + 1);
    else if (operator === 'lte') toMs = Math.min(toMs, ms);
    else toMs = Math.min(toMs, ms - 1);
  }
  return given.length === 0 ? undefined : { fromMs, toMs };
}

/** The filter, or what is wrong. */
function readAttribute(
  { operator, values, isText }: GivenAttribute,
  { number, type }: Definition,
  nowMs: number,
): Filter | string {
  if (operator === 'exists') {
    const [exists] = values;
    if (exists === true || exists === 'true') return { kind: 'hasAttribute', number, isWanted: true };
    if (exists === false || exists === 'false') return { kind: 'hasAttribute', number, isWanted: false };
    return 'must be true or false';
  }
  if (operator !== undefined && type !== 'number' && type !== 'date') {
    return `does not take a range, because its type is ${type}`;
  }
  const read = values.map((value) => readValue(type, value, { isText, nowMs }));
  const fault = read.find((each) => 'fault' in each);
  if (fault !== undefined) return fault.fault;
  const found = read.map((each) => (each as { value: string | number | boolean }).value);
  if (operator === undefined) return { kind: 'attribute', number, values: found };
  return { kind: 'attributeRange', number, range: { [operator]: found[0] } as ValueRange };
}

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function readValue(
  type: AttributeType,
  given: string | number | boolean,
  { isText, nowMs }: { isText: boolean; nowMs: number },
): { value: string | number | boolean } | { fault: string } {
  if (type === 'date') {
    const ms = typeof given === 'string' ? parseDateBound(given.trim(), nowMs) : undefined;
    if (ms !== undefined) return { value: ms };
    return {
      fault: 'must be a date like 2026-11-30, a date-time like 2026-11-30T12:00:00Z, or a time before now like -30d',
    };
  }
  const value = isText ? fromText(type, given as string) : given;
  const read = readAttributeValue(type, value);
  if ('fault' in read) return read;
  if (read.value === null) return { fault: 'must not be empty' };
  return { value: typeof read.value === 'string' ? fold(read.value) : read.value };
}

/** Text that is no number or boolean stays text, and is refused later as a value of another type. */
function fromText(type: AttributeType, text: string): string | number | boolean {
  const trimmed = text.trim();
  if (type === 'number' && jsonNumber.test(trimmed)) return Number(trimmed);
  if (type === 'boolean' && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true';
  return text;
}
