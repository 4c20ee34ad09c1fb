// PostgreSQL as a side of a move: read in one snapshot, or filled in one transaction, so that a failed move leaves
// nothing. Rows are read by a cursor and written as arrays: the same memory however many there are.
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Archive,
  columnsOf,
  keyOf,
  type NewArchive,
  type Row,
  rowsPerPage,
  searchTextOfRow,
  storedValuesOf,
  type TableName,
  tableNames,
} from '../archive.ts';
import { MoveError } from '../move.ts';
import type { SqlValue } from '../sql-steps.ts';
import { parseAddress } from './address.ts';
import { LostConnectionError } from './driver-errors.ts';
import { checkSchema, migratePostgres } from './migrate.ts';
import { type Connection, type Pool, withPool } from './pool.ts';
import { retrying, writeRetryMs } from './retries.ts';
import { filterTokensOf } from './search/filter-tokens.ts';
import { dropSearchIndex } from './search/maintenance.ts';
import { tokenizer } from './search/tokens.ts';

export interface PostgresSide {
  url: string;
  /** False: the schema must be the newest one already. */
  isMigrating: boolean;
}

/** For a whole table's worth of work in one statement, such as counting a hundred million rows. */
const statementTimeoutMs = 6 * 3_600_000;

/** Lends one snapshot of the database to `work`. Refused while servers use it: what they write would be lost. */
export async function readPostgres<Result>(
  side: PostgresSide,
  work: (source: Archive) => Promise<Result>,
): Promise<Result> {
  return withSide(side, async (pool) => {
    await prepareSchema(side, pool);
    return pool.use(async (connection) => {
      await refuseServers(connection, titleOf(side));
      await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      const result = await work({ title: titleOf(side), ...readingOf(connection) });
      await connection.query('COMMIT');
      return result;
    });
  });
}

/** Lends an empty database to `work`, and keeps what that wrote only if it succeeds. */
export async function fillPostgres<Result>(
  side: PostgresSide,
  work: (target: NewArchive) => Promise<Result>,
): Promise<Result> {
  return withSide(side, async (pool) => {
    // Asked before the schema is touched: it may be an older one that is in use.
    await pool.use((connection) => refuseFilled(connection, titleOf(side)));
    await prepareSchema(side, pool);
    return pool.use(async (connection) => {
      await refuseDistributed(connection, titleOf(side));
      await connection.query('BEGIN');
      // A server that starts now and wants to make the first organization waits for this row.
      await connection.query('SELECT FROM installation FOR UPDATE');
      await refuseFilled(connection, titleOf(side));
      const loading = await prepareLoading(connection);
      const result = await work({ title: titleOf(side), ...readingOf(connection), ...loading });
      await connection.query('COMMIT').catch(asUnknown);
      await connection.query(`VACUUM (ANALYZE) ${[...tableNames, 'bot_states'].join()}`).catch(() => {
        // All is moved. Searches are slower until the database does this by itself.
      });
      return result;
    });
  });
}

/** The connection is open when `work` begins, and to the primary: later it cannot be exchanged for another. */
function withSide<Result>({ url }: PostgresSide, work: (pool: Pool) => Promise<Result>): Promise<Result> {
  return withPool(url, { statementTimeoutMs }, async (pool) => {
    await retrying(writeRetryMs, () => pool.query('SELECT'));
    return work(pool);
  });
}

async function prepareSchema({ url, isMigrating }: PostgresSide, pool: Pool): Promise<void> {
  await (isMigrating ? migratePostgres(url) : checkSchema(pool));
}

function titleOf({ url }: PostgresSide): string {
  const hosts = parseAddress(url);
  const places = hosts.map(({ host, port }) => `${host ?? 'localhost'}:${port ?? 5432}`);
  return `PostgreSQL ${places.join()}/${hosts[0]?.database ?? ''}`;
}

/** A connection that was just closed is listed for a moment longer. */
const serversPatienceMs = 3000;
const serversPauseMs = 50;

/** Sees the connections of the same user, which is what servers with the same DATABASE_URL have. */
const countServers = `SELECT count(*) AS connections FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'roster' AND pid <> pg_backend_pid()`;

async function refuseServers(connection: Connection, title: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += serversPauseMs) {
    const [counted] = await connection.query<{ connections: number }>(countServers);
    const count = counted?.connections ?? 0;
    if (count === 0) return;
    if (waitedMs >= serversPatienceMs) {
      throw new MoveError(`Servers are using ${title} (${count} connections). Stop them first.`);
    }
    await delay(serversPauseMs);
  }
}

