// Reads of contacts by key, gathered into few statements. Searches and exports are in search/.
import { type ContactRow, planUpsert, toContact, toContactWithValues, valuesOfRow } from '../../contacts/row.ts';
import type { Store, UpsertItem } from '../../store.ts';
import { BotValues, tagKeysOf } from '../../values/contact-values.ts';
import type { Connection } from '../pool.ts';
import type { Transactions } from '../transactions.ts';
import { readBotValues } from '../values/bot-values.ts';
import { gatherReads } from './gathered-reads.ts';
import { statements } from './statements.ts';

export function prepareContactReads({ readWith }: Transactions) {
  const gather = <Found>(statement: { name: string; text: string }, toFound: (row: ContactRow) => Found) =>
    gatherReads<Found>({
      lend: readWith,
      async load(connection, botId, keys) {
        const rows = await connection.tuples<[key: string, ...contact: ContactRow]>(statement, [botId, keys]);
        return new Map(rows.map(([key, ...contact]) => [key, toFound(contact)]));
      },
    });
  const byId = gather(statements.findById, toContact);
  const byEmail = gather(statements.findByEmail, toContact);
  const withValues = gather(statements.findWithValues, toContactWithValues);

  const methods = {
    findContact: byId.find,
    findContactByEmail: byEmail.find,
    findContactWithValues: withValues.find,
    findContactsWithValues: (botId, contactIds) =>
      readWith(botId, async (connection) => {
        const values = [botId, contactIds];
        const rows = await connection.tuples<[key: string, ...contact: ContactRow]>(statements.findWithValues, values);
        return rows.map(([, ...contact]) => toContactWithValues(contact));
      }),
    findFaults: (botId, items) => readWith(botId, (connection) => findFaults(connection, botId, items)),
  } satisfies Partial<Store>;
  return { methods, pending: () => byId.pending() + byEmail.pending() + withValues.pending() };
}

/** As a transaction would find them. Numbers that it gives to new tags are kept nowhere. */
async function findFaults(connection: Connection, botId: string, items: readonly UpsertItem[]) {
  const keys = [...new Set(items.map(({ emailKey }) => emailKey))];
  const [[state], contacts, read] = await Promise.all([
    connection.query<{ nextValueNumber: number }>(statements.countContacts, [botId]),
    connection.tuples<[key: string, ...contact: ContactRow]>(statements.readForWriteByEmail, [botId, keys]),
    readBotValues(connection, botId, tagKeysOf(items) ?? []),
  ]);
  if (state === undefined) return [];
  await read.readTagsOf(contacts.map(([, ...row]) => valuesOfRow(row)));
  const rows = new Map(contacts.map(([key, ...row]) => [key, row]));
  const botValues = new BotValues({ ...read, takeNumber: () => state.nextValueNumber++ });
  const find = (emailKey: string) => rows.get(emailKey);
  return planUpsert(items, { find, valuesOf: valuesOfRow, botValues: () => botValues }).faults;
}
