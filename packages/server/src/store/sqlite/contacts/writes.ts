// Writes of contacts, on the writer thread. A write decides whether it may happen before it changes a row: one that is
// refused changes nothing. What a change means for searches is left to search/note-changes.ts.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { makeId } from '../../../contacts/ids.ts';
import { idOf, isOtherVersion } from '../../contacts/changes.ts';
import {
  type ContactRow,
  changedFields,
  changeRow,
  columnsWithValues,
  documentOfRow,
  nextCreatedUs,
  planUpsert,
  type Upserted,
  upsertedAs,
} from '../../contacts/row.ts';
import type {
  ContactChanges,
  ContactFields,
  ContactRef,
  DeleteOutcome,
  EventContext,
  UpsertItem,
} from '../../store.ts';
import type { ValueFault } from '../../values/attribute-store.ts';
import { hasValues, noValues, type StoredValues } from '../../values/stored-values.ts';
import type { CountCreated } from '../activity/activity.ts';
import type { EventWrites } from '../events/events.ts';
import type { NoteChanges } from '../search/note-changes.ts';
import type { ValueIndex } from '../search/value-index.ts';
import type { BotState, BotStates } from '../tenants/bot-states.ts';
import type { ChangedValues } from '../values/bot-values.ts';
import { rowIdOf } from './row-ids.ts';

interface StoredContact extends Omit<ContactFields, 'attributes' | 'tags'> {
  rowId: bigint;
  id: string;
  createdUs: bigint;
  updatedAtMs: bigint;
  searchText: string;
  attributes: string | null;
  tags: string | null;
}

function rowOf(contact: StoredContact): ContactRow {
  const { id, name, email, phone, mid, wid, createdUs, updatedAtMs, attributes, tags } = contact;
  return [id, name, email, phone, mid, wid, Number(createdUs), Number(updatedAtMs), attributes, tags];
}

function valuesOf({ attributes, tags }: StoredContact): StoredValues {
  return [attributes, tags];
}

export type ContactWrites = ReturnType<typeof prepareContactWrites>;

