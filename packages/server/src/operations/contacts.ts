// The operations on contacts, with a secret or with a member's session. A member's are in the audit log, which names
// the bot and not the contacts: their names are not kept beyond their deletion.

import {
  type ContactInclude,
  type ContactOperationName,
  type FieldError,
  isId,
  limits,
  type operations,
} from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { contactIn, continueExport } from '../account/export-cursors.ts';
import { hasPermission } from '../account/scopes.ts';
import { prepareAnswers, wantsValues } from '../answers/contact-answers.ts';
import { paginate } from '../contacts/pagination.ts';
import { hasMore, invalidRequest, noSuchBot, noSuchContact, passwordRequired, unavailable } from '../http/api-error.ts';
import { type Answered, clientLeft } from '../http/client-left.ts';
import type { Handler } from '../http/operation-types.ts';
import { chain } from '../store/maybe-promise.ts';
import type { Bot, Caller, CreateOutcome, UpdateOutcome, UpsertItem, UpsertOutcome } from '../store/store.ts';
import { contextOf } from './action-of.ts';
import { isFresh, namesOfFilters, prepareWanted } from './contact-filters.ts';
import {
  type Definitions,
  inputKeysOf,
  itemsOf,
  namesAttributes,
  readCreate,
  readIds,
  readUpdate,
  readUpsert,
} from './contact-input.ts';
import { inOrder, itemRefusal, refusal, toError } from './contact-refusals.ts';
import { contactOf, etagOf, otherVersion } from './contact-versions.ts';
import { forMembersToo } from './for-members.ts';

type Operations = typeof operations;
/** The operation with a secret, and the one derived from it for members. */
type Either<Name extends ContactOperationName> = Operations[Name] | Operations[`${Name}AsMember`];
type ContactHandlers = { readonly [Name in ContactOperationName]: Handler<Either<Name>> };
type UpsertCall = Parameters<ContactHandlers['upsertContacts']>[0];
type ContactDeps = Pick<AccountDeps, 'store' | 'clock' | 'nextId'>;

export function contactHandlers(deps: ContactDeps) {
  return forMembersToo(prepareHandlers(deps));
}

/** Attributes are deleted rarely. A caller who deletes them in a loop must not keep a request trying for ever. */
const triesMax = 5;

