// Which totals are kept and shared, and what a page makes of one that is older than itself.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type CountedPage, type RunSearch, SearchTotals } from './search-totals.ts';

const range = { offset: 0, limit: 2 };
const full = [1, 2];

/** Runs of one search, each of which was asked with the total that is noted. */
function world(page: Partial<CountedPage<number>> = {}) {
  const clock = { nowMs: 0 };
  const totals = new SearchTotals(() => clock.nowMs);
  const asked: (number | undefined)[] = [];
  const run: RunSearch<number> = async (knownTotal) => {
    asked.push(knownTotal);
    return { rows: full, total: knownTotal ?? 20_000, tookMs: knownTotal === undefined ? 30 : 0, ...page };
  };
  return { clock, totals, asked, run };
}

suite('a total', () => {
  test('of many contacts that was slow to count is kept for ten seconds from the beginning of the count', async () => {
    const { clock, totals, asked, run } = world();
    const slow: RunSearch<number> = async (knownTotal) => {
      clock.nowMs = 400;
      return run(knownTotal);
    };
    await totals.find('bot jane', range, slow);
    clock.nowMs = 9999;
    assert.equal((await totals.find('bot jane', range, run)).total, 20_000);
    clock.nowMs = 10_000;
    await totals.find('bot jane', range, run);
    assert.deepEqual(asked, [undefined, 20_000, undefined]);
  });

  test('is counted anew where few match, where it was quick, and for another search', async () => {
    for (const page of [{ total: 10_000 }, { tookMs: 20 }]) {
      const { totals, asked, run } = world(page);
      await totals.find('bot jane', range, run);
      await totals.find('bot jane', range, run);
      assert.deepEqual(asked, [undefined, undefined]);
    }
    const { totals, asked, run } = world();
    await totals.find('bot jane', range, run);
    await totals.find('bot john', range, run);
    assert.deepEqual(asked, [undefined, undefined]);
  });

  test('that somebody wants to be of now is counted, and kept for the others', async () => {
    const { totals, asked, run } = world();
    await totals.find('bot jane', range, run);
    await totals.count('bot jane', run);
    await totals.find('bot jane', range, run);
    assert.deepEqual(asked, [undefined, undefined, 20_000]);
  });

  test('that turns out to be exact by now replaces the one that is kept', async () => {
    const { totals, asked, run } = world();
    await totals.find('bot jane', range, run);
    await totals.count('bot jane', async () => ({ rows: full, total: 2, tookMs: 0 }));
    await totals.find('bot jane', range, run);
    assert.deepEqual(asked, [undefined, undefined]);
  });
});

suite('searches that ask for the same at once', () => {
  test('share a slow count of many contacts', async () => {
    const { totals, asked, run } = world();
    const held = Promise.withResolvers<void>();
    const first = totals.find('bot jane', range, async (knownTotal) => {
      await held.promise;
      return run(knownTotal);
    });
    const others = Array.from({ length: 3 }, () => totals.find('bot jane', range, run));
    held.resolve();
    for (const { total } of await Promise.all([first, ...others])) assert.equal(total, 20_000);
    assert.deepEqual(asked, [undefined, 20_000, 20_000, 20_000]);
  });

  test('count each for itself where the total must be that of the page, or the first of them fails', async () => {
    const { totals, asked, run } = world({ total: 5 });
    await Promise.all([totals.find('bot jane', range, run), totals.find('bot jane', range, run)]);
    assert.deepEqual(asked, [undefined, undefined]);
    const failing = totals.find('bot john', range, async () => {
      throw new Error('the caller has left');
    });
    const other = totals.find('bot john', range, run);
    await assert.rejects(failing, /the caller has left/);
    assert.equal((await other).total, 5);
  });
});

suite('beside a total that is kept, a page', () => {
  for (const [what, offset, rows, expected] of [
    ['that is full is never behind it', 30_000, full, 30_002],
    ['that is full leaves a higher one', 0, full, 20_000],
    ['that is not full is the end', 40, [1], 41],
    ['that is empty is past the end', 300, [], 300],
    ['that is empty and far past the end leaves it', 50_000, [], 20_000],
    ['that is empty and the first says that there is none', 0, [], 0],
  ] as const) {
    test(what, async () => {
      const { totals, run } = world();
      await totals.find('bot jane', range, run);
      const page = await totals.find('bot jane', { offset, limit: 2 }, async () => ({
        rows: [...rows],
        total: 20_000,
        tookMs: 0,
      }));
      assert.equal(page.total, expected);
    });
  }
});
