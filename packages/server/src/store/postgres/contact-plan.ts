// Decides what a batch of writes to one bot comes to, in memory: from the rows that the writes touch, read under the
// bot's lock, to the outcome of each write and the rows to insert, update and delete. Knows no SQL.
import { makeId } from '../../contacts/ids.ts';
import type { CountedDay } from '../activity-rows.ts';
import type { ValueFault } from '../attribute-store.ts';
import {
  type ContactRow,
  changeRow,
  nextCreatedUs,
  planUpsert,
  replaceValues,
  toContactWithValues,
  type Upserted,
  upsertedAs,
  valuesOfRow,
} from '../contact-row.ts';
import {
  BotFields,
  type FieldChanges,
  hasValues,
  noValues,
  type StoredValues,
  withoutRemoved,
} from '../contact-values.ts';
import type { ContactChange } from '../matcher.ts';
import type {
  ContactChanges,
  ContactFields,
  ContactToken,
  CreateOutcome,
  UpdateOutcome,
  UpsertItem,
  UpsertOutcome,
} from '../store.ts';
import { type FieldsNamed, ReadFields } from './bot-fields.ts';
import { contactChangeOf, type PlannedContact, type StoredContact } from './planned-contact.ts';

export type Outcome = CreateOutcome | UpdateOutcome | UpsertOutcome | boolean | boolean[];

/** A write to the contacts or tokens of a bot: what it must see, and how it is decided. */
export interface Write<Decided extends Outcome = Outcome> {
  contactIds?: readonly string[];
  emailKeys?: readonly string[];
  /** The hash of a token. */
  token?: Uint8Array;
  /** Attributes and tags. Left out: it is about none. */
  fields?: FieldsNamed | undefined;
  /** Of a create: when. It may be tried without seeing anything. */
  createdAtMs?: number | undefined;
  /** How many rows it counts for. Left out: one. */
  rows?: number;
  /** Undefined when the write must wait for another transaction; nothing is changed then. */
  decide(plan: WritePlan): Decided | undefined;
  /** What it comes to when there is no such bot. Left out: false. */
  withoutBot?: Decided;
}

export interface BotState extends CountedDay {
  contactCount: number;
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
  readonly #byId = new Map<string, PlannedContact>();
  readonly #byEmail = new Map<string, PlannedContact>();
  /** Who holds each email in the database, until this plan is carried out. */
  readonly #storedByEmail = new Map<string, PlannedContact>();
  /** Which contact each stored token belongs to, by its hash in hex. */
  readonly #storedTokens: Map<string, string>;
  readonly #newTokens = new Map<string, ContactToken & { contactId: string }>();
  readonly #readFields: ReadFields;
  /** Undefined until a write is about values. */
  #fields: BotFields | undefined;

