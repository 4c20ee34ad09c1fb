// What makes searches of large bots fast: that it is used, exact, and bounded.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { sampleBot, sampleContext, sampleFields, sampleOrganization } from '../../../../test/sample.ts';
import type { Sort } from '../../../contacts/filters.ts';
import { parseQuery } from '../../../contacts/search-text.ts';
import { type BotState, selectBotState } from '../bot-states.ts';
import { openForReading, openForWriting, prepareDatabase } from '../database.ts';
import { defaultSettings } from '../settings.ts';
import { prepareWrites } from '../writes.ts';
import type { CountedSearch } from './cached-counts.ts';
import { prepareMaintenance } from './maintenance.ts';
import { hasIndex, pageByIndex } from './order.ts';
import { type FoundPage, prepareSearch } from './run-search.ts';

/** The engine's parts without its threads, so that a test decides what happens when. */
async function openParts(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-search-'));
  const path = join(folder, 'roster.db');
  prepareDatabase(path);
  const db = openForWriting(path);
  const reading = openForReading(path);
  t.after(async () => {
    db.close();
    reading.close();
    await rm(folder, { recursive: true });
  });
  const { writes, beforeWrite, beforeCommit, rollBack } = prepareWrites(db, { indexThreshold: 5 });
  const maintenance = prepareMaintenance(db, { ...defaultSettings, listedContactsMax: 2 });
  const { search } = prepareSearch(reading, { checkedRowsMax: -1, cachedFromMs: -1, quickEffortMax: 0 });
  const commit = (...work: (() => void)[]) => {
    beforeWrite(sampleContext());
    db.exec('BEGIN IMMEDIATE');
    for (const step of work) step();
    beforeCommit();
    db.exec('COMMIT');
  };
  const organization = sampleOrganization();
  const { id: botId, ...settings } = sampleBot(organization.id);
  commit(() => {
    writes.createOrganization(organization);
    writes.createBot({ id: botId, ...settings }, undefined);
  });
  const create = (name: string) => {
    const made = writes.createContact(botId, sampleFields({ name }), sampleContext());
    assert.ok(made.kind === 'created');
    return made.row[0];
  };
  return {
    db,
    commit,
    create,
    writes,
    botId,
    beforeCommit,
    rollBack,
    fill: (names: readonly string[]) => commit(() => names.forEach(create)),
    afterCommit: maintenance.afterCommit,
    index: () => {
      while (maintenance.stepInQuiet());
    },
    ask(query: string, offset = 0, limit = 10): FoundPage {
      const found = search(botId, { words: parseQuery(query), offset, limit }, { mayTakeLong: true });
      assert.ok(found, 'it takes long');
      return found;
    },
    cache: (counted: CountedSearch | undefined) => {
      assert.ok(counted, 'nothing was counted');
      commit(() => writes.cacheCount(botId, counted));
    },
  };
}

function cachedWords(db: DatabaseSync): string[] {
  const rows = db.prepare('SELECT words FROM cached_counts').all() as { words: string }[];
  return rows.map(({ words }) => words);
}

test('writes that never pause leave few segments, and FTS5 merges none by itself', async (t) => {
  const { db, fill, afterCommit } = await openParts(t);
  const segments = db.prepare('SELECT count(DISTINCT segid) AS count FROM search_index_idx');
  const config = db.prepare("SELECT v FROM search_index_config WHERE k = 'automerge'");
  assert.equal((config.get() as { v: number }).v, 0);
  let most = 0;
  for (let commit = 0; commit < 200; commit++) {
    fill(names(`Jane Doe ${commit} ${'abcdefghijklmnopqrstuvwxyz'.slice(commit % 20)}`, 50));
    afterCommit(50);
    most = Math.max(most, (segments.get() as { count: number }).count);
  }
  const { count } = db.prepare('SELECT count(*) AS count FROM search_pending').get() as { count: number };
  assert.ok(count < 1000, `${count} rows are pending`);
  // Fifty times 200 rows were indexed.
  assert.ok(most > 1 && most < 25, `there were ${most} segments`);
});

const names = (name: string, count: number) => Array.from({ length: count }, () => name);

test('a cached count is read, and not counted again', async (t) => {
  const { db, fill, ask, cache } = await openParts(t);
  fill(names('Jane Broad', 20));
  const { counted, total } = ask('broad');
  assert.equal(total, 20);
  cache(counted);
  assert.equal(ask('broad').counted, undefined);
  // Only a wrong count shows that it is used.
  db.exec('UPDATE cached_counts SET contact_count = 4711');
  assert.equal(ask('broad').total, 4711);
  assert.equal(ask('BROAD').total, 4711);
  assert.equal(ask('jane broad').total, 20);
});

