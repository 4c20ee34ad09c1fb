// What the storage port means, in plain code over arrays: the truth that engines are compared with. Written to be
// obvious, never fast. Ids and creation times are the engine's to choose; the model only checks their order.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Contact } from '@roster/contract';
import { compareBy, meets, newestFirst } from '../src/contacts/filters.ts';
import { matches } from '../src/contacts/search-text.ts';
import type { StoredEvent } from '../src/store/events/event-store.ts';
import type {
  ContactChanges,
  ContactFields,
  ContactToken,
  ContactTokenState,
  CreateOutcome,
  ExportPage,
  ItemFault,
  Search,
  UpdateOutcome,
  UpsertItem,
  UpsertOutcome,
  Visitor,
  Wanted,
} from '../src/store/store.ts';
import type {
  AttributeDefinition,
  DefineOutcome,
  NewAttribute,
  Tag,
  ValueFault,
} from '../src/store/values/attribute-store.ts';
import { ModelFields, type ModelValues, type NamedValues, textsIn } from './model-values.ts';
import { sampleContext } from './sample.ts';

/** What the engine chose for a contact that it says it created. */
export type Identity = Pick<Contact, 'id' | 'createdAt'>;

/** As the port has them, but with values as `NamedValues`. */
type Named<Outcome> = Outcome extends { values: unknown } ? Omit<Outcome, 'values'> & { values: NamedValues } : Outcome;

interface ModelContact {
  emailKey: string;
  contact: Contact;
  values: ModelValues;
  lastSeenAtMs?: number;
}

/** Ids and numbers follow from the order. */
export type ModelEvent = Omit<StoredEvent, 'id' | 'number'>;

type TokenTimes = Omit<ContactTokenState, 'hash'>;

interface ModelToken {
  hash: string;
  contactId: string;
  state: TokenTimes;
}

interface ModelBot {
  /** In the order of creation. */
  contacts: ModelContact[];
  fields: ModelFields;
  tokens: ModelToken[];
  /** Of all contacts there ever were, so that a deletion does not free the newest id. */
  newest: Identity | undefined;
  events: ModelEvent[];
}

export class StoreModel {
  readonly #bots = new Map<string, ModelBot>();
  /** Of all writes until it is another. */
  context = sampleContext();

  createBot(botId: string): void {
    const fields = new ModelFields(() => valuesIn(bot));
    const bot: ModelBot = { contacts: [], fields, tokens: [], newest: undefined, events: [] };
    this.#bots.set(botId, bot);
  }

  deleteBot(botId: string): boolean {
    return this.#bots.delete(botId);
  }

  /** `made` is what the engine says it created; it counts only where a contact is to be created. */
  createContact(botId: string, fields: ContactFields, nowMs: number, made: Identity | undefined): Named<CreateOutcome> {
    const bot = this.#bots.get(botId);
    if (bot === undefined) return { kind: 'missing' };
    const holder = byEmail(bot, fields.emailKey);
    if (holder !== undefined) return { kind: 'email_taken', contactId: holder.contact.id };
    const [fault] = this.findFaults(botId, [fields]);
    if (fault !== undefined) return { kind: 'invalid_values', fault: fault.fault as ValueFault };
    const { contact, values } = add(bot, fields, nowMs, made);
    this.#note(bot, 'contact.created', contact.id);
    return { kind: 'created', contact, values: bot.fields.named(values) };
  }

  updateContact(botId: string, contactId: string, changes: ContactChanges, nowMs: number): Named<UpdateOutcome> {
    const bot = this.#bots.get(botId);
    const stored = bot && byId(bot, contactId);
    if (bot === undefined || stored === undefined) return { kind: 'missing' };
    const holder = changes.emailKey === undefined ? undefined : byEmail(bot, changes.emailKey);
    if (holder !== undefined && holder !== stored) return { kind: 'email_taken', contactId: holder.contact.id };
    const before = { ...stored };
    stored.values = copyOf(stored.values);
    const fault = bot.fields.change(stored.values, changes);
    if (fault !== undefined) {
      stored.values = before.values;
      return { kind: 'invalid_values', fault };
    }
    stored.contact = { ...stored.contact, ...fieldsOf(changes) };
    stored.emailKey = changes.emailKey ?? stored.emailKey;
    if (touch(stored, before, nowMs)) {
      this.#note(bot, 'contact.updated', contactId, changedFields(bot, before, stored));
    }
    return { kind: 'updated', contact: stored.contact, values: bot.fields.named(stored.values) };
  }

