// Reads of contacts by their key, on the main thread: each takes some five microseconds, less than a message to a
// thread. Pages of an export are read on the reader threads.
import type { DatabaseSync } from 'node:sqlite';
import type { Contact } from '@roster/contract';
import { type ContactRow, contactColumns, planUpsert, toContact } from '../contact-row.ts';
import type { ExportPage, UpsertItem } from '../store.ts';
import type { BotNumbers } from './bot-numbers.ts';
import type { Snapshot } from './snapshot.ts';

export const exportStatement = `SELECT ${contactColumns} FROM contacts WHERE bot = ? AND id > ? ORDER BY id LIMIT ?`;

export function prepareContactReads(db: DatabaseSync, { read }: Snapshot, numbers: BotNumbers) {
  const contactById = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE bot = ? AND id = ?`);
  const contactByEmail = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE bot = ? AND email_key = ?`);
  for (const statement of [contactById, contactByEmail]) statement.setReturnArrays(true);

  const toFound = (row: unknown): Contact | undefined => (row === undefined ? undefined : toContact(row as ContactRow));

  const findContactByEmail = (botId: string, emailKey: string): Contact | undefined =>
    read(() => {
      const bot = numbers.find(botId);
      return bot === undefined ? undefined : toFound(contactByEmail.get(bot, emailKey));
    });

  return {
    findContact: (botId: string, contactId: string): Contact | undefined =>
      read(() => {
        const bot = numbers.find(botId);
        return bot === undefined ? undefined : toFound(contactById.get(bot, contactId));
      }),

    findContactByEmail,

    findNameless: (botId: string, items: readonly UpsertItem[]): number[] =>
      planUpsert(items, (emailKey) => findContactByEmail(botId, emailKey)).nameless,
  };
}

export function prepareExport(db: DatabaseSync) {
  const findNumber = db.prepare('SELECT number FROM bots WHERE id = ? AND deleted_at IS NULL');
  const page = db.prepare(exportStatement);
  page.setReturnArrays(true);

  return (botId: string, { after, limit }: ExportPage): ContactRow[] => {
    const bot = findNumber.get(botId) as { number: number } | undefined;
    if (bot === undefined) return [];
    return page.all(bot.number, after ?? '', limit) as unknown as ContactRow[];
  };
}
