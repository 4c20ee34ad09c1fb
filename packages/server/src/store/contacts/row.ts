// A stored contact as both engines read it, and the rules of changing one. Knows no SQL.
import type { Contact, ContactOutcome } from '@roster/contract';
import { searchTextOf } from '../../contacts/search-text.ts';
import type { ContactsPage } from '../store.ts';
import type { BotValues } from '../values/contact-values.ts';
import { hasValues, noValues, type StoredValues, textsOf, toValues } from '../values/stored-values.ts';
import type { ContactChanges, ContactWithValues, ItemFault, UpsertItem, UpsertOutcome } from './changes.ts';

/** The columns of a contact row, in the order of `ContactRow`. */
export const contactColumns = 'id, name, email, phone, mid, wid, created_us, updated_at';
/** With what the contact has beside its fields, which is read only for who asks for it, and for writes. */
export const columnsWithValues = `${contactColumns}, attributes, tags`;

export function columnsOf(withValues: boolean | undefined): string {
  return withValues ? columnsWithValues : contactColumns;
}

/**
 * A tuple, by measurement: to read ten rows on a reader thread and pass them to the main thread takes 18 µs as tuples and
 * 35 as objects, of some 190 that a list takes in all; a page of an export of 1,000 rows 1.7 and 3.5 ms.
 */
export type ContactRow = [
  id: string,
  name: string,
  email: string,
  phone: string,
  mid: string,
  wid: string,
  createdUs: number,
  updatedAtMs: number,
  attributes?: string | null,
  tags?: string | null,
];

export function toContact([id, name, email, phone, mid, wid, createdUs, updatedAtMs]: ContactRow): Contact {
  const createdAtMs = Math.floor(createdUs / 1000);
  const createdAt = new Date(createdAtMs).toISOString();
  const updatedAt = updatedAtMs === createdAtMs ? createdAt : new Date(updatedAtMs).toISOString();
  return { id, name, email, phone, mid, wid, createdAt, updatedAt };
}

export function toContactWithValues(row: ContactRow): ContactWithValues {
  return { contact: toContact(row), values: toValues(row[8], row[9]) };
}

export function toPage(
  rows: readonly ContactRow[],
  { withValues }: { withValues?: boolean | undefined },
): ContactsPage {
  const contacts = rows.map(toContact);
  return withValues ? { contacts, values: rows.map((row) => toValues(row[8], row[9])) } : { contacts };
}

export function valuesOfRow([, , , , , , , , attributes = null, tags = null]: ContactRow): StoredValues {
  return [attributes, tags];
}

/** The same contact, not updated, with these values. */
export function replaceValues(row: ContactRow, values: StoredValues): ContactRow {
  const [id, name, email, phone, mid, wid, createdUs, updatedAtMs] = row;
  return [id, name, email, phone, mid, wid, createdUs, updatedAtMs, ...values];
}

/** The text that searches look through: it follows from the row alone. */
export function documentOfRow([, name, email, phone, mid, wid, , , attributes]: ContactRow): string {
  return searchTextOf({ name, email, phone, mid, wid }, textsOf(attributes));
}

/** Later than all of the bot before it, whatever the clock says. */
export function nextCreatedUs(lastCreatedUs: number, nowMs: number): number {
  return Math.max(nowMs * 1000, lastCreatedUs + 1);
}

/** The row after the changes, with these values beside the fields; the same object when nothing differs. */
export function changeRow(row: ContactRow, changes: ContactChanges, values: StoredValues, nowMs: number): ContactRow {
  const [id, oldName, oldEmail, oldPhone, oldMid, oldWid, createdUs, oldUpdatedAtMs] = row;
  const { name = oldName, email = oldEmail, phone = oldPhone, mid = oldMid, wid = oldWid } = changes;
  const [oldAttributes, oldTags] = valuesOfRow(row);
  const isSame =
    name === oldName &&
    email === oldEmail &&
    phone === oldPhone &&
    mid === oldMid &&
    wid === oldWid &&
    values[0] === oldAttributes &&
    values[1] === oldTags;
  return isSame ? row : [id, name, email, phone, mid, wid, createdUs, Math.max(nowMs, oldUpdatedAtMs + 1), ...values];
}

const fieldNames = ['name', 'email', 'phone', 'mid', 'wid'] as const;

/** The names of what differs, as events have them. `botValues` are those of the bot, if it is about values. */
export function changedFields(before: ContactRow, after: ContactRow, botValues: () => BotValues): string[] {
  const names: string[] = fieldNames.filter((_, index) => before[index + 1] !== after[index + 1]);
  const [old, values] = [valuesOfRow(before), valuesOfRow(after)];
  if (old[0] === values[0] && old[1] === values[1]) return names;
  return [...names, ...botValues().changedFields(old, values)];
}

/** What is stored, for deciding an upsert. */
export interface StoredContacts<Found> {
  find(emailKey: string): Found | undefined;
  valuesOf(found: Found): StoredValues;
  /** Only called if an item has values. Its changes are to be undone if there are faults. */
  botValues(): BotValues;
}

interface PlannedContact<Found> {
  found: Found | undefined;
  /** All items of the email, the later ones over the earlier. */
  changes: UpsertItem;
  /** After all of them. */
  values: StoredValues;
}

/**
 * What an upsert comes to: one entry for each email, in the order in which the items first name it, with what the store
 * holds under it and what it is to become; and the faults of items.
 */
export function planUpsert<Found>(items: readonly UpsertItem[], stored: StoredContacts<Found>) {
  const planned = new Map<string, PlannedContact<Found>>();
  const faults: ItemFault[] = [];
  for (const [position, item] of items.entries()) {
    const earlier = planned.get(item.emailKey);
    const found = earlier === undefined ? stored.find(item.emailKey) : earlier.found;
    if (earlier === undefined && found === undefined && item.name === undefined) {
      faults.push({ position, fault: 'nameless' });
      continue;
    }
    const before = earlier?.values ?? (found === undefined ? noValues : stored.valuesOf(found));
    const values = hasValues(item) ? stored.botValues().change(before, item) : before;
    if (typeof values === 'string') faults.push({ position, fault: values });
    else planned.set(item.emailKey, { found, changes: { ...earlier?.changes, ...item }, values });
  }
  // Values that were changed and changed back count as unchanged, also if numbers without a definition were dropped meanwhile.
  for (const entry of planned.values()) {
    const before = entry.found && stored.valuesOf(entry.found);
    if (before === undefined || (entry.values[0] === before[0] && entry.values[1] === before[1])) continue;
    if (stored.botValues().isSame(before, entry.values)) entry.values = before;
  }
  return { planned, faults };
}

/** What an upsert did to the contact of an email. */
export interface Upserted {
  id: string;
  outcome: ContactOutcome;
}

/** The answer to an upsert, from what it did by email. */
export function upsertedAs(items: readonly UpsertItem[], done: ReadonlyMap<string, Upserted>): UpsertOutcome {
  const all = items.map(({ emailKey }) => done.get(emailKey) as Upserted);
  return { kind: 'upserted', ids: all.map(({ id }) => id), outcomes: all.map(({ outcome }) => outcome) };
}
