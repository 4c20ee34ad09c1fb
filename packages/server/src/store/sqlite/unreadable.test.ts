// Reads that meet a busy or failing SQLite, for real: the store is unavailable, on the main thread and on the reader
// threads alike, and over HTTP it is a 503.
import assert from 'node:assert/strict';
import { mkdtemp, open, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { botIn } from '../../../test/conformance/engine.ts';
import { addTenant, callerOf, metricsToken, startServer } from '../../../test/harness.ts';
import { sampleContext, sampleFields } from '../../../test/sample.ts';
import { StoreUnavailableError } from '../store.ts';
import { openSqliteStore } from './sqlite-store.ts';

/** A store with contacts that no connection but the writing one has read. */
async function openFilled(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-unreadable-'));
  t.after(() => rm(folder, { recursive: true }));
  // The files are broken on purpose, so the writer may find that it must not go on.
  const store = await openSqliteStore({ folder, onFatal: () => {} });
  t.after(() => store.close());
  const tenant = await addTenant(store);
  const botId = tenant.bot.id;
  const outcome = await store.upsertContacts(
    botId,
    Array.from({ length: 500 }, () => sampleFields()),
    sampleContext(),
  );
  assert.ok(outcome.kind === 'upserted');
  const [contactId = ''] = outcome.ids;
  return { folder, store, tenant, botId, contactId };
}

type Filled = Awaited<ReturnType<typeof openFilled>>;

/**
 * Another program holds the lock while the shared index of the log is to be rebuilt, as after a crash: a reader waits for
 * it, for some ten seconds, and then SQLite gives up.
 */
async function lockOut(t: TestContext, folder: string): Promise<{ release(): void }> {
  const other = new DatabaseSync(join(folder, 'roster.db'), { timeout: 60_000 });
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const index = await open(join(folder, 'roster.db-shm'), 'r+');
  await index.write(Buffer.alloc(96), 0, 96, 0);
  await index.close();
  return { release: () => other.exec('ROLLBACK') };
}

async function serve(t: TestContext, { store, tenant }: Filled) {
  const { url } = await startServer(t, { wrapStore: () => store });
  return callerOf(url, tenant);
}

test('reads of a database that another program has locked are answered with 503, and work again afterwards', async (t) => {
  const filled = await openFilled(t);
  const { folder, contactId } = filled;
  const call = await serve(t, filled);
  assert.equal((await call('GET', `contacts/${contactId}`)).status, 200);
  const { release } = await lockOut(t, folder);
  // The first waits on a reader thread, the second on the main thread meanwhile.
  const replies = await Promise.all([call('POST', 'contacts?query=person'), call('GET', `contacts/${contactId}`)]);
  for (const { status, headers, text } of replies) {
    assert.equal(status, 503, text);
    assert.ok(headers.get('retry-after'));
  }
  release();
  assert.equal((await call('GET', `contacts/${contactId}`)).status, 200);
  assert.equal((await call('POST', 'contacts?query=person')).json.pagination.total, 500);
});

test('reads that meet an error of the disk are unavailable, and answered with 503', async (t) => {
  const filled = await openFilled(t);
  const { folder, store, tenant, botId, contactId } = filled;
  const call = await serve(t, filled);
  // What was committed last is in the log alone, which SQLite finds cut off.
  await truncate(join(folder, 'roster.db-wal'), 0);
  const { search, exportAll } = botIn(store, botId);
  const reads = {
    'by key': async () => store.findContact(botId, contactId),
    'by email': () => store.findContactByEmail(botId, 'missing@example.com'),
    search: () => search('person'),
    export: exportAll,
    list: () => store.listBots(tenant.organizationId),
  };
  for (const [name, read] of Object.entries(reads)) {
    const error = await read().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof StoreUnavailableError, name);
    assert.doesNotMatch(error.message, /SQLite|[0-9]/, `${name}: the driver's words are for the log`);
    assert.ok(error.cause instanceof Error, `${name}: the log has something to say`);
  }
  assert.equal((await call('GET', `contacts/${contactId}`)).status, 503);
  const metrics = await call('GET', '/metrics', { token: metricsToken });
  assert.equal(metrics.status, 200, 'metrics are needed most then');
  assert.match(metrics.text, /^roster_store_unindexed_rows NaN$/im);
  assert.match(metrics.text, /^roster_http_request_duration_seconds_count\{.*status="503"\} [1-9]/m);
});
