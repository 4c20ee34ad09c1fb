import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseQuery } from '../../../contacts/search-text.ts';
import { choosePlan } from './choose-plan.ts';
import { shortNgramsOf, tokensOf } from './tokens.ts';

suite('short n-grams', () => {
  test('they are of one or two characters, with at least one beyond ASCII', () => {
    assert.deepEqual(new Set(shortNgramsOf('李小龍')), new Set(['李', '李小', '小', '小龍', '龍']));
    assert.deepEqual(new Set(shortNgramsOf('a李b')), new Set(['a李', '李', '李b']));
    assert.deepEqual(new Set(shortNgramsOf('𠮷👍')), new Set(['𠮷', '𠮷👍', '👍']));
    assert.deepEqual(shortNgramsOf('jane'), []);
  });

  test('a word that is one is asked of the index, and a word of ASCII is not', () => {
    const sample = { contactCount: 1e6, shareOf: () => 0, matchShareOf: () => 1, filterShareOf: () => 0 };
    const ask = (text: string) => {
      const search = { words: parseQuery(text), offset: 0, limit: 10 };
      return choosePlan({ botId: 'bot_1', search, sample, isSharded: false, broadFrom: 2000 });
    };
    for (const text of ['李', '李娜', 'ж', '𠮷野', 'a李']) {
      const { statement, values, isBroad } = ask(text);
      assert.match(typeof statement === 'string' ? statement : statement.text, /search_tokens @>/, text);
      assert.deepEqual(values.at(-1), tokensOf('bot_1', [text]));
      assert.equal(isBroad, false);
    }
    const { statement, isBroad } = ask('zo');
    assert.doesNotMatch(typeof statement === 'string' ? statement : statement.text, /search_tokens/);
    assert.equal(isBroad, true);
  });
});
