// The operations on contacts, with a secret or with a member's session. A member's are in the audit log, which names
// the bot and not the contacts: their names are not kept beyond their deletion.
import {
  type ContactOperationName,
  type ContactUpdate,
  contactFields,
  contactUpsertSchema,
  emailKey,
  type FieldError,
  isId,
  limits,
  type operations,
  readOnlyContactFields,
} from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { paginate } from '../contacts/pagination.ts';
import { parseQuery, type SearchWord, withoutImplied } from '../contacts/search-text.ts';
import { ApiError, invalidRequest, noSuchBot, noSuchContact } from '../http/api-error.ts';
import type { Handler } from '../http/operation-types.ts';
import { fieldErrors, IgnoredFields, ignoredIn } from '../http/validation.ts';
import { chain } from '../store/maybe-promise.ts';
import type { Bot, Caller, ContactChanges, UpsertItem } from '../store/store.ts';
import { contactAudit } from './action-of.ts';

type Operations = typeof operations;
/** The operation with a secret, and the one derived from it for members. */
type Either<Name extends ContactOperationName> = Operations[Name] | Operations[`${Name}AsMember`];
type ContactHandlers = { readonly [Name in ContactOperationName]: Handler<Either<Name>> };
type ContactDeps = Pick<AccountDeps, 'store' | 'clock' | 'nextId'>;
type AsMembers = { readonly [Name in ContactOperationName as `${Name}AsMember`]: ContactHandlers[Name] };

export function contactHandlers(deps: ContactDeps): ContactHandlers & AsMembers {
  const handlers = prepareHandlers(deps);
  const asMembers = Object.entries(handlers).map(([name, handler]) => [`${name}AsMember`, handler]);
  return { ...handlers, ...(Object.fromEntries(asMembers) as AsMembers) };
}

function prepareHandlers(deps: ContactDeps): ContactHandlers {
  const { store, clock } = deps;
  const searchContacts: ContactHandlers['searchContacts' | 'listContacts'] = async ({
    bot,
    query: search,
    request,
  }) => {
    const { query, page, limit } = search;
    const range = { words: readWords(query), offset: (page - 1) * limit, limit };
    const { contacts, total } = await store.searchContacts(bot.id, range, callerOf(bot, request));
    return { body: { data: contacts, pagination: paginate(search, total, contacts.length) } };
  };

  return {
    searchContacts,
    listContacts: searchContacts,

    async createContact(call) {
      const { operation, bot, body, rawBody } = call;
      const { name, email, phone = '', mid = '', wid = '' } = body;
      const fields = { name, email, emailKey: emailKey(email), phone, mid, wid };
      const outcome = await store.createContact(bot.id, fields, clock(), contactAudit(deps, call));
      if (outcome.kind === 'missing') throw noSuchBot();
      if (outcome.kind === 'email_taken') throw emailTaken(email, outcome.contactId);
      const { contact } = outcome;
      const location = `${operation.path.replace('{botId}', bot.id)}/${contact.id}`;
      return { body: { data: contact }, headers: { Location: location, ...ignoredIn(rawBody, knownInContact) } };
    },

    async upsertContacts(call) {
      const { bot, query, rawBody } = call;
      const { items, errors, claims, headers } = readUpsert(rawBody);
      if (errors.length > 0) {
        // Faults that only the stored contacts can reveal are reported with the others.
        const positions = await store.findNameless(bot.id, claims);
        const nameless = namelessErrors(positions.map((position) => claims[position]?.index as number));
        throw invalidRequest([...errors, ...nameless].sort((a, b) => (a.index ?? 0) - (b.index ?? 0)));
      }
      const audit = contactAudit(deps, call, items.length);
      const outcome = await store.upsertContacts(bot.id, items, clock(), audit);
      if (outcome.kind === 'missing') throw noSuchBot();
      if (outcome.kind === 'nameless') throw invalidRequest(namelessErrors(outcome.positions));
      const { ids, outcomes } = outcome;
      const data = query.include.includes('outcome')
        ? ids.map((id, index) => ({ index, id, outcome: outcomes[index] }))
        : ids.map((id, index) => ({ index, id }));
      return { body: { data }, headers };
    },

    retrieveContact({ bot, params: { contactId } }) {
      const found = isId('contact', contactId) ? store.findContact(bot.id, contactId) : undefined;
      return chain(found, (contact) => {
        if (contact === undefined) throw noSuchContact();
        return { body: { data: contact } };
      });
    },

    async updateContact(call) {
      const { bot, params, body, rawBody } = call;
      if (!isId('contact', params.contactId)) throw noSuchContact();
      const changes = toChanges(body);
      const audit = contactAudit(deps, call);
      const outcome = await store.updateContact(bot.id, params.contactId, changes, clock(), audit);
      if (outcome.kind === 'missing') throw noSuchContact();
      if (outcome.kind === 'email_taken') throw emailTaken(changes.email ?? '', outcome.contactId);
      return { body: { data: outcome.contact }, headers: ignoredIn(rawBody, knownInContact) };
    },

    async deleteContact(call) {
      const { contactId } = call.params;
      const isDeleted =
        isId('contact', contactId) && (await store.deleteContact(call.bot.id, contactId, contactAudit(deps, call)));
      if (!isDeleted) throw noSuchContact();
      return {};
    },

    async deleteContacts(call) {
      const { bot, rawBody } = call;
      const { ids, headers } = readIds(rawBody);
      // A malformed id names no contact, and may be text that a database refuses.
      const wellFormed = ids.filter((id) => isId('contact', id));
      const answers = await store.deleteContacts(bot.id, wellFormed, contactAudit(deps, call));
      const deleted = new Set(wellFormed.filter((_, at) => answers[at]));
      // Of equal ids the first one did it.
      const data = ids.map((id, index) => ({ index, id, isDeleted: deleted.delete(id) }));
      return { body: { data }, headers };
    },

    /** The audit log counts the contacts of all pages. */
    async exportContacts(call) {
      const { bot, query, request } = call;
      const page = { words: readWords(query.query), after: query.after, limit: query.limit };
      const { contacts, next } = await store.exportContacts(bot.id, page, callerOf(bot, request));
      const audit = contactAudit(deps, call, contacts.length);
      if (audit !== undefined) await store.recordAudit(audit);
      return { body: { data: contacts, next: next ?? null } };
    },
  };
}

