// Slow searches at once: which of them count, and which wait for a count. The test decides when each read is answered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseQuery } from '../../../contacts/search-text.ts';
import { type ReadOptions, takesLong } from '../reader-threads.ts';
import type { FoundPage } from './run-search.ts';
import { prepareSearches } from './searches.ts';

const caller = { organizationId: 'org_1' };

/** Quick reads take long until a count is cached. Slow ones are answered when the test says so. */
function start() {
  const slow: { finish(): void; fail(): void }[] = [];
  let quickReads = 0;
  let isCached = false;
  const page: FoundPage = { rows: [], total: 7, tookMs: 0 };
  const read = (_request: unknown, _caller: unknown, { mayTakeLong }: ReadOptions = {}): Promise<unknown> => {
    if (!mayTakeLong) {
      quickReads++;
      return Promise.resolve(isCached ? page : takesLong);
    }
    const { promise, resolve, reject } = Promise.withResolvers<FoundPage>();
    const counted = { words: [], total: 7, changeNumber: 1 };
    slow.push({
      finish: () => resolve({ ...page, tookMs: 1000, counted }),
      fail: () => reject(new Error('lost')),
    });
    return promise;
  };
  const search = prepareSearches({ read }, async () => {
    isCached = true;
  });
  const ask = (query: string, offset = 0) => search('bot_1', { words: parseQuery(query), offset, limit: 10 }, caller);
  return { ask, slow, quickReads: () => quickReads };
}

test('of slow searches for the same words one counts, and the others use its count', async () => {
  const { ask, slow, quickReads } = start();
  const asked = [ask('broad'), ask('broad'), ask('BROAD', 10)];
  await nextTurn();
  assert.equal(slow.length, 1);
  slow[0]?.finish();
  const pages = await Promise.all(asked);
  assert.deepEqual(
    pages.map(({ total }) => total),
    [7, 7, 7],
  );
  assert.deepEqual([slow.length, quickReads()], [1, 5]);
});

test('slow searches for other words do not wait for each other', async () => {
  const { ask, slow } = start();
  const asked = [ask('broad'), ask('other')];
  await nextTurn();
  assert.equal(slow.length, 2);
  for (const { finish } of slow) finish();
  await Promise.all(asked);
});

test('a search whose count failed does not fail those that waited for it', async () => {
  const { ask, slow } = start();
  const [first, second] = [ask('broad'), ask('broad')];
  const failed = assert.rejects(first, /lost/);
  await nextTurn();
  slow[0]?.fail();
  await failed;
  await nextTurn();
  assert.equal(slow.length, 2);
  slow[1]?.finish();
  assert.equal((await second).total, 7);
});
