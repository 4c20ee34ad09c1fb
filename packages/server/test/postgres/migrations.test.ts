// Migrations on a database that is in use: servers go on meanwhile, and a lock of somebody else is not waited for long.
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { migratePostgres, newestVersion, statementsIn } from '../../src/store/postgres/migrate.ts';
import { StoreOpenError } from '../../src/store/store.ts';
import { makeHomeHere } from '../process/serve-here.ts';
import { callFirstBot } from '../process/server-process.ts';
import { unlessBusy } from '../process/unless-busy.ts';
import { until } from '../process/waiting.ts';
import { createDatabase, query } from './databases.ts';

suite('migrations on PostgreSQL', () => {
  test('readiness, sign-ins and writes go on while a migration takes long', async (t) => {
    const home = await makeHomeHere(t);
    const { url, folder } = await prepare(t, {
      // It takes as long as this test likes: until the table is empty.
      'long.sql': `DO $$ BEGIN WHILE EXISTS (SELECT FROM gate) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;
        CREATE TABLE late ()`,
    });
    await query(url, 'CREATE TABLE gate AS SELECT true AS is_closed');
    const server = await home.startFirst({ DATABASE_URL: url });
    const migrating = migratePostgres(url, { folder });
    const activity = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO $$ BEGIN WHILE EXISTS%'";
    await until('the migration to run', async () => (await query(url, activity)).length === 1);

    assert.equal((await unlessBusy(() => fetch(`${server.url}/readyz`))).status, 200);
    const contact = { name: 'Jane', email: 'jane@example.com' };
    const create = () => callFirstBot(server.url, server.firstRun, 'PUT', 'contacts', contact);
    assert.equal((await unlessBusy(create)).status, 201);
    const signIn = () =>
      fetch(`${server.url}/v1/account/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url },
        body: JSON.stringify({ email: 'nobody@example.com', password: 'wrong' }),
      });
    const refused = await unlessBusy(signIn);
    assert.equal(refused.status, 401, await refused.text());
    assert.equal((await query(url, activity)).length, 1, 'the migration ended early');

    await query(url, 'DELETE FROM gate');
    assert.deepEqual(await migrating, { from: newestVersion, to: newestVersion + 1 });
    await query(url, 'SELECT FROM late');
  });

  test('each is a transaction of its own: those before a faulty one stay', async (t) => {
    const { url, folder } = await prepare(t, {
      'good.sql': 'CREATE TABLE good ()',
      'wrong.sql': 'CREATE TABLE good ()',
    });
    await assert.rejects(migratePostgres(url, { folder }), { code: '42P07' });
    const versions = await query(url, 'SELECT schema_version AS version FROM installation');
    assert.deepEqual(versions, [{ version: newestVersion + 1 }]);
  });

  test('a table that somebody holds locked is tried again, and changed when it is free', async (t) => {
    const { url, folder, lockContacts } = await prepare(t, {
      // A sequence goes on though the transaction is rolled back.
      'lock.sql': "SELECT nextval('tries');\nALTER TABLE contacts ADD COLUMN late text",
    });
    await query(url, 'CREATE SEQUENCE tries');
    const holder = await lockContacts();
    const migrating = migratePostgres(url, { folder });
    await until('a second try', async () => {
      const [{ tries }] = await query(url, 'SELECT last_value::int AS tries FROM tries');
      return tries > 1;
    });
    await holder.query('ROLLBACK');
    assert.deepEqual(await migrating, { from: newestVersion, to: newestVersion + 1 });
  });

  test('a table that stays locked ends the migration with one sentence', async (t) => {
    const { url, folder, lockContacts } = await prepare(t, {
      'lock.sql': 'ALTER TABLE contacts ADD COLUMN late text',
    });
    await lockContacts();
    await assert.rejects(migratePostgres(url, { folder, lockTimeoutMs: 10 }), (error) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(
        error.message,
        /^The schema was not changed: another database session holds a lock on one of Roster's tables/,
      );
      return true;
    });
    const versions = await query(url, 'SELECT schema_version AS version FROM installation');
    assert.deepEqual(versions, [{ version: newestVersion }]);
  });
});

/** A database of the newest schema, and a folder in which these migrations follow those that it has. */
async function prepare(t: TestContext, more: Record<string, string>) {
  const { url, drop } = await createDatabase('plain');
  const folder = await mkdtemp(join(tmpdir(), 'roster-migrations-'));
  const holders: Client[] = [];
  t.after(async () => {
    for (const holder of holders) await holder.end();
    await drop();
    await rm(folder, { recursive: true });
  });
  await cp(new URL('../../src/store/postgres/migrations/', import.meta.url), folder, { recursive: true });
  for (const [name, sql] of Object.entries(more)) await writeFile(join(folder, `9-${name}`), sql);
  /** Somebody reads the contacts in a transaction that goes on. */
  const lockContacts = async () => {
    const holder = new Client(url);
    holders.push(holder);
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE contacts IN ACCESS SHARE MODE');
    return holder;
  };
  return { url, folder: pathToFileURL(`${folder}/`), lockContacts };
}

test('a migration is sent statement by statement, and bodies stay whole', () => {
  const body = 'DO $$ BEGIN\n  EXECUTE $inner$\n    SELECT 1;\n  $inner$;\n  PERFORM 2;\nEND $$;\n';
  assert.deepEqual(statementsIn(`-- First; really.\nCREATE TABLE a (\n  b int\n);\n\n${body}SELECT 3`), [
    '-- First; really.\nCREATE TABLE a (\n  b int\n);\n',
    `\n${body}`,
    'SELECT 3\n',
  ]);
});
