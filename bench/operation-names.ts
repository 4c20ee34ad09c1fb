// The names of the measured operations in results, report and bars: each is written here once.
import type { ListKind } from './sample-values.ts';

export const names = {
  retrieve: 'retrieve',
  list: 'list, page 1',
  oneHit: 'search, one hit',
  narrow: 'search, 0.4% of all',
  narrowOfThree: 'search, 0.4% of all, 3 characters',
  broad: 'search, 40% of all, again',
  broadPaged: 'search, 40% of all, pages 2 to 10',
  broadDeep: 'search, 40% of all, page 10,000',
  broadWritten: 'search, 40% of all, a write before each',
  broadFirst: 'search, 40% of all, cold',
  broadBare: 'search, 40% of all, bare script',
  one: 'search, 1 character',
  oneWithoutHits: 'search, 1 character, no hit',
  two: 'search, 2 characters',
  twoWithoutHits: 'search, 2 characters, no hit',
  smallBot: 'search in a bot of 1,000',
  exportFirst: 'export, first page',
  exportDeep: 'export, deep page',
  create: 'create',
  delete: 'delete',
  update: 'update',
  upsert: 'upsert of 1000',
} as const;

/** Of lists with filters or in an order. */
export const listNames: Record<ListKind, string> = {
  email: 'by email',
  wid: 'by wid',
  rareTag: 'a tag, 0.1% of all',
  tag: 'a tag, 40% of all',
  rareAttribute: 'an attribute, 0.1% of all',
  attribute: 'an attribute, 40% of all',
  numbers: 'a range of numbers, 10% of all',
  dates: 'a range of dates, 10% of all',
  together: 'a tag, an attribute and a word, 5% of all',
  sorted: 'sorted by name',
  sortedDeep: 'sorted by name, page 1,000',
};
