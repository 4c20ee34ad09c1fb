// The queues of the reader threads, and what is left to them.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { botIn, sqliteUnderLoad } from '../../../test/conformance/engine.ts';
import { addTenant } from '../../../test/harness.ts';
import type { Caller } from '../store.ts';
import { prepareDatabase } from './database.ts';
import { ReaderThreads } from './reader-threads.ts';
import { defaultSettings } from './settings.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { startThread } from './threads.ts';

test('while long reads are held, none begins, and quick ones are answered', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-readers-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'roster.db');
  prepareDatabase(path);
  const threads = await Promise.all(
    [1, 2].map(() => startThread('reader', { ...defaultSettings, ...sqliteUnderLoad, path })),
  );
  const readers = new ReaderThreads(
    threads.map(({ worker }) => worker),
    {
      onAnswer() {},
      noteError: (error) => error,
      onFatal(error) {
        throw error;
      },
    },
    sqliteUnderLoad.searchQueueTimeoutMs,
  );
  t.after(() => readers.close());
  const read = (isLong: boolean) => readers.read('listOrganizations', [], { organizationId: '' }, { isLong });
  readers.holdLong(true);
  let isAnswered = false;
  const long = read(true).then((organizations) => {
    isAnswered = true;
    return organizations;
  });
  for (let quick = 0; quick < 20; quick++) assert.deepEqual(await read(false), []);
  assert.equal(isAnswered, false);
  readers.holdLong(false);
  assert.deepEqual(await long, []);
});

suite('what reads many rows takes no time of the main thread:', () => {
  /** With one reader thread, so that answers come in the order in which the reads were begun. */
  async function open(t: TestContext) {
    const folder = await mkdtemp(join(tmpdir(), 'roster-readers-'));
    t.after(() => rm(folder, { recursive: true }));
    const store = await openSqliteStore({
      ...{ folder, readers: 1, ...sqliteUnderLoad },
      onFatal(error) {
        throw error;
      },
    });
    t.after(() => store.close());
    const gauge = (name: string) => store.gauges()[`store_${name}`]?.();
    return { store, gauge };
  }

  test('contacts and pages of events, for which organizations take turns', async (t) => {
    const { store, gauge } = await open(t);
    const { bot } = await addTenant(store);
    const { id } = await botIn(store, bot.id).create();
    const reads = [
      (caller: Caller) => store.findContactsWithValues(bot.id, [id], caller),
      (caller: Caller) => store.readEvents(bot.id, { limit: 100 }, caller),
    ];
    for (const read of reads) {
      const answered: string[] = [];
      const ask = async (organizationId: string) => {
        await read({ organizationId });
        answered.push(organizationId);
      };
      const flooding = Array.from({ length: 400 }, () => ask('org_theirs'));
      const asked = ask('org_mine');
      assert.deepEqual([gauge('running_searches'), gauge('pending_searches')], [1, 400]);
      await asked;
      assert.ok(answered.length < 60, `answered as number ${answered.length}`);
      await Promise.all(flooding);
    }
  });

  test('the rows that a metric counts', async (t) => {
    const { gauge } = await open(t);
    const counted = gauge('unindexed_rows');
    assert.equal(gauge('running_searches'), 1);
    assert.equal(await counted, 0);
  });
});
