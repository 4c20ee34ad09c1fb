// Damaged pages in a real file: whoever meets them first, nothing is written from then on, one line of the log says what
// to do, and what is whole can still be read.
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, suite, type TestContext, test } from 'node:test';
import { botIn, sqliteUnderLoad } from '../../../test/conformance/engine.ts';
import { damagePages } from '../../../test/damaged-pages.ts';
import { addTenant, callerOf, metricsToken, startServer, type Tenant } from '../../../test/harness.ts';
import { until } from '../../../test/process/waiting.ts';
import { sampleContext, sampleFields } from '../../../test/sample.ts';
import { DatabaseDamagedError } from '../store.ts';
import { openSqliteStore, type SqliteSettings } from './sqlite-store.ts';

const advice = /The database is damaged\. Nothing was changed\. .*"roster doctor" and restore a backup\.$/;

let prepared: { folder: string; tenant: Tenant; oldestId: string; newestId: string };

/** A closed file, which all tests copy: to fill one takes longer than what they do with it. */
before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-damage-'));
  const store = await openSqliteStore({
    folder,
    ...sqliteUnderLoad,
    readers: 1,
    indexThreshold: 100,
    onFatal: assert.fail,
  });
  const tenant = await addTenant(store);
  const items = Array.from({ length: 1000 }, () => sampleFields({ name: 'Jane '.repeat(20) }));
  const outcome = await store.upsertContacts(tenant.bot.id, items, sampleContext());
  assert.ok(outcome.kind === 'upserted');
  await until('all rows to be indexed', async () => (await store.gauges()['store_unindexed_rows']?.()) === 0);
  await store.close();
  prepared = { folder, tenant, oldestId: outcome.ids[0] as string, newestId: outcome.ids.at(-1) as string };
});
after(() => rm(prepared.folder, { recursive: true }));

interface CopyOptions extends Partial<SqliteSettings> {
  /** Changes the file before it is opened. */
  change?(path: string): unknown;
}

async function openCopy(t: TestContext, { change, ...settings }: CopyOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-damage-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'roster.db');
  await copyFile(join(prepared.folder, 'roster.db'), path);
  await change?.(path);
  const seen = { damage: [] as Error[], fatal: [] as Error[], checks: [] as (Error | undefined)[] };
  const store = await openSqliteStore({
    folder,
    ...sqliteUnderLoad,
    readers: 1,
    indexThreshold: 100,
    onFatal: (error) => seen.fatal.push(error),
    watch: {
      onDamage: (error) => seen.damage.push(error),
      onChecked: (_, error) => seen.checks.push(error),
    },
    ...settings,
  });
  t.after(() => store.close());
  return { folder, path, store, seen, bot: botIn(store, prepared.tenant.bot.id) };
}

type Opened = Awaited<ReturnType<typeof openCopy>>;

const isDamageError = (error: unknown) => error instanceof DatabaseDamagedError;

/** All that is promised of a damaged store. */
async function assertRefusesWrites({ store, seen, bot }: Opened): Promise<void> {
  await assert.rejects(bot.create(), isDamageError);
  await assert.rejects(store.revokeSecret(prepared.tenant.secretId, sampleContext()), isDamageError);
  await assert.rejects(store.ping(), isDamageError);
  assert.equal((await bot.store.findContact(bot.botId, prepared.newestId))?.id, prepared.newestId);
  assert.equal(store.gauges()['store_damaged']?.(), 1);
  assert.equal(seen.damage.length, 1, 'it is reported once');
  assert.match(seen.damage[0]?.message ?? '', /\w/);
  assert.deepEqual(seen.fatal, [], 'the process goes on');
}

suite('a damaged page', () => {
  const meetings: Record<string, (opened: Opened) => Promise<unknown>> = {
    'a read by key': async ({ bot }) => bot.store.findContact(bot.botId, prepared.oldestId),
    'a read of a reader thread': ({ bot }) => bot.exportAll(),
    'a write': ({ bot }) =>
      bot.store.updateContact(bot.botId, prepared.oldestId, { phone: '+15550100' }, sampleContext()),
  };
  for (const [what, meet] of Object.entries(meetings)) {
    test(`that ${what} meets ends all writes, and reads of what is whole go on`, async (t) => {
      const opened = await openCopy(t);
      await opened.bot.create();
      assert.equal(opened.store.gauges()['store_damaged']?.(), 0);
      await damagePages(opened.path);
      await assert.rejects(meet(opened), isDamageError);
      await assertRefusesWrites(opened);
    });
  }

  test('that the maintenance of the search index meets ends all writes', async (t) => {
    const opened = await openCopy(t);
    await damagePages(opened.path, 'search_index_data', 1000);
    // The write is refused if the maintenance after the start has met the damage first.
    await Promise.allSettled([opened.bot.create({ name: 'Jane Last' })]);
    await until('the damage to be met', () => opened.seen.damage.length > 0);
    await assertRefusesWrites(opened);
  });

  test('that was met refuses the writes that are pending, too', async (t) => {
    const opened = await openCopy(t);
    await damagePages(opened.path);
    const change = { phone: '+15550100' };
    const writes = Array.from({ length: 3000 }, () => opened.bot.create());
    writes.push(
      ...[1, 2].map(
        () => opened.bot.store.updateContact(opened.bot.botId, prepared.oldestId, change, sampleContext()) as never,
      ),
    );
    const outcomes = await Promise.allSettled(writes);
    for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(isDamageError(outcome.reason));
    assert.equal(outcomes.at(-1)?.status, 'rejected');
    const stored = outcomes.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(await opened.store.countContacts(opened.bot.botId), 1000 + stored);
    await assertRefusesWrites(opened);
  });

  test('over HTTP is a 503 that says what to do, and readiness and metrics tell', async (t) => {
    const opened = await openCopy(t);
    const { url, clock } = await startServer(t, { wrapStore: () => opened.store });
    const call = callerOf(url, prepared.tenant);
    assert.deepEqual((await call('GET', '/readyz')).json, { status: 'ready' });
    await damagePages(opened.path);
    const write = () => call('PUT', 'contacts', { body: { name: 'Joe', email: 'joe@example.com' } });
    const replies = [await call('GET', `contacts/${prepared.oldestId}`), await write()];
    // An answer about readiness is reused for a second.
    clock.nowMs += 1000;
    for (const { status, json, headers } of [...replies, await call('GET', '/readyz')]) {
      assert.deepEqual([status, json.code], [503, 'unavailable']);
      assert.match(json.detail, advice);
      assert.equal(headers.get('retry-after'), '3600');
    }
    assert.equal((await call('GET', `contacts/${prepared.newestId}`)).status, 200);
    assert.equal((await call('GET', '/healthz')).status, 200);
    const metrics = await call('GET', '/metrics', { token: metricsToken });
    assert.match(metrics.text, /^roster_store_damaged 1$/m);
  });
});

