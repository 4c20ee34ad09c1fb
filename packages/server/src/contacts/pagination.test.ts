// The pagination object: every rule of the contract, by example and as a property.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paginationSchema } from '@roster/contract';
import fc from 'fast-check';
import { paginate } from './pagination.ts';

const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

/** Rows that a page holds, given an exact total. */
const rowsOf = (page: number, limit: number, total: number) => Math.max(0, Math.min(limit, total - (page - 1) * limit));

const paginateExactly = (page: number, limit: number, total: number) =>
  paginate({ page, limit }, total, rowsOf(page, limit, total));

test('with total 0 there are no pages, whatever the page', () => {
  for (const page of [1, 2, 7, 100]) {
    const { totalPages, startPage, endPage, pages, startIndex, endIndex } = paginateExactly(page, 10, 0);
    assert.deepEqual({ totalPages, startPage, endPage, pages }, { totalPages: 0, startPage: 1, endPage: 0, pages: [] });
    assert.deepEqual([startIndex, endIndex], [(page - 1) * 10, (page - 1) * 10 - 1]);
  }
});

const windows: [what: string, page: number, totalPages: number, from: number, to: number][] = [
  ['one page', 1, 1, 1, 1],
  ['all when there are ten', 7, 10, 1, 10],
  ['all when there are ten, on the last', 10, 10, 1, 10],
  ['all when there are ten, past the end', 99, 10, 1, 10],
  ['1–10 on the first', 1, 11, 1, 10],
  ['1–10 up to page 6', 6, 11, 1, 10],
  ['1–10 up to page 6 of many', 6, 1000, 1, 10],
  ['the last ten from page 7 of 11', 7, 11, 2, 11],
  ['five before and four after', 7, 1000, 2, 11],
  ['five before and four after, far in', 500, 1000, 495, 504],
  ['just before the last ten', 995, 1000, 990, 999],
  ['the last ten when page + 4 is the last', 996, 1000, 991, 1000],
  ['the last ten on the last', 1000, 1000, 991, 1000],
  ['the last ten past the end', 5000, 1000, 991, 1000],
];
for (const [what, page, totalPages, from, to] of windows) {
  test(`the window is ${from} to ${to} on page ${page} of ${totalPages}: ${what}`, () => {
    for (const limit of [1, 10]) {
      const { startPage, endPage, pages } = paginateExactly(page, limit, totalPages * limit);
      assert.deepEqual({ startPage, endPage, pages }, { startPage: from, endPage: to, pages: range(from, to) });
    }
  });
}

test('totalPages rounds up, and the last page ends where its rows end', () => {
  const { totalPages, startIndex, endIndex } = paginateExactly(3, 10, 25);
  assert.deepEqual({ totalPages, startIndex, endIndex }, { totalPages: 3, startIndex: 20, endIndex: 24 });
  assert.equal(paginateExactly(1, 10, 20).totalPages, 2);
  assert.equal(paginateExactly(1, 10, 21).totalPages, 3);
});

const asked = fc.record({
  page: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 2 ** 46 })),
  limit: fc.integer({ min: 1, max: 100 }),
  total: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 10_000_000 })),
});

test('every pagination has the nine members of the contract and repeats what was asked', () => {
  fc.assert(
    fc.property(asked, ({ page, limit, total }) => {
      const pagination = paginationSchema.parse(paginateExactly(page, limit, total));
      assert.deepEqual([pagination.page, pagination.limit, pagination.total], [page, limit, total]);
      assert.equal(Object.keys(pagination).length, 9);
    }),
  );
});

test('totalPages is the least number of pages that hold the total', () => {
  fc.assert(
    fc.property(asked, ({ page, limit, total }) => {
      const { totalPages } = paginateExactly(page, limit, total);
      assert.ok(totalPages * limit >= total && (totalPages - 1) * limit < Math.max(total, 1));
    }),
  );
});

test('the window is consecutive, as wide as it can be up to ten, and holds the page when the page exists', () => {
  fc.assert(
    fc.property(asked, ({ page, limit, total }) => {
      const { pages, startPage, endPage, totalPages } = paginateExactly(page, limit, total);
      assert.deepEqual(pages, range(startPage, endPage));
      assert.equal(pages.length, Math.min(10, totalPages));
      assert.ok(startPage >= 1 && endPage <= totalPages);
      assert.equal(pages.includes(page), page <= totalPages);
    }),
  );
});

test('the window follows the rules of the contract', () => {
  fc.assert(
    fc.property(asked, ({ page, limit, total }) => {
      const { startPage, endPage, totalPages } = paginateExactly(page, limit, total);
      const expected =
        totalPages <= 10
          ? [1, totalPages]
          : page <= 6
            ? [1, 10]
            : page + 4 >= totalPages
              ? [totalPages - 9, totalPages]
              : [page - 5, page + 4];
      assert.deepEqual([startPage, endPage], expected);
    }),
  );
});

test('startIndex counts from 0, and endIndex is that of the last row', () => {
  fc.assert(
    fc.property(asked, ({ page, limit, total }) => {
      const { startIndex, endIndex } = paginateExactly(page, limit, total);
      assert.equal(startIndex, (page - 1) * limit);
      assert.equal(endIndex, startIndex + rowsOf(page, limit, total) - 1);
    }),
  );
});
