// Brings the database to the newest schema: numbered SQL files, each in a transaction of its own, one server at a time.
// Servers that run go on meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { type MigrationFile, readMigrations } from '../migrations.ts';
import { StoreOpenError, StoreUnavailableError } from '../store.ts';
import { type Connection, type Pool, withPool } from './pool.ts';
import { retrying } from './retries.ts';

export const newestVersion = readMigrations('postgres').length;
const oldestPostgres = 150_000;
/** A database that starts together with the server is ready within seconds. */
const reachableWithinMs = 20_000;
/** An index over a hundred million rows takes long, and others wait for it. */
const migrationTimeoutMs = 6 * 3_600_000;

/**
 * While a migration waits for a lock on a table, all that come after it wait behind it: servers for up to 4 seconds. So it
 * steps back earlier, lets them pass, and tries again, for longer than their searches may take.
 */
const defaultLockTimeoutMs = 2000;
const lockTries = 15;
const lockNotAvailable = '55P03';

/** What one server did, apart from what others did at the same time. */
export interface Migration {
  from: number;
  to: number;
}

export interface MigrationSettings {
  /** Of numbered SQL files, instead of ours. */
  folder?: URL;
  /** How long a statement of a migration waits for a lock. */
  lockTimeoutMs?: number;
}

export async function migratePostgres(url: string, settings: MigrationSettings = {}): Promise<Migration> {
  const { folder, lockTimeoutMs = defaultLockTimeoutMs } = settings;
  const files = readMigrations('postgres', folder);
  return withPool(url, { statementTimeoutMs: migrationTimeoutMs, lockTimeoutMs: 0 }, async (pool) => {
    let version = await openingOf(() => pool.use((connection) => prepareInstallation(connection, files.length)));
    let from: number | undefined;
    while (version < files.length) {
      // Tried again from where the database stands: after a lost connection it may have been done.
      const applied = await openingOf(() => applyNext(pool, files, lockTimeoutMs));
      if (applied.from < applied.to) from ??= applied.from;
      version = applied.to;
    }
    return { from: from ?? version, to: version };
  });
}

/** Fails unless the schema is the newest one. */
export async function checkSchema(pool: Pool): Promise<void> {
  const version = await openingOf(() => pool.use(readVersion));
  refuseNewer(version);
  if (version < newestVersion) {
    throw new StoreOpenError(
      `The database has schema version ${version}, but this version of Roster needs ${newestVersion}. Run "roster migrate", or start without --no-migrate.`,
    );
  }
}

/**
 * An advisory lock, which ends with its transaction and so works behind a pooler. Of several servers that start
 * at once, the others wait here and then find all done. No row is locked, so that /readyz and sign-ins go on.
 */
const lockMigrations = "SELECT pg_advisory_xact_lock(hashtext('roster migrations'))";
/** Timeouts of the transaction: those of the connection may be another client's, behind a pooler. */
const begin = `BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = ${migrationTimeoutMs};
  SET LOCAL idle_in_transaction_session_timeout = ${migrationTimeoutMs}`;

/** Returns the schema that is there, 0 in a new database. */
async function prepareInstallation(connection: Connection, newest: number): Promise<number> {
  await checkServer(connection);
  await connection.query(begin);
  await connection.query(lockMigrations);
  await connection.query(`CREATE TABLE IF NOT EXISTS installation (
      id smallint PRIMARY KEY CHECK (id = 1),
      schema_version integer NOT NULL,
      checked_at bigint NOT NULL
    );
    INSERT INTO installation (id, schema_version, checked_at) VALUES (1, 0, 0) ON CONFLICT DO NOTHING`);
  const version = await readInstalledVersion(connection);
  await connection.query('COMMIT');
  refuseNewer(version, newest);
  return version;
}

async function applyNext(pool: Pool, files: readonly MigrationFile[], lockTimeoutMs: number): Promise<Migration> {
  for (let tries = 1; ; tries++) {
    try {
      return await pool.use((connection) => applyOnce(connection, files, lockTimeoutMs));
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      if (code !== lockNotAvailable) throw error;
      if (tries < lockTries) {
        await delay(lockTimeoutMs / 2);
        continue;
      }
      throw new StoreOpenError(
        `The schema was not changed: another database session holds a lock on one of Roster's tables, and ${lockTries} attempts of ${lockTimeoutMs / 1000} seconds each timed out. End that session (see pg_stat_activity), then try again.`,
        { cause: error },
      );
    }
  }
}

