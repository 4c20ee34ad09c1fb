// Decides what a batch of writes to one bot comes to, in memory: from the rows that the writes touch, read under the
// bot's lock, to the outcome of each write and the rows to insert, update and delete. Knows no SQL.
import { makeId } from '../../../contacts/ids.ts';
import type { CountedDay } from '../../activity/rows.ts';
import { idOf, isOtherVersion } from '../../contacts/changes.ts';
import {
  type ContactRow,
  changedFields,
  changeRow,
  nextCreatedUs,
  planUpsert,
  replaceValues,
  toContactWithValues,
  type Upserted,
  upsertedAs,
  valuesOfRow,
} from '../../contacts/row.ts';
import type {
  ContactChanges,
  ContactFields,
  ContactRef,
  ContactToken,
  CreateOutcome,
  DeleteOutcome,
  SeenToken,
  UpdateOutcome,
  UpsertItem,
  UpsertOutcome,
} from '../../store.ts';
import type { ValueFault } from '../../values/attribute-store.ts';
import { BotValues, type DefinitionChanges } from '../../values/contact-values.ts';
import { hasValues, noValues, type StoredValues, withoutRemoved } from '../../values/stored-values.ts';
import type { WriteContext } from '../../write-context.ts';
import { PlannedEvents } from '../events/planned-events.ts';
import { PlannedTokens, type StoredToken } from '../tokens/planned-tokens.ts';
import type { ReadValues } from '../values/bot-values.ts';

export type Outcome = CreateOutcome | UpdateOutcome | UpsertOutcome | DeleteOutcome | boolean[];

/** A write to the contacts or tokens of a bot: what it must see, and how it is decided. */
export interface Write<Decided extends Outcome = Outcome> {
  contactIds?: readonly string[];
  emailKeys?: readonly string[];
  /** The hashes of tokens. */
  tokens?: readonly Uint8Array[];
  /** Contacts all of whose tokens it is about. */
  tokensOf?: readonly string[];
  /** Whether it is about attributes and tags, in any case or if its contacts have some. Left out: it is about none. */
  values?: 'always' | 'ifHeld' | undefined;
  /** The keys of the tags that it names. Left out: it is about none, unless it is about what its contacts have. */
  tagKeys?: readonly string[] | undefined;
  /** How many rows it counts for. Left out: one. */
  rows?: number;
  /** Undefined when the write must wait for another transaction; nothing is changed then. */
  decide(plan: WritePlan): Decided | undefined;
  /** What it comes to when there is no such bot. Left out: false. */
  withoutBot?: Decided;
  context: WriteContext;
}

export interface BotState extends CountedDay {
  contactCount: number;
  /** The number of the last event. */
  lastEvent: number;
  /** The number of the next attribute or tag. */
  nextValueNumber: number;
}

/** A contact as the database holds it. */
export interface StoredContact {
  row: ContactRow;
  emailKey: string;
}

/** A contact as it is to be. */
interface PlannedContact extends StoredContact {
  /** As the database holds it; undefined when the transaction creates it. */
  stored: StoredContact | undefined;
}

/** Whether it gains, loses or changes an attribute or a tag. */
export function hasValueChange({ stored, row }: PlannedContact): boolean {
  const before = stored === undefined ? noValues : valuesOfRow(stored.row);
  const after = valuesOfRow(row);
  return before[0] !== after[0] || before[1] !== after[1];
}

export class WritePlan {
  contactCount: number;
  lastCreatedUs: number;
  /** As the database holds them. */
  readonly deleted: StoredContact[] = [];
  readonly tokens: PlannedTokens;
  readonly events: PlannedEvents;
  readonly #byId = new Map<string, PlannedContact>();
  readonly #byEmail = new Map<string, PlannedContact>();
  /** Who holds each email in the database, until this plan is carried out. */
  readonly #storedByEmail = new Map<string, PlannedContact>();
  /** The number that the next attribute or tag gets. */
  nextValueNumber: number;
  readonly #readValues: ReadValues | undefined;
  /** Undefined until a write is about values. */
  #values: BotValues | undefined;

