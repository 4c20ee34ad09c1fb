// What the search of the guide finds, over the docs as they are.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import MiniSearch from 'minisearch';
import { readPages } from '../build/pages.ts';
import { indexSections } from '../build/search-index.ts';
import { findSections } from '../src/find-sections.ts';
import { indexOptions } from '../src/search-options.ts';

const pages = readPages();
const index = MiniSearch.loadJSON(indexSections(pages), indexOptions);

suite('a search', () => {
  for (const { label, path } of pages) {
    test(`for "${label}" finds that page first`, () => assert.equal(findSections(index, label)[0]?.path, path));
  }

  const words = new Set(pages.flatMap(({ label }) => label.toLowerCase().match(/\w{4,}/g) ?? []));
  for (const word of words) {
    test(`for "${word}" finds pages of that title, then headings with it, then what only mentions it`, () => {
      const ranks = findSections(index, word).map(({ heading, path }) => {
        const isNamed = new RegExp(`\\b${word}`, 'i').test(heading);
        return isNamed ? Number(path.includes('#')) : 2;
      });
      assert.deepEqual(ranks, ranks.toSorted());
      assert.equal(ranks[0], 0);
    });
  }
});
