// What makes searches of large bots fast: that it is used, exact, and bounded.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sampleBot, sampleContext, sampleFields, sampleOrganization } from '../../../../test/sample.ts';
import type { Sort } from '../../../contacts/filters.ts';
import { parseQuery } from '../../../contacts/search-text.ts';
import { openForReading, openForWriting, prepareDatabase } from '../database.ts';
import { type BotState, selectBotState } from '../tenants/bot-states.ts';
import { prepareWrites } from '../writes.ts';
import { prepareMaintenance } from './maintenance.ts';
import { hasIndex, pageByIndex } from './order.ts';
import { type AskedSearch, type FoundPage, prepareSearch } from './run-search.ts';

/** The engine's parts without its threads, so that a test decides what happens when. */
async function openParts(t: TestContext, { quickEffortMax = 0 } = {}) {
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
  const { writes, beforeWrite, beforeCommit } = prepareWrites(db, { indexThreshold: 5 });
  const maintenance = prepareMaintenance(db);
  const { search } = prepareSearch(reading, { checkedRowsMax: -1, quickEffortMax });
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
    writes,
    botId,
    fill: (names: readonly string[]) => commit(() => names.forEach(create)),
    afterCommit: maintenance.afterCommit,
    index: () => {
      while (maintenance.stepInQuiet());
    },
    isQuick: (query: string, more: Partial<AskedSearch> = {}) =>
      search(botId, { words: parseQuery(query), offset: 0, limit: 10, ...more }, { mayTakeLong: false }) !== undefined,
    ask(query: string, more: Partial<AskedSearch> = {}): FoundPage {
      const wanted = { words: parseQuery(query), offset: 0, limit: 10, ...more };
      const found = search(botId, wanted, { mayTakeLong: true });
      assert.ok(found, 'it takes long');
      return found;
    },
  };
}

test('a short word takes long in a bot that is listed quickly', async (t) => {
  const { fill, index, isQuick } = await openParts(t, { quickEffortMax: 1000 });
  const quick = () => ['', 'zw', 'zwxyz'].map((query) => isQuick(query));
  fill(names('Zw', 200));
  index();
  assert.deepEqual(quick(), [true, true, true]);
  fill(['Zw']);
  assert.deepEqual(quick(), [true, false, true]);
});

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

test('what a bulk upsert leaves to index is done in slices, between which other writes go first', async (t) => {
  const { db, fill, afterCommit } = await openParts(t);
  const pending = db.prepare('SELECT count(*) AS count FROM search_pending');
  const countPending = () => (pending.get() as { count: number }).count;
  fill(names('Jane Doe', 1000));
  const seen: number[] = [];
  afterCommit(1000, () => {
    seen.push(countPending());
    return true;
  });
  seen.push(countPending());
  assert.deepEqual([seen[0], seen.at(-1)], [1000, 0]);
  for (const [at, count] of seen.entries()) assert.ok((seen[at - 1] ?? 1000) - count <= 200, `${seen}`);
});

const names = (name: string, count: number) => Array.from({ length: count }, () => name);

test('a total that is known is not counted again, unless writes or the page itself say what it is', async (t) => {
  const { fill, ask, index } = await openParts(t);
  fill(names('Jane Broad', 20));
  index();
  for (const query of ['broad', 'ad', 'jane broad']) {
    for (const sort of [undefined, { field: 'name', isDescending: false } as const]) {
      const { rows, total } = ask(query, { sort });
      assert.deepEqual([rows.length, total], [10, 20]);
      assert.deepEqual(ask(query, { sort, known: { total: 4711 } }), {
        rows,
        total: 4711,
        tookMs: 0,
        version: undefined,
      });
    }
    assert.equal(ask(query, { offset: 15, known: { total: 4711 } }).total, 20);
  }
  assert.equal(ask('', { known: { total: 4711 } }).total, 20);
});

test('a total of a version is that of all pages until the next event, and past its end nothing is looked for', async (t) => {
  const { fill, ask, index } = await openParts(t);
  fill(names('Jane Broad', 20));
  index();
  const { version } = ask('broad');
  assert.ok(version !== undefined);
  // Not the real ones: what is answered was not counted.
  assert.equal(ask('broad', { known: { total: 4711, version } }).total, 4711);
  assert.deepEqual(ask('broad', { offset: 10, known: { total: 10, version } }).rows, []);
  fill(['Jane Broad']);
  const later = ask('broad', { known: { total: 4711, version } });
  assert.equal(later.total, 21);
  assert.notEqual(later.version, version);
});

test('few hits are not quick to find because their number is known', async (t) => {
  const { fill, index, isQuick, ask } = await openParts(t, { quickEffortMax: 1000 });
  fill(['Rare xq', ...names('Zw', 400)]);
  index();
  const { version } = ask('zw');
  for (const total of [1, 5]) assert.equal(isQuick('xq', { limit: 1, known: { total, version } }), false);
  assert.ok(isQuick('xq', { offset: 10, known: { total: 1, version } }));
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