  /** `made` holds what the engine created, by id. */
  upsertContacts(
    botId: string,
    items: readonly UpsertItem[],
    nowMs: number,
    answer: { ids: readonly string[]; made: ReadonlyMap<string, Identity> },
  ): UpsertOutcome {
    const bot = this.#bots.get(botId);
    if (bot === undefined) return { kind: 'missing' };
    const faults = this.findFaults(botId, items);
    if (faults.length > 0) return { kind: 'invalid_items', faults };
    const before = new Map(bot.contacts.map((stored) => [stored.contact.id, { ...stored }]));
    for (const stored of bot.contacts) stored.values = copyOf(stored.values);
    const ids = items.map((item, position) => {
      const stored = byEmail(bot, item.emailKey);
      if (stored === undefined) {
        const made = answer.made.get(answer.ids[position] ?? '');
        return add(bot, { name: '', phone: '', mid: '', wid: '', ...item }, nowMs, made).contact.id;
      }
      // Only the final row counts for `updatedAt`, so it is set below and not here.
      stored.contact = { ...stored.contact, ...fieldsOf(item) };
      assert.equal(bot.fields.change(stored.values, item), undefined);
      return stored.contact.id;
    });
    for (const stored of bot.contacts) {
      const old = before.get(stored.contact.id);
      if (old !== undefined) touch(stored, old, nowMs);
    }
    for (const id of new Set(ids)) {
      const [old, stored] = [before.get(id), byId(bot, id) as ModelContact];
      if (old === undefined) this.#note(bot, 'contact.created', id);
      else if (old.contact.updatedAt !== stored.contact.updatedAt) {
        this.#note(bot, 'contact.updated', id, changedFields(bot, old, stored));
      }
    }
    const outcomes = ids.map((id) => {
      const old = before.get(id);
      if (old === undefined) return 'created';
      return old.contact.updatedAt === byId(bot, id)?.contact.updatedAt ? 'unchanged' : 'updated';
    });
    return { kind: 'upserted', ids, outcomes };
  }

  /** Tried out on a copy. An item with a fault is passed over. */
  findFaults(botId: string, items: readonly UpsertItem[]): ItemFault[] {
    const bot = this.#bots.get(botId);
    if (bot === undefined) return [];
    const tried = bot.contacts.map(({ emailKey, values }) => ({ emailKey, values: copyOf(values) }));
    const fields = bot.fields.copy(() => tried.map(({ values }) => values));
    const faults: ItemFault[] = [];
    for (const [position, item] of items.entries()) {
      const known = tried.find(({ emailKey }) => emailKey === item.emailKey);
      if (known === undefined && item.name === undefined) {
        faults.push({ position, fault: 'nameless' });
        continue;
      }
      const contact = known ?? { emailKey: item.emailKey, values: noValues() };
      if (known === undefined) tried.push(contact);
      const fault = fields.change(contact.values, item);
      if (fault !== undefined) faults.push({ position, fault });
      if (fault !== undefined && known === undefined) tried.pop();
    }
    return faults;
  }

  defineAttribute(botId: string, attribute: NewAttribute, number: number): DefineOutcome {
    return this.#bots.get(botId)?.fields.define(attribute, number) ?? { kind: 'missing' };
  }

  deleteAttribute(botId: string, key: string): boolean {
    const bot = this.#bots.get(botId);
    const isDeleted = bot?.fields.delete(key) ?? false;
    if (bot !== undefined && isDeleted) this.#note(bot, 'attribute.deleted', null, [`attributes.${key}`]);
    return isDeleted;
  }

  listAttributes(botId: string): AttributeDefinition[] {
    return this.#bots.get(botId)?.fields.list() ?? [];
  }

  listTags(botId: string): { key: string; name: string; contactCount: number }[] {
    return this.#bots.get(botId)?.fields.listTags() ?? [];
  }

  renameTag(botId: string, key: string, tag: Tag): 'renamed' | 'tag_taken' | 'missing' {
    const bot = this.#bots.get(botId);
    const name = bot?.fields.listTags().find((each) => each.key === key)?.name;
    const outcome = bot?.fields.renameTag(key, tag) ?? 'missing';
    if (bot !== undefined && outcome === 'renamed' && name !== tag.name) this.#note(bot, 'tag.renamed', null, ['tags']);
    return outcome;
  }

  deleteTag(botId: string, key: string): boolean {
    const bot = this.#bots.get(botId);
    const isDeleted = bot?.fields.deleteTag(key) ?? false;
    if (bot !== undefined && isDeleted) this.#note(bot, 'tag.deleted', null, ['tags']);
    return isDeleted;
  }

  /** Of all contacts of a bot, oldest first. */
  valuesOf(botId: string): NamedValues[] {
    const bot = this.#bots.get(botId);
    return (bot?.contacts ?? []).map(({ values }) => (bot as ModelBot).fields.named(values));
  }