export function prepareContactWrites(
  db: DatabaseSync,
  states: BotStates,
  botValues: ChangedValues,
  search: NoteChanges,
  valueIndex: ValueIndex,
  countCreated: CountCreated,
  events: EventWrites,
) {
  const insertContact = db.prepare(
    `INSERT INTO contacts (row_id, bot, email_key, ${columnsWithValues}, search_text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (bot, email_key) DO NOTHING`,
  );
  // An update that does not name the email leaves the index on it alone.
  const changeContact = db.prepare(
    'UPDATE contacts SET name = ?, phone = ?, mid = ?, wid = ?, updated_at = ?, search_text = ? WHERE row_id = ?',
  );
  const changeEmail = db.prepare('UPDATE contacts SET email = ?, email_key = ? WHERE row_id = ?');
  const changeValues = db.prepare('UPDATE contacts SET attributes = ?, tags = ? WHERE row_id = ?');
  const storedColumns = `row_id AS rowId, id, name, email, email_key AS emailKey, phone, mid, wid,
    created_us AS createdUs, updated_at AS updatedAtMs, search_text AS searchText,
    attributes, tags`;
  const contactById = db.prepare(`SELECT ${storedColumns} FROM contacts WHERE bot = ? AND id = ?`);
  const contactByEmail = db.prepare(`SELECT ${storedColumns} FROM contacts WHERE bot = ? AND email_key = ?`);
  for (const statement of [contactById, contactByEmail]) statement.setReadBigInts(true);
  const removeContact = db.prepare('DELETE FROM contacts WHERE row_id = ?');
  const removeTokens = db.prepare('DELETE FROM contact_tokens WHERE contact = ?');
  const forgetResponses = db.prepare(`UPDATE deliveries INDEXED BY delivery_responses SET response = NULL
    WHERE bot = ? AND contact_id = ? AND response IS NOT NULL`);

  /** A contact of a bot that is not deleted, with the state of the bot. */
  const find = (botId: string, contactId: string): { bot: BotState; contact: StoredContact } | undefined => {
    const bot = states.find(botId);
    const contact = bot && (contactById.get(bot.number, contactId) as StoredContact | undefined);
    return contact && { bot: bot as BotState, contact };
  };

  const findByEmail = (bot: BotState, emailKey: string) =>
    contactByEmail.get(bot.number, emailKey) as StoredContact | undefined;

  /** Inserts a contact and counts it in `bot`. Undefined when the email is taken. */
  const insert = (
    bot: BotState,
    contact: ContactFields,
    values: StoredValues,
    nowMs: number,
  ): ContactRow | undefined => {
    const createdUs = nextCreatedUs(bot.lastCreatedUs, nowMs);
    const id = makeId('contact', createdUs);
    const rowId = rowIdOf(bot.number, bot.nextContact);
    const { name, email, emailKey, phone, mid, wid } = contact;
    const updatedAtMs = Math.floor(createdUs / 1000);
    const row: ContactRow = [id, name, email, phone, mid, wid, createdUs, updatedAtMs, ...values];
    const text = documentOfRow(row);
    if (insertContact.run(rowId, bot.number, emailKey, ...(row as SQLInputValue[]), text).changes === 0)
      return undefined;
    search.note(bot, { rowId, before: undefined, after: text });
    valueIndex.note(rowId, noValues, values);
    bot.contactCount++;
    bot.nextContact++;
    countCreated(bot, createdUs);
    bot.lastCreatedUs = createdUs;
    states.changed.add(bot);
    events.note(bot, 'contact.created', id);
    return row;
  };

  /** Writes what differs. Returns the row as it is then. */
  const applyChanges = (
    bot: BotState,
    old: StoredContact,
    changes: ContactChanges,
    values: StoredValues,
    nowMs: number,
  ) => {
    const before = rowOf(old);
    const after = changeRow(before, changes, values, nowMs);
    if (after === before) return { row: before, isChanged: false };
    const [id, name, email, phone, mid, wid, , updatedAtMs] = after;
    const text = documentOfRow(after);
    changeContact.run(name, phone, mid, wid, updatedAtMs, text, old.rowId);
    if (email !== old.email) changeEmail.run(email, changes.emailKey ?? old.emailKey, old.rowId);
    if (values[0] !== old.attributes || values[1] !== old.tags) {
      changeValues.run(...values, old.rowId);
      valueIndex.note(old.rowId, valuesOf(old), values);
    }
    search.note(bot, { rowId: old.rowId, before: old.searchText, after: text });
    events.note(bot, 'contact.updated', id, () => changedFields(before, after, () => botValues.of(bot)));
    return { row: after, isChanged: true };
  };

  const remove = (botId: string, ref: ContactRef): DeleteOutcome => {
    const found = find(botId, idOf(ref));
    if (found === undefined) return false;
    const { bot, contact } = found;
    if (isOtherVersion(ref, Number(contact.updatedAtMs))) return { kind: 'precondition_failed' };
    const { rowId, id, searchText } = contact;
    removeContact.run(rowId);
    removeTokens.run(rowId);
    forgetResponses.run(bot.number, id);
    if (contact.attributes !== null || contact.tags !== null) {
      const ofBot = botValues.of(bot);
      ofBot.begin();
      ofBot.release(valuesOf(contact));
      valueIndex.note(rowId, valuesOf(contact), noValues);
    }
    search.note(bot, { rowId, before: searchText, after: undefined });
    bot.contactCount--;
    states.changed.add(bot);
    events.note(bot, 'contact.deleted', id);
    return true;
  };

  /** The values of the contact after the changes, or why they are refused. */
  const changeValuesOf = (bot: BotState, before: StoredValues, changes: ContactChanges): StoredValues | ValueFault => {
    if (!hasValues(changes)) return before;
    const ofBot = botValues.of(bot);
    ofBot.begin();
    return ofBot.change(before, changes);
  };

  const writes = {
    createContact(botId: string, contact: ContactFields, { nowMs }: EventContext) {
      const bot = states.find(botId);
      if (bot === undefined) return { kind: 'missing' } as const;
      const values = changeValuesOf(bot, noValues, contact);
      const row = typeof values === 'string' ? undefined : insert(bot, contact, values, nowMs);
      if (row !== undefined) return { kind: 'created', row } as const;
      if (hasValues(contact)) botValues.of(bot).undo();
      const emailOwner = findByEmail(bot, contact.emailKey);
      if (emailOwner !== undefined) return { kind: 'email_taken', contactId: emailOwner.id } as const;
      if (typeof values === 'string') return { kind: 'invalid_values', fault: values } as const;
      throw new Error('nobody has the email that was taken');
    },

    updateContact(botId: string, ref: ContactRef, changes: ContactChanges, { nowMs }: EventContext) {
      const found = find(botId, idOf(ref));
      if (found === undefined) return { kind: 'missing' } as const;
      const { bot, contact: old } = found;
      if (isOtherVersion(ref, Number(old.updatedAtMs))) return { kind: 'precondition_failed' } as const;
      if (changes.emailKey !== undefined && changes.emailKey !== old.emailKey) {
        const emailOwner = findByEmail(bot, changes.emailKey);
        if (emailOwner !== undefined) return { kind: 'email_taken', contactId: emailOwner.id } as const;
      }
      const values = changeValuesOf(bot, valuesOf(old), changes);
      if (typeof values === 'string') return { kind: 'invalid_values', fault: values } as const;
      return { kind: 'updated', row: applyChanges(bot, old, changes, values, nowMs).row } as const;
    },

    upsertContacts(botId: string, items: readonly UpsertItem[], { nowMs }: EventContext) {
      const bot = states.find(botId);
      if (bot === undefined) return { kind: 'missing' } as const;
      const find = (emailKey: string) => findByEmail(bot, emailKey);
      if (items.some(hasValues)) botValues.of(bot).begin();
      const { planned, faults } = planUpsert(items, { find, valuesOf, botValues: () => botValues.of(bot) });
      if (faults.length > 0) {
        if (items.some(hasValues)) botValues.of(bot).undo();
        return { kind: 'invalid_items', faults } as const;
      }
      const done = new Map<string, Upserted>();
      for (const [key, { found, changes, values }] of planned) {
        if (found !== undefined) {
          const { isChanged } = applyChanges(bot, found, changes, values, nowMs);
          done.set(key, { id: found.id, outcome: isChanged ? 'updated' : 'unchanged' });
        } else {
          const row = insert(bot, { name: '', phone: '', mid: '', wid: '', ...changes }, values, nowMs);
          if (row === undefined) throw new Error('an email appeared within a transaction');
          done.set(key, { id: row[0], outcome: 'created' });
        }
      }
      return upsertedAs(items, done);
    },

    deleteContact: remove,

    deleteContacts: (botId: string, contactIds: readonly string[]) =>
      contactIds.map((contactId) => remove(botId, contactId) === true),
  };

  return { writes, find };
}
