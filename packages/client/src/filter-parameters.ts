// Turns a filter, as callers write it, into the parameters of a request. What cannot be sent is refused: a condition that
// was dropped in silence would find contacts that the caller did not mean.
import { UsageError } from './errors.ts';
import type { ContactFilter, Range, TimeRange } from './filter-types.ts';

/** The parameters of a filter: `email`, `createdAt[gte]`, … Those of attributes are named after their keys. */
export type FilterParameter = {
  [Name in FixedName]: NonNullable<ContactFilter[Name]> extends TimeRange ? `${Name}[${keyof TimeRange}]` : Name;
}[FixedName];

type FixedName = Exclude<keyof ContactFilter, 'attributes'>;

type Parameters = Partial<Record<FilterParameter | `attributes[${string}`, string | string[]>>;

/** Each kind of condition as its parameters, with their names and values. */
type Writer = (name: string, value: unknown) => [name: string, value: string | string[]][];

const writers: Record<keyof ContactFilter, Writer> = {
  email: writeText,
  phone: writeText,
  mid: writeText,
  wid: writeText,
  createdAt: writeTimes,
  updatedAt: writeTimes,
  tag: writeTags,
  attributes: writeAttributes,
};

const rangeOperators: readonly string[] = ['gte', 'gt', 'lte', 'lt'] satisfies (keyof Range<unknown>)[];
const attributeOperators: readonly string[] = [...rangeOperators, 'exists'];

/** Another key could be read as that of another attribute with an operator. */
const keyForm = /^\w+$/;

/** Conditions that are undefined are left out, as parameters are. */
export function filterParameters(filter: object = {}): Parameters {
  const parameters = membersOf(filter, 'filter must be an object').flatMap(([name, value]) => {
    if (!Object.hasOwn(writers, name)) throw unknownMember('filter', name, Object.keys(writers));
    return writers[name as keyof ContactFilter](name, value);
  });
  return Object.fromEntries(parameters);
}

function writeText(name: string, value: unknown): [string, string][] {
  if (typeof value !== 'string') throw new UsageError(`${name} of a filter must be a string`);
  return [[name, value]];
}

function writeTimes(name: string, range: unknown): [string, string][] {
  const members = membersOf(range, `${name} of a filter must be an object like { gte: "-30d" }`);
  return members.map(([operator, bound]) => {
    if (!rangeOperators.includes(operator)) throw unknownMember(name, operator, rangeOperators);
    return [`${name}[${operator}]`, writeTime(`${name}.${operator}`, bound)];
  });
}

function writeTime(name: string, time: unknown): string {
  if (typeof time === 'string') return time;
  if (time instanceof Date && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new UsageError(`${name} of a filter must be a valid Date, or a string like "2026-11-30" or "-30d"`);
}

function writeTags(name: string, tags: unknown): [string, string[]][] {
  if (Array.isArray(tags) && tags.length > 0 && tags.every((tag) => typeof tag === 'string')) return [[name, tags]];
  throw new UsageError(`${name} of a filter must be a list of one tag or more`);
}

function writeAttributes(name: string, attributes: unknown): [string, string | string[]][] {
  const members = membersOf(attributes, `${name} of a filter must be an object like { plan: ["pro"] }`);
  return members.flatMap(([key, condition]) => {
    if (!keyForm.test(key)) throw new UsageError(`${name} of a filter has "${key}", which no attribute is called`);
    return writeCondition(`${name}[${key}]`, `${name}.${key}`, condition);
  });
}

function writeCondition(parameter: string, name: string, condition: unknown): [string, string | string[]][] {
  if (Array.isArray(condition) && condition.length > 0) {
    return [[parameter, condition.map((value) => writeValue(name, value))]];
  }
  const expected = `${name} of a filter must be a list of values, a range like { gte: 10 }, or { exists: true }`;
  if (Array.isArray(condition)) throw new UsageError(expected);
  return membersOf(condition, expected).map(([operator, value]) => {
    if (!attributeOperators.includes(operator)) throw unknownMember(name, operator, attributeOperators);
    return [`${parameter}[${operator}]`, writeValue(`${name}.${operator}`, value)];
  });
}

/** Numbers and booleans are written as in JSON. */
function writeValue(name: string, value: unknown): string {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return JSON.stringify(value);
  if (typeof value === 'string') return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw new UsageError(`${name} of a filter must be a string, a finite number, a boolean or a valid Date`);
}

function membersOf(given: unknown, message: string): [string, unknown][] {
  if (typeof given !== 'object' || given === null || given instanceof Date) throw new UsageError(message);
  return Object.entries(given).filter(([, value]) => value !== undefined);
}

function unknownMember(name: string, member: string, known: readonly string[]): UsageError {
  return new UsageError(`${name} has no "${member}", only ${known.join(', ')}`);
}