  deleteContact(botId: string, contactId: string): boolean {
    const bot = this.#bots.get(botId);
    const stored = bot && byId(bot, contactId);
    if (bot === undefined || stored === undefined) return false;
    bot.contacts = bot.contacts.filter((other) => other !== stored);
    bot.fields.forgetUnused();
    bot.tokens = bot.tokens.filter((token) => token.contactId !== contactId);
    this.#note(bot, 'contact.deleted', contactId);
    return true;
  }

  deleteContacts(botId: string, contactIds: readonly string[]): boolean[] {
    return contactIds.map((contactId) => this.deleteContact(botId, contactId));
  }

  /** All contacts of a bot, oldest first. */
  contactsOf(botId: string): Contact[] {
    return (this.#bots.get(botId)?.contacts ?? []).map(({ contact }) => contact);
  }

  findContact(botId: string, contactId: string): Contact | undefined {
    return this.contactsOf(botId).find((contact) => contact.id === contactId);
  }

  findContactByEmail(botId: string, emailKey: string): Contact | undefined {
    const bot = this.#bots.get(botId);
    return bot && byEmail(bot, emailKey)?.contact;
  }

  searchContacts(botId: string, search: Search): { contacts: Contact[]; total: number } {
    const { sort = newestFirst, offset, limit } = search;
    const found = this.#wantedOf(botId, search).sort(compareBy(sort));
    return { contacts: found.slice(offset, offset + limit), total: found.length };
  }

  #wantedOf(botId: string, { words, filters = [] }: Wanted): Contact[] {
    const contacts = this.#bots.get(botId)?.contacts ?? [];
    return contacts
      .filter(({ contact, values: { attributes, tags }, lastSeenAtMs }) => {
        const values = { attributes: Object.fromEntries(attributes), tagKeys: [...tags], lastSeenAtMs };
        return (
          matches(contact, words, textsIn(attributes)) && filters.every((filter) => meets(contact, values, filter))
        );
      })
      .map(({ contact }) => contact);
  }

  exportContacts(
    botId: string,
    { words = [], filters, after = '', limit }: ExportPage,
  ): { contacts: Contact[]; next: string | undefined } {
    const rest = this.#wantedOf(botId, { words, filters }).filter((contact) => contact.id > after);
    rest.sort((one, other) => compare(one.id, other.id));
    return { contacts: rest.slice(0, limit), next: rest.length > limit ? rest[limit - 1]?.id : undefined };
  }

  createContactToken(botId: string, contactId: string, token: ContactToken): boolean {
    const bot = this.#bots.get(botId);
    if (bot === undefined || byId(bot, contactId) === undefined) return false;
    const { hash, createdAtMs, expiresAtMs } = token;
    bot.tokens.push({ hash: hex(hash), contactId, state: { createdAtMs, expiresAtMs, lastSeenAtMs: undefined } });
    this.#note(bot, 'token.created', contactId);
    return true;
  }

  revokeContactToken(botId: string, hash: Uint8Array): boolean {
    const bot = this.#bots.get(botId);
    const token = bot?.tokens.find((other) => other.hash === hex(hash));
    if (bot === undefined || token === undefined) return false;
    bot.tokens = bot.tokens.filter((other) => other !== token);
    this.#note(bot, 'token.revoked', token.contactId);
    return true;
  }

  findVisitor(botId: string, hash: Uint8Array): Visitor | undefined {
    const bot = this.#bots.get(botId);
    const token = bot?.tokens.find((other) => other.hash === hex(hash));
    const contact = token && this.findContact(botId, token.contactId);
    return contact && { id: contact.id, name: contact.name, expiresAtMs: token.state.expiresAtMs };
  }

  noteTokensSeen(botId: string, seen: readonly { hash: Uint8Array; seenAtMs: number }[]): void {
    for (const { hash, seenAtMs } of seen) {
      const bot = this.#bots.get(botId);
      const token = bot?.tokens.find((other) => other.hash === hex(hash));
      if (bot === undefined || token === undefined) continue;
      const { state, contactId } = token;
      if (dateOf(state.lastSeenAtMs) < dateOf(seenAtMs)) {
        const actor = { kind: 'visitor', id: null } as const;
        bot.events.push({ type: 'visitor.recognized', contactId, fields: undefined, actor, atMs: seenAtMs });
      }
      const isFirstInFiveMinutes = Math.floor((state.lastSeenAtMs ?? 0) / 300_000) < Math.floor(seenAtMs / 300_000);
      state.lastSeenAtMs = Math.max(seenAtMs, state.lastSeenAtMs ?? seenAtMs);
      if (!isFirstInFiveMinutes) continue;
      const owner = byId(bot, contactId) as ModelContact;
      owner.lastSeenAtMs = Math.max(seenAtMs, owner.lastSeenAtMs ?? seenAtMs);
    }
  }