function prepareHandlers(deps: ContactDeps): ContactHandlers {
  const { store } = deps;
  const withIncluded = prepareAnswers(deps);

  const wantedBy = prepareWanted(deps);
  const searchContacts: ContactHandlers['searchContacts' | 'listContacts'] = (call) => {
    const { bot, query: search, request } = call;
    return call.asHeavy(async () => {
      const { page, limit, include } = search;
      const range = {
        ...(await wantedBy(bot, search)),
        offset: (page - 1) * limit,
        limit,
        withValues: wantsValues(include),
        isFresh: isFresh(request),
      };
      const { contacts, values, total } = await store.searchContacts(bot.id, range, callerOf(bot, request));
      const data = await withIncluded(bot.id, include, contacts, values);
      return { body: { data, pagination: paginate(search, total, contacts.length) } };
    });
  };

  /** Reads and writes contacts by the definitions of the bot's attributes, and again when one of these was deleted meanwhile. */
  async function writeByDefinitions<Outcome extends CreateOutcome | UpdateOutcome | UpsertOutcome>(
    bot: Bot,
    needsDefinitions: boolean,
    write: (definitions: Definitions) => Promise<Outcome>,
  ): Promise<Outcome> {
    for (let tries = 0; tries < triesMax; tries++) {
      const known = needsDefinitions ? await store.listAttributes(bot.id) : [];
      const outcome = await write(new Map(known.map((attribute) => [attribute.key, attribute])));
      if (!isOutdated(outcome)) return outcome;
    }
    throw unavailable('the attributes of this bot are being changed');
  }

  return {
    searchContacts,
    listContacts: searchContacts,

    async createContact(call) {
      const { operation, bot, query, rawBody } = call;
      const outcome = await writeByDefinitions(bot, namesAttributes(rawBody), (definitions) => {
        const fields = readCreate(rawBody, definitions);
        return store.createContact(bot.id, fields, contextOf(deps, call));
      });
      if (outcome.kind === 'missing') throw noSuchBot();
      if (outcome.kind !== 'created') throw refusal(outcome, rawBody);
      const { contact, values } = outcome;
      const location = `${operation.path.replace('{botId}', bot.id)}/${contact.id}`;
      const [data = contact] = await withIncluded(bot.id, query.include, [contact], [values]);
      return { body: { data }, headers: { Location: location, ...etagOf(contact) } };
    },

    async upsertContacts(call) {
      const { bot, query, rawBody } = call;
      const inputs = itemsOf(rawBody, 'data', limits.contactsPerUpsert);
      if (query.onError === 'skip') return upsertSkipping(call, inputs);
      const outcome = await writeByDefinitions(bot, inputs.some(namesAttributes), async (definitions) => {
        const read = await call.inSlices(readUpsert(inputs, definitions, { skips: false }));
        if (hasMore(read.errors)) throw invalidRequest(read.errors);
        if (read.errors.length > 0) {
          // Faults that only what is stored can reveal are reported with the others.
          const inputKeys = inputKeysOf(inputs, read);
          const found = await store.findFaults(bot.id, inputKeys);
          const faults = found.map((each) => ({ ...each, position: inputKeys[each.position]?.index as number }));
          const refused = { kind: 'invalid_items', faults } as const;
          if (isOutdated(refused)) return refused;
          throw invalidRequest(inOrder([...read.errors, ...faults.map(toError)]));
        }
        const context = contextOf(deps, call, { count: read.items.length });
        return store.upsertContacts(bot.id, read.items as UpsertItem[], context);
      });
      if (outcome.kind === 'missing') throw noSuchBot();
      if (outcome.kind === 'invalid_items') throw itemRefusal(outcome.faults);
      const data = rowsOf(outcome, [...inputs.keys()], query.include);
      return { body: { data } };
    },

    retrieveContact({ bot, query: { include }, params: { contactId } }) {
      if (!isId('contact', contactId)) throw noSuchContact();
      if (include.length > 0) return retrieveIncluding(bot.id, contactId, include);
      return chain(store.findContact(bot.id, contactId), (contact) => {
        if (contact === undefined) throw noSuchContact();
        return { body: { data: contact }, headers: etagOf(contact) };
      });
    },

    async updateContact(call) {
      const { bot, query, rawBody } = call;
      const contactToUpdate = await contactOf(call, store);
      const outcome = await writeByDefinitions(bot, namesAttributes(rawBody), (definitions) => {
        const changes = readUpdate(rawBody, definitions);
        return store.updateContact(bot.id, contactToUpdate, changes, contextOf(deps, call));
      });
      if (outcome.kind === 'missing') throw noSuchContact();
      if (outcome.kind === 'precondition_failed') throw otherVersion();
      if (outcome.kind !== 'updated') throw refusal(outcome, rawBody);
      const { contact, values } = outcome;
      // Only secrets that may read get the whole contact: an empty change would otherwise read it.
      if (call.secret !== undefined && !hasPermission(call.secret, 'contacts:read')) {
        return { body: { data: { id: contact.id } } };
      }
      const [data = contact] = await withIncluded(bot.id, query.include, [contact], [values]);
      return { body: { data }, headers: etagOf(contact) };
    },

    async deleteContact(call) {
      const contact = await contactOf(call, store);
      const outcome = await store.deleteContact(call.bot.id, contact, contextOf(deps, call));
      if (outcome === false) throw noSuchContact();
      if (outcome !== true) throw otherVersion();
      return {};
    },

    async deleteContacts(call) {
      const { bot, rawBody } = call;
      const ids = readIds(rawBody);
      // A malformed id names no contact, and may be text that a database refuses.
      const wellFormed = ids.filter((id) => isId('contact', id));
      const answers = await store.deleteContacts(bot.id, wellFormed, contextOf(deps, call));
      const deleted = new Set(wellFormed.filter((_, at) => answers[at]));
      // Of equal ids the first one did it.
      const data = ids.map((id, index) => ({ index, id, isDeleted: deleted.delete(id) }));
      return { body: { data } };
    },

    /** The audit log counts the contacts of all pages. */
    exportContacts(call) {
      const { bot, query, request } = call;
      return call.asHeavy(async () => {
        const { limit, include } = query;
        const ofMember = call.session && (await continueExport(deps, call.session, bot.id, query.after));
        if (call.session !== undefined && ofMember === undefined) throw passwordRequired();
        const after = query.after && contactIn(query.after);
        const { words, filters } = await wantedBy(bot, query);
        const page = { words, filters, after, limit, withValues: wantsValues(include) };
        const { contacts, values, next } = await store.exportContacts(bot.id, page, callerOf(bot, request));
        const context = contextOf(deps, call, { count: contacts.length, filter: namesOfFilters(query) });
        if (context.audit !== undefined) await store.recordAudit(context);
        await call.nextSlice();
        const data = await withIncluded(bot.id, include, contacts, values);
        return { body: { data, next: (next && ofMember?.sign(next)) ?? next ?? null } };
      });
    },
  };

  /** Writes the items without a fault. Those that the store then refuses are left out too, until the others are written. */
  async function upsertSkipping(call: UpsertCall, inputs: readonly unknown[]) {
    const { bot, query } = call;
    let errors: FieldError[] = [];
    let indexes: number[] = [];
    let isTruncated = false as boolean;
    const outcome = await writeByDefinitions(bot, inputs.some(namesAttributes), async (definitions) => {
      const read = await call.inSlices(readUpsert(inputs, definitions, { skips: true }));
      ({ errors, isTruncated } = read);
      indexes = [...read.items.keys()].filter((index) => read.items[index] !== undefined);
      for (;;) {
        const items = indexes.map((index) => read.items[index] as UpsertItem);
        const context = contextOf(deps, call, { count: items.length });
        const written = await store.upsertContacts(bot.id, items, context);
        if (written.kind !== 'invalid_items' || isOutdated(written)) return written;
        const faults = written.faults.map((each) => ({ ...each, position: indexes[each.position] as number }));
        errors = [...errors, ...faults.map(toError)];
        const skipped = new Set(faults.map(({ position }) => position));
        indexes = indexes.filter((index) => !skipped.has(index));
      }
    });
    if (outcome.kind === 'missing') throw noSuchBot();
    if (outcome.kind === 'invalid_items') throw itemRefusal(outcome.faults);
    const body = {
      data: rowsOf(outcome, indexes, query.include),
      errors: inOrder(errors),
      ...(isTruncated && { errorsTruncated: true as const }),
    };
    return { body };
  }

  async function retrieveIncluding(botId: string, contactId: string, include: readonly ContactInclude[]) {
    const found = await store.findContactWithValues(botId, contactId);
    if (found === undefined) throw noSuchContact();
    const [data = found.contact] = await withIncluded(botId, include, [found.contact], [found.values]);
    return { body: { data }, headers: etagOf(found.contact) };
  }
}

/** One row for each item that was written, by its position in the request. */
function rowsOf(
  { ids, outcomes }: UpsertOutcome & { kind: 'upserted' },
  indexes: readonly number[],
  include: readonly string[],
) {
  const withOutcome = include.includes('outcome');
  return ids.map((id, at) => {
    const row = { index: indexes[at] as number, id };
    return withOutcome ? { ...row, outcome: outcomes[at] } : row;
  });
}

/** The signal is aborted when the client leaves. */
function callerOf({ organizationId }: Bot, request: Answered): Caller {
  return { organizationId, signal: clientLeft(request) };
}

/** Whether an attribute was deleted after its definition was read. */
function isOutdated(outcome: CreateOutcome | UpdateOutcome | UpsertOutcome): boolean {
  if (outcome.kind === 'invalid_values') return outcome.fault === 'undefined_attribute';
  return outcome.kind === 'invalid_items' && outcome.faults.some(({ fault }) => fault === 'undefined_attribute');
}
