// Reads of contacts by their key, on the main thread: each takes some five microseconds, less than a message to a
// thread. Pages of an export are read on the reader threads.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Contact } from '@roster/contract';
import { type ContactRow, contactColumns, planUpsert, toContact } from '../contact-row.ts';
import type { ExportPage } from '../store.ts';
import type { BotNumbers } from './bot-numbers.ts';
import type { PortMethods } from './rows.ts';

export const exportStatement = `SELECT ${contactColumns} FROM contacts WHERE bot = ? AND id > ? ORDER BY id LIMIT ?`;

export function prepareContactReads(db: DatabaseSync, numbers: BotNumbers) {
  const contactById = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE bot = ? AND id = ?`);
  const contactByEmail = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE bot = ? AND email_key = ?`);
  for (const statement of [contactById, contactByEmail]) statement.setReturnArrays(true);

  const find = (statement: StatementSync, botId: string, key: string): Contact | undefined => {
    const bot = numbers.find(botId);
    const row = bot === undefined ? undefined : statement.get(bot, key);
    return row && toContact(row as unknown as ContactRow);
  };

  return {
    findContact: (botId, contactId) => find(contactById, botId, contactId),
    findContactByEmail: (botId, emailKey) => find(contactByEmail, botId, emailKey),
    findNameless: (botId, items) => planUpsert(items, (emailKey) => find(contactByEmail, botId, emailKey)).nameless,
  } satisfies PortMethods;
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
