// Fills an empty database with rows from elsewhere, and makes what the engine derives from them: numbers, counts, and
// the notes of what the search index lacks. All in one transaction.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { columnsOf, type Row, searchTextOfRow, type TableName } from '../archive.ts';
import { mapDriverError } from './driver-errors.ts';
import { rowIdOf } from './row-ids.ts';

export function prepareLoading(db: DatabaseSync, indexThreshold: number) {
  const insert = (table: TableName, columns: string[], values = columns.map(() => '?')) =>
    db.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${values.join()})`);
  const insertAsIs = (table: TableName) => {
    const statement = insert(table, columnsOf(table));
    return (row: Row) => void statement.run(...row);
  };

  const findNumber = db.prepare('SELECT number FROM bots WHERE id = ?');
  // Rows come bot by bot, so one is remembered.
  const current = { botId: '', number: 0, contacts: 0 };
  const turnTo = (botId: string): void => {
    if (current.botId === botId) return;
    const { number } = findNumber.get(botId) as { number: number };
    Object.assign(current, { botId, number, contacts: 0 });
  };

  // All but the bot, which is a number here, and the contact of a token, which is a row id.
  const contactColumns = columnsOf('contacts').slice(1);
  const insertContact = insert('contacts', ['row_id', 'bot', ...contactColumns, 'search_text']);
  const [, hashColumn, , ...tokenColumns] = columnsOf('contact_tokens') as [string, string, string, ...string[]];
  const insertToken = insert(
    'contact_tokens',
    ['bot', hashColumn, 'contact', ...tokenColumns],
    ['?', '?', '(SELECT row_id FROM contacts WHERE bot = ? AND id = ?)', ...tokenColumns.map(() => '?')],
  );

  const writers: Record<TableName, (row: Row) => void> = {
    organizations: insertAsIs('organizations'),
    bots: insertAsIs('bots'),
    secrets: insertAsIs('secrets'),
    members: insertAsIs('members'),
    audit_entries: insertAsIs('audit_entries'),
    contacts(row) {
      const [botId, ...fields] = row;
      turnTo(botId as string);
      // Ids ascend in the order of creation, so the numbers do too.
      const rowId = rowIdOf(current.number, ++current.contacts);
      insertContact.run(rowId, current.number, ...fields, searchTextOfRow(row));
    },
    contact_tokens(row) {
      const [botId, hash, contactId, ...rest] = row as [string, ...SQLInputValue[]];
      turnTo(botId);
      insertToken.run(current.number, hash as SQLInputValue, current.number, contactId as SQLInputValue, ...rest);
    },
  };

  db.exec('BEGIN');
  return {
    write(table: TableName, rows: readonly Row[]): void {
      const writeRow = writers[table];
      orUnavailable(() => rows.forEach(writeRow));
    },

    complete(): void {
      orUnavailable(() => {
        // The next number comes after the highest one, not after the count: a number must never be used twice.
        db.exec(`UPDATE bots SET (contact_count, next_contact) = (
            SELECT count(*), coalesce(max(row_id & 0xffffffff), 0) + 1 FROM contacts WHERE bot = bots.number);
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
