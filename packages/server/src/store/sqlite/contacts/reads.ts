// Reads of contacts by their key, on the main thread: each takes some five microseconds, less than a message to a
// thread. Many contacts are read on the reader threads.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Contact } from '@roster/contract';
import {
  type ContactRow,
  columnsWithValues,
  contactColumns,
  planUpsert,
  toContact,
  toContactWithValues,
  valuesOfRow,
} from '../../contacts/row.ts';
import type { ExportPage, ItemFault, UpsertItem } from '../../store.ts';
import { BotValues } from '../../values/contact-values.ts';
import type { BotNumbers } from '../tenants/bot-numbers.ts';
import { prepareDefinitionSource } from '../values/bot-values.ts';
import type { PortMethods } from './rows.ts';

export const exportStatement = exportOf(contactColumns);

function exportOf(columns: string): string {
  return `SELECT ${columns} FROM contacts WHERE bot = ? AND id > ? ORDER BY id LIMIT ?`;
}

export function prepareContactReads(db: DatabaseSync, numbers: BotNumbers) {
  const contactById = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE bot = ? AND id = ?`);
  const contactByEmail = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE bot = ? AND email_key = ?`);
  const valuesById = db.prepare(`SELECT ${columnsWithValues} FROM contacts WHERE bot = ? AND id = ?`);
  for (const each of [contactById, contactByEmail, valuesById]) each.setReturnArrays(true);

  const findRow = (statement: StatementSync, botId: string, key: string): ContactRow | undefined => {
    const bot = numbers.find(botId);
    return bot === undefined ? undefined : (statement.get(bot, key) as ContactRow | undefined);
  };
  const find = (statement: StatementSync, botId: string, key: string): Contact | undefined => {
    const row = findRow(statement, botId, key);
    return row && toContact(row);
  };

  return {
    findContact: (botId, contactId) => find(contactById, botId, contactId),
    findContactByEmail: (botId, emailKey) => find(contactByEmail, botId, emailKey),
    findContactWithValues(botId, contactId) {
      const row = findRow(valuesById, botId, contactId);
      return row && toContactWithValues(row);
    },
  } satisfies PortMethods;
}

/** On a reader thread. */
export function prepareManyContacts(db: DatabaseSync) {
  const findNumber = db.prepare('SELECT number FROM bots WHERE id = ? AND deleted_at IS NULL');
  const page = db.prepare(exportStatement);
  const pageWithValues = db.prepare(exportOf(columnsWithValues));
  const valuesById = db.prepare(`SELECT ${columnsWithValues} FROM contacts WHERE bot = ? AND id = ?`);
  const valuesByEmail = db.prepare(`SELECT ${columnsWithValues} FROM contacts WHERE bot = ? AND email_key = ?`);
  for (const statement of [page, pageWithValues, valuesById, valuesByEmail]) statement.setReturnArrays(true);
  const sourceOf = prepareDefinitionSource(db);
  const numberOf = (botId: string) => (findNumber.get(botId) as { number: number } | undefined)?.number;

  const faultsOf = (bot: number, items: readonly UpsertItem[]) => {
    // Nothing is written, so any number will do for a new tag, if no other has it.
    let number = Number.MAX_SAFE_INTEGER;
    const botValues = new BotValues({ ...sourceOf(bot), takeNumber: () => number-- });
    const stored = {
      find: (emailKey: string) => valuesByEmail.get(bot, emailKey) as ContactRow | undefined,
      valuesOf: valuesOfRow,
      botValues: () => botValues,
    };
    return planUpsert(items, stored).faults;
  };

  return {
    exportPage(botId: string, { after, limit, withValues }: ExportPage): ContactRow[] {
      const bot = numberOf(botId);
      if (bot === undefined) return [];
      return (withValues ? pageWithValues : page).all(bot, after ?? '', limit) as unknown as ContactRow[];
    },

    findRowsWithValues(botId: string, contactIds: readonly string[]): ContactRow[] {
      const bot = numberOf(botId);
      if (bot === undefined) return [];
      const rows = contactIds.map((id) => valuesById.get(bot, id) as ContactRow | undefined);
      return rows.filter((row) => row !== undefined);
    },

    findFaults(botId: string, items: readonly UpsertItem[]): ItemFault[] {
      // One snapshot for all of its statements.
      db.exec('BEGIN');
      try {
        const bot = numberOf(botId);
        return bot === undefined ? [] : faultsOf(bot, items);
      } finally {
        if (db.isTransaction) db.exec('COMMIT');
      }
    },
  };
}
