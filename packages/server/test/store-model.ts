// What the storage port means, in plain code over arrays: the truth that engines are compared with. Written to be
// obvious, never fast. Ids and creation times are the engine's to choose; the model only checks their order.
import assert from 'node:assert/strict';
import type { Contact } from '@roster/contract';
import { matches } from '../src/contacts/search-text.ts';
import type {
  ContactChanges,
  ContactFields,
  ContactToken,
  ContactTokenState,
  CreateOutcome,
  ExportPage,
  Search,
  UpdateOutcome,
  UpsertItem,
  UpsertOutcome,
  Visitor,
} from '../src/store/store.ts';

/** What the engine chose for a contact that it says it created. */
export type Identity = Pick<Contact, 'id' | 'createdAt'>;

interface ModelContact {
  emailKey: string;
  contact: Contact;
}

interface ModelToken {
  hash: string;
  contactId: string;
  state: ContactTokenState;
}

interface ModelBot {
  /** In the order of creation. */
  contacts: ModelContact[];
  tokens: ModelToken[];
  /** Of all contacts there ever were, so that a deletion does not free the newest id. */
  newest: Identity | undefined;
}

export class StoreModel {
  readonly #bots = new Map<string, ModelBot>();

  createBot(botId: string): void {
    this.#bots.set(botId, { contacts: [], tokens: [], newest: undefined });
  }

  deleteBot(botId: string): boolean {
    return this.#bots.delete(botId);
  }

  /** `made` is what the engine says it created; it counts only where a contact is to be created. */
  createContact(botId: string, fields: ContactFields, nowMs: number, made: Identity | undefined): CreateOutcome {
    const bot = this.#bots.get(botId);
    if (bot === undefined) return { kind: 'missing' };
    const holder = byEmail(bot, fields.emailKey);
    if (holder !== undefined) return { kind: 'email_taken', contactId: holder.contact.id };
    return { kind: 'created', contact: add(bot, fields, nowMs, made).contact };
  }

  updateContact(botId: string, contactId: string, changes: ContactChanges, nowMs: number): UpdateOutcome {
    const bot = this.#bots.get(botId);
    const stored = bot && byId(bot, contactId);
    if (bot === undefined || stored === undefined) return { kind: 'missing' };
    const holder = changes.emailKey === undefined ? undefined : byEmail(bot, changes.emailKey);
    if (holder !== undefined && holder !== stored) return { kind: 'email_taken', contactId: holder.contact.id };
    change(stored, changes, nowMs);
    return { kind: 'updated', contact: stored.contact };
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
    const positions = this.findNameless(botId, items);
    if (positions.length > 0) return { kind: 'nameless', positions };
    const before = new Map(bot.contacts.map(({ contact }) => [contact.id, contact]));
    const ids = items.map((item, position) => {
      const stored = byEmail(bot, item.emailKey);
      if (stored === undefined) {
        const { name = '', phone = '', mid = '', wid = '', email, emailKey } = item;
        const made = answer.made.get(answer.ids[position] ?? '');
        return add(bot, { name, email, emailKey, phone, mid, wid }, nowMs, made).contact.id;
      }
      // Only the final row counts for `updatedAt`, so it is set below and not here.
      stored.contact = { ...stored.contact, ...fieldsOf(item) };
      return stored.contact.id;
    });
    for (const stored of bot.contacts) {
      const old = before.get(stored.contact.id);
      if (old === undefined) continue;
      const final = stored.contact;
      stored.contact = old;
      change(stored, fieldsOf(final), nowMs);
    }
    const outcomes = ids.map((id) => {
      const old = before.get(id);
      if (old === undefined) return 'created';
      return old.updatedAt === byId(bot, id)?.contact.updatedAt ? 'unchanged' : 'updated';
    });
    return { kind: 'upserted', ids, outcomes };
  }

  findNameless(botId: string, items: readonly UpsertItem[]): number[] {
    const bot = this.#bots.get(botId);
    const known = new Set(bot?.contacts.map(({ emailKey }) => emailKey));
    return items.flatMap((item, position) => {
      if (item.name !== undefined) known.add(item.emailKey);
      return known.has(item.emailKey) ? [] : [position];
    });
  }

  deleteContact(botId: string, contactId: string): boolean {
    const bot = this.#bots.get(botId);
    const stored = bot && byId(bot, contactId);
    if (bot === undefined || stored === undefined) return false;
    bot.contacts = bot.contacts.filter((other) => other !== stored);
    bot.tokens = bot.tokens.filter((token) => token.contactId !== contactId);
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

  searchContacts(botId: string, { words, offset, limit }: Search): { contacts: Contact[]; total: number } {
    const found = this.contactsOf(botId).filter((contact) => matches(contact, words));
    found.sort((one, other) => compare(other.createdAt, one.createdAt) || compare(other.id, one.id));
    return { contacts: found.slice(offset, offset + limit), total: found.length };
  }

  exportContacts(
    botId: string,
    { words = [], after = '', limit }: ExportPage,
  ): { contacts: Contact[]; next: string | undefined } {
    const rest = this.contactsOf(botId).filter((contact) => contact.id > after && matches(contact, words));
    rest.sort((one, other) => compare(one.id, other.id));
    return { contacts: rest.slice(0, limit), next: rest.length > limit ? rest[limit - 1]?.id : undefined };
  }

  createContactToken(botId: string, contactId: string, token: ContactToken): boolean {
    const bot = this.#bots.get(botId);
    if (bot === undefined || byId(bot, contactId) === undefined) return false;
    const { hash, createdAtMs, expiresAtMs } = token;
    bot.tokens.push({ hash: hex(hash), contactId, state: { createdAtMs, expiresAtMs, lastSeenAtMs: undefined } });
    return true;
  }

  revokeContactToken(botId: string, hash: Uint8Array): boolean {
    const bot = this.#bots.get(botId);
    const token = bot?.tokens.find((other) => other.hash === hex(hash));
    if (bot === undefined || token === undefined) return false;
    bot.tokens = bot.tokens.filter((other) => other !== token);
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
      const state = this.#bots.get(botId)?.tokens.find((token) => token.hash === hex(hash))?.state;
      if (state !== undefined) state.lastSeenAtMs = Math.max(seenAtMs, state.lastSeenAtMs ?? seenAtMs);
    }
  }

  listContactTokens(botId: string, contactId: string, { nowMs }: { nowMs: number }): ContactTokenState[] {
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
  };
  bot.contacts.push(stored);
  return stored;
}

function change(stored: ModelContact, changes: ContactChanges, nowMs: number): void {
  const old = stored.contact;
  const next = { ...old, ...fieldsOf(changes) };
  const hasChanged = (['name', 'email', 'phone', 'mid', 'wid'] as const).some((field) => next[field] !== old[field]);
  if (hasChanged) next.updatedAt = new Date(Math.max(nowMs, Date.parse(old.updatedAt) + 1)).toISOString();
  stored.contact = next;
  if (changes.emailKey !== undefined) stored.emailKey = changes.emailKey;
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
