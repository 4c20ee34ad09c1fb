// The state of the contact list: search, filters, order and page. It is all in the address, under the names of the API's
// parameters, so that a link, a reload and the way back show the same list.
import type { ContactFilter, ContactSort } from '@roster/client';
import { linkTo } from '../router.ts';

/** A parameter of the API with its values: `attributes[plan]` is any of them, and most others have one. */
export interface Condition {
  name: string;
  values: readonly string[];
}

export interface ListState {
  query: string;
  segment: string | undefined;
  conditions: readonly Condition[];
  /** Undefined: that of the segment, or newest first. */
  sort: ContactSort | undefined;
  page: number;
  limit: number;
}

/** Whether it may show fewer contacts than the bot has. */
export function isNarrowed({ query, segment, conditions }: ListState): boolean {
  return query !== '' || segment !== undefined || conditions.length > 0;
}

const pageSizeDefault = 25;
export const pageSizes = [10, pageSizeDefault, 50, 100];

const conditionNames = new RegExp(
  `^(?:${[
    'email|phone|mid|wid|tag',
    '(?:name|email|phone|mid|wid)\\[(?:contains|exists)\\]',
    'tag\\[(?:any|not|exists)\\]',
    '(?:createdAt|updatedAt|lastSeenAt)\\[(?:gte?|lte?)\\]|lastSeenAt\\[exists\\]',
    'attributes\\[\\w+\\](?:\\[(?:gte?|lte?|not|contains|exists)\\])?',
  ].join('|')})$`,
);
/** What else an address of the list may have. */
const otherNames = ['query', 'segment', 'sort', 'page', 'size', 'peek', 'new'];
const sorts: readonly string[] = ['createdAt', 'updatedAt', 'name', 'email'].flatMap((field) => [field, `-${field}`]);

/** Reads an address, which may have been typed by hand. `unknown` parameters mean nothing, and are none of the list. */
export function readList(parameters: URLSearchParams): ListState & { unknown: readonly string[] } {
  const [page, size] = ['page', 'size'].map((name) => Number(parameters.get(name))) as [number, number];
  const sort = parameters.get('sort') ?? '';
  return {
    query: parameters.get('query') ?? '',
    segment: parameters.get('segment') || undefined,
    conditions: readConditions(parameters),
    sort: sorts.includes(sort) ? (sort as ContactSort) : undefined,
    page: Number.isInteger(page) ? Math.max(1, page) : 1,
    limit: pageSizes.includes(size) ? size : pageSizeDefault,
    unknown: [...new Set(parameters.keys())].filter((name) => !otherNames.includes(name) && !conditionNames.test(name)),
  };
}

function readConditions(parameters: URLSearchParams): Condition[] {
  const names = [...new Set(parameters.keys())].filter((name) => conditionNames.test(name));
  const conditions = names.flatMap((name): Condition[] => {
    const values = parameters.getAll(name).filter((value) => value.trim() !== '');
    if (values.length === 0) return [];
    // A contact must have all of the tags, and one of the values.
    if (name === 'tag') return values.map((value) => ({ name, values: [value] }));
    return [{ name, values: isListOfValues(name) ? values : values.slice(0, 1) }];
  });
  // A field or an attribute has either values or other conditions, as in the client.
  const equal = conditions.map(({ name }) => name).filter(isEquality);
  return conditions.filter(({ name }) => !equal.some((each) => name !== each && name.startsWith(each)));
}

/** Several values are one condition: any of them, or none of them. */
function isListOfValues(name: string): boolean {
  return /^(?:attributes\[\w+\](?:\[not\])?|tag\[(?:any|not)\])$/.test(name);
}

/** Not of tags, all of which a contact must have. */
function isEquality(name: string): boolean {
  return /^(?:email|phone|mid|wid|attributes\[\w+\])$/.test(name);
}

/** What the address of a list has behind its path. The first page and the usual size and order are left out. */
export function writeList({ query, segment, conditions, sort, page, limit }: ListState): string {
  const parameters = new URLSearchParams();
  if (query !== '') parameters.set('query', query);
  if (segment !== undefined) parameters.set('segment', segment);
  for (const { name, values } of conditions) for (const value of values) parameters.append(name, value);
  if (sort !== undefined) parameters.set('sort', sort);
  if (page > 1) parameters.set('page', String(page));
  if (limit !== pageSizeDefault) parameters.set('size', String(limit));
  return parameters.toString();
}

/** `peeked` is the contact in the panel beside the list, which belongs to the address and not to the list. */
export function listLink(botId: string, list: string | URLSearchParams = '', peeked?: string): string {
  const parameters = new URLSearchParams(list);
  if (peeked !== undefined) parameters.set('peek', peeked);
  const link = linkTo(['bots', botId, 'contacts']);
  return parameters.size === 0 ? link : `${link}?${parameters}`;
}

