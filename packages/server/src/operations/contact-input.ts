// Reads contacts from requests: their fields by the contract's schemas, and attributes and tags by the definitions of the bot.
// All faults of a request are reported at once.
import {
  type ContactUpdate,
  contactCreateSchema,
  contactUpdateSchema,
  contactUpsertSchema,
  type contactValueFields,
  emailKey,
  type FieldError,
  limits,
} from '@roster/contract';
import type { z } from 'zod';
import { readAttributes, readTags } from '../contacts/values.ts';
import { hasMore, invalidRequest } from '../http/api-error.ts';
import { tooManyContacts } from '../http/large-json.ts';
import { fieldErrors } from '../http/validation.ts';
import type { ContactChanges, ContactFields, UpsertItem } from '../store/store.ts';
import type { AttributeDefinition } from '../store/values/attribute-store.ts';

export type Definitions = ReadonlyMap<string, AttributeDefinition>;

/** Whether the definitions are needed to read it. */
export function namesAttributes(input: unknown): boolean {
  if (!isObject(input) || !isObject(input['attributes'])) return false;
  for (const _ in input['attributes']) return true;
  return false;
}

export function readCreate(body: unknown, definitions: Definitions): ContactFields {
  const { name, email, phone = '', mid = '', wid = '', ...values } = readOne(contactCreateSchema, body, definitions);
  return { name, email, emailKey: emailKey(email), phone, mid, wid, ...values };
}

export function readUpdate(body: unknown, definitions: Definitions): ContactChanges {
  return withEmailKey(readOne(contactUpdateSchema, body, definitions));
}

/** Without a body each missing field is named, as with an empty object. */
function readOne<Schema extends ContactSchema>(schema: Schema, body: unknown, definitions: Definitions) {
  const { contact, errors } = readContact(schema, body ?? {}, definitions, 'body');
  if (contact === undefined) throw invalidRequest(errors);
  return contact;
}

type ContactSchema = typeof contactCreateSchema | typeof contactUpdateSchema | typeof contactUpsertSchema;
type Read<Schema extends ContactSchema> = Omit<z.output<Schema>, (typeof contactValueFields)[number]> &
  Pick<ContactFields, 'attributes' | 'tags'>;

/** `contact` is undefined when there are errors. */
function readContact<Schema extends ContactSchema>(
  schema: Schema,
  input: unknown,
  definitions: Definitions,
  whole: string,
  index?: number,
): { contact: Read<Schema> | undefined; errors: FieldError[] } {
  const parsed = schema.safeParse(input);
  if (parsed.success && !hasValues(parsed.data)) return { contact: parsed.data as Read<Schema>, errors: [] };
  const values = readValues(input, definitions);
  const errors = [
    ...(parsed.success ? [] : fieldErrors(parsed.error, whole, index)),
    ...values.errors.map((error) => (index === undefined ? error : { index, ...error })),
  ];
  if (!parsed.success || errors.length > 0) return { contact: undefined, errors };
  const { attributes: _, tags: _tags, addTags: _add, removeTags: _remove, ...fields } = parsed.data;
  return { contact: { ...fields, ...values.changes } as Read<Schema>, errors };
}

function hasValues(input: Pick<ContactUpdate, (typeof contactValueFields)[number]>): boolean {
  const { attributes, tags, addTags, removeTags } = input;
  return attributes !== undefined || tags !== undefined || addTags !== undefined || removeTags !== undefined;
}

/** Values that are not well formed are left to the schema, which reports them. */
function readValues(input: unknown, definitions: Definitions) {
  const changes: Pick<ContactFields, 'attributes' | 'tags'> = {};
  if (!isObject(input)) return { changes, errors: [] };
  const attributes = isObject(input['attributes']) ? readAttributes(input['attributes'], definitions) : undefined;
  const given = tagsSchema.safeParse(input);
  const tags = given.success ? readTags(given.data) : undefined;
  if (attributes !== undefined) changes.attributes = attributes.attributes;
  if (tags?.tags !== undefined) changes.tags = tags.tags;
  return { changes, errors: [...(attributes?.errors ?? []), ...(tags?.errors ?? [])] };
}

const tagsSchema = contactUpdateSchema.pick({ tags: true, addTags: true, removeTags: true });

function isObject(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

/** JSON has no undefined: what the schema's output lacks, the caller left out. */
function withEmailKey(fields: object): ContactChanges {
  const changes = fields as ContactChanges;
  return changes.email === undefined ? changes : { ...changes, emailKey: emailKey(changes.email) };
}

/** The items of a request that holds many contacts. */
export function itemsOf(body: unknown, field: 'data' | 'ids', max: number): unknown[] {
  const items = (body as Record<string, unknown> | null | undefined)?.[field];
  if (!Array.isArray(items)) {
    throw invalidRequest([{ field, message: items === undefined ? 'is required' : 'must be an array' }]);
  }
  if (items.length > max) {
    throw tooManyContacts(max);
  }
  return items;
}

export function readIds(body: unknown): string[] {
  const ids = itemsOf(body, 'ids', limits.contactsPerDelete);
  const errors = ids.flatMap((id, index) =>
    typeof id === 'string' ? [] : [{ index, field: 'ids', message: 'must be a string' }],
  );
  if (errors.length > 0) throw invalidRequest(errors);
  return ids as string[];
}

export interface ReadUpsert {
  /** Those with a fault of their own are undefined. */
  items: (UpsertItem | undefined)[];
  errors: FieldError[];
  /** Whether items have more faults than these. */
  isTruncated: boolean;
}

/**
 * A step for each item. With more faults than are reported, nothing will be written, and the items behind them are not read; those
 * that are to be skipped have one fault each beyond that.
 */
export function* readUpsert(
  data: readonly unknown[],
  definitions: Definitions,
  { skips }: { skips: boolean },
): Generator<void, ReadUpsert> {
  const errors: FieldError[] = [];
  const items: ReadUpsert['items'] = [];
  let isTruncated = false;
  for (const [index, input] of data.entries()) {
    const read = readContact(contactUpsertSchema, input, definitions, 'item', index);
    for (const [at, error] of read.errors.entries()) {
      if (at === 0 || !hasMore(errors)) errors.push(error);
      else isTruncated = true;
    }
    if (!skips && hasMore(errors)) break;
    items.push(read.contact && (withEmailKey(read.contact) as UpsertItem));
    yield;
  }
  return { items, errors, isTruncated };
}

/** The items with a valid email, from which the store finds out what else is wrong. */
export function inputKeysOf(data: readonly unknown[], { items }: ReadUpsert): (UpsertItem & { index: number })[] {
  return items.flatMap((item, index) => (item === undefined ? inputKeyOf(data[index], index) : { index, ...item }));
}

/** Of an item with a fault: enough to find out whether it would create a nameless contact. */
function inputKeyOf(input: unknown, index: number): (UpsertItem & { index: number })[] {
  const { email, name } = (input ?? {}) as { email?: unknown; name?: unknown };
  const result = contactUpsertSchema.shape.email.safeParse(email);
  if (!result.success) return [];
  // A name with a fault is reported as such; its item creates all the same once that is mended.
  const named = name === undefined ? {} : { name: 'given' };
  return [{ index, email: result.data, emailKey: emailKey(result.data), ...named }];
}
