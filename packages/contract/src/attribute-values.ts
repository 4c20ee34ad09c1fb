// Keys of attributes, and which values each type takes, in plain code. The server, files of contacts and the command line share it.
import { parseDate } from './dates.ts';
import { limits } from './limits.ts';
import { type AttributeType, contactFields, readOnlyContactFields } from './names.ts';
import { isLongerThan } from './text-rules.ts';

const keyPattern = new RegExp(`^[a-z][a-z0-9_]{0,${limits.attributeKeyLength - 1}}$`);
/** What filters and answers call something else. */
const reservedKeys: ReadonlySet<string> = new Set([
  ...contactFields,
  ...readOnlyContactFields,
  'tag',
  'tags',
  'attributes',
]);

/** What is wrong with the key of an attribute or a segment, or nothing. */
export function faultOfKey(key: string): string | undefined {
  if (keyPattern.test(key)) return undefined;
  return `must be lower-case letters, digits and underscores, start with a letter, and be at most ${limits.attributeKeyLength} characters long`;
}

/** What is wrong with the key of an attribute, or nothing. */
export function faultOfAttributeKey(key: string): string | undefined {
  return faultOfKey(key) ?? (reservedKeys.has(key) ? 'is reserved' : undefined);
}

/** As it is kept: a date is in milliseconds. */
export type AttributeValue = string | number | boolean;

/** Of a value in a request: what is to be kept, null to remove it, or what is wrong. */
export type ReadValue = { value: AttributeValue | null } | { fault: string };

/** Nothing is coerced. `null` and the empty string remove a value, whatever its type. */
export function readAttributeValue(type: AttributeType, given: unknown): ReadValue {
  const input = typeof given === 'string' ? given.trim() : given;
  return input === null || input === '' ? { value: null } : readers[type](input);
}

const readers: Record<AttributeType, (input: unknown) => ReadValue> = {
  text: (input) => readText(input, limits.attributeTextLength),
  /** Which choices there are, and which spellings are the same, only the server knows. */
  choice: (input) => readText(input, limits.choiceLength),
  number(input) {
    if (typeof input !== 'number') return { fault: 'must be a number' };
    // From 2^53 on every double is a whole number, and one that was rounded looks like any other.
    const isWithin = Math.abs(input) <= Number.MAX_SAFE_INTEGER;
    // A negative zero is a zero.
    return isWithin ? { value: input + 0 } : { fault: 'must be between -(2^53 - 1) and 2^53 - 1' };
  },
  boolean: (input) => (typeof input === 'boolean' ? { value: input } : { fault: 'must be true or false' }),
  date(input) {
    const ms = typeof input === 'string' ? parseDate(input) : undefined;
    // An offset can lead out of the years with four digits.
    if (ms !== undefined && ms >= firstDateMs && ms <= lastDateMs) return { value: ms };
    return { fault: 'must be a date like 2027-01-31, or a date and time with a time zone like 2027-01-31T09:30:00Z' };
  },
};

function readText(input: unknown, maxLength: number): ReadValue {
  if (typeof input !== 'string') return { fault: 'must be a string' };
  if (!input.isWellFormed()) return { fault: 'must not contain unpaired surrogates' };
  if (isLongerThan(input, maxLength)) return { fault: `must be at most ${maxLength} characters long` };
  if (!forbiddenInText.test(input)) return { value: input };
  return { fault: 'must not contain control characters other than line feeds and tabs' };
}

/** All control characters but the line feed and the tab. */
const forbiddenInText = /(?![\n\t])\p{Cc}/u;
const firstDateMs = Date.parse('0000-01-01T00:00:00.000Z');
const lastDateMs = Date.parse('9999-12-31T23:59:59.999Z');

/** A value that is kept, as answers carry it. */
export function toAttributeAnswer(type: AttributeType, value: AttributeValue): AttributeValue {
  return type === 'date' ? new Date(value as number).toISOString() : value;
}