function readWords(query: string): SearchWord[] {
  const words = parseQuery(query);
  if (words.length <= limits.searchWords) return withoutImplied(words);
  throw invalidRequest([{ field: 'query', message: `must have at most ${limits.searchWords} different words` }]);
}

/** The signal is aborted when the client leaves. */
function callerOf({ organizationId }: Bot, { signal }: { signal: AbortSignal }): Caller {
  return { organizationId, signal };
}

function emailTaken(email: string, contactId: string): ApiError {
  return new ApiError('email_taken', `A contact with the email ${email} already exists in this bot.`, { contactId });
}

const knownInContact: ReadonlySet<string> = new Set([...contactFields, ...readOnlyContactFields]);
const knownInUpsert: ReadonlySet<string> = new Set(['data']);
const knownInDeletion: ReadonlySet<string> = new Set(['ids']);

/** JSON has no undefined: what the schema's output lacks, the caller left out. */
function toChanges(fields: ContactUpdate): ContactChanges {
  const changes = fields as ContactChanges;
  return changes.email === undefined ? changes : { ...changes, emailKey: emailKey(changes.email) };
}

interface ReadUpsert {
  /** The items without a fault of their own. */
  items: UpsertItem[];
  errors: FieldError[];
  /** The items with a valid email, with or without a name: enough to find those that would create a nameless contact. */
  claims: (UpsertItem & { index: number })[];
  headers: { 'Roster-Ignored'?: string };
}

/** The items of a request that holds many contacts. */
function itemsOf(body: unknown, field: 'data' | 'ids', max: number): unknown[] {
  const items = (body as Record<string, unknown> | null | undefined)?.[field];
  if (!Array.isArray(items)) {
    throw invalidRequest([{ field, message: items === undefined ? 'is required' : 'must be an array' }]);
  }
  if (items.length > max) {
    throw new ApiError(
      'too_many_contacts',
      `At most ${max} contacts fit into one request; this one has ${items.length}. Nothing was changed.`,
    );
  }
  return items;
}

function readIds(body: unknown): { ids: string[]; headers: ReadUpsert['headers'] } {
  const ids = itemsOf(body, 'ids', limits.contactsPerDelete);
  const errors = ids.flatMap((id, index) =>
    typeof id === 'string' ? [] : [{ index, field: 'ids', message: 'must be a string' }],
  );
  if (errors.length > 0) throw invalidRequest(errors);
  return { ids: ids as string[], headers: ignoredIn(body, knownInDeletion) };
}

function readUpsert(body: unknown): ReadUpsert {
  const data = itemsOf(body, 'data', limits.contactsPerUpsert);
  const ignored = new IgnoredFields();
  ignored.note(body, knownInUpsert);
  const read: ReadUpsert = { items: [], errors: [], claims: [], headers: {} };
  for (const [index, input] of data.entries()) {
    ignored.note(input, knownInContact);
    const result = contactUpsertSchema.safeParse(input);
    if (result.success) read.items.push(toChanges(result.data) as UpsertItem);
    else read.errors.push(...fieldErrors(result.error, 'item', index));
  }
  read.headers = ignored.headers();
  if (read.errors.length > 0) read.claims = claimsOf(data);
  return read;
}

function claimsOf(data: readonly unknown[]): ReadUpsert['claims'] {
  return data.flatMap((input, index) => {
    const { email, name } = (input ?? {}) as { email?: unknown; name?: unknown };
    const result = contactUpsertSchema.shape.email.safeParse(email);
    if (!result.success) return [];
    // A name with a fault is reported as such; its item creates all the same once that is mended.
    const named = name === undefined ? {} : { name: 'given' };
    return [{ index, email: result.data, emailKey: emailKey(result.data), ...named }];
  });
}

function namelessErrors(indexes: number[]): FieldError[] {
  return indexes.map((index) => ({
    index,
    field: 'name',
    message: 'is required, because no contact with this email exists yet',
  }));
}
