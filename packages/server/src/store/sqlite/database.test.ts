// The SQLite file: opened durably, by one process, only when it is ours and whole, and otherwise left as it is.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { dumpSchema, schemaPath } from '../../../../../scripts/dump-schema.ts';
import { botIn } from '../../../test/conformance/engine.ts';
import { addTenant } from '../../../test/harness.ts';
import {
  sampleContext,
  sampleCounted,
  sampleFields,
  sampleHash,
  sampleInvitation,
  sampleJoining,
  sampleSession,
} from '../../../test/sample.ts';
import { type Store, StoreOpenError, StoreUnavailableError } from '../store.ts';
import { claimDataFolder, openForWriting } from './database.ts';
import { applicationId, migrations } from './inspection.ts';
import { openSqliteStore } from './sqlite-store.ts';

const pageBytes = 4096;
/** For a connection beside that of an open store, which also writes on its own, to keep its index. */
const lockTimeoutMs = 60_000;

suite('the SQLite file', () => {
  test('is written with a log that is synced before a write is answered', async (t) => {
    const { folder } = await openFolder(t);
    // Of a connection as the writer thread opens it, not of another one with settings of its own.
    using db = openForWriting(join(folder, 'roster.db'));
    assert.deepEqual(
      ['journal_mode', 'synchronous'].map((name) => db.prepare(`PRAGMA ${name}`).get()?.[name]),
      ['wal', 2],
    );
  });

  test('is refused to a second opener, and free again after closing', async (t) => {
    const { store, folder } = await openFolder(t);
    await assert.rejects(open(folder), isOpenError(/^Another process is using the data folder .*ROSTER_DATA_DIR/));
    await store.ping();
    await store.close();
    await (await open(folder)).close();
  });

  test('is waited for, on request, until the process that has it is done', async (t) => {
    const folder = await makeFolder(t);
    // A thread of its own, because waiting keeps this one from doing anything else.
    const holder = `
      const { parentPort } = require('node:worker_threads');
      import(${JSON.stringify(new URL('./database.ts', import.meta.url).href)}).then(({ claimDataFolder }) => {
        const { release } = claimDataFolder(${JSON.stringify(folder)});
        parentPort.once('message', () => setTimeout(release, 200));
        parentPort.postMessage('held');
      });`;
    const worker = new Worker(holder, { eval: true });
    await once(worker, 'message');
    assert.throws(() => claimDataFolder(folder), isOpenError(/^Another process is using/));
    worker.postMessage('release');
    claimDataFolder(folder, 300_000).release();
  });

  test('that another program holds refuses writes for a while, and the store lives on', async (t) => {
    const { store, folder } = await openFolder(t);
    const bot = botIn(store, (await addTenant(store)).bot.id);
    const other = new DatabaseSync(join(folder, 'roster.db'), { timeout: lockTimeoutMs });
    t.after(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await assert.rejects(bot.create(), StoreUnavailableError);
    assert.equal((await bot.exportAll()).length, 0);
    other.exec('ROLLBACK');
    await bot.create();
    assert.equal((await bot.exportAll()).length, 1);
  });

  test('that is empty is treated as new', async (t) => {
    const folder = await makeFolder(t);
    await writeFile(join(folder, 'roster.db'), '');
    const store = await open(folder);
    const bot = botIn(store, (await addTenant(store)).bot.id);
    await bot.create();
    await store.close();
    const again = await open(folder);
    assert.equal((await botIn(again, bot.botId).exportAll()).length, 1);
    await again.close();
  });

  test('of the first schema is brought up to date with what it holds, and with all that refers to its members', async (t) => {
    const folder = await makeFolder(t);
    const db = new DatabaseSync(join(folder, 'roster.db'));
    db.exec(migrations()[0]?.sql as string);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1; PRAGMA journal_mode = WAL;
      INSERT INTO organizations VALUES ('org', 'First', 1), ('other', 'Other', 2);
      INSERT INTO members VALUES ('mem', 'org', 'Dana', 'Dana@example.com', 'dana@example.com', 'owner', 'hash', 3, 4);
      INSERT INTO members VALUES ('new', 'org', 'Eric', 'eric@example.com', 'eric@example.com', 'member', 'x', 5, NULL);
      INSERT INTO sessions VALUES (x'01', 'mem', 6, 7, 8);
      INSERT INTO one_time_links VALUES (x'02', 'passwordReset', NULL, 'org', 'mem', NULL, NULL, NULL, NULL, 9, 10);
      INSERT INTO one_time_links
        VALUES (x'03', 'invitation', 'inv', 'org', 'mem', 'f@g.h', 'f@g.h', 'member', 'Dana', 11, 12)`);
    db.close();
    const store = await open(folder);
    t.after(() => store.close());
    const dana = { id: 'mem', organizationId: 'org', name: 'Dana', email: 'Dana@example.com', role: 'owner' as const };
    const times = { createdAtMs: 3, lastSignInAtMs: 4 };
    assert.deepEqual((await store.listMembers('org')).length, 2);
    assert.deepEqual(await store.findMembersByEmail('dana@example.com'), [
      { ...dana, ...times, passwordHash: 'hash', organizationName: 'First' },
    ]);
    assert.deepEqual((await store.findSession(Uint8Array.of(1)))?.member, { ...dana, ...times });
    assert.equal((await store.findLink(Uint8Array.of(2), 9))?.member?.id, 'mem');
    assert.equal((await store.findLink(Uint8Array.of(3), 9))?.email, 'f@g.h');
    // A new membership of the email, and what refers to the old one still goes with it.
    const invitation = sampleInvitation('other', { email: 'dana@example.com', role: 'owner' });
    const hash = sampleHash();
    assert.equal(await store.createInvitation(invitation, hash, undefined, sampleContext()), true);
    assert.equal(
      (await store.acceptInvitation(hash, sampleJoining(), sampleSession(), sampleContext())).kind,
      'joined',
    );
    assert.equal((await store.changeRole('org', 'new', { role: 'owner' }, sampleContext())).kind, 'done');
    assert.equal(
      (await store.removeMember('org', 'mem', { revokeSecretsAtMs: undefined }, sampleContext())).kind,
      'done',
    );
    assert.equal(await store.findSession(Uint8Array.of(1)), undefined);
    assert.equal(await store.findLink(Uint8Array.of(3), 9), undefined);
    assert.equal((await store.findMembersByEmail('dana@example.com')).length, 1);
    assert.deepEqual(await store.reserveAttempt([sampleCounted('x')], sampleContext()), { kind: 'counted' });
  });

  test('of an earlier version loses what was deleted from it', async (t) => {
    const folder = await makeFolder(t);
    const path = join(folder, 'roster.db');
    const db = new DatabaseSync(path);
    // As an earlier version left it, and one page after the other free.
    for (const { sql } of migrations().slice(0, 12)) db.exec(sql);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 12; PRAGMA journal_mode = WAL;
      CREATE TABLE deleted (text TEXT);
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
      INSERT INTO deleted SELECT 'jane.doe@example.com ' || n FROM numbers;
      DELETE FROM deleted WHERE rowid % 7 > 0; DROP TABLE deleted`);
    db.close();
    const holdsEmail = async () => (await readFile(path)).includes('jane.doe@example.com');
    assert.equal(await holdsEmail(), true);
    await (await open(folder)).close();
    assert.equal(await holdsEmail(), false);
  });

  test('has the schema of schema.sql', async () => {
    const wanted = await readFile(schemaPath, 'utf8');
    assert.equal(dumpSchema(), wanted, 'run: node scripts/dump-schema.ts');
  });
});