/** One migration, if another server has not done it meanwhile. The row of the schema is locked at the very end. */
async function applyOnce(
  connection: Connection,
  files: readonly MigrationFile[],
  lockTimeoutMs: number,
): Promise<Migration> {
  await connection.query(begin);
  await connection.query(lockMigrations);
  const version = await readInstalledVersion(connection);
  refuseNewer(version, files.length);
  const file = files[version];
  if (file !== undefined) {
    await connection.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    for (const statement of statementsIn(file.sql)) await connection.query(statement);
    await connection.query('UPDATE installation SET schema_version = $1', [version + 1]);
  }
  await connection.query('COMMIT');
  return { from: version, to: Math.min(version + 1, files.length) };
}

/**
 * Each is sent alone: Citus passes the whole text of a message on to its workers when one statement of it changes a
 * distributed table. A statement ends with a line, and a body between dollar signs may hold others.
 */
export function statementsIn(sql: string): string[] {
  const statements: string[] = [];
  let current = '';
  /** What the body that is being read begins and ends with. */
  let quote: string | undefined;
  for (const line of sql.split('\n')) {
    current += `${line}\n`;
    for (const [tag] of line.matchAll(/\$\w*\$/g)) {
      if (quote === undefined) quote = tag;
      else if (tag === quote) quote = undefined;
    }
    if (quote !== undefined || !line.endsWith(';')) continue;
    statements.push(current);
    current = '';
  }
  return current.trim() === '' ? statements : [...statements, current];
}

export async function readVersion(connection: Connection): Promise<number> {
  await checkServer(connection);
  const isThere = await connection.query("SELECT WHERE to_regclass('installation') IS NOT NULL");
  return isThere.length === 0 ? 0 : readInstalledVersion(connection);
}

async function readInstalledVersion(connection: Connection): Promise<number> {
  const [row] = await connection.query<{ version: number }>('SELECT schema_version AS version FROM installation');
  return row?.version ?? 0;
}

export function refuseNewer(version: number, newest = newestVersion): void {
  if (version <= newest) return;
  throw new StoreOpenError(
    `The database has schema version ${version}, but this version of Roster only supports up to ${newest}. Start a newer version.`,
  );
}

export async function checkServer(connection: Connection): Promise<void> {
  const sql = `SELECT current_setting('server_version_num')::int AS version,
    current_setting('server_encoding') AS encoding`;
  const [{ version, encoding }] = (await connection.query(sql)) as [{ version: number; encoding: string }];
  if (version < oldestPostgres) {
    throw new StoreOpenError(`PostgreSQL is version ${Math.floor(version / 10_000)}; Roster needs 15 or later.`);
  }
  if (encoding !== 'UTF8') {
    throw new StoreOpenError(
      `The database has the encoding ${encoding}; Roster needs UTF8: CREATE DATABASE roster ENCODING 'UTF8' TEMPLATE template0.`,
    );
  }
}

/** Tries for a while, and turns what a person can mend into one line. */
function openingOf<Result>(work: () => Promise<Result>): Promise<Result> {
  return retrying(reachableWithinMs, work).catch((error) => {
    // 42501: what we may do.
    throw error instanceof StoreUnavailableError || error.code === '42501' ? asOpenError(error) : error;
  });
}

/** With the driver's own text, none of which holds the password. */
export function asOpenError(error: unknown): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const cause = (error instanceof StoreUnavailableError && error.cause) || error;
  // A name that stands for several addresses fails with an error for each, and says nothing itself.
  const errors = cause instanceof AggregateError ? cause.errors : [cause];
  return new StoreOpenError(
    `Cannot use the database of DATABASE_URL: ${errors.map(({ message }) => message).join(', ')}. Check its address and user, and that it is running.`,
    { cause },
  );
}
