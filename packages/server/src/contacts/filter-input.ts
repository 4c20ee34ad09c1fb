// Filters as callers write them, in a query string or in a segment, made into conditions on what a bot has: attributes by
// number, with values of their type. Faults are reported all at once, by the names of the caller.
import {
  type AttributeOperator,
  type AttributeType,
  type ContactFilter,
  emailKey,
  type FieldError,
  type FilteredField,
  type FilteredTime,
  operatorsOfType,
  parseDateBound,
  type RangeOperator,
  rangeOperators,
  readAttributeValue,
} from '@roster/contract';
import { containsIn, digitsOf, type Filter, longestTime, type TimeRange, type ValueRange } from './filters.ts';
import { fold } from './search-text.ts';
import { type Definition, readChoice } from './values.ts';

/** One condition, in either form. */
interface GivenCondition {
  /** Where it stands, to report faults by. */
  name: string;
  /** What it is about: `email`, `tag`, `attributes`, … */
  field: string;
  /** Of an attribute. */
  key: string | undefined;
  /** Undefined: equal to the value, or to one of the values of an attribute; of tags, all of them. */
  operator: string | undefined;
  values: readonly (string | number | boolean)[];
  /** From a query string, in which numbers and booleans are written as in JSON. */
  isText: boolean;
}

export type GivenFilter = readonly GivenCondition[];

const parameterForm = /^(\w+)(?:\[(\w+)\])?(?:\[(\w+)\])?$/;

/** Of parameters that were checked; all of them are conditions. */
export function givenByParameters(parameters: Readonly<Record<string, unknown>>): GivenFilter {
  return Object.entries(parameters).map(([name, value]) => {
    const [, field = '', first, second] = parameterForm.exec(name) ?? [];
    const [key, operator] = field === 'attributes' ? [first, second] : [undefined, first];
    return { name, field, key, operator, values: [value].flat() as string[], isText: true };
  });
}

/** `name` is where the filter stands, to report faults by. */
export function givenByObject({ attributes = {}, ...fields }: ContactFilter, name: string): GivenFilter {
  return [
    ...Object.entries(fields).flatMap(([field, condition]) => conditionsIn(condition, `${name}.${field}`, field)),
    ...Object.entries(attributes).flatMap(([key, condition]) =>
      conditionsIn(condition, `${name}.attributes.${key}`, 'attributes', key),
    ),
  ];
}

/** A plain value, a list, or an object with an operator for each member. */
function conditionsIn(condition: unknown, name: string, field: string, key?: string): GivenCondition[] {
  const given = { name, field, key, isText: false };
  if (typeof condition === 'string' || Array.isArray(condition)) {
    return [{ ...given, operator: undefined, values: [condition].flat() }];
  }
  return Object.entries((condition ?? {}) as Record<string, GivenCondition['values'][number]>).map(
    ([operator, value]) => ({
      ...given,
      operator: operator === 'all' ? undefined : operator,
      values: [value].flat(),
    }),
  );
}

export interface ReadFilters {
  filters: Filter[];
  errors: FieldError[];
}

export function readFilters(given: GivenFilter, definitions: readonly Definition[], nowMs: number): ReadFilters {
  const filters: Filter[] = [];
  const errors: FieldError[] = [];
  for (const condition of given) {
    const read =
      condition.field === 'attributes' ? readAttribute(condition, definitions, nowMs) : readCondition(condition, nowMs);
    if (typeof read === 'string') errors.push({ field: condition.name, message: read });
    else filters.push(...read);
  }
  return { filters: withWholeRanges(filters), errors };
}

/** All but attributes: their values were checked by the schema. */
function readCondition({ field, operator, values }: GivenCondition, nowMs: number): Filter[] {
  const [value] = values;
  if (operator === 'exists') return [wantedIf(value, existenceOf(field))];
  if (field === 'tag') return readTags(operator, values as string[]);
  if (operator === undefined) return [readExact(field, value as string)];
  if (operator === 'contains')
    return [{ kind: 'contains', field: field as FilteredField, ...containsIn(field, value as string) }];
  const ms = parseDateBound(value as string, nowMs) as number;
  return [{ kind: field as FilteredTime, ...timeRangeOf(operator as RangeOperator, ms) }];
}

function existenceOf(field: string): Filter {
  if (field === 'tag') return { kind: 'hasTag' };
  return field === 'lastSeenAt' ? { kind: field, ...longestTime } : { kind: 'hasField', field: field as FilteredField };
}

function wantedIf(value: unknown, filter: Filter): Filter {
  return value === true || value === 'true' ? filter : { kind: 'not', filter };
}

