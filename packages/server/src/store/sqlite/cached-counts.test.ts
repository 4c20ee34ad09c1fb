// What is kept to make searches of large bots fast: that it is used, exact, and bounded.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { sampleBot, sampleFields, sampleNowMs, sampleOrganization } from '../../../test/sample.ts';
import { parseQuery } from '../../contacts/search-text.ts';
import type { CountedSearch } from './cached-counts.ts';
import { openForReading, openForWriting, prepareDatabase } from './database.ts';
import { prepareIndexMaintenance } from './index-maintenance.ts';
import { type FoundPage, prepareSearch } from './search.ts';
import { prepareWrites } from './writes.ts';

/** The engine's parts without its threads, so that a test decides what happens when. */
async function openParts(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-kept-'));
  const path = join(folder, 'roster.db');
  prepareDatabase(path);
  const db = openForWriting(path);
  const reading = openForReading(path);
  t.after(async () => {
    db.close();
    reading.close();
    await rm(folder, { recursive: true });
  });
  const { writes, saveBots, rollBack } = prepareWrites(db, { indexThreshold: 5 });
  const upkeep = prepareIndexMaintenance(db, { listedContactsMax: 2 });
  const { search } = prepareSearch(reading, { checkedRowsMax: -1, keptFromMs: -1, quickEffortMax: 0, markEvery: 2 });
  const commit = (...work: (() => void)[]) => {
    db.exec('BEGIN IMMEDIATE');
    for (const step of work) step();
    saveBots();
    db.exec('COMMIT');
  };
  const organization = sampleOrganization();
  const { id: botId, ...settings } = sampleBot(organization.id);
  commit(() => {
    writes.createOrganization(organization);
    writes.createBot({ id: botId, ...settings });
  });
  const create = (name: string) => {
    const made = writes.createContact(botId, sampleFields({ name }), sampleNowMs);
    assert.ok(made.kind === 'created');
    return made.row[0];
  };
  return {
    db,
    commit,
    create,
    writes,
    botId,
    saveBots,
    rollBack,
    fill: (names: readonly string[]) => commit(() => names.forEach(create)),
    index: () => void upkeep.indexSlice(),
    ask(query: string, offset = 0, limit = 10): FoundPage {
      const found = search(botId, { words: parseQuery(query), offset, limit }, { mayTakeLong: true });
      assert.ok(found, 'it takes long');
      return found;
    },
    keep: (counted: CountedSearch | undefined) => {
      assert.ok(counted, 'nothing was found worth keeping');
      commit(() => writes.keepTotal(botId, counted));
    },
  };
}

function keptRows(db: DatabaseSync) {
  return db.prepare('SELECT words, first_contact, contact_count FROM kept_totals ORDER BY 1, 2').all() as {
    words: string;
    first_contact: number;
    contact_count: number;
  }[];
}

const names = (name: string, count: number) => Array.from({ length: count }, () => name);

test('a kept total is read, and not counted again', async (t) => {
  const { db, fill, ask, keep } = await openParts(t);
  fill(names('Jane Broad', 20));
  const { counted, total } = ask('broad');
  assert.equal(total, 20);
  keep(counted);
  assert.equal(ask('broad').counted, undefined);
  // Nothing but a look at it tells whether it is used: so it is made wrong on purpose.
  db.exec('UPDATE kept_totals SET contact_count = 4711');
  assert.equal(ask('broad').total, 4711);
  assert.equal(ask('BROAD').total, 4711);
  assert.equal(ask('jane broad').total, 20);
});

test('a total is kept as of now, whatever was written since it was counted', async (t) => {
  const { fill, ask, keep, commit, create, writes, botId } = await openParts(t);
  fill([...names('Broad', 8), ...names('Other', 8)]);
  const ids = ask('', 0, 100).rows.map(([id]) => id);
  const first = ask('broad');
  const second = ask('other', 5, 2);
  commit(
    () => create('Broad'),
    () => create('Broad Other'),
    () => writes.deleteContact(botId, ids.at(-1) as string),
    () => writes.updateContact(botId, ids.at(-2) as string, { name: 'Other' }, sampleNowMs),
    () => writes.updateContact(botId, ids[0] as string, { name: 'Broad' }, sampleNowMs),
  );
  keep(first.counted);
  keep(second.counted);
  assert.deepEqual([ask('broad').total, ask('broad').counted], [9, undefined]);
  assert.deepEqual([ask('other').total, ask('other').counted], [9, undefined]);
  commit(
    () => create('Other Broad'),
    () => writes.deleteContact(botId, ids[0] as string),
  );
  assert.equal(ask('broad').total, 9);
  assert.equal(ask('other').total, 10);
});

