// What filters and order of a list mean: the same for every engine, so that all find the same contacts. Pure.
import type { AttributeValue, Contact, FilteredField, FilteredTime, RangeOperator, SortField } from '@roster/contract';
import { emailKey } from '@roster/contract/email-key';
import { lowestId } from './ids.ts';
import { fold, isImpossible, parseQuery, type SearchWord, withoutImplied } from './search-text.ts';

/** A condition that a contact must meet besides the words of a search. */
export type Filter =
  | { kind: 'email'; key: string }
  | { kind: 'phone' | 'wid'; digits: string }
  | { kind: 'mid'; value: string }
  | ({ kind: 'contains'; field: FilteredField } & ContainedText)
  | { kind: 'hasField'; field: FilteredField }
  /** Of when it was last seen: not met by a contact that never was. */
  | (TimeRange & { kind: FilteredTime })
  /** One of these tags, by their keys. */
  | { kind: 'tag'; keys: readonly string[] }
  /** The same by their numbers, once an engine has looked them up. */
  | { kind: 'tagNumber'; numbers: readonly number[] }
  | { kind: 'hasTag' }
  /** An attribute by number, whose value is one of these. Text is folded, dates are in milliseconds. */
  | { kind: 'attribute'; number: number; values: readonly AttributeValue[] }
  | { kind: 'attributeRange'; number: number; range: ValueRange }
  /** By folded text. */
  | { kind: 'attributeContains'; number: number; text: string }
  | { kind: 'hasAttribute'; number: number }
  | { kind: 'not'; filter: Filter };

/** Text that a field contains: folded, or digits that stand in its digits. */
interface ContainedText {
  text: string;
  isDigits: boolean;
}

const phoneText = /^[0-9+().\-\s]*[0-9][0-9+().\-\s]*$/;

/** Phone numbers are written in many ways, so they are compared by their digits where only these are asked for. */
export function containsIn(field: string, value: string): ContainedText {
  const text = fold(value);
  const isDigits = (field === 'phone' || field === 'wid') && phoneText.test(text);
  return { text: isDigits ? digitsOf(value) : text, isDigits };
}

/** Both ends belong to it, in the milliseconds that a contact shows. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}

/** Begins earlier and ends later than every time that a contact can have. */
export const longestTime: TimeRange = { fromMs: -1e15, toMs: 1e15 };

/** Every bound that is given must hold. */
export type ValueRange = { readonly [Operator in RangeOperator]?: number };

export interface Sort {
  field: SortField;
  isDescending: boolean;
}

export const newestFirst: Sort = { field: 'createdAt', isDescending: true };

export function sortOf(parameter: string): Sort {
  const isDescending = parameter.startsWith('-');
  return { field: parameter.slice(isDescending ? 1 : 0) as SortField, isDescending };
}

/** The ASCII digits of a number as it is searched. */
export function digitsOf(number: string): string {
  return fold(number).replace(/[^0-9]/g, '');
}

/** Contacts that hold all words and meet all filters. None: every contact. */
export interface Wanted {
  words: readonly SearchWord[];
  filters?: readonly Filter[] | undefined;
}

/**
 * Adds words that every contact which meets the filters must hold, so that the search index finds candidates by them. The
 * candidates are then compared with the filters.
 */
export function withWordsOfFilters<Asked extends Wanted>(wanted: Asked): Asked {
  const { words, filters = [] } = wanted;
  return filters.length === 0 ? wanted : { ...wanted, words: withoutImplied([...words, ...filters.flatMap(wordsOf)]) };
}

function wordsOf(filter: Filter): SearchWord[] {
  switch (filter.kind) {
    case 'phone':
    case 'wid':
      return [{ spellings: [filter.digits] }];
    case 'mid':
      return withoutImplied(parseQuery(filter.value)).slice(0, 1);
    case 'contains':
      return filter.isDigits ? [{ spellings: [filter.text] }] : longestWord(filter.text);
    case 'attributeContains':
      return longestWord(filter.text);
    default:
      return [];
  }
}

/** The search text of a contact holds what one of its texts holds. */
function longestWord(text: string): SearchWord[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return withoutImplied(words.map((word) => ({ spellings: [word] }))).slice(0, 1);
}

/** Ids begin with the time of creation: those of contacts that were created within a time lie between these two. */
export function idsOf({ fromMs, toMs }: TimeRange): { above: string; below: string } {
  const lowestAt = (ms: number) => lowestId('contact', Math.min(Math.max(0, ms * 1000), Number.MAX_SAFE_INTEGER));
  return { above: lowestAt(fromMs), below: lowestAt(toMs + 1) };
}

/** Whether no contact can match. Engines are then not asked: a database refuses some of these texts. */
export function matchesNothing({ words, filters = [] }: Wanted): boolean {
  return words.some(isImpossible) || filters.some(isUnmeetable);
}