suite('a file that is too large for a check at the start', () => {
  test('is checked beside the service, and damage that nobody has met ends all writes', async (t) => {
    const opened = await openCopy(t, { change: damagePages, checkedWholeBytes: 0 });
    await until('the damage to be found', () => opened.seen.damage.length > 0);
    await assertRefusesWrites(opened);
  });

  test('is written to meanwhile, and found intact', async (t) => {
    const { seen, bot } = await openCopy(t, { checkedWholeBytes: 0 });
    await bot.create();
    await until('the check to be done', () => seen.checks.length > 0);
    await bot.create();
    assert.deepEqual([seen.checks, seen.damage], [[undefined], []]);
  });

  test('is let go by its check before the store is closed', async (t) => {
    // Enough rows for the check to be still in progress.
    const change = (path: string) => {
      using db = new DatabaseSync(path);
      db.exec(`CREATE TABLE padding (n INTEGER);
        WITH RECURSIVE rows (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM rows LIMIT 1000000) INSERT INTO padding SELECT n FROM rows`);
    };
    const threads = () => process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
    const before = threads();
    const { folder, store } = await openCopy(t, { change, checkedWholeBytes: 0 });
    assert.ok(threads() > before);
    await store.close();
    assert.ok(threads() <= before);
    // The last connection to close removes the log.
    assert.deepEqual((await readdir(folder)).toSorted(), ['roster.db', 'roster.lock']);
  });
});

suite('a backup of a damaged database', () => {
  const refusal = {
    name: 'BackupError',
    message:
      /^No backup was created: the database is damaged \([^\n]+\)\. Run "roster doctor", and restore an earlier backup with "roster restore"\.$/,
  };

  test('fails, leaves no file, and ends all writes when the damage is found in the database', async (t) => {
    const opened = await openCopy(t);
    await damagePages(opened.path);
    const backup = opened.store.backup as NonNullable<typeof opened.store.backup>;
    const before = await readdir(opened.folder);
    await assert.rejects(backup(join(opened.folder, 'backup.db')), refusal);
    assert.deepEqual(await readdir(opened.folder), before);
    await until('the damage to be found', () => opened.seen.damage.length > 0);
    await assertRefusesWrites(opened);
    await assert.rejects(backup(join(opened.folder, 'backup.db')), refusal);
  });

  test('says so when not even its schema can be read', async (t) => {
    const opened = await openCopy(t);
    await damagePages(opened.path, 'sqlite_schema', 100);
    const backup = opened.store.backup as NonNullable<typeof opened.store.backup>;
    await assert.rejects(backup(join(opened.folder, 'backup.db')), refusal);
    await until('the damage to be found', () => opened.seen.damage.length > 0);
    await assertRefusesWrites(opened);
  });

  test('fails for an index that does not match its table, as a restore does', async (t) => {
    const copy = await openCopy(t);
    const { folder, path, store, seen } = copy;
    const db = new DatabaseSync(path, { timeout: 60_000 });
    db.enableDefensive(false);
    db.exec(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX contacts_by_update ON contacts (bot, created_us)' WHERE name = 'contacts_by_update'`);
    db.close();
    const backup = store.backup as NonNullable<typeof store.backup>;
    await assert.rejects(backup(join(folder, 'backup.db')), refusal);
    await until('the damage to be found in the file itself', () => seen.damage.length > 0);
    await assertRefusesWrites(copy);
  });
});

test('a backup that is broken off while it is checked leaves nothing behind', async (t) => {
  const { folder, store } = await openCopy(t);
  const backup = store.backup as NonNullable<typeof store.backup>;
  const before = await readdir(folder);
  const interruption = new AbortController();
  const made = backup(join(folder, 'backup.db'), {
    signal: interruption.signal,
    onChecking: () => setImmediate(() => interruption.abort()),
  });
  await assert.rejects(made, { name: 'BackupError', message: /was canceled/ });
  assert.deepEqual(await readdir(folder), before);
});
