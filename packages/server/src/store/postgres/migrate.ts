// Brings the database to the newest schema: numbered SQL files, each in a transaction, one server at a time.
import { readdirSync, readFileSync } from 'node:fs';
import { StoreOpenError, StoreUnavailableError } from '../store.ts';
import { ConflictError } from './driver-errors.ts';
import { type Connection, type Pool, withPool } from './pool.ts';
import { retrying } from './retries.ts';

const folder = new URL('./migrations/', import.meta.url);
const migrations = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .sort();

export const newestVersion = migrations.length;
const oldestPostgres = 150_000;
/** A database that starts together with the server is ready within seconds. */
const reachableWithinMs = 20_000;
/** An index over a hundred million rows takes long, and others wait for it. */
const migrationTimeoutMs = 6 * 3_600_000;

export interface Migration {
  from: number;
  to: number;
}

export async function migratePostgres(url: string): Promise<Migration> {
  const settings = { statementTimeoutMs: migrationTimeoutMs, session: 'SET lock_timeout = 0;' };
  return withPool(url, settings, (pool) => openingOf(() => pool.use(migrate)));
}

/** Fails unless the schema is the newest one. */
export async function checkSchema(pool: Pool): Promise<void> {
  const version = await openingOf(() => pool.use(readVersion));
  refuseNewer(version);
  if (version < newestVersion) {
    throw new StoreOpenError(
      `The database has schema ${version}, this version needs ${newestVersion}. Run "npm run migrate", or start without --no-migrate.`,
    );
  }
}

async function migrate(connection: Connection): Promise<Migration> {
  await checkServer(connection);
  await connection
    .query(`BEGIN;
    CREATE TABLE IF NOT EXISTS installation (
      id smallint PRIMARY KEY CHECK (id = 1),
      schema_version integer NOT NULL,
      checked_at bigint NOT NULL
    );
    INSERT INTO installation (id, schema_version, checked_at) VALUES (1, 0, 0) ON CONFLICT DO NOTHING;
    COMMIT`)
    .catch(asRace);
  // The row is the lock: of several servers that start at once, the others wait here and then find all done.
  await connection.query('BEGIN');
  const from = await readInstalledVersion(connection, 'FOR UPDATE');
  refuseNewer(from);
  for (const name of migrations.slice(from)) await connection.query(readFileSync(new URL(name, folder), 'utf8'));
  await connection.query('UPDATE installation SET schema_version = $1', [newestVersion]);
  await connection.query('COMMIT');
  return { from, to: newestVersion };
}

/** "IF NOT EXISTS" does not see what another server is making at this moment: the table, its row type or its row. */
function asRace(error: unknown): never {
  const isRace = ['23505', '42710', '42P07'].includes((error as { code?: string }).code ?? '');
  throw isRace ? new ConflictError('another server makes the same table', { cause: error }) : error;
}

export async function readVersion(connection: Connection): Promise<number> {
  await checkServer(connection);
  const isThere = await connection.query("SELECT WHERE to_regclass('installation') IS NOT NULL");
  return isThere.length === 0 ? 0 : readInstalledVersion(connection);
}

async function readInstalledVersion(connection: Connection, lock: 'FOR UPDATE' | '' = ''): Promise<number> {
  const [row] = await connection.query<{ version: number }>(
    `SELECT schema_version AS version FROM installation ${lock}`,
  );
  return row?.version ?? 0;
}

export function refuseNewer(version: number): void {
  if (version <= newestVersion) return;
  throw new StoreOpenError(
    `The database has schema ${version}, newer than the ${newestVersion} of this version of Roster. Start a newer version.`,
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
    `Cannot use the database of DATABASE_URL: ${errors.map(({ message }) => message).join(', ')}. Check its address, its user and that it runs.`,
    { cause },
  );
}
