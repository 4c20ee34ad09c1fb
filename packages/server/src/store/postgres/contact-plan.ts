// Decides what a batch of writes to one bot comes to, in memory: from the rows that the writes touch, read under the
// bot's lock, to the outcome of each write and the rows to insert, update and delete. Knows no SQL.
import { makeId } from '../../contacts/ids.ts';
import { searchTextOf } from '../../contacts/search-text.ts';
import {
  type ContactRow,
  changeRow,
  nextCreatedUs,
  planUpsert,
  toContact,
  type Upserted,
  upsertedAs,
} from '../contact-row.ts';
import type {
  ContactChanges,
  ContactFields,
  ContactToken,
  CreateOutcome,
  UpdateOutcome,
  UpsertItem,
  UpsertOutcome,
} from '../store.ts';
import type { DocumentChange } from '../word-matches.ts';

export type Outcome = CreateOutcome | UpdateOutcome | UpsertOutcome | boolean | boolean[];

/** A write to the contacts or tokens of a bot: what it must see, and how it is decided. */
export interface Write<Decided extends Outcome = Outcome> {
  contactIds?: readonly string[];
  emailKeys?: readonly string[];
  /** The hash of a token. */
  token?: Uint8Array;
  /** Of a create: when. It may be tried without seeing anything. */
  createdAtMs?: number;
  /** How many rows it counts for. Left out: one. */
  rows?: number;
  /** Undefined when the write must wait for another transaction; nothing is changed then. */
  decide(plan: WritePlan): Decided | undefined;
  /** What it comes to when there is no such bot. Left out: false. */
  withoutBot?: Decided;
}

export interface StoredContact {
  row: ContactRow;
  emailKey: string;
}

interface Known extends StoredContact {
  /** As the database holds it; undefined when this plan creates it. */
  stored: StoredContact | undefined;
}

export interface BotState {
  contactCount: number;
  lastCreatedUs: number;
  countsVersion: number;
}

export class WritePlan {
  contactCount: number;
  lastCreatedUs: number;
  /** As the database holds them. */
  readonly deleted: StoredContact[] = [];
  readonly revokedTokens: Uint8Array[] = [];
  /** Of a contact with new tokens, the same for all. Undefined: any number. */
  tokensMax: number | undefined;
  /** Contacts all of whose stored tokens are revoked. */
  readonly tokenlessIds: string[] = [];
  readonly #byId = new Map<string, Known>();
  readonly #byEmail = new Map<string, Known>();
  /** Who holds each email in the database, until this plan is carried out. */
  readonly #storedByEmail = new Map<string, Known>();
  /** Which contact each stored token belongs to, by its hash in hex. */
  readonly #storedTokens: Map<string, string>;
  readonly #newTokens = new Map<string, ContactToken & { contactId: string }>();