  constructor(
    bot: BotState,
    contacts: readonly StoredContact[],
    tokens: Map<string, string>,
    fields = new ReadFields(),
  ) {
    this.contactCount = bot.contactCount;
    this.lastCreatedUs = bot.lastCreatedUs;
    this.#storedTokens = tokens;
    this.#readFields = fields;
    for (const stored of contacts) {
      // One that is named by its id and by its email was read twice.
      if (this.#byId.has(stored.row[0])) continue;
      const known: PlannedContact = { ...stored, stored };
      this.#byId.set(stored.row[0], known);
      this.#byEmail.set(stored.emailKey, known);
      this.#storedByEmail.set(stored.emailKey, known);
    }
  }

  get inserted(): PlannedContact[] {
    return [...this.#byId.values()].filter(({ stored }) => stored === undefined);
  }

  get insertedIds(): Set<string> {
    return new Set(this.inserted.map(({ row: [id] }) => id));
  }

  get updated(): PlannedContact[] {
    return [...this.#byId.values()].filter(({ stored, row }) => stored !== undefined && stored.row !== row);
  }

  /** What it does to what searches look at. */
  get contactChanges(): ContactChange[] {
    return [
      ...this.deleted.map(({ row }) => contactChangeOf(row, undefined)),
      ...[...this.#byId.values()]
        .filter(({ stored, row }) => stored?.row !== row)
        .map(({ stored, row }) => contactChangeOf(stored?.row, row)),
    ];
  }

  get hasTokenChanges(): boolean {
    return this.#newTokens.size + this.revokedTokens.length + this.tokenlessIds.length > 0;
  }

  get newTokens() {
    return [...this.#newTokens.values()];
  }

  /** What it does to attributes and tags. Undefined: nothing. */
  get fieldChanges(): FieldChanges | undefined {
    return this.#fields?.changes;
  }

  /** The number that the next attribute or tag gets. */
  get nextField(): number {
    return this.#readFields.nextNumber;
  }

  create(fields: ContactFields, nowMs: number): CreateOutcome {
    const holder = this.#byEmail.get(fields.emailKey);
    if (holder !== undefined) return { kind: 'email_taken', contactId: holder.row[0] };
    const values = this.#changeValues(noValues, fields);
    if (typeof values === 'string') return { kind: 'invalid_values', fault: values };
    return { kind: 'created', ...toContactWithValues(this.#insert(fields, values, nowMs)) };
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
    const values = this.#changeValues(valuesOfRow(known.row), changes);
    if (typeof values === 'string') return { kind: 'invalid_values', fault: values };
    this.#change(known, changes, values, nowMs);
    return { kind: 'updated', ...toContactWithValues(known.row) };
  }

  /**
   * One statement updates all rows, in an order of the database's choosing, and the email must be unique after each: an
   * email that one row gives up in it cannot be taken by another.
   */
  #isFreedByUpdate(emailKey: string, taker: PlannedContact): boolean {
    const holder = this.#storedByEmail.get(emailKey);
    return holder !== undefined && holder !== taker && this.#byId.has(holder.row[0]);
  }

  upsert(items: readonly UpsertItem[], nowMs: number): UpsertOutcome {
    this.#fields?.begin();
    const { planned, faults } = planUpsert(items, {
      find: (emailKey) => this.#byEmail.get(emailKey),
      valuesOf: ({ row }) => valuesOfRow(row),
      fields: () => this.#botFields,
    });
    if (faults.length > 0) {
      this.#fields?.undo();
      return { kind: 'invalid_items', faults };
    }
    const done = new Map<string, Upserted>();
    for (const [emailKey, { found, changes, values }] of planned) {
      if (found !== undefined) {
        const { row } = found;
        this.#change(found, changes, values, nowMs);
        done.set(emailKey, { id: row[0], outcome: found.row === row ? 'unchanged' : 'updated' });
      } else {
        const [id] = this.#insert({ name: '', phone: '', mid: '', wid: '', ...changes }, values, nowMs);
        done.set(emailKey, { id, outcome: 'created' });
      }
    }
    return upsertedAs(items, done);
  }

  /** Takes away what no attribute and no tag has the number of any more, which updates no contact for anybody. */
  removeUndefined(contactIds: readonly string[]): true {
    for (const contactId of contactIds) {
      const known = this.#byId.get(contactId);
      if (known === undefined) continue;
      const old = valuesOfRow(known.row);
      const values = withoutRemoved(old, this.#readFields.defined);
      if (values !== old) known.row = replaceValues(known.row, values);
    }
    return true;
  }

  delete(contactId: string): boolean {
    const known = this.#byId.get(contactId);
    if (known === undefined) return false;
    this.#byId.delete(contactId);
    this.#byEmail.delete(known.emailKey);
    this.contactCount--;
    if (known.stored !== undefined) this.deleted.push(known.stored);
    const values = valuesOfRow(known.row);
    if (values[0] !== null || values[1] !== null) this.#botFields.release(values);
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

  #insert(fields: ContactFields, values: StoredValues, nowMs: number): ContactRow {
    const { name, email, emailKey, phone, mid, wid } = fields;
    this.lastCreatedUs = nextCreatedUs(this.lastCreatedUs, nowMs);
    const id = makeId('contact', this.lastCreatedUs);
    const updatedAtMs = Math.floor(this.lastCreatedUs / 1000);
    const row: ContactRow = [id, name, email, phone, mid, wid, this.lastCreatedUs, updatedAtMs, ...values];
    const known: PlannedContact = { row, emailKey, stored: undefined };
    this.#byId.set(id, known);
    this.#byEmail.set(emailKey, known);
    this.contactCount++;
    return row;
  }

  #change(known: PlannedContact, changes: ContactChanges, values: StoredValues, nowMs: number): void {
    known.row = changeRow(known.row, changes, values, nowMs);
    if (changes.emailKey === undefined || changes.emailKey === known.emailKey) return;
    this.#byEmail.delete(known.emailKey);
    known.emailKey = changes.emailKey;
    this.#byEmail.set(known.emailKey, known);
  }

  /** What a contact has after the changes, as far as they are about it; or why not, and nothing is changed. */
  #changeValues(before: StoredValues, changes: ContactChanges): StoredValues | ValueFault {
    return hasValues(changes) ? this.#botFields.change(before, changes) : before;
  }

  get #botFields(): BotFields {
    this.#fields ??= new BotFields(this.#readFields);
    return this.#fields;
  }
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