async function refuseFilled(connection: Connection, title: string): Promise<void> {
  const isThere = await connection.query("SELECT WHERE to_regclass('organizations') IS NOT NULL");
  if (isThere.length === 0) return;
  const [any] = await connection.query('SELECT id FROM organizations LIMIT 1');
  if (any === undefined) return;
  throw new MoveError(
    `${title} already contains organizations, and was not changed. Set DATABASE_URL to an empty database.`,
  );
}

/** Citus takes the statements of a move on ordinary tables alone. */
async function refuseDistributed(connection: Connection, title: string): Promise<void> {
  const hasCitus = await connection.query("SELECT WHERE to_regclass('pg_dist_partition') IS NOT NULL");
  if (hasCitus.length === 0) return;
  const sql = "SELECT FROM pg_dist_partition WHERE logicalrelid = 'contacts'::regclass";
  if ((await connection.query(sql)).length === 0) return;
  throw new MoveError(
    `The tables of ${title} are distributed by Citus, but data can only be moved into ordinary tables. Move it into a new database, then distribute its tables with docs/operations/citus.sql.`,
  );
}

function asUnknown(error: unknown): never {
  if (!(error instanceof LostConnectionError)) throw error;
  throw new MoveError(
    'The connection was lost while the move was being committed. Run it again. If it says that the database already contains organizations, the move had succeeded.',
    { cause: error },
  );
}

const livingBot = (column: string) => `EXISTS (SELECT FROM bot_states WHERE bot_states.bot_id = ${column})`;

/** Where the rows of bots that live come from. Other tables are read whole. */
const sources: Partial<Record<TableName, string>> = {
  bots: 'bots JOIN bot_states ON bot_states.bot_id = bots.id',
  contacts: `contacts WHERE ${livingBot('contacts.bot_id')}`,
  contact_tokens: `contact_tokens WHERE ${livingBot('contact_tokens.bot_id')}`,
};

function readingOf(connection: Connection): Pick<Archive, 'count' | 'read'> {
  return {
    async count(table) {
      const sql = `SELECT count(*) AS rows FROM ${sources[table] ?? table}`;
      const [{ rows }] = (await connection.query(sql)) as [{ rows: number }];
      return rows;
    },
    async *read(table) {
      const columns = columnsOf(table).join();
      await connection.query(`DECLARE moved NO SCROLL CURSOR FOR
        SELECT ${columns} FROM ${sources[table] ?? table} ORDER BY ${keyOf(table).join()}`);
      for (;;) {
        const rows = await connection.tuples<Row>(`FETCH ${rowsPerPage} FROM moved`);
        if (rows.length > 0) yield rows;
        if (rows.length < rowsPerPage) break;
      }
      await connection.query('CLOSE moved');
    },
  };
}

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

/** Of a bot, how many are in its state. */
const columnsOfState = 5;

function withSearch(row: Row): Row {
  const [botId] = row as [string];
  const text = searchTextOfRow(row);
  const filterTokens = filterTokensOf(botId, storedValuesOf(row));
  const filters = filterTokens === null ? null : `{${filterTokens.join()}}`;
  return [...row, text, `{${tokenizer(botId)(text).join()}}`, filters];
}

/** Writes rows, many with each statement, and what the engine keeps beside them: states of bots, columns of the search. */
async function prepareLoading(connection: Connection): Promise<Pick<NewArchive, 'write' | 'complete'>> {
  const buildSearchIndex = await dropSearchIndex(connection);
  return {
    async write(table, rows) {
      const columns = columnsOf(table);
      if (table === 'contacts') {
        const ofSearch = ['search_text', 'search_tokens', 'filter_tokens'];
        await insertRows(connection, table, [...columns, ...ofSearch], rows.map(withSearch));
      } else if (table === 'bots') {
        // The last columns are of the state.
        const [ofBot, ofState] = [columns.slice(0, -columnsOfState), columns.slice(-columnsOfState)];
        await insertRows(connection, table, ofBot, rows);
        const states = rows.map((row) => [row[0], ...row.slice(-columnsOfState)] as Row);
        await insertRows(connection, 'bot_states', ['bot_id', ...ofState], states);
      } else {
        await insertRows(connection, table, columns, rows);
      }
    },
    async complete() {
      await buildSearchIndex();
      // Events are not moved: the feed of each bot begins anew.
      await connection.change('UPDATE bot_states SET event_history = gen_random_uuid()::text');
      await connection.change('INSERT INTO bots_with_webhooks (id) SELECT DISTINCT bot_id FROM webhooks');
      await connection.change(`UPDATE bot_states SET contact_count = counted.contacts
        FROM (SELECT bot_id, count(*) AS contacts FROM contacts GROUP BY bot_id) AS counted
        WHERE bot_states.bot_id = counted.bot_id`);
    },
  };
}