  constructor(
    bot: BotState,
    contacts: readonly StoredContact[],
    tokens: Map<string, StoredToken>,
    readValues?: ReadValues,
  ) {
    this.contactCount = bot.contactCount;
    this.lastCreatedUs = bot.lastCreatedUs;
    this.tokens = new PlannedTokens(tokens);
    this.events = new PlannedEvents(bot.lastEvent);
    this.nextValueNumber = bot.nextValueNumber;
    this.#readValues = readValues;
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

  get updated(): PlannedContact[] {
    return [...this.#byId.values()].filter(({ stored, row }) => stored !== undefined && stored.row !== row);
  }

  /** What it does to attributes and tags. Undefined: nothing. */
  get valueChanges(): DefinitionChanges | undefined {
    return this.#values?.changes;
  }

  create(fields: ContactFields, nowMs: number): CreateOutcome {
    const holder = this.#byEmail.get(fields.emailKey);
    if (holder !== undefined) return { kind: 'email_taken', contactId: holder.row[0] };
    const values = this.#changeValues(noValues, fields);
    if (typeof values === 'string') return { kind: 'invalid_values', fault: values };
    return { kind: 'created', ...toContactWithValues(this.#insert(fields, values, nowMs)) };
  }

  /** Undefined when it must wait for another transaction. */
  update(ref: ContactRef, changes: ContactChanges, nowMs: number): UpdateOutcome | undefined {
    const known = this.#byId.get(idOf(ref));
    if (known === undefined) return { kind: 'missing' };
    if (isOtherVersion(ref, known.row[7])) return { kind: 'precondition_failed' };
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
    this.#values?.begin();
    const { planned, faults } = planUpsert(items, {
      find: (emailKey) => this.#byEmail.get(emailKey),
      valuesOf: ({ row }) => valuesOfRow(row),
      botValues: () => this.#botValues,
    });
    if (faults.length > 0) {
      this.#values?.undo();
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
      const values = withoutRemoved(old, this.#read.defined);
      if (values !== old) known.row = replaceValues(known.row, values);
    }
    return true;
  }

  delete(ref: ContactRef): DeleteOutcome {
    const contactId = idOf(ref);
    const known = this.#byId.get(contactId);
    if (known === undefined) return false;
    if (isOtherVersion(ref, known.row[7])) return { kind: 'precondition_failed' };
    this.#byId.delete(contactId);
    this.#byEmail.delete(known.emailKey);
    this.contactCount--;
    if (known.stored !== undefined) this.deleted.push(known.stored);
    const values = valuesOfRow(known.row);
    if (values[0] !== null || values[1] !== null) this.#botValues.release(values);
    this.tokens.forgetThoseOf(contactId);
    this.events.note('contact.deleted', contactId);
    return true;
  }

  createToken(contactId: string, token: ContactToken, max: number | undefined): boolean {
    if (!this.#byId.has(contactId)) return false;
    this.tokens.create(contactId, token, max);
    this.events.note('token.created', contactId);
    return true;
  }

  revokeToken(hash: Uint8Array): boolean {
    const contactId = this.tokens.revoke(hash);
    if (contactId === undefined) return false;
    this.events.note('token.revoked', contactId);
    return true;
  }

  revokeTokensOf(contactId: string): boolean {
    if (!this.#byId.has(contactId)) return false;
    if (this.tokens.revokeAllOf(contactId)) this.events.note('token.revoked', contactId);
    return true;
  }

  noteSeen(seen: readonly SeenToken[]): true {
    for (const { contactId, seenAtMs } of this.tokens.noteSeen(seen)) {
      this.events.note('visitor.recognized', contactId, undefined, seenAtMs);
    }
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
    this.events.note('contact.created', id);
    return row;
  }

  #change(known: PlannedContact, changes: ContactChanges, values: StoredValues, nowMs: number): void {
    const before = known.row;
    const row = changeRow(before, changes, values, nowMs);
    if (row === before) return;
    known.row = row;
    this.events.note('contact.updated', row[0], () => changedFields(before, row, () => this.#botValues));
    if (changes.emailKey === undefined || changes.emailKey === known.emailKey) return;
    this.#byEmail.delete(known.emailKey);
    known.emailKey = changes.emailKey;
    this.#byEmail.set(known.emailKey, known);
  }

  /** What a contact has after the changes, as far as they are about it; or why not, and nothing is changed. */
  #changeValues(before: StoredValues, changes: ContactChanges): StoredValues | ValueFault {
    return hasValues(changes) ? this.#botValues.change(before, changes) : before;
  }

  get #botValues(): BotValues {
    this.#values ??= new BotValues({ ...this.#read, takeNumber: () => this.nextValueNumber++ });
    return this.#values;
  }

  /** To pass for a bot without any would take them from contacts. */
  get #read(): ReadValues {
    if (this.#readValues === undefined) throw new Error('the attributes and tags of the bot were not read');
    return this.#readValues;
  }
}