test('a count is cached as of now, whatever was written since it was counted', async (t) => {
  const { fill, ask, cache, commit, create, writes, botId } = await openParts(t);
  fill([...names('Broad', 8), ...names('Other', 8)]);
  const ids = ask('', 0, 100).rows.map(([id]) => id);
  const first = ask('broad');
  const second = ask('other', 5, 2);
  commit(
    () => create('Broad'),
    () => create('Broad Other'),
    () => writes.deleteContact(botId, ids.at(-1) as string),
    () => writes.updateContact(botId, ids.at(-2) as string, { name: 'Other' }, sampleContext()),
    () => writes.updateContact(botId, ids[0] as string, { name: 'Broad' }, sampleContext()),
  );
  cache(first.counted);
  cache(second.counted);
  assert.deepEqual([ask('broad').total, ask('broad').counted], [9, undefined]);
  assert.deepEqual([ask('other').total, ask('other').counted], [9, undefined]);
  commit(
    () => create('Other Broad'),
    () => writes.deleteContact(botId, ids[0] as string),
  );
  assert.equal(ask('broad').total, 9);
  assert.equal(ask('other').total, 10);
});

test('a count of a moment that the writer does not remember is not cached', async (t) => {
  const { db, fill, ask, cache } = await openParts(t);
  fill(names('Broad', 8));
  const { counted } = ask('broad');
  for (let round = 0; round < 17; round++) fill(names('Broad', 1000));
  cache(counted);
  assert.deepEqual(cachedWords(db), []);
  assert.equal(ask('broad').total, 17_008);
});

test('a transaction that is rolled back leaves the cached counts as they were', async (t) => {
  const { db, fill, ask, cache, create, beforeCommit, rollBack } = await openParts(t);
  fill(names('Broad', 8));
  cache(ask('broad').counted);
  const other = ask('jane');
  db.exec('BEGIN IMMEDIATE');
  create('Broad');
  beforeCommit();
  rollBack();
  assert.equal(ask('broad').total, 8);
  fill(['Broad Jane', 'Other']);
  cache(other.counted);
  assert.equal(ask('broad').total, 9);
  assert.equal(ask('jane').total, 1);
});

test('a deleted bot has no cached counts', async (t) => {
  const { db, fill, ask, cache, commit, writes, botId } = await openParts(t);
  fill(names('Broad', 8));
  const { counted } = ask('broad');
  cache(counted);
  commit(() => writes.deleteBot(botId, sampleContext()));
  assert.deepEqual(cachedWords(db), []);
  cache(counted);
  assert.deepEqual(cachedWords(db), []);
});

test('the total of a short word comes from the counts of n-grams, corrected by what is not indexed yet', async (t) => {
  const { db, fill, ask, commit, writes, botId, index } = await openParts(t);
  fill([...names('Zw', 6), ...names('Other', 6)]);
  assert.equal(ask('zw').total, 6);
  index();
  assert.equal(ask('zw').total, 6);
  const [[id] = ['']] = ask('zw').rows;
  commit(() => writes.updateContact(botId, id, { name: 'Other' }, sampleContext()));
  fill(['Zw', 'Zw', 'Other']);
  assert.equal(ask('zw').total, 7);
  db.exec("UPDATE ngram_counts SET contact_count = contact_count + 100 WHERE ngram = 'zw'");
  assert.equal(ask('zw').total, 107);
});

test('a list in an order is read from the index of that order, without sorting', async (t) => {
  const { db, fill, botId } = await openParts(t);
  fill(['Cleo', 'Ann', 'Bert']);
  const bot = db.prepare(selectBotState).get(botId) as unknown as BotState;
  for (const field of ['name', 'email', 'updatedAt'] as const) {
    for (const isDescending of [false, true]) {
      const sort: Sort = { field, isDescending };
      assert.ok(hasIndex(sort));
      const { sql, values } = pageByIndex(bot, { words: [] }, sort, { offset: 0, limit: 2 });
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
      const details = steps.map(({ detail }) => detail);
      // Only the page itself is sorted, after it was found.
      const finding = details.slice(0, details.indexOf('SCAN hit')).join();
      assert.match(finding, /USING COVERING INDEX contacts_by_/);
      assert.doesNotMatch(finding, /TEMP B-TREE/, `${field} ${isDescending}`);
    }
  }
});

test('a bot has a bounded number of cached counts: one that saves much outlasts many that save little, and is evicted in the end', async (t) => {
  const { db, fill, ask, cache } = await openParts(t);
  fill(names('Jane Broad', 20));
  const cacheFor = (query: string, tookMs: number) => {
    const { counted } = ask(query);
    assert.ok(counted, query);
    cache({ ...counted, tookMs });
  };
  cacheFor('broad', 100);
  const cheap = Array.from({ length: 600 }, (_, n) => `jane${String.fromCharCode(0xac00 + n)}`);
  for (const query of cheap.slice(0, 200)) cacheFor(query, 6);
  assert.ok(cachedWords(db).includes('[["broad"]]'));
  assert.equal(cachedWords(db).length, 32);
  for (const query of cheap.slice(200)) cacheFor(query, 6);
  assert.ok(!cachedWords(db).includes('[["broad"]]'));
});