suite('a file that cannot be opened is named, and left as it is:', () => {
  const cases: { what: string; spoil: (path: string) => Promise<void>; reason: RegExp }[] = [
    {
      what: 'a text file',
      spoil: (path) => writeFile(path, 'Dear diary,\n'.repeat(1000)),
      reason: /is not a Roster database\. The file was not changed\./,
    },
    {
      what: 'a file of one byte',
      spoil: (path) => writeFile(path, 'S'),
      reason: /is not a Roster database/,
    },
    {
      what: "another program's SQLite file",
      async spoil(path) {
        await rm(path);
        const db = new DatabaseSync(path);
        db.exec('CREATE TABLE diary (entry TEXT); INSERT INTO diary VALUES (1); PRAGMA user_version = 1');
        db.close();
      },
      reason: /is not a Roster database/,
    },
    {
      what: 'a newer schema',
      async spoil(path) {
        const db = new DatabaseSync(path);
        db.exec('PRAGMA user_version = 4711; CREATE TABLE from_the_future (id TEXT)');
        db.close();
      },
      reason: /newer version of Roster \(schema version 4711; this version supports up to \d+\)\. Run that version/,
    },
    {
      what: 'a truncated file',
      spoil: async (path) => truncate(path, (await stat(path)).size - pageBytes),
      reason: /is damaged: it is truncated\. The file was not changed\. Restore a backup/,
    },
    {
      what: 'a file cut off within its header',
      spoil: (path) => truncate(path, 80),
      reason: /is damaged: it is truncated/,
    },
    {
      what: 'garbage in the middle',
      spoil: (path) => overwriteMiddle(path),
      reason: /damaged|malformed/,
    },
    {
      what: 'garbage where the schema is',
      spoil: (path) => overwrite(path, 100, pageBytes - 100),
      reason: /damaged|malformed/,
    },
  ];
  for (const { what, spoil, reason } of cases) {
    test(what, async (t) => {
      const folder = await closedFolder(t);
      const path = join(folder, 'roster.db');
      await spoil(path);
      await assertLeftAlone(folder, path, reason);
    });
  }

  test('garbage in the middle, and a log of a crash beside it', async (t) => {
    const { folder, path } = await crashedFolder(t);
    await overwriteMiddle(path);
    await assertLeftAlone(folder, path, /damaged|malformed/);
  });

  test('a newer schema, and a log of a crash beside it', async (t) => {
    const { folder, path } = await crashedFolder(t, (running) => {
      const db = new DatabaseSync(running, { timeout: lockTimeoutMs });
      db.exec('PRAGMA user_version = 4711');
      db.close();
    });
    await assertLeftAlone(folder, path, /newer version of Roster \(schema version 4711/);
  });

  test('a folder where the file should be', async (t) => {
    const folder = await makeFolder(t);
    await mkdir(join(folder, 'roster.db'));
    await assert.rejects(open(folder), isOpenError(/roster\.db/));
  });
});

/** Opens it twice, because the first refusal must neither change anything nor keep the folder locked. */
async function assertLeftAlone(folder: string, path: string, reason: RegExp): Promise<void> {
  const before = await contentsOf(folder);
  for (const _attempt of [1, 2]) {
    await assert.rejects(open(folder), isOpenError(reason, path));
    const after = await contentsOf(folder);
    for (const [name, bytes] of before) assert.ok(after.get(name)?.equals(bytes), `${name} was changed or removed`);
  }
}

/** All files but the lock and the index of the log (-shm), which SQLite rebuilds from the log. */
async function contentsOf(folder: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).filter((name) => name !== 'roster.lock' && !name.endsWith('-shm'));
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}

