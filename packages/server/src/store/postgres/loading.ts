// Writes rows from elsewhere, many with each statement, and makes what the engine keeps beside them: the state of each
// bot, and what its contacts are found by.
import { columnsOf, type NewArchive, type Row, searchTextOfRow } from '../archive.ts';
import type { SqlValue } from '../sql-steps.ts';
import type { Connection } from './pool.ts';
import { dropSearchIndex } from './search/maintenance.ts';
import { tokenizer } from './search/tokens.ts';

/**
 * Rows are sent as columns, each an array of texts that the database reads as the type of the column. An array of arrays
 * would have to be rectangular.
 */
async function insertRows(connection: Connection, table: string, columns: string[], rows: readonly Row[]) {
  const findTypes = `SELECT attname AS name, atttypid::regtype AS type FROM pg_attribute
    WHERE attrelid = to_regclass($1) AND attname = ANY ($2)`;
  const found = await connection.query<{ name: string; type: string }>(findTypes, [table, columns]);
  const types = new Map(found.map(({ name, type }) => [name, type]));
  const sql = `INSERT INTO ${table} (${columns.join()})
    SELECT ${columns.map((name) => `${name}::${types.get(name)}`).join()}
    FROM unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join()}) AS given (${columns.join()})`;
  const arrays = columns.map((_, index) => rows.map((row) => toText(row[index] as SqlValue)));
  await connection.change(sql, arrays as string[][]);
}

function toText(value: SqlValue): string | null {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return value === null ? null : `${value}`;
}

function withSearch(row: Row): Row {
  const [botId] = row as [string];
  const text = searchTextOfRow(row);
  return [...row, text, `{${tokenizer(botId)(text).join()}}`];
}

/** Within a transaction that the caller begins and ends. */
export async function prepareLoading(connection: Connection): Promise<Pick<NewArchive, 'write' | 'complete'>> {
  const buildSearchIndex = await dropSearchIndex(connection);
  const insert = (table: string, columns: string[], rows: readonly Row[]) =>
    insertRows(connection, table, columns, rows);
  return {
    async write(table, rows) {
      const columns = columnsOf(table);
      if (table === 'contacts') {
        await insert(table, [...columns, 'search_text', 'search_tokens'], rows.map(withSearch));
      } else if (table === 'bots') {
        // The last column is of the state.
        await insert(table, columns.slice(0, -1), rows);
        await insert(
          'bot_states',
          ['bot_id', columns.at(-1) as string],
          rows.map((row) => [row[0], row.at(-1)] as Row),
        );
      } else {
        await insert(table, columns, rows);
      }
    },
    async complete() {
      await buildSearchIndex();
      await connection.change(`UPDATE bot_states SET contact_count = counted.contacts
        FROM (SELECT bot_id, count(*) AS contacts FROM contacts GROUP BY bot_id) AS counted
        WHERE bot_states.bot_id = counted.bot_id`);
    },
  };
}