function readExact(field: string, value: string): Filter {
  if (field === 'email') return { kind: 'email', key: emailKey(value) };
  if (field === 'mid') return { kind: 'mid', value };
  return { kind: field as 'phone' | 'wid', digits: digitsOf(value) };
}

function readTags(operator: string | undefined, tags: readonly string[]): Filter[] {
  const keys = [...new Set(tags.map(fold))];
  if (operator === undefined) return keys.map((key) => ({ kind: 'tag', keys: [key] }));
  const any: Filter = { kind: 'tag', keys };
  return [operator === 'not' ? { kind: 'not', filter: any } : any];
}

/** The bounds of an attribute, and of a time, as one range. Apart, each would be searched for by itself, and match far more. */
function withWholeRanges(filters: readonly Filter[]): Filter[] {
  const whole: Filter[] = [];
  for (const filter of filters) {
    const at = whole.findIndex(
      (other) =>
        other.kind === filter.kind &&
        ('fromMs' in filter || (filter.kind === 'attributeRange' && filter.number === (other as typeof filter).number)),
    );
    const other = whole[at];
    if (other === undefined) whole.push(filter);
    else if ('fromMs' in filter) whole[at] = { ...filter, ...common(filter, other as TimeRange) };
    else if (filter.kind === 'attributeRange') {
      whole[at] = { ...filter, range: { ...(other as typeof filter).range, ...filter.range } };
    }
  }
  return whole;
}

function common(one: TimeRange, other: TimeRange): TimeRange {
  return { fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) };
}

function timeRangeOf(operator: RangeOperator, ms: number): TimeRange {
  if (operator === 'gte') return { ...longestTime, fromMs: ms };
  if (operator === 'gt') return { ...longestTime, fromMs: ms + 1 };
  return { ...longestTime, toMs: operator === 'lte' ? ms : ms - 1 };
}

/** The filter, or what is wrong. */
function readAttribute(
  { key, operator, values, isText }: GivenCondition,
  definitions: readonly Definition[],
  nowMs: number,
): Filter[] | string {
  const definition = definitions.find((each) => each.key === key);
  if (definition === undefined) return 'is not defined in this bot';
  const { number, type } = definition;
  if (operator !== undefined && !operatorsOfType[type].includes(operator as AttributeOperator)) {
    const isRange = rangeOperators.includes(operator as RangeOperator);
    return `does not take ${isRange ? 'a range' : operator}, because its type is ${type}`;
  }
  if (operator === 'exists') {
    const isFlag = [true, false, 'true', 'false'].includes(values[0] as boolean);
    return isFlag ? [wantedIf(values[0], { kind: 'hasAttribute', number })] : 'must be true or false';
  }
  if (operator === 'contains') return [{ kind: 'attributeContains', number, text: fold(String(values[0]).trim()) }];
  const read = values.map((value) => readValue(definition, value, { isText, nowMs }));
  const fault = read.find((each) => 'fault' in each);
  if (fault !== undefined) return fault.fault;
  const found = read.map((each) => (each as { value: string | number | boolean }).value);
  if (operator === undefined) return [{ kind: 'attribute', number, values: found }];
  if (operator === 'not') return [{ kind: 'not', filter: { kind: 'attribute', number, values: found } }];
  return [{ kind: 'attributeRange', number, range: { [operator]: found[0] } as ValueRange }];
}

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function readValue(
  { type, choices }: Definition,
  given: string | number | boolean,
  { isText, nowMs }: { isText: boolean; nowMs: number },
): { value: string | number | boolean } | { fault: string } {
  if (type === 'date') {
    const ms = typeof given === 'string' ? parseDateBound(given.trim(), nowMs) : undefined;
    if (ms !== undefined) return { value: ms };
    return {
      fault: 'must be a date like 2026-11-30, a date-time like 2026-11-30T12:00:00Z, or a time from now like -30d',
    };
  }
  const value = isText ? fromText(type, given as string) : given;
  const read = readAttributeValue(type, value);
  if ('fault' in read) return read;
  if (read.value === null) return { fault: 'must not be empty' };
  if (type === 'choice') return readChoice(read.value as string, choices);
  return { value: typeof read.value === 'string' ? fold(read.value) : read.value };
}

/** Text that is no number or boolean stays text, and is refused later as a value of another type. */
function fromText(type: AttributeType, text: string): string | number | boolean {
  const trimmed = text.trim();
  if (type === 'number' && jsonNumber.test(trimmed)) return Number(trimmed);
  if (type === 'boolean' && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true';
  return text;
}