/** No contact holds a NUL or an unpaired surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function isUnmeetable(filter: Filter): boolean {
  if ('fromMs' in filter) return filter.fromMs > filter.toMs;
  if (filter.kind === 'tag') return !filter.keys.some(isStorable);
  const text =
    filter.kind === 'email' ? filter.key : filter.kind === 'mid' ? filter.value : 'text' in filter ? filter.text : '';
  return !isStorable(text);
}

/** The keys of tags that filters name, as far as a tag may have them. */
export function tagKeysIn(filters: readonly Filter[]): string[] {
  return filters.flatMap((filter) => {
    if (filter.kind === 'not') return tagKeysIn([filter.filter]);
    return filter.kind === 'tag' ? filter.keys.filter(isStorable) : [];
  });
}

/** What there is in a bot. */
interface DefinedValues {
  tagNumber(key: string): number | undefined;
  /** Left out: engines find out later whether an attribute is still defined. */
  isAttribute?(number: number): boolean;
}

/** With the numbers of tags, and without what every contact meets. Undefined: none can meet all of them. */
export function resolveFilters(filters: readonly Filter[], defined: DefinedValues): Filter[] | undefined {
  const resolved = filters.map((filter) => resolve(filter, defined));
  return resolved.includes(false) ? undefined : resolved.filter((filter) => typeof filter !== 'boolean');
}

/** True: every contact meets it. False: none does. */
function resolve(filter: Filter, defined: DefinedValues): Filter | boolean {
  if (filter.kind === 'not') {
    const inner = resolve(filter.filter, defined);
    return typeof inner === 'boolean' ? !inner : { kind: 'not', filter: inner };
  }
  if (isUnmeetable(filter)) return false;
  if (filter.kind === 'tag') {
    const numbers = filter.keys.map(defined.tagNumber).filter((number) => number !== undefined);
    return numbers.length > 0 && { kind: 'tagNumber', numbers };
  }
  const isGone = 'number' in filter && defined.isAttribute?.(filter.number) === false;
  return !isGone && filter;
}

/** What a contact has beside its fields: attributes and tags by number, or tags by key, and when it was last seen. */
export interface FilteredValues {
  attributes: Readonly<Record<number, AttributeValue>>;
  tags?: readonly number[];
  tagKeys?: readonly string[];
  lastSeenAtMs?: number | undefined;
}

/** The meaning of a filter, in plain code: engines must find exactly these contacts. */
export function meets(contact: Contact, values: FilteredValues, filter: Filter): boolean {
  const { attributes, tags = [], tagKeys = [], lastSeenAtMs } = values;
  const value = 'number' in filter ? attributes[filter.number] : undefined;
  switch (filter.kind) {
    case 'email':
      return emailKey(contact.email) === filter.key;
    case 'phone':
    case 'wid':
      return digitsOf(contact[filter.kind]) === filter.digits;
    case 'mid':
      return contact.mid === filter.value;
    case 'contains': {
      const text = contact[filter.field];
      return (filter.isDigits ? digitsOf(text) : fold(text)).includes(filter.text);
    }
    case 'hasField':
      return contact[filter.field] !== '';
    case 'createdAt':
    case 'updatedAt':
      return isWithinTimes(Date.parse(contact[filter.kind]), filter);
    case 'lastSeenAt':
      return lastSeenAtMs !== undefined && isWithinTimes(lastSeenAtMs, filter);
    case 'tag':
      return filter.keys.some((key) => tagKeys.includes(key));
    case 'tagNumber':
      return filter.numbers.some((number) => tags.includes(number));
    case 'hasTag':
      return tagKeys.length > 0 || tags.length > 0;
    case 'attribute':
      return value !== undefined && filter.values.includes(typeof value === 'string' ? fold(value) : value);
    case 'attributeRange':
      return typeof value === 'number' && isWithin(value, filter.range);
    case 'attributeContains':
      return typeof value === 'string' && fold(value).includes(filter.text);
    case 'hasAttribute':
      return value !== undefined;
    case 'not':
      return !meets(contact, values, filter.filter);
  }
}

function isWithinTimes(ms: number, { fromMs, toMs }: TimeRange): boolean {
  return ms >= fromMs && ms <= toMs;
}

function isWithin(value: number, { gte, gt, lte, lt }: ValueRange): boolean {
  return (
    (gte === undefined || value >= gte) &&
    (gt === undefined || value > gt) &&
    (lte === undefined || value <= lte) &&
    (lt === undefined || value < lt)
  );
}

/** How many characters of the folded name count when sorting by name. Engines take them from the first line of the search text. */
export const sortedNameLength = 64;

/** The meaning of an order, in plain code: text by its UTF-8 bytes, and what is equal by id. */
export function compareBy({ field, isDescending }: Sort): (one: Contact, other: Contact) => number {
  const sign = isDescending ? -1 : 1;
  return (one, other) => {
    const byKey = Buffer.compare(sortKeyOf(one, field), sortKeyOf(other, field));
    return sign * (byKey || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)));
  };
}

/** ISO times of one length are in the order of their bytes. */
function sortKeyOf(contact: Contact, field: SortField): Buffer {
  if (field === 'name') return Buffer.from(Array.from(fold(contact.name)).slice(0, sortedNameLength).join(''));
  return Buffer.from(field === 'email' ? emailKey(contact.email) : contact[field]);
}