/** The list with the form of a new contact. */
export function newContactLink(botId: string): string {
  return linkTo(['bots', botId, 'contacts'], { new: 'contact' });
}

/** The address of a contact, with the list that it leads back to. */
export function contactLink(botId: string, contactId: string, list = ''): string {
  return linkTo(['bots', botId, 'contacts', contactId], { list });
}

/** Adds a condition. One more value widens a list of them; another range of the same kind replaces the first. */
function withCondition(conditions: readonly Condition[], added: Condition): Condition[] {
  const isSame = ({ name, values }: Condition) => name === added.name && values[0] === added.values[0];
  if (added.name === 'tag') return [...conditions.filter((each) => !isSame(each)), added];
  const base = baseOf(added.name);
  const before = conditions.find(({ name }) => name === added.name);
  const values = isListOfValues(added.name) ? [...new Set([...(before?.values ?? []), ...added.values])] : added.values;
  const isReplaced = ({ name }: Condition) =>
    name === added.name ||
    (base !== 'tag' &&
      baseOf(name) === base &&
      (isEquality(name) || isEquality(added.name) || isExistence(name, added.name)));
  return [...conditions.filter((each) => !isReplaced(each)), { name: added.name, values }];
}

/** Adds conditions in the place of others. */
export function withReplaced(
  conditions: readonly Condition[],
  replaced: readonly Condition[],
  added: readonly Condition[],
): Condition[] {
  const kept = conditions.filter((each) => !replaced.includes(each));
  const merged = added.reduce(withCondition, kept);
  const isNew = (each: Condition) => !kept.includes(each);
  const at = conditions.findIndex((each) => replaced.includes(each));
  const before = conditions.slice(0, at === -1 ? undefined : at).filter((each) => merged.includes(each));
  const after = merged.filter((each) => !isNew(each) && !before.includes(each));
  return [...before, ...merged.filter(isNew), ...after];
}

/** `attributes[seats][gte]` is about `attributes[seats]`. */
export function baseOf(name: string): string {
  return /^(?:attributes\[\w+\]|\w*)/.exec(name)?.[0] ?? '';
}

/** Whether there is a value at all says nothing beside a range of it. */
function isExistence(name: string, other: string): boolean {
  return name.endsWith('[exists]') || other.endsWith('[exists]');
}

/** The conditions as the client takes them. `read` makes the value of an attribute of its text. */
export function filterOf(
  conditions: readonly Condition[],
  read: (key: string, text: string) => unknown = (_key, text) => text,
): ContactFilter {
  const filter: Record<string, unknown> = {};
  const attributes: Record<string, unknown> = {};
  const tags = conditions.flatMap(({ name, values }) => (name === 'tag' ? values : []));
  for (const { name, values } of conditions) {
    const [, field = '', key = '', operator] = /^(\w+)(?:\[(\w+)\])?(?:\[(\w+)\])?$/.exec(name) ?? [];
    if (field === 'attributes') {
      const typed = operator === 'exists' ? values : values.map((value) => read(key, value));
      attributes[key] = operator === undefined ? typed : withOperator(attributes[key], operator, typed);
    } else if (key !== '') filter[field] = withOperator(filter[field], key, values);
    else if (field !== 'tag') filter[field] = values[0];
  }
  if (tags.length > 0) filter['tag'] = filter['tag'] === undefined ? tags : { all: tags, ...(filter['tag'] as object) };
  return { ...filter, ...(Object.keys(attributes).length > 0 && { attributes }) } as ContactFilter;
}

function withOperator(before: unknown, operator: string, values: readonly unknown[]): object {
  const isList = operator === 'not' || operator === 'any';
  return {
    ...(before as object | undefined),
    [operator]: operator === 'exists' ? values[0] !== 'false' : isList ? values : values[0],
  };
}

/** The conditions of a filter, such as that of a segment: the opposite of `filterOf`. */
export function conditionsOf({ attributes = {}, ...fields }: ContactFilter): Condition[] {
  const named = [
    ...Object.entries(fields),
    ...Object.entries(attributes).map(([key, condition]) => [`attributes[${key}]`, condition] as const),
  ];
  return named.flatMap(([name, condition]): Condition[] => {
    if (condition === undefined) return [];
    if (typeof condition !== 'object') return [{ name, values: [String(condition)] }];
    const operators = Array.isArray(condition) ? { [name === 'tag' ? 'all' : '']: condition } : condition;
    return Object.entries(operators).flatMap(([operator, value]): Condition[] => {
      if (value === undefined) return [];
      const values = [value].flat().map(String);
      // Each of the tags is a filter of its own.
      if (operator === 'all') return values.map((tag) => ({ name, values: [tag] }));
      return [{ name: operator === '' ? name : `${name}[${operator}]`, values }];
    });
  });
}
