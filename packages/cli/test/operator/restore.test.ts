// Restoring: what is put in place is sound, and what was there is never lost.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import type { Config } from '@roster/server/operator';
import { lastFirst } from '../../../server/test/last-first.ts';
import { makeHomeHere } from '../../../server/test/process/serve-here.ts';
import { callFirstBot, makeHome, startFirst } from '../../../server/test/process/server-process.ts';
import { openOperator } from '../../src/operator/open-operator.ts';
import { restore } from '../../src/operator/restore.ts';
import { afterMigration, prepare } from '../prepared-data.ts';
import { configOf, makeFolder } from './setup.ts';

const databaseOf = ({ dataDir }: Config) => join(dataDir, 'roster.db');

const original = await prepare(async (folder) => {
  const config = configOf(folder);
  await (await afterMigration()).copyTo(config.dataDir);
  const operator = await openOperator(config);
  await operator.createOrganization('Original');
  await operator.backup(join(folder, 'backup.db'));
  await operator.close();
});

/** A data folder whose one organization has this name, and a backup of it. */
async function makeBackup(t: TestContext, name: string): Promise<{ config: Config; file: string }> {
  const folder = await makeFolder(t);
  await original.copyTo(folder);
  const config = configOf(folder);
  const file = join(folder, 'backup.db');
  for (const path of [databaseOf(config), file]) {
    using db = new DatabaseSync(path);
    db.prepare('UPDATE organizations SET name = ?').run(name);
  }
  return { config, file };
}

/** As a server or a command finds them. */
async function namesIn(config: Config): Promise<string[]> {
  const operator = await openOperator(config);
  const organizations = await operator.listOrganizations();
  await operator.close();
  return organizations.map(({ name }) => name);
}

/** Without opening the database as the product does, which takes half a second. */
function namesInFile(config: Config): unknown[] {
  using db = new DatabaseSync(databaseOf(config), { readOnly: true });
  const rows = db.prepare('SELECT name FROM organizations').all();
  return rows.map(({ name }) => name);
}