function isOpenError(reason: RegExp, path = '') {
  return (error: unknown) => {
    assert.ok(error instanceof StoreOpenError, `not a StoreOpenError: ${error}`);
    assert.match(error.message, reason);
    assert.ok(error.message.includes(path), error.message);
    assert.doesNotMatch(error.message, /\n/, 'one line');
    return true;
  };
}

/** Of a database that was closed in order, with enough contacts to fill its middle. */
async function makeClosedFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-database-'));
  const store = await open(folder);
  await addContacts(store);
  await store.close();
  const bytes = await readFile(join(folder, 'roster.db'));
  await rm(folder, { recursive: true });
  return bytes;
}

let closedFile: Promise<Buffer> | undefined;

/** A folder with such a file. It is made once: to open a store takes longer than what most tests do with the file. */
async function closedFolder(t: TestContext): Promise<string> {
  const folder = await makeFolder(t);
  closedFile ??= makeClosedFile();
  await writeFile(join(folder, 'roster.db'), await closedFile);
  return folder;
}

/** The files as a crash leaves them: copied while the database was open, its log not yet folded in. */
async function crashedFolder(t: TestContext, change?: (path: string) => void) {
  const origin = await closedFolder(t);
  const store = await open(origin);
  t.after(() => store.close());
  await addContacts(store);
  change?.(join(origin, 'roster.db'));
  const folder = await makeFolder(t);
  const path = join(folder, 'roster.db');
  for (const suffix of ['', '-wal']) await copyFile(join(origin, `roster.db${suffix}`), path + suffix);
  assert.ok((await stat(`${path}-wal`)).size > 0);
  return { folder, path };
}

async function addContacts(store: Store): Promise<void> {
  const { bot } = await addTenant(store);
  await store.upsertContacts(
    bot.id,
    Array.from({ length: 500 }, () => sampleFields()),
    sampleContext(),
  );
}

async function overwriteMiddle(path: string): Promise<void> {
  const pages = (await stat(path)).size / pageBytes;
  await overwrite(path, Math.floor(pages / 2) * pageBytes, 4 * pageBytes);
}

async function overwrite(path: string, offset: number, length: number): Promise<void> {
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill('garbage!', offset, offset + length));
}

async function openFolder(t: TestContext): Promise<{ store: Store; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-database-'));
  const store = await open(folder);
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return { store, folder };
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-database-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

function open(folder: string): Promise<Store> {
  return openSqliteStore({
    folder,
    readers: 1,
    onFatal(error) {
      throw error;
    },
  });
}
