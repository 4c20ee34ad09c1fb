// Reads of contacts by their key, on the main thread: each takes some five microseconds, less than a message to a
// thread. Many contacts are read on the reader threads.
import type { DatabaseSync } from 'node:sqlite';
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
import { type BotNumbers, prepareBotNumber } from '../tenants/bot-numbers.ts';
import { prepareDefinitionSource } from '../values/bot-values.ts';
import { byBotId, type PortMethods } from './rows.ts';

export const exportStatement = exportOf(contactColumns);

function exportOf(columns: string): string {
  return `SELECT ${columns} FROM contacts WHERE bot = ? AND id > ? ORDER BY id LIMIT ?`;
}

export function prepareContactReads(db: DatabaseSync, numbers: BotNumbers) {
  const finding = <Found>(columns: string, key: string, toFound: (row: ContactRow) => Found) => {
    const statement = db.prepare(`SELECT ${columns} FROM contacts WHERE bot = ? AND ${key} = ?`);
    statement.setReturnArrays(true);
    return (botId: string, value: string): Found | undefined => {
      const bot = numbers.find(botId);
      const row = bot === undefined ? undefined : (statement.get(bot, value) as ContactRow | undefined);
      return row && toFound(row);
    };
  };

  return {
    findContact: finding(contactColumns, 'id', toContact),
    findContactByEmail: finding(contactColumns, 'email_key', toContact),
    findContactWithValues: finding(columnsWithValues, 'id', toContactWithValues),
  } satisfies PortMethods;
}

/** On a reader thread. */
export function prepareManyContacts(db: DatabaseSync) {
  const page = db.prepare(exportStatement);
  const pageWithValues = db.prepare(exportOf(columnsWithValues));
  const valuesById = db.prepare(`SELECT ${columnsWithValues} FROM contacts WHERE bot = ? AND id = ?`);
  const valuesByEmail = db.prepare(`SELECT ${columnsWithValues} FROM contacts WHERE bot = ? AND email_key = ?`);
  for (const statement of [page, pageWithValues, valuesById, valuesByEmail]) statement.setReturnArrays(true);
  const sourceOf = prepareDefinitionSource(db);
  const numberOf = prepareBotNumber(db);

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
    ...byBotId(numberOf, [], {
      exportPage: (bot: number, { after, limit, withValues }: ExportPage) =>
        (withValues ? pageWithValues : page).all(bot, after ?? '', limit) as unknown as ContactRow[],
      findRowsWithValues: (bot: number, contactIds: readonly string[]) =>
        contactIds.map((id) => valuesById.get(bot, id) as ContactRow | undefined).filter((row) => row !== undefined),
    }),

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
