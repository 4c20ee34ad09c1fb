// Turns a filter, as callers write it, into the parameters of a request. What cannot be sent is refused: a condition that
// was dropped in silence would find contacts that the caller did not mean.
import { UsageError } from './errors.ts';
import type { ContactFilter, FieldCondition, Range, TagCondition } from './filter-types.ts';

/** The parameters of a filter: `email`, `createdAt[gte]`, … Those of attributes are named after their keys. */
export type FilterParameter = {
  [Name in FixedName]: ParameterOf<Name, NonNullable<ContactFilter[Name]>>;
}[FixedName];

type FixedName = Exclude<keyof ContactFilter, 'attributes'>;
/** A plain value is a parameter of that name, which for a list of tags is the same as `all`. */
type ParameterOf<Name extends string, Condition> = Condition extends string | readonly string[]
  ? Name
  : `${Name}[${Exclude<keyof Condition, 'all'> & string}]`;

type Parameter = [name: string, value: string | string[]];
type Parameters = Partial<Record<FilterParameter | `attributes[${string}`, string | string[]>>;

/** Writes a condition, and each operator of one, as a parameter of this name. `about` names it for messages. */
type Writer = (name: string, value: unknown, about: string) => Parameter[];

const writeContains: Writer = (name, value, about) => [[name, readText(value, about)]];
const writeExists: Writer = (name, value, about) => {
  if (typeof value !== 'boolean') throw new UsageError(`${about} of a filter must be true or false`);
  return [[name, String(value)]];
};
const writeTime: Writer = (name, time, about) => [[name, readTime(time, about)]];
const writeTags: Writer = (name, tags, about) => {
  if (Array.isArray(tags) && tags.length > 0 && tags.every((tag) => typeof tag === 'string')) return [[name, tags]];
  throw new UsageError(`${about} of a filter must be a list of one tag or more`);
};
const writeValue: Writer = (name, value, about) => [[name, readValue(value, about)]];
const writeValues: Writer = (name, values, about) => {
  if (!Array.isArray(values) || values.length === 0) {
    throw new UsageError(`${about} of a filter must be a list of one value or more`);
  }
  return [[name, values.map((value) => readValue(value, about))]];
};

const ofRange = (write: Writer) =>
  ({ gte: write, gt: write, lte: write, lt: write }) satisfies Operators<Range<unknown>>;
type Operators<Condition> = Record<keyof Condition, Writer>;

const ofField: Operators<FieldCondition> = { contains: writeContains, exists: writeExists };
const times = writeObject(ofRange(writeTime), 'an object like { gte: "-30d" }');
const field = writeObject(ofField, 'an object like { contains: "doe" }');
const textOrField = writeEither(
  isText,
  writeContains,
  writeObject(ofField, 'a string, or an object like { contains: "doe" }'),
);

const writers: Record<keyof ContactFilter, Writer> = {
  name: field,
  email: textOrField,
  phone: textOrField,
  mid: textOrField,
  wid: textOrField,
  createdAt: times,
  updatedAt: times,
  lastSeenAt: writeObject({ ...ofRange(writeTime), exists: writeExists }, 'an object like { gte: "-30d" }'),
  tag: writeEither(
    Array.isArray,
    writeTags,
    writeObject(
      {
        all: (name, tags, about) => writeTags(name.replace('[all]', ''), tags, about),
        any: writeTags,
        not: writeTags,
        exists: writeExists,
      } satisfies Operators<TagCondition>,
      'a list of tags, or an object like { not: ["vip"] }',
    ),
  ),
  attributes: writeAttributes,
};

const writeCondition = writeEither(
  Array.isArray,
  writeValues,
  writeObject(
    { ...ofRange(writeValue), ...ofField, not: writeValues },
    'a list of values, or an object like { gte: 10 }, { not: ["pro"] } or { exists: true }',
  ),
);

/** Another key could be read as that of another attribute with an operator. */
const keyForm = /^\w+$/;

/** Conditions that are undefined are left out, as parameters are. */
export function filterParameters(filter: object = {}): Parameters {
  const parameters = membersOf(filter, 'filter must be an object').flatMap(([name, value]) => {
    if (!Object.hasOwn(writers, name)) throw unknownMember('filter', name, Object.keys(writers));
    return writers[name as keyof ContactFilter](name, value, name);
  });
  return Object.fromEntries(parameters);
}

function writeEither(isPlain: (value: unknown) => boolean, plain: Writer, other: Writer): Writer {
  return (name, value, about) => (isPlain(value) ? plain : other)(name, value, about);
}

function writeObject(operators: Readonly<Record<string, Writer>>, expected: string): Writer {
  return (name, condition, about) =>
    membersOf(condition, `${about} of a filter must be ${expected}`).flatMap(([operator, value]) => {
      const write = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
      if (write === undefined) throw unknownMember(about, operator, Object.keys(operators));
      return write(`${name}[${operator}]`, value, `${about}.${operator}`);
    });
}

function writeAttributes(name: string, attributes: unknown): Parameter[] {
  const members = membersOf(attributes, `${name} of a filter must be an object like { plan: ["pro"] }`);
  return members.flatMap(([key, condition]) => {
    if (!keyForm.test(key)) throw new UsageError(`${name} of a filter has "${key}", which no attribute is called`);
    return writeCondition(`${name}[${key}]`, condition, `${name}.${key}`);
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function readText(value: unknown, about: string): string {
  if (!isText(value)) throw new UsageError(`${about} of a filter must be a string`);
  return value;
}

function readTime(time: unknown, about: string): string {
  if (isText(time)) return time;
  if (time instanceof Date && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new UsageError(`${about} of a filter must be a valid Date, or a string like "2026-11-30" or "-30d"`);
}

/** Numbers and booleans are written as in JSON. */
function readValue(value: unknown, about: string): string {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return JSON.stringify(value);
  if (isText(value)) return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw new UsageError(`${about} of a filter must be a string, a finite number, a boolean or a valid Date`);
}

function membersOf(given: unknown, message: string): [string, unknown][] {
  if (typeof given !== 'object' || given === null || given instanceof Date) throw new UsageError(message);
  return Object.entries(given).filter(([, value]) => value !== undefined);
}

function unknownMember(name: string, member: string, known: readonly string[]): UsageError {
  return new UsageError(`${name} has no "${member}", only ${known.join(', ')}`);
}
