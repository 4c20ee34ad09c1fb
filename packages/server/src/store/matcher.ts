// Which contacts a search matches, decided in memory: for totals that are kept and adjusted by each write. Pure.
import { holds, isValueFilter, type ValueFilter } from '../contacts/filters.ts';
import { canBeInId, type SearchWord } from '../contacts/search-text.ts';
import type { ContactValues } from './attribute-store.ts';
import type { Wanted } from './store.ts';
import { type StoredValues, toValues } from './stored-values.ts';

/** What a search looks at in a contact, beside its id. */
export interface SearchedContact {
  text: string;
  values: StoredValues;
}

export type Matcher = (id: string, contact: SearchedContact) => boolean;

/** What a write did to one contact. Undefined: it was not there, or is gone. */
export interface ContactChange {
  id: string;
  before: SearchedContact | undefined;
  after: SearchedContact | undefined;
}

/** Filters on other fields, or on times, are not decided here. */
export interface DecidedSearch {
  words: readonly SearchWord[];
  filters: readonly ValueFilter[];
}

/** Undefined: it asks for more than is decided here. */
export function decidedSearchOf({ words, filters = [] }: Wanted): DecidedSearch | undefined {
  return filters.every(isValueFilter) ? { words, filters } : undefined;
}

/** Which words may be in an id is decided once, and not for every row that is written. */
export function matcherOf({ words, filters }: DecidedSearch): Matcher {
  const terms = words.map(({ spellings }) => spellings.map((text) => ({ text, canBeInId: canBeInId(text) })));
  return (id, contact) =>
    terms.every((spellings) =>
      spellings.some(
        (spelling) => contact.text.includes(spelling.text) || (spelling.canBeInId && id.includes(spelling.text)),
      ),
    ) && filters.every((filter) => holds(valuesOf(contact), filter));
}

const parsedValues = new WeakMap<SearchedContact, ContactValues>();

/** Parsed once for all matchers. */
function valuesOf(contact: SearchedContact): ContactValues {
  let values = parsedValues.get(contact);
  if (values === undefined) {
    values = toValues(...contact.values);
    parsedValues.set(contact, values);
  }
  return values;
}

/** The order of words and filters does not matter to a search. Without filters it is the list of the words. */
export function keyOf({ words, filters }: DecidedSearch): string {
  const sortedWords = words.map(({ spellings }) => spellings).toSorted();
  if (filters.length === 0) return JSON.stringify(sortedWords);
  const sortedFilters = filters.map((filter) => JSON.stringify(filter)).toSorted();
  return `{"words":${JSON.stringify(sortedWords)},"filters":[${sortedFilters}]}`;
}

export function matcherOfKey(key: string): Matcher {
  const parsed = JSON.parse(key) as string[][] | { words: string[][]; filters: ValueFilter[] };
  const { words, filters } = Array.isArray(parsed) ? { words: parsed, filters: [] } : parsed;
  return matcherOf({ words: words.map((spellings) => ({ spellings })), filters });
}

/** How many more contacts match than before the change. */
export function growthOf(isHit: Matcher, { id, before, after }: ContactChange): number {
  const hits = (contact: SearchedContact | undefined) => (contact !== undefined && isHit(id, contact) ? 1 : 0);
  return hits(after) - hits(before);
}
