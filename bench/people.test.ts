// The words of the benchmark find the shares of all contacts that their names promise.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { searchTextOf } from '../packages/server/src/contacts/search-text.ts';
import { broadWord, broadWords, type Person, person, personMoved, rareWordOf, words } from './people.ts';

const textOf = ({ name, email, phone, mid = '', wid = '' }: Person) => searchTextOf({ name, email, phone, mid, wid });
const texts = Array.from({ length: 50_000 }, (_, n) => textOf(person(n)));
const shareOf = (word: string) => texts.filter((text) => text.includes(word)).length / texts.length;

suite('the people of the benchmark', () => {
  test('are different ones, and the same at every run', () => {
    assert.equal(new Set(texts.map((text) => text.split('\n')[1])).size, texts.length);
    assert.deepEqual(person(7), person(7));
    assert.notEqual(personMoved(7, 1).phone, personMoved(7, 2).phone);
    assert.equal(personMoved(7, 1).email, person(7).email);
  });

  test('a broad word is held by 40% of them, and each of its kin by the same ones', () => {
    for (const word of [broadWord, ...broadWords]) {
      assert.ok(Math.abs(shareOf(word) - 0.4) < 0.01, `${word}: ${shareOf(word)}`);
      assert.equal(shareOf(word), shareOf(broadWord));
    }
    assert.equal(new Set(broadWords).size, broadWords.length);
  });

  test('a narrow word is held by 4 of a thousand, and a rare one by one of all', () => {
    for (const word of [...words.thousands, ...words.three]) {
      assert.ok(shareOf(word) > 0.003 && shareOf(word) < 0.006, `${word}: ${shareOf(word)}`);
    }
    for (const n of [0, 12, 49_999]) assert.equal(shareOf(rareWordOf(n)), 1 / texts.length);
  });

  test('words without hits have none, and the short ones with hits have some', () => {
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