suite('restoring', () => {
  test('makes the data folder, which is closed to other users', async (t) => {
    const { file } = await makeBackup(t, 'Mine');
    const config = configOf(await makeFolder(t));
    assert.deepEqual(await restore(config, file, { force: false }), { keptAs: undefined });
    assert.equal((statSync(databaseOf(config)).mode & 0o777).toString(8), '600');
    assert.equal((statSync(config.dataDir).mode & 0o777).toString(8), '700');
    assert.deepEqual(await namesIn(config), ['Mine']);
  });

  test('replaces a database only with force, and then keeps the old one', async (t) => {
    const { file } = await makeBackup(t, 'Backup');
    const { config } = await makeBackup(t, 'Old');
    const before = readFileSync(databaseOf(config));
    await assert.rejects(restore(config, file, { force: false }), {
      name: 'BackupError',
      message: /already exists, and was not changed\. To replace it, pass --force/,
    });
    assert.deepEqual(readFileSync(databaseOf(config)), before);
    const { keptAs } = await restore(config, file, { force: true });
    assert.deepEqual(namesInFile(config), ['Backup']);
    assert.ok(keptAs !== undefined && basename(keptAs).startsWith('roster.db.replaced-'), keptAs);
    // What was kept is itself a backup.
    const again = await restore(config, keptAs, { force: true });
    assert.deepEqual(namesInFile(config), ['Old']);
    assert.notEqual(again.keptAs, keptAs);
    assert.deepEqual(
      readdirSync(config.dataDir).filter((name) => /incomplete|wal|shm/.test(name)),
      [],
    );
  });

  test('begins a new history of each feed, and keeps the events', async (t) => {
    const home = await makeHomeHere(t);
    const server = await home.startFirst();
    const read = async (url: string, path: string) => {
      const reply = await callFirstBot(url, server.firstRun, 'GET', path);
      return { status: reply.status, json: (await reply.json()) as { next: string; data: unknown[] } };
    };
    await callFirstBot(server.url, server.firstRun, 'PUT', 'contacts', { name: 'Jane', email: 'jane@example.com' });
    const before = await read(server.url, 'events');
    const config = configOf(home.folder);
    const operator = await openOperator(config);
    const file = join(home.folder, 'backup.db');
    await operator.backup(file);
    await operator.close();
    await server.stop();
    await restore(config, file, { force: true });
    const { url } = await home.start();
    const after = await read(url, 'events');
    assert.deepEqual(after.json.data, before.json.data);
    const expired = await read(url, `events?after=${before.json.next}`);
    assert.deepEqual([expired.status, expired.json.next], [410, after.json.next]);
  });

  test('keeps also what a killed server had left in its log, and takes no log for its own', async (t) => {
    const { file } = await makeBackup(t, 'Backup');
    const lifetime = lastFirst(t);
    const home = await makeHome(lifetime);
    const server = await startFirst(home);
    await callFirstBot(server.url, server.firstRun, 'PUT', 'contacts', { name: 'Jane', email: 'jane@example.com' });
    await server.stop('SIGKILL');
    assert.ok(statSync(join(home.dataDir, 'roster.db-wal')).size > 0, 'there is a log');
    const config = configOf(home.folder);
    const { keptAs } = await restore(config, file, { force: true });
    assert.deepEqual(await namesIn(config), ['Backup']);
    await restore(config, keptAs as string, { force: true });
    const second = await (await makeHomeHere(lifetime)).start({ ROSTER_DATA_DIR: home.dataDir });
    const found = await callFirstBot(second.url, server.firstRun, 'GET', 'contacts?query=jane@example.com');
    assert.equal(((await found.json()) as { pagination: { total: number } }).pagination.total, 1);
  });

  test('keeps a database that is damaged, log and all', async (t) => {
    const { file } = await makeBackup(t, 'Backup');
    const config = configOf(await makeFolder(t));
    await mkdir(config.dataDir);
    await writeFile(databaseOf(config), 'garbage');
    await writeFile(`${databaseOf(config)}-wal`, 'more garbage');
    const { keptAs } = await restore(config, file, { force: true });
    assert.equal(await readFile(keptAs as string, 'utf8'), 'garbage');
    assert.equal(await readFile(`${keptAs}-wal`, 'utf8'), 'more garbage');
    assert.deepEqual(await namesIn(config), ['Backup']);
  });

  test('is refused while a server runs', async (t) => {
    const { file } = await makeBackup(t, 'Backup');
    const home = await makeHome(t);
    const { url, firstRun } = await startFirst(home);
    await assert.rejects(restore(configOf(home.folder), file, { force: true }), {
      name: 'StoreInUseError',
      message: /^Another process is using the data folder .*Stop it/,
    });
    assert.equal((await callFirstBot(url, firstRun, 'GET', 'contacts')).status, 200);
  });

  test('brings an older backup up to date', async (t) => {
    const { config, file } = await makeBackup(t, 'New');
    const old = join(config.dataDir, 'old.db');
    const db = new DatabaseSync(old);
    const initial = new URL('../../../server/src/store/sqlite/migrations/0001-initial.sql', import.meta.url);
    const { application_id } = new DatabaseSync(file).prepare('PRAGMA application_id').get() as {
      application_id: number;
    };
    db.exec(`PRAGMA application_id = ${application_id}; ${readFileSync(initial, 'utf8')}; PRAGMA user_version = 1`);
    db.exec("INSERT INTO organizations VALUES ('org_old', 'Old', 1)");
    db.close();
    const target = configOf(await makeFolder(t));
    await restore(target, old, { force: false });
    assert.deepEqual(await namesIn(target), ['Old']);
  });

  const unfit: Record<string, { damage(file: string): Promise<void>; message: RegExp }> = {
    'that is missing': { damage: (file) => truncate(file, 0), message: /^The backup .* does not exist or is empty\.$/ },
    'that is not ours': {
      damage: (file) => writeFile(file, 'Dear diary'),
      message: /is not a Roster database\. Nothing was restored\.$/,
    },
    'that was cut off': {
      damage: async (file) => truncate(file, Math.floor(statSync(file).size / 2)),
      message: /backup\.db is damaged: it is truncated\. Nothing was restored\.$/,
    },
    'with garbage in it': {
      async damage(file) {
        const bytes = await readFile(file);
        await writeFile(file, bytes.fill('garbage!', 3 * 4096, 5 * 4096));
      },
      message: /backup\.db is damaged: .* Nothing was restored\.$/s,
    },
    'whose index does not fit its rows': {
      async damage(file) {
        const db = new DatabaseSync(file);
        db.exec(`INSERT INTO organizations (id, name, created_at) VALUES ('org_x', 'x', 1);
          INSERT INTO bots (id, organization_id, name, greeting, color, position, allowed_origins, created_at)
          VALUES ('bot_canary', 'org_x', '', '', '', '', '[]', 1);`);
        db.close();
        // Once in the table, once in the index: now they differ, and every page is still well-formed.
        const bytes = await readFile(file);
        bytes.write('bot_canarz', bytes.indexOf('bot_canary'));
        await writeFile(file, bytes);
      },
      message: /backup\.db is damaged: .* Nothing was restored\.$/s,
    },
    'of a newer version': {
      async damage(file) {
        const db = new DatabaseSync(file);
        db.exec('PRAGMA user_version = 99');
        db.close();
      },
      message: /was written by a newer version of Roster \(schema version 99/,
    },
  };
  for (const [what, { damage, message }] of Object.entries(unfit)) {
    test(`a file ${what} is refused, and nothing is changed`, async (t) => {
      const { file } = await makeBackup(t, 'Backup');
      await damage(file);
      const { config } = await makeBackup(t, 'Old');
      const before = readdirSync(config.dataDir).map((name) => [
        name,
        readFileSync(join(config.dataDir, name)).toString('base64'),
      ]);
      await assert.rejects(restore(config, file, { force: true }), { message });
      const after = readdirSync(config.dataDir).map((name) => [
        name,
        readFileSync(join(config.dataDir, name)).toString('base64'),
      ]);
      assert.deepEqual(after, before);
    });
  }

  test('a database is not restored from itself', async (t) => {
    const { config } = await makeBackup(t, 'Mine');
    await assert.rejects(restore(config, databaseOf(config), { force: true }), { message: /is the database itself/ });
    assert.deepEqual(namesInFile(config), ['Mine']);
  });

  test('a file that is not there leaves no data folder behind', async (t) => {
    const config = configOf(await makeFolder(t));
    await assert.rejects(restore(config, '/nowhere/backup.db', { force: false }), { name: 'BackupError' });
    assert.equal(existsSync(config.dataDir), false);
  });

  test('into PostgreSQL is refused, and pg_restore is named', async (t) => {
    const { file } = await makeBackup(t, 'Mine');
    const config = configOf(await makeFolder(t), { DATABASE_URL: 'postgres://localhost/roster' });
    await assert.rejects(restore(config, file, { force: true }), { code: 'refused', message: /pg_restore/ });
  });
});
