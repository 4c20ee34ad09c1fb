// The state of the contact list: search, filters, order and page. It is all in the address, under the names of the API's
// parameters, so that a link, a reload and the way back show the same list.
import type { ContactFilter, ContactSort } from '@roster/client';
import { linkTo } from '../router.ts';

/** A parameter of the API with its values: `attributes[plan]` is any of them, anything else has one. */
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

export const pageSizeDefault = 25;
export const pageSizes = [10, pageSizeDefault, 50, 100];

const conditionNames =
  /^(?:email|phone|mid|wid|tag|(?:createdAt|updatedAt)\[(?:gte?|lte?)\]|attributes\[\w+\](?:\[(?:gte?|lte?|exists)\])?)$/;
const sorts: readonly string[] = ['createdAt', 'updatedAt', 'name', 'email'].flatMap((field) => [field, `-${field}`]);

/** Reads an address, which may have been typed by hand: what is invalid is left out. */
export function readList(parameters: URLSearchParams): ListState {
  const [page, size] = ['page', 'size'].map((name) => Number(parameters.get(name))) as [number, number];
  const sort = parameters.get('sort') ?? '';
  return {
    query: parameters.get('query') ?? '',
    segment: parameters.get('segment') || undefined,
    conditions: readConditions(parameters),
    sort: sorts.includes(sort) ? (sort as ContactSort) : undefined,
    page: Number.isInteger(page) ? Math.max(1, page) : 1,
    limit: pageSizes.includes(size) ? size : pageSizeDefault,
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
  // An attribute has either values or a range, as in the client.
  const listed = conditions.map(({ name }) => name).filter(isListOfValues);
  return conditions.filter(({ name }) => !listed.some((list) => name !== list && name.startsWith(list)));
}

function isListOfValues(name: string): boolean {
  return /^attributes\[\w+\]$/.test(name);
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

/** Adds a condition. One more value of an attribute widens it; another range of the same kind replaces the first. */
export function withCondition(conditions: readonly Condition[], added: Condition): Condition[] {
  const isSame = ({ name, values }: Condition) => name === added.name && values[0] === added.values[0];
  if (added.name === 'tag') return [...conditions.filter((each) => !isSame(each)), added];
  const [attribute = added.name] = /^attributes\[\w+\]/.exec(added.name) ?? [];
  const before = conditions.find(({ name }) => name === added.name);
  const isList = isListOfValues(added.name);
  const values = isList ? [...new Set([...(before?.values ?? []), ...added.values])] : added.values;
  const isReplaced = ({ name }: Condition) =>
    name === added.name ||
    (name.startsWith(attribute) && (isList || name === attribute || isExistence(name, added.name)));
  return [...conditions.filter((each) => !isReplaced(each)), { name: added.name, values }];
}

/** Whether there is a value at all says nothing beside a range of it. */
function isExistence(name: string, other: string): boolean {
  return name.endsWith('[exists]') || other.endsWith('[exists]');
}

/** The conditions as the client takes them, with their values as text. */
export function filterOf(conditions: readonly Condition[]): ContactFilter {
  const filter: Record<string, unknown> = {};
  const attributes: Record<string, unknown> = {};
  for (const { name, values } of conditions) {
    const [, field = '', first = '', second] = /^(\w+)(?:\[(\w+)\])?(?:\[(\w+)\])?$/.exec(name) ?? [];
    if (field === 'tag') filter['tag'] = [...((filter['tag'] as string[]) ?? []), ...values];
    else if (field !== 'attributes') filter[field] = first === '' ? values[0] : range(filter[field], first, values);
    else attributes[first] = second === undefined ? values : range(attributes[first], second, values);
  }
  return { ...filter, ...(Object.keys(attributes).length > 0 && { attributes }) } as ContactFilter;
}

function range(before: unknown, operator: string, [value]: readonly string[]): object {
  return { ...(before as object | undefined), [operator]: value };
}

/** The conditions of a filter, such as that of a segment: the opposite of `filterOf`. */
export function conditionsOf({ attributes = {}, ...fields }: ContactFilter): Condition[] {
  const named = [
    ...Object.entries(fields),
    ...Object.entries(attributes).map(([key, condition]) => [`attributes[${key}]`, condition] as const),
  ];
  return named.flatMap(([name, condition]): Condition[] => {
    if (condition === undefined) return [];
    if (name === 'tag') return [condition].flat().map((tag) => ({ name, values: [String(tag)] }));
    if (Array.isArray(condition)) return [{ name, values: condition.map(String) }];
    if (typeof condition !== 'object') return [{ name, values: [String(condition)] }];
    const bounds = Object.entries(condition as object).filter(([, value]) => value !== undefined);
    return bounds.map(([operator, value]) => ({ name: `${name}[${operator}]`, values: [String(value)] }));
  });
}