  /** All of a bot, oldest first. */
  eventsOf(botId: string): ModelEvent[] {
    return this.#bots.get(botId)?.events ?? [];
  }

  #note(bot: ModelBot, type: ModelEvent['type'], contactId: string | null, fields?: string[]): void {
    const { event: actor, nowMs: atMs } = this.context;
    bot.events.push({ type, contactId, fields, actor, atMs });
  }

  listContactTokens(botId: string, contactId: string, { nowMs }: { nowMs: number }): TokenTimes[] {
    const tokens = (this.#bots.get(botId)?.tokens ?? []).filter((token) => {
      return token.contactId === contactId && token.state.expiresAtMs > nowMs;
    });
    tokens.sort((one, other) => one.state.createdAtMs - other.state.createdAtMs || compare(one.hash, other.hash));
    return tokens.map(({ state }) => ({ ...state }));
  }

  /** What is left when the engine's `purge` has nothing more to remove. */
  purge(nowMs: number): void {
    for (const bot of this.#bots.values()) bot.tokens = bot.tokens.filter(({ state }) => state.expiresAtMs > nowMs);
  }
}

function noValues(): ModelValues {
  return { attributes: new Map(), tags: new Set() };
}

function copyOf({ attributes, tags }: ModelValues): ModelValues {
  return { attributes: new Map(attributes), tags: new Set(tags) };
}

function valuesIn(bot: ModelBot): ModelValues[] {
  return bot.contacts.map(({ values }) => values);
}

function byId(bot: ModelBot, id: string): ModelContact | undefined {
  return bot.contacts.find(({ contact }) => contact.id === id);
}

function byEmail(bot: ModelBot, key: string): ModelContact | undefined {
  return bot.contacts.find(({ emailKey }) => emailKey === key);
}

function add(bot: ModelBot, fields: ContactFields, nowMs: number, made: Identity | undefined): ModelContact {
  assert.ok(made, 'the engine created no contact where it should have');
  const { id, createdAt } = made;
  const createdMs = Date.parse(createdAt);
  const newestMs = bot.newest === undefined ? Number.NEGATIVE_INFINITY : Date.parse(bot.newest.createdAt);
  if (bot.newest !== undefined) assert.ok(id > bot.newest.id, `the id ${id} does not follow ${bot.newest.id}`);
  if (nowMs > newestMs) {
    assert.equal(createdMs, nowMs, 'a contact is created now, when the clock goes forward');
  } else {
    // The clock stands or goes back. Time must not; at most it is pushed on by a millisecond.
    assert.ok(createdMs >= newestMs && createdMs <= newestMs + 1, `${createdAt} after ${bot.newest?.createdAt}`);
  }
  bot.newest = { id, createdAt };
  const stored = {
    emailKey: fields.emailKey,
    contact: { id, ...fieldsOf(fields), createdAt, updatedAt: createdAt } as Contact,
    values: noValues(),
  };
  bot.contacts.push(stored);
  assert.equal(bot.fields.change(stored.values, fields), undefined);
  return stored;
}

/** Moves `updatedAt` if the contact differs from what it was, and says so. */
function touch(stored: ModelContact, before: ModelContact, nowMs: number): boolean {
  const { updatedAt } = before.contact;
  const isSame = isDeepStrictEqual([stored.contact, stored.values], [before.contact, before.values]);
  if (isSame) return false;
  stored.contact = { ...stored.contact, updatedAt: new Date(Math.max(nowMs, Date.parse(updatedAt) + 1)).toISOString() };
  return true;
}

function changedFields(bot: ModelBot, before: ModelContact, after: ModelContact): string[] {
  const names = (['name', 'email', 'phone', 'mid', 'wid'] as const).filter(
    (name) => before.contact[name] !== after.contact[name],
  );
  const attributes = bot.fields
    .list()
    .filter(({ number }) => before.values.attributes.get(number) !== after.values.attributes.get(number))
    .sort((one, other) => one.number - other.number);
  const hasSameTags = isDeepStrictEqual(before.values.tags, after.values.tags);
  return [...names, ...attributes.map(({ key }) => `attributes.${key}`), ...(hasSameTags ? [] : ['tags'])];
}

/** In UTC. A token that was never seen comes before all. */
function dateOf(ms: number | undefined): string {
  return ms === undefined ? '' : new Date(ms).toISOString().slice(0, 10);
}

/** The fields that are there, and nothing else. */
function fieldsOf({ name, email, phone, mid, wid }: ContactChanges): Omit<ContactChanges, 'emailKey'> {
  return Object.fromEntries(
    Object.entries({ name, email, phone, mid, wid }).filter(([, value]) => value !== undefined),
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
