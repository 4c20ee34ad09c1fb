// A store keeps totals that are slow to count, and nothing else of a search. Here every count is slow.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addBot, sqliteUnderLoad } from '../../../../test/conformance/engine.ts';
import { sampleCaller } from '../../../../test/sample.ts';
import { parseQuery } from '../../../contacts/search-text.ts';
import { SearchTotals } from '../../contacts/search-totals.ts';
import { openSqliteStore } from '../sqlite-store.ts';

test('a total may be old for ten seconds, unless it is asked for afresh; the page beside it is of now', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-totals-'));
  const clock = { nowMs: 0 };
  const totals = new SearchTotals(() => clock.nowMs, { exactMax: 0, quickMs: -1 });
  const onFatal = (error: Error) => {
    throw error;
  };
  const store = await openSqliteStore({ folder, totals, readers: 1, ...sqliteUnderLoad, onFatal });
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const { botId, create } = await addBot({ store });
  const search = async (isFresh = false) => {
    const wanted = { words: parseQuery('ja'), offset: 0, limit: 1, isFresh };
    const { contacts, total } = await store.searchContacts(botId, wanted, sampleCaller);
    return [total, contacts[0]?.name];
  };

  for (const name of ['Jane 1', 'Jane 2']) await create({ name });
  assert.deepEqual(await search(), [2, 'Jane 2']);
  await create({ name: 'Jane 3' });
  assert.deepEqual(await search(), [2, 'Jane 3']);
  assert.deepEqual(await search(true), [3, 'Jane 3']);
  await create({ name: 'Jane 4' });
  assert.deepEqual(await search(), [3, 'Jane 4']);
  clock.nowMs = 10_000;
  assert.deepEqual(await search(), [4, 'Jane 4']);
});
