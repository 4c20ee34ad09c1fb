// The benchmark's words match the shares of all contacts that their names promise.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { searchTextOf } from '../packages/server/src/contacts/search-text.ts';
import {
  broadWord,
  broadWords,
  changedContact,
  rareWordOf,
  type SampleContact,
  sampleContact,
  words,
} from './sample-contacts.ts';

const textOf = ({ name, email, phone, mid = '', wid = '' }: SampleContact) =>
  searchTextOf({ name, email, phone, mid, wid });
const texts = Array.from({ length: 50_000 }, (_, n) => textOf(sampleContact(n)));
const shareOf = (word: string) => texts.filter((text) => text.includes(word)).length / texts.length;

suite('the sample contacts', () => {
  test('are distinct, and the same in every run', () => {
    assert.equal(new Set(texts.map((text) => text.split('\n')[1])).size, texts.length);
    assert.deepEqual(sampleContact(7), sampleContact(7));
    assert.notEqual(changedContact(7, 1).phone, changedContact(7, 2).phone);
    assert.equal(changedContact(7, 1).email, sampleContact(7).email);
  });

  test('40% match the broad word, and the same contacts match each of its variants', () => {
    for (const word of [broadWord, ...broadWords]) {
      assert.ok(Math.abs(shareOf(word) - 0.4) < 0.01, `${word}: ${shareOf(word)}`);
      assert.equal(shareOf(word), shareOf(broadWord));
    }
    assert.equal(new Set(broadWords).size, broadWords.length);
  });

  test('4 in a thousand match a narrow word, and exactly one matches a rare word', () => {
    for (const word of [...words.thousands, ...words.three]) {
      assert.ok(shareOf(word) > 0.003 && shareOf(word) < 0.006, `${word}: ${shareOf(word)}`);
    }
    for (const n of [0, 12, 49_999]) assert.equal(shareOf(rareWordOf(n)), 1 / texts.length);
  });

  test('none match the words without hits, and some match every other short word', () => {
    for (const word of [...words.oneWithoutHits, ...words.twoWithoutHits]) assert.equal(shareOf(word), 0, word);
    for (const word of [...words.one, ...words.two]) assert.ok(shareOf(word) > 0, word);
    const ofLength = (count: number, list: readonly string[]) =>
      list.every((word) => Array.from(word).length === count);
    assert.ok(
      ofLength(1, [...words.one, ...words.oneWithoutHits]) && ofLength(2, [...words.two, ...words.twoWithoutHits]),
    );
    assert.ok(ofLength(3, words.three));
  });
});
