// Writes rows from elsewhere, many with each statement, and makes what the engine keeps beside them: the state of each
// bot, and what its contacts are found by.
import { type ColumnKind, type NewArchive, type Row, searchTextOfRow, type TableName, tables } from '../archive.ts';
import type { Connection, Value } from './pool.ts';
import { dropSearchIndex } from './search/rebuild-index.ts';
import { tokenizer } from './search/tokens.ts';

const elementTypes: Record<ColumnKind, string> = { text: 'text', integer: 'bigint', bytes: 'bytea' };

interface Column {
  name: string;
  kind: ColumnKind;
  /** Where in a row its value is. */
  index: number;
  /** Of the column, when it is not that of the kind. */
  type?: string;
}

function columnsIn(table: TableName): Column[] {
  return Object.entries(tables[table]).map(([name, kind], index) => ({ name, kind, index }));
}

/** Rows are sent as columns of arrays. An array of arrays would have to be rectangular: such values come as text. */
function inserter(table: string, columns: readonly Column[]) {
  const names = columns.map(({ name }) => name);
  const arrays = columns.map(({ kind }, index) => `$${index + 1}::${elementTypes[kind]}[]`);
  const values = columns.map(({ name, type }) => (type === undefined ? name : `${name}::${type}`));
  const sql = `INSERT INTO ${table} (${names.join()})
    SELECT ${values.join()} FROM unnest(${arrays.join()}) AS given (${names.join()})`;
  return async (connection: Connection, rows: readonly Row[]): Promise<void> => {
    const arrays = columns.map(({ index }) => rows.map((row) => row[index]));
    await connection.change(sql, arrays as unknown as Value[]);
  };
}

const botColumns = columnsIn('bots');
const isOfState = ({ name }: Column) => name === 'last_created_us';
const insertBots = inserter(
  'bots',
  botColumns.filter((column) => !isOfState(column)),
);
const insertStates = inserter('bot_states', [
  { name: 'bot_id', kind: 'text', index: 0 },
  ...botColumns.filter(isOfState),
]);

const contactColumns = columnsIn('contacts');
const insertContacts = inserter('contacts', [
  ...contactColumns,
  { name: 'search_text', kind: 'text', index: contactColumns.length },
  { name: 'search_tokens', kind: 'text', index: contactColumns.length + 1, type: 'integer[]' },
]);

function withSearch(contacts: readonly Row[]): Row[] {
  return contacts.map((row) => {
    const [botId] = row as [string];
    const text = searchTextOfRow(row);
    return [...row, text, `{${tokenizer(botId)(text).join()}}`];
  });
}

const writers: Partial<Record<TableName, ReturnType<typeof inserter>>> = {
  async bots(connection, rows) {
    await insertBots(connection, rows);
    await insertStates(connection, rows);
  },
  contacts: (connection, rows) => insertContacts(connection, withSearch(rows)),
};

/** Within a transaction that the caller begins and ends. */
export async function prepareLoading(connection: Connection): Promise<Pick<NewArchive, 'write' | 'complete'>> {
  const buildSearchIndex = await dropSearchIndex(connection);
  return {
    write: (table, rows) => (writers[table] ?? inserter(table, columnsIn(table)))(connection, rows),
    async complete() {
      await buildSearchIndex();
      await connection.change(`UPDATE bot_states SET contact_count = counted.contacts
        FROM (SELECT bot_id, count(*) AS contacts FROM contacts GROUP BY bot_id) AS counted
        WHERE bot_states.bot_id = counted.bot_id`);
    },
  };
}