  constructor(bot: BotState, contacts: readonly StoredContact[], tokens: Map<string, string>) {
    this.contactCount = bot.contactCount;
    this.lastCreatedUs = bot.lastCreatedUs;
    this.#storedTokens = tokens;
    for (const stored of contacts) {
      // One that is named by its id and by its email was read twice.
      if (this.#byId.has(stored.row[0])) continue;
      const known: Known = { ...stored, stored };
      this.#byId.set(stored.row[0], known);
      this.#byEmail.set(stored.emailKey, known);
      this.#storedByEmail.set(stored.emailKey, known);
    }
  }

  get inserted(): StoredContact[] {
    return [...this.#byId.values()].filter(({ stored }) => stored === undefined);
  }

  get insertedIds(): Set<string> {
    return new Set(this.inserted.map(({ row: [id] }) => id));
  }

  get updated(): StoredContact[] {
    return [...this.#byId.values()].filter(({ stored, row }) => stored !== undefined && stored.row !== row);
  }

  /** What it does to the documents that searches look through. */
  get documentChanges(): DocumentChange[] {
    const changeOf = (before: ContactRow | undefined, after: ContactRow | undefined): DocumentChange => ({
      id: (before ?? after)?.[0] as string,
      before: before && documentOf(before),
      after: after && documentOf(after),
    });
    return [
      ...this.deleted.map(({ row }) => changeOf(row, undefined)),
      ...[...this.#byId.values()]
        .filter(({ stored, row }) => stored?.row !== row)
        .map(({ stored, row }) => changeOf(stored?.row, row)),
    ];
  }

  get newTokens() {
    return [...this.#newTokens.values()];
  }

  create(fields: ContactFields, nowMs: number): CreateOutcome {
    const holder = this.#byEmail.get(fields.emailKey);
    if (holder !== undefined) return { kind: 'email_taken', contactId: holder.row[0] };
    return { kind: 'created', contact: toContact(this.#insert(fields, nowMs)) };
  }

  /** Undefined when it must wait for another transaction. */
  update(contactId: string, changes: ContactChanges, nowMs: number): UpdateOutcome | undefined {
    const known = this.#byId.get(contactId);
    if (known === undefined) return { kind: 'missing' };
    const { emailKey } = changes;
    if (emailKey !== undefined && emailKey !== known.emailKey) {
      const holder = this.#byEmail.get(emailKey);
      if (holder !== undefined) return { kind: 'email_taken', contactId: holder.row[0] };
      if (known.stored !== undefined && this.#isFreedByUpdate(emailKey, known)) return undefined;
    }
    this.#change(known, changes, nowMs);
    return { kind: 'updated', contact: toContact(known.row) };
  }

  /**
   * One statement updates all rows, in an order of the database's choosing, and the email must be unique after each: an
   * email that one row gives up in it cannot be taken by another.
   */
  #isFreedByUpdate(emailKey: string, taker: Known): boolean {
    const holder = this.#storedByEmail.get(emailKey);
    return holder !== undefined && holder !== taker && this.#byId.has(holder.row[0]);
  }

  upsert(items: readonly UpsertItem[], nowMs: number): UpsertOutcome {
    const { planned, nameless } = planUpsert(items, (emailKey) => this.#byEmail.get(emailKey));
    if (nameless.length > 0) return { kind: 'nameless', positions: nameless };
    const done = new Map<string, Upserted>();
    for (const [emailKey, { found, changes }] of planned) {
      if (found !== undefined) {
        const { row } = found;
        this.#change(found, changes, nowMs);
        done.set(emailKey, { id: row[0], outcome: found.row === row ? 'unchanged' : 'updated' });
      } else {
        const [id] = this.#insert({ name: '', phone: '', mid: '', wid: '', ...changes }, nowMs);
        done.set(emailKey, { id, outcome: 'created' });
      }
    }
    return upsertedAs(items, done);
  }

  delete(contactId: string): boolean {
    const known = this.#byId.get(contactId);
    if (known === undefined) return false;
    this.#byId.delete(contactId);
    this.#byEmail.delete(known.emailKey);
    this.contactCount--;
    if (known.stored !== undefined) this.deleted.push(known.stored);
    this.#forgetTokensOf(contactId);
    return true;
  }

  #forgetTokensOf(contactId: string): void {
    for (const [hash, token] of this.#newTokens) if (token.contactId === contactId) this.#newTokens.delete(hash);
    for (const [hash, owner] of this.#storedTokens) if (owner === contactId) this.#storedTokens.delete(hash);
  }

  createToken(contactId: string, token: ContactToken, max: number | undefined): boolean {
    if (!this.#byId.has(contactId)) return false;
    this.#newTokens.set(hexOf(token.hash), { ...token, contactId });
    if (max !== undefined) this.tokensMax = max;
    return true;
  }

  revokeToken(hash: Uint8Array): boolean {
    const hex = hexOf(hash);
    if (this.#newTokens.delete(hex)) return true;
    if (!this.#storedTokens.delete(hex)) return false;
    this.revokedTokens.push(hash);
    return true;
  }

  revokeTokensOf(contactId: string): boolean {
    if (!this.#byId.has(contactId)) return false;
    this.#forgetTokensOf(contactId);
    this.tokenlessIds.push(contactId);
    return true;
  }

  #insert(fields: ContactFields, nowMs: number): ContactRow {
    const { name, email, emailKey, phone, mid, wid } = fields;
    this.lastCreatedUs = nextCreatedUs(this.lastCreatedUs, nowMs);
    const id = makeId('contact', this.lastCreatedUs);
    const updatedAtMs = Math.floor(this.lastCreatedUs / 1000);
    const row: ContactRow = [id, name, email, phone, mid, wid, this.lastCreatedUs, updatedAtMs];
    const known: Known = { row, emailKey, stored: undefined };
    this.#byId.set(id, known);
    this.#byEmail.set(emailKey, known);
    this.contactCount++;
    return row;
  }

  #change(known: Known, changes: ContactChanges, nowMs: number): void {
    known.row = changeRow(known.row, changes, nowMs);
    if (changes.emailKey === undefined || changes.emailKey === known.emailKey) return;
    this.#byEmail.delete(known.emailKey);
    known.emailKey = changes.emailKey;
    this.#byEmail.set(known.emailKey, known);
  }
}

const documents = new WeakMap<ContactRow, string>();

/** The text that searches look through, made once for each row. */
export function documentOf(row: ContactRow): string {
  let text = documents.get(row);
  if (text === undefined) {
    const [, name, email, phone, mid, wid] = row;
    text = searchTextOf({ name, email, phone, mid, wid });
    documents.set(row, text);
  }
  return text;
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
