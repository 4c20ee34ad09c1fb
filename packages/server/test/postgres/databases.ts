// Databases for tests: templates that are made once per server, and a clone of one for each store.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { until } from '../process/waiting.ts';
import { type PostgresServer, startPostgres } from './server.ts';

/** The stand-in for a sharded database is partitioned by bot; see partitioned.sql. */
export type DatabaseKind = 'plain' | 'partitioned';

export interface DatabaseOptions {
  /** Planned for as if it held millions of contacts: searches then use the index, which few rows are not worth. */
  passesForLarge?: boolean;
}

export interface TestDatabase {
  url: string;
  /** Waits for connections that are being closed. Fails when one stays open: whoever made it has not closed it. */
  drop(): Promise<void>;
}

/** Hands a prepared server to test processes. The value is the URL of a database to create others from. */
export const serverVariable = 'ROSTER_TEST_POSTGRES_URL';

/** A new and empty database with the newest schema. */
export async function createDatabase(kind: DatabaseKind, options: DatabaseOptions = {}): Promise<TestDatabase> {
  const serverUrl = await findServer();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await clone(serverUrl, templateOf(kind, options), name);
  const url = Object.assign(new URL(serverUrl), { pathname: name }).href;
  return { url, drop: () => whenUnused(serverUrl, `DROP DATABASE ${name}`) };
}

/** A database without any table. `options` are those of CREATE DATABASE. */
export async function createEmptyDatabase(options = ''): Promise<TestDatabase> {
  const serverUrl = await findServer();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await query(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0 ${options}`);
  const url = Object.assign(new URL(serverUrl), { pathname: name }).href;
  return { url, drop: () => whenUnused(serverUrl, `DROP DATABASE ${name}`) };
}

/** Makes the templates, and returns the value for `serverVariable`. */
export async function prepareTemplates(server: PostgresServer): Promise<string> {
  for (const kind of ['plain', 'partitioned'] as const) {
    await prepareTemplate(server, kind);
    const large = templateOf(kind, { passesForLarge: true });
    await clone(server.url('postgres'), templateOf(kind), large);
    // The planner multiplies the rows per page that it finds noted here with the pages that there are.
    await query(
      server.superuserUrl(large),
      "UPDATE pg_class SET relpages = 1, reltuples = 1e6 WHERE relkind IN ('r', 'i') AND relname ~ '^contacts(_|$)'",
    );
  }
  return server.url('postgres');
}

/** Returns its name. */
export async function prepareTemplate(server: PostgresServer, kind: DatabaseKind): Promise<string> {
  const name = templateOf(kind);
  // The stand-in also sorts as a language does, unless a statement says otherwise: what silently relies on the order of bytes fails.
  const options = kind === 'partitioned' ? "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'" : '';
  await query(server.url('postgres'), `CREATE DATABASE ${name} ${options}`);
  await migratePostgres(server.url(name));
  if (kind === 'partitioned') {
    await query(server.url(name), readFileSync(new URL('partitioned.sql', import.meta.url), 'utf8'));
  }
  return name;
}

function templateOf(kind: DatabaseKind, { passesForLarge = false }: DatabaseOptions = {}): string {
  return passesForLarge ? `template_${kind}_large` : `template_${kind}`;
}

/** By a copy of the files, a third of the time of the default, which logs every page. */
async function clone(serverUrl: string, template: string, name: string): Promise<void> {
  await whenUnused(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
}

/** PostgreSQL waits five seconds for those that are connected, and then says so by this SQLSTATE. */
const objectInUse = '55006';
/** Generous, for machines under load, but less than the minute after which a store that nobody closed ends idle connections. */
const endingMs = 30_000;

/** Runs a statement about a database to which nobody may be connected. A store does not wait for its connections to end. */
async function whenUnused(serverUrl: string, statement: string): Promise<void> {
  const isDone = async () => {
    try {
      await query(serverUrl, statement);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== objectInUse) throw error;
      return false;
    }
  };
  await until(`all connections to be closed for ${statement}`, isDone, endingMs);
}

let ownServer: Promise<string> | undefined;

/** The server that the test run started, or one of this process alone, which ends with it. */
function findServer(): Promise<string> {
  const given = process.env[serverVariable];
  if (given !== undefined) return Promise.resolve(given);
  ownServer ??= startPostgres().then(prepareTemplates);
  return ownServer;
}

/** On a connection of its own. */
// biome-ignore lint/suspicious/noExplicitAny: rows have many shapes, and the caller names the one it wants.
export async function query(url: string, statement: string, values?: unknown[]): Promise<any[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}
