import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { botIn } from '../../../test/conformance/engine.ts';
import { createDatabase, query } from '../../../test/postgres/databases.ts';
import { sampleBot, sampleOrganization } from '../../../test/sample.ts';
import { parseQuery } from '../../contacts/search-text.ts';
import { openPostgresStore } from './postgres-store.ts';
import { pageStatement } from './search.ts';
import { shortPiecesOf, tokenizer, tokensOf } from './search-tokens.ts';

suite('short pieces', () => {
  test('they are of one or two characters, with at least one beyond ASCII', () => {
    assert.deepEqual(new Set(shortPiecesOf('李小龍')), new Set(['李', '李小', '小', '小龍', '龍']));
    assert.deepEqual(new Set(shortPiecesOf('a李b')), new Set(['a李', '李', '李b']));
    assert.deepEqual(new Set(shortPiecesOf('𠮷👍')), new Set(['𠮷', '𠮷👍', '👍']));
    assert.deepEqual(shortPiecesOf('jane'), []);
  });

  test('a word that is one is asked of the index, and a word of ASCII is not', () => {
    const sample = { contactCount: 1e6, shareOf: () => 0 };
    const ask = (text: string) =>
      pageStatement(
        'bot_1',
        { words: parseQuery(text), offset: 0, limit: 10 },
        { form: 'quick', sample, isSharded: false },
      );
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

  for (const kind of ['plain', 'partitioned'] as const) {
    test(`the migration adds them to contacts that are there already: ${kind} tables`, async (t) => {
      const { url, drop } = await createDatabase(kind);
      const store = await openPostgresStore({ url });
      t.after(() => store.close().then(drop));
      const organization = sampleOrganization();
      await store.createOrganization(organization);
      const names = ['李小龍', '李 娜', '𠮷野 a李b', '👍🏽👍', 'Жанна', 'Jane Doe', 'łódź'];
      const bots = [sampleBot(organization.id), sampleBot(organization.id)];
      for (const bot of bots) {
        await store.createBot(bot);
        for (const name of names) await botIn(store, bot.id).create({ name });
      }
      const read = () => query(url, 'SELECT bot_id, id, search_text, search_tokens FROM contacts ORDER BY bot_id, id');
      const wanted = await read();
      for (const { bot_id, id, search_text } of wanted) {
        const short = tokensOf(bot_id, search_text.split(/\s+/).flatMap(shortPiecesOf));
        const others = Array.from(tokenizer(bot_id)(search_text)).filter((token) => !short.includes(token));
        await query(url, 'UPDATE contacts SET search_tokens = $3 WHERE bot_id = $1 AND id = $2', [bot_id, id, others]);
      }
      assert.equal((await botIn(store, bots[0]?.id as string).search('李')).total, 0, 'the index has lost them');

      await query(url, await readFile(new URL('./migrations/0003-short-pieces.sql', import.meta.url), 'utf8'));
      for (const [index, row] of (await read()).entries()) {
        assert.deepEqual(row.search_tokens.toSorted(), wanted[index].search_tokens.toSorted(), row.search_text);
      }
      for (const bot of bots) assert.equal((await botIn(store, bot.id).search('李')).total, 3);
    });
  }
});
