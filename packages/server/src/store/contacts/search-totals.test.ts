// Which totals are kept and shared, and what a page makes of one that is older than itself.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseQuery } from '../../contacts/search-text.ts';
import type { Search } from '../store.ts';
import { type CountedPage, type RunSearch, SearchTotals } from './search-totals.ts';

const full = [1, 2];

function searchFor(query: string, more: Partial<Search> = {}): Search {
  return { words: parseQuery(query), offset: 0, limit: 2, ...more };
}

/** Runs of searches, each of which was asked with the total that is noted. */
function world(page: Partial<CountedPage<number>> = {}) {
  const clock = { nowMs: 0 };
  const totals = new SearchTotals(() => clock.nowMs);
  const asked: (number | undefined)[] = [];
  const run: RunSearch<number> = async (knownTotal) => {
    asked.push(knownTotal);
    return { rows: full, total: knownTotal ?? 20_000, tookMs: knownTotal === undefined ? 30 : 0, ...page };
  };
  const find = (query: string, more: Partial<Search> = {}, runOne = run) =>
    totals.find('bot', searchFor(query, more), runOne);
  return { clock, totals, asked, run, find };
}

suite('a total', () => {
  test('of many contacts that was slow to count is kept for ten seconds from the beginning of the count', async () => {
    const { clock, asked, run, find } = world();
    await find('jane', {}, async (knownTotal) => {
      clock.nowMs = 400;
      return run(knownTotal);
    });
    clock.nowMs = 9999;
    assert.equal((await find('jane', { offset: 2 })).total, 20_000);
    clock.nowMs = 10_000;
    await find('jane');
    assert.deepEqual(asked, [undefined, 20_000, undefined]);
  });

  test('is counted anew where few match, where it was quick, for another search and for another bot', async () => {
    for (const page of [{ total: 10_000 }, { tookMs: 20 }]) {
      const { asked, find } = world(page);
      await find('jane');
      await find('jane');
      assert.deepEqual(asked, [undefined, undefined]);
    }
    const { totals, asked, run, find } = world();
    await find('jane');
    await find('john');
    await find('jane', { filters: [{ kind: 'tag', keys: ['vip'] }] });
    await totals.find('another bot', searchFor('jane'), run);
    assert.deepEqual(asked, Array(4).fill(undefined));
  });

  test('that somebody wants to be of now is counted, and kept for the others', async () => {
    const { clock, asked, find } = world();
    await find('jane');
    clock.nowMs = 9000;
    await find('jane', { isFresh: true });
    clock.nowMs = 15_000;
    await find('jane');
    assert.deepEqual(asked, [undefined, undefined, 20_000]);
  });

  test('that turns out to be exact by now replaces the one that is kept', async () => {
    const { asked, find } = world();
    await find('jane');
    await find('jane', { isFresh: true }, async () => ({ rows: full, total: 2, tookMs: 0 }));
    await find('jane');
    assert.deepEqual(asked, [undefined, undefined]);
  });

  test('stays when a count that is to be of now fails', async () => {
    const { asked, find } = world();
    await find('jane');
    const fresh = find('jane', { isFresh: true }, async () => {
      throw new Error('the caller has left');
    });
    await assert.rejects(fresh, /the caller has left/);
    await find('jane');
    assert.deepEqual(asked, [undefined, 20_000]);
  });

  test('pushes out the oldest of its bot when that has 32, and none of another bot', async () => {
    const { totals, asked, run, find } = world();
    await totals.find('another bot', searchFor('jane'), run);
    for (let n = 0; n < 33; n++) await find(`jane${n}`);
    asked.length = 0;
    await totals.find('another bot', searchFor('jane'), run);
    await find('jane1');
    await find('jane0');
    assert.deepEqual(asked, [20_000, 20_000, undefined]);
  });

  test('is not kept while there is no room for it, which is there when others are too old', async () => {
    const { clock, totals, asked, run, find } = world();
    const ofOthers = Array.from({ length: 4096 }, (_, n) => totals.find(`bot ${n >> 5}`, searchFor(`jane${n}`), run));
    await Promise.all(ofOthers);
    asked.length = 0;
    await find('jane');
    await find('jane');
    clock.nowMs = 10_000;
    await find('jane');
    await find('jane');
    assert.deepEqual(asked, [undefined, undefined, undefined, 20_000]);
  });
});

suite('searches that ask for the same at once', () => {
  test('share a slow count of many contacts', async () => {
    const { asked, run, find } = world();
    const held = Promise.withResolvers<void>();
    const first = find('jane', {}, async (knownTotal) => {
      await held.promise;
      return run(knownTotal);
    });
    const others = Array.from({ length: 3 }, () => find('jane'));
    held.resolve();
    for (const { total } of await Promise.all([first, ...others])) assert.equal(total, 20_000);
    assert.deepEqual(asked, [undefined, 20_000, 20_000, 20_000]);
  });

  test('count each for itself where the total must be that of the page', async () => {
    const { asked, find } = world({ total: 5 });
    await Promise.all([find('jane'), find('jane')]);
    assert.deepEqual(asked, [undefined, undefined]);
  });

  test('count again, one of them for all, when the first fails', async () => {
    const { asked, find } = world();
    const failing = find('john', {}, async () => {
      throw new Error('the caller has left');
    });
    const others = Array.from({ length: 20 }, () => find('john'));
    await assert.rejects(failing, /the caller has left/);
    for (const { total } of await Promise.all(others)) assert.equal(total, 20_000);
    assert.equal(asked.filter((knownTotal) => knownTotal === undefined).length, 1);
  });

  test('do not wait for each other where all contacts are listed, whose count is known', async () => {
    const { find } = world();
    const held = Promise.withResolvers<CountedPage<number>>();
    const first = find('', {}, () => held.promise);
    assert.equal((await find('')).total, 20_000);
    held.resolve({ rows: [], total: 0, tookMs: 0 });
    await first;
  });
});

suite('beside a total that is kept, a page', () => {
  test('that was counted all the same has its own', async () => {
    const { find } = world();
    await find('jane');
    const page = await find('jane', {}, async () => ({ rows: full, total: 500, tookMs: 0 }));
    assert.equal(page.total, 500);
  });

  for (const [what, offset, rows, expected] of [
    ['that is full is never behind it', 30_000, full, 30_002],
    ['that is full leaves a higher one', 0, full, 20_000],
    ['that is not full is the end', 40, [1], 41],
    ['that is empty and past the end leaves it', 50_000, [], 20_000],
    ['that is empty is past the end', 300, [], 300],
    ['that is empty and the first says that there is none', 0, [], 0],
  ] as const) {
    test(what, async () => {
      const { find } = world();
      await find('jane');
      const page = await find('jane', { offset }, async () => ({ rows: [...rows], total: 20_000, tookMs: 0 }));
      assert.equal(page.total, expected);
    });
  }
});