test('a total of a moment that the writer does not remember is not kept', async (t) => {
  const { db, fill, ask, keep } = await openParts(t);
  fill(names('Broad', 8));
  const { counted } = ask('broad');
  for (let round = 0; round < 17; round++) fill(names('Broad', 1000));
  keep(counted);
  assert.deepEqual(keptRows(db), []);
  assert.equal(ask('broad').total, 17_008);
});

test('a transaction that is rolled back leaves the totals as they were', async (t) => {
  const { db, fill, ask, keep, create, saveBots, rollBack } = await openParts(t);
  fill(names('Broad', 8));
  keep(ask('broad').counted);
  const other = ask('jane');
  db.exec('BEGIN IMMEDIATE');
  create('Broad');
  saveBots();
  rollBack();
  assert.equal(ask('broad').total, 8);
  fill(['Broad Jane', 'Other']);
  keep(other.counted);
  assert.equal(ask('broad').total, 9);
  assert.equal(ask('jane').total, 1);
});

test('a deep page begins at a mark, which later writes do not move', async (t) => {
  const { db, fill, ask, keep, commit, create } = await openParts(t);
  fill(names('Broad', 30));
  const { rows, counted } = ask('broad', 20, 3);
  keep(counted);
  assert.deepEqual(
    keptRows(db).map((row) => row.contact_count),
    [10, 20],
  );
  assert.deepEqual(ask('broad', 20, 3).rows, rows);
  commit(() => create('Broad'));
  assert.deepEqual(ask('broad', 21, 3).rows, rows);
  assert.deepEqual(ask('broad', 18, 6).rows.slice(3), rows);
});

test('a bot keeps a bounded number of totals, the latest ones', async (t) => {
  const { db, fill, ask, keep } = await openParts(t);
  fill(Array.from({ length: 50 }, (_, index) => `Word${index}x Broad`));
  for (let index = 0; index < 50; index++) keep(ask(`word${index}x`).counted);
  const kept = new Set(keptRows(db).map(({ words }) => words));
  assert.equal(kept.size, 32);
  assert.ok(kept.has('[["word49x"]]') && !kept.has('[["word0x"]]'));
});

test('a deleted bot keeps no totals', async (t) => {
  const { db, fill, ask, keep, commit, writes, botId } = await openParts(t);
  fill(names('Broad', 8));
  const { counted } = ask('broad');
  keep(counted);
  commit(() => writes.deleteBot(botId, sampleNowMs));
  assert.deepEqual(keptRows(db), []);
  keep(counted);
  assert.deepEqual(keptRows(db), []);
});

test('the total of a short word comes from the counts of pieces, corrected by what is not indexed yet', async (t) => {
  const { db, fill, ask, commit, writes, botId, index } = await openParts(t);
  fill([...names('Zw', 6), ...names('Other', 6)]);
  assert.equal(ask('zw').total, 6);
  index();
  assert.equal(ask('zw').total, 6);
  const [[id] = ['']] = ask('zw').rows;
  commit(() => writes.updateContact(botId, id, { name: 'Other' }, sampleNowMs));
  fill(['Zw', 'Zw', 'Other']);
  assert.equal(ask('zw').total, 7);
  db.exec("UPDATE piece_counts SET contact_count = contact_count + 100 WHERE piece = 'zw'");
  assert.equal(ask('zw').total, 107);
});

test("rows that wait while an earlier version's pieces are counted are counted once", async (t) => {
  const { db, fill, ask, commit, writes, botId, index } = await openParts(t);
  fill([...names('Zw', 6), ...names('Other', 6)]);
  index();
  db.exec('DELETE FROM piece_counts; DELETE FROM piece_contacts; UPDATE bots SET counted_through = 0');
  const [[id] = ['']] = ask('zw').rows;
  commit(() => writes.updateContact(botId, id, { name: 'Zw again' }, sampleNowMs));
  fill(['Zw new']);
  const upkeep = prepareIndexMaintenance(db);
  while (upkeep.countSlice()) assert.equal(ask('zw').total, 7);
  assert.equal(ask('zw').total, 7);
  while (upkeep.indexSlice()) assert.equal(ask('zw').total, 7);
});
