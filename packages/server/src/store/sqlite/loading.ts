// Fills an empty database with rows from elsewhere, and makes what the engine derives from them: numbers, counts, and
// the notes of what the search index lacks. All in one transaction.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { columnsOf, type Row, searchTextOfRow, storedValuesOf, type TableName } from '../archive.ts';
import { noValues } from '../values/stored-values.ts';
import { rowIdOf } from './contacts/row-ids.ts';
import { statementsOf } from './contacts/rows.ts';
import { mapDriverError } from './driver-errors.ts';
import { prepareValueIndex } from './search/value-index.ts';

/** Columns that hold something else here than in the neutral form: the number of the bot, the row id of the contact. */
const ownNames: Record<string, string> = { bot_id: 'bot', contact_id: 'contact' };

function insertInto(table: TableName, ...derived: string[]): string {
  const columns = [...columnsOf(table), ...derived];
  const names = columns.map((column) => ownNames[column] ?? column);
  const values = columns.map((column, index) =>
    column === 'contact_id' ? `(SELECT row_id FROM contacts WHERE bot = ?1 AND id = ?${index + 1})` : `?${index + 1}`,
  );
  return `INSERT INTO ${table} (${names.join()}) VALUES (${values.join()})`;
}

export function prepareLoading(db: DatabaseSync, indexThreshold: number) {
  const { find, run } = statementsOf(db);
  const valueIndex = prepareValueIndex(db);

  // Rows come bot by bot, so one is remembered.
  const current = { botId: '', number: 0, contacts: 0 };
  const turnTo = (botId: string): void => {
    if (current.botId === botId) return;
    const bot = find<{ number: number }>('SELECT number FROM bots WHERE id = ?', botId);
    Object.assign(current, { botId, ...bot, contacts: 0 });
  };

  const valuesOf = (table: TableName, row: Row): SQLInputValue[] => {
    if (columnsOf(table)[0] !== 'bot_id') return row;
    const [botId, ...fields] = row;
    turnTo(botId as string);
    if (table !== 'contacts') return [current.number, ...fields];
    // Ids ascend in the order of creation, so the numbers do too.
    const rowId = rowIdOf(current.number, ++current.contacts);
    valueIndex.note(rowId, noValues, storedValuesOf(row));
    return [current.number, ...fields, rowId, searchTextOfRow(row)];
  };

  db.exec('BEGIN');
  return {
    write(table: TableName, rows: readonly Row[]): void {
      const insert = table === 'contacts' ? insertInto(table, 'row_id', 'search_text') : insertInto(table);
      orUnavailable(() => {
        for (const row of rows) run(insert, ...valuesOf(table, row));
      });
    },

    complete(): void {
      orUnavailable(() => {
        // The next number comes after the highest one, not after the count: a number must never be used twice.
        db.exec(`UPDATE bots SET (contact_count, next_contact) = (
            SELECT count(*), coalesce(max(row_id & 0xffffffff), 0) + 1 FROM contacts WHERE bot = bots.number);
          -- Events are not moved: the feed of each bot begins anew.
          UPDATE bots SET event_history = lower(hex(randomblob(8)));
          UPDATE bots SET is_indexed = 1 WHERE contact_count > ${indexThreshold};
          INSERT INTO search_pending (row_id, has_entry)
            SELECT row_id, 0 FROM bots JOIN contacts ON contacts.bot = bots.number WHERE is_indexed ORDER BY row_id;
          COMMIT`);
      });
    },
  };
}

function orUnavailable(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw mapDriverError(error);
  }
}
