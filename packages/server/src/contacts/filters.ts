// What filters and order of a list mean: the same for every engine, so that all find the same contacts. Pure.
import type { AttributeValue, Contact, RangeOperator, SortField } from '@roster/contract';
import { emailKey } from '@roster/contract/email-key';
import { lowestId } from './ids.ts';
import { fold, isImpossible, parseQuery, type SearchWord, withoutImplied } from './search-text.ts';

/** A condition that a contact must meet besides the words of a search. */
export type Filter =
  | { kind: 'email'; key: string }
  | { kind: 'phone' | 'wid'; digits: string }
  | { kind: 'mid'; value: string }
  | (TimeRange & { kind: 'createdAt' })
  | (TimeRange & { kind: 'updatedAt' })
  /** By the key of the tag. */
  | { kind: 'tag'; key: string }
  /** The same by its number, once an engine has looked it up. */
  | { kind: 'tagNumber'; number: number }
  /** An attribute by number, whose value is one of these. Text is folded, dates are in milliseconds. */
  | { kind: 'attribute'; number: number; values: readonly AttributeValue[] }
  | { kind: 'attributeRange'; number: number; range: ValueRange }
  | { kind: 'hasAttribute'; number: number; isWanted: boolean };

/** On an attribute or a tag, by its number. */
export type ValueFilter = Extract<Filter, { number: number }>;

export function isValueFilter(filter: Filter): filter is ValueFilter {
  return 'number' in filter;
}

/** Both ends belong to it, in the milliseconds that a contact shows. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}

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
  if (filter.kind === 'phone' || filter.kind === 'wid') return [{ spellings: [filter.digits] }];
  return filter.kind === 'mid' ? withoutImplied(parseQuery(filter.value)).slice(0, 1) : [];
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
function isUnmeetable(filter: Filter): boolean {
  if ('fromMs' in filter) return filter.fromMs > filter.toMs;
  const value =
    filter.kind === 'email' || filter.kind === 'tag' ? filter.key : filter.kind === 'mid' ? filter.value : '';
  return value.includes('\0') || !value.isWellFormed();
}

/** What a contact has beside its fields: attributes by number, and the keys of its tags. */
export interface FilteredValues {
  attributes: Readonly<Record<number, AttributeValue>>;
  tagKeys: readonly string[];
}

/** The meaning of a filter, in plain code: engines must find exactly these contacts. */
export function meets(contact: Contact, { attributes, tagKeys }: FilteredValues, filter: Filter): boolean {
  switch (filter.kind) {
    case 'email':
      return emailKey(contact.email) === filter.key;
    case 'phone':
    case 'wid':
      return digitsOf(contact[filter.kind]) === filter.digits;
    case 'mid':
      return contact.mid === filter.value;
    case 'createdAt':
    case 'updatedAt': {
      const ms = Date.parse(contact[filter.kind]);
      return ms >= filter.fromMs && ms <= filter.toMs;
    }
    case 'tag':
      return tagKeys.includes(filter.key);
    default:
      return holds({ attributes, tags: [] }, filter);
  }
}

/** The same for filters on attributes and tags, both by number. */
export function holds(
  { attributes, tags }: { attributes: Readonly<Record<number, AttributeValue>>; tags: readonly number[] },
  filter: ValueFilter,
): boolean {
  const value = attributes[filter.number];
  switch (filter.kind) {
    case 'tagNumber':
      return tags.includes(filter.number);
    case 'attribute':
      return value !== undefined && filter.values.includes(typeof value === 'string' ? fold(value) : value);
    case 'attributeRange':
      return typeof value === 'number' && isWithin(value, filter.range);
    case 'hasAttribute':
      return (value !== undefined) === filter.isWanted;
  }
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
