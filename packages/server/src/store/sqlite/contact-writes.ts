// Writes of contacts, on the writer thread. A write decides whether it may happen before it changes a row: one that is
// refused changes nothing. What a change means for searches is left to search/note-changes.ts.
import type { DatabaseSync } from 'node:sqlite';
import { makeId } from '../../contacts/ids.ts';
import { searchTextOf } from '../../contacts/search-text.ts';
import {
  type ContactRow,
  changeRow,
  contactColumns,
  nextCreatedUs,
  planUpsert,
  type Upserted,
  upsertedAs,
} from '../contact-row.ts';
import type { ContactChanges, ContactFields, UpsertItem } from '../store.ts';
import type { BotState, BotStates } from './bot-states.ts';
import { rowIdOf } from './row-ids.ts';
import type { NoteChanges } from './search/note-changes.ts';

interface StoredContact extends ContactFields {
  rowId: bigint;
  id: string;
  createdUs: bigint;
  updatedAtMs: bigint;
  searchText: string;
}

function rowOf({ id, name, email, phone, mid, wid, createdUs, updatedAtMs }: StoredContact): ContactRow {
  return [id, name, email, phone, mid, wid, Number(createdUs), Number(updatedAtMs)];
}

export type ContactWrites = ReturnType<typeof prepareContactWrites>;

export function prepareContactWrites(db: DatabaseSync, states: BotStates, search: NoteChanges) {
  const insertContact = db.prepare(
    `INSERT INTO contacts (row_id, bot, email_key, ${contactColumns}, search_text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (bot, email_key) DO NOTHING`,
  );
  // An update that does not name the email leaves the index on it alone.
  const changeContact = db.prepare(
    'UPDATE contacts SET name = ?, phone = ?, mid = ?, wid = ?, updated_at = ?, search_text = ? WHERE row_id = ?',
  );
  const changeEmail = db.prepare('UPDATE contacts SET email = ?, email_key = ? WHERE row_id = ?');
  const storedColumns = `row_id AS rowId, id, name, email, email_key AS emailKey, phone, mid, wid,
    created_us AS createdUs, updated_at AS updatedAtMs, search_text AS searchText`;
  const contactById = db.prepare(`SELECT ${storedColumns} FROM contacts WHERE bot = ? AND id = ?`);
  const contactByEmail = db.prepare(`SELECT ${storedColumns} FROM contacts WHERE bot = ? AND email_key = ?`);
  for (const statement of [contactById, contactByEmail]) statement.setReadBigInts(true);
  const removeContact = db.prepare('DELETE FROM contacts WHERE row_id = ?');
  const removeTokens = db.prepare('DELETE FROM contact_tokens WHERE contact = ?');

  /** A contact of a bot that is not deleted, with the state of the bot. */
  const find = (botId: string, contactId: string): { bot: BotState; contact: StoredContact } | undefined => {
    const bot = states.find(botId);
    const contact = bot && (contactById.get(bot.number, contactId) as StoredContact | undefined);
    return contact && { bot: bot as BotState, contact };
  };

  const findByEmail = (bot: BotState, emailKey: string) =>
    contactByEmail.get(bot.number, emailKey) as StoredContact | undefined;

  /** Inserts a contact and counts it in `bot`. Undefined when the email is taken. */
  const insert = (bot: BotState, fields: ContactFields, nowMs: number): ContactRow | undefined => {
    const createdUs = nextCreatedUs(bot.lastCreatedUs, nowMs);
    const id = makeId('contact', createdUs);
    const rowId = rowIdOf(bot.number, bot.nextContact);
    const { name, email, emailKey, phone, mid, wid } = fields;
    const row: ContactRow = [id, name, email, phone, mid, wid, createdUs, Math.floor(createdUs / 1000)];
    const text = searchTextOf(fields);
    if (insertContact.run(rowId, bot.number, emailKey, ...row, text).changes === 0) return undefined;
    search.note(bot, { rowId, id, before: undefined, after: text });
    bot.contactCount++;
    bot.nextContact++;
    bot.lastCreatedUs = createdUs;
    states.changed.add(bot);
    return row;
  };

  /** Writes what differs. Returns the row as it is then. */
  const applyChanges = (bot: BotState, old: StoredContact, changes: ContactChanges, nowMs: number) => {
    const before = rowOf(old);
    const after = changeRow(before, changes, nowMs);
    if (after === before) return { row: before, isChanged: false };
    const [id, name, email, phone, mid, wid, , updatedAtMs] = after;
    const text = searchTextOf({ name, email, phone, mid, wid });
    changeContact.run(name, phone, mid, wid, updatedAtMs, text, old.rowId);
    if (email !== old.email) changeEmail.run(email, changes.emailKey ?? old.emailKey, old.rowId);
    const isBotChanged = search.note(bot, { rowId: old.rowId, id, before: old.searchText, after: text });
    if (isBotChanged) states.changed.add(bot);
    return { row: after, isChanged: true };
  };

  /** False when there is no such contact. */
  const remove = (botId: string, contactId: string): boolean => {
    const found = find(botId, contactId);
    if (found === undefined) return false;
    const { bot, contact } = found;
    const { rowId, id, searchText } = contact;
    removeContact.run(rowId);
    removeTokens.run(rowId);
    search.note(bot, { rowId, id, before: searchText, after: undefined });
    bot.contactCount--;
    states.changed.add(bot);
    return true;
  };

  const writes = {
    createContact(botId: string, fields: ContactFields, nowMs: number) {
      const bot = states.find(botId);
      if (bot === undefined) return { kind: 'missing' } as const;
      const row = insert(bot, fields, nowMs);
      if (row !== undefined) return { kind: 'created', row } as const;
      const holder = findByEmail(bot, fields.emailKey) as StoredContact;
      return { kind: 'email_taken', contactId: holder.id } as const;
    },

    updateContact(botId: string, contactId: string, changes: ContactChanges, nowMs: number) {
      const found = find(botId, contactId);
      if (found === undefined) return { kind: 'missing' } as const;
      const { bot, contact: old } = found;
      if (changes.emailKey !== undefined && changes.emailKey !== old.emailKey) {
        const holder = findByEmail(bot, changes.emailKey);
        if (holder !== undefined) return { kind: 'email_taken', contactId: holder.id } as const;
      }
      return { kind: 'updated', row: applyChanges(bot, old, changes, nowMs).row } as const;
    },

    upsertContacts(botId: string, items: readonly UpsertItem[], nowMs: number) {
      const bot = states.find(botId);
      if (bot === undefined) return { kind: 'missing' } as const;
      const { planned, nameless } = planUpsert(items, (emailKey) => findByEmail(bot, emailKey));
      if (nameless.length > 0) return { kind: 'nameless', positions: nameless } as const;
      const done = new Map<string, Upserted>();
      for (const [key, { found, changes }] of planned) {
        if (found !== undefined) {
          const { isChanged } = applyChanges(bot, found, changes, nowMs);
          done.set(key, { id: found.id, outcome: isChanged ? 'updated' : 'unchanged' });
        } else {
          const row = insert(bot, { name: '', phone: '', mid: '', wid: '', ...changes }, nowMs);
          if (row === undefined) throw new Error('an email appeared within a transaction');
          done.set(key, { id: row[0], outcome: 'created' });
        }
      }
      return upsertedAs(items, done);
    },

    deleteContact: remove,

    deleteContacts: (botId: string, contactIds: readonly string[]) =>
      contactIds.map((contactId) => remove(botId, contactId)),
  };

  return { writes, find };
}
