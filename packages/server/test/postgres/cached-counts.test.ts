// Totals of broad searches that are cached: exact on every server, whoever writes, and no more than a bot may have.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { botIn, postgresUnderLoad } from '../conformance/engine.ts';
import { sampleBot, sampleContext, sampleFields, sampleOrganization, withKey } from '../sample.ts';
import { createDatabase, query } from './databases.ts';

async function openTwo(t: TestContext, settings: { addCountsEveryMs?: number } = { addCountsEveryMs: 0 }) {
  const { url, drop } = await createDatabase('plain');
  // Every search with words is a broad one.
  const open = () => openPostgresStore({ url, ...postgresUnderLoad, broadFrom: -1, ...settings });
  const stores = [await open(), await open()] as [Store, Store];
  t.after(async () => {
    for (const store of stores) await store.close();
    await drop();
  });
  const organization = sampleOrganization();
  await stores[0].createOrganization(organization, sampleContext());
  const bot = sampleBot(organization.id);
  await stores[0].createBot(bot, undefined, sampleContext());
  const cached = async () => {
    const sql = `SELECT words, (base + count_changes[position])::int AS total FROM cached_counts JOIN bot_states USING (bot_id)
      WHERE bot_id = $1 ORDER BY words`;
    return (await query(url, sql, [bot.id])) as { words: string; total: number | null }[];
  };
  return { url, botId: bot.id, stores, cached, bots: stores.map((store) => botIn(store, bot.id)) };
}

suite('a cached count', () => {
  test('is adjusted by every kind of write, also by a server that has not searched', async (t) => {
    const { bots, stores, botId, cached } = await openTwo(t);
    const [here, there] = bots as [(typeof bots)[number], (typeof bots)[number]];
    const [, writing] = stores;
    const jane = await there.create({ name: 'Jane' });
    assert.equal((await here.search('jane')).total, 1);
    assert.deepEqual(await cached(), [{ words: '[["jane"]]', total: 1 }]);
    const second = await there.create({ name: 'Jane Doe' });
    assert.equal((await here.search('jane')).total, 2);
    await writing.updateContact(botId, jane.id, { name: 'John' }, sampleContext());
    assert.equal((await here.search('jane')).total, 1);
    const items = [withKey({ email: jane.email, name: 'Jane again' }), sampleFields({ name: 'Another Jane' })];
    await writing.upsertContacts(botId, items, sampleContext());
    assert.equal((await here.search('jane')).total, 3);
    await writing.deleteContact(botId, second.id, sampleContext());
    assert.equal((await here.search('jane')).total, 2);
    assert.deepEqual(await cached(), [{ words: '[["jane"]]', total: 2 }]);
    assert.equal((await here.search('jane', { offset: 2, limit: 10 })).contacts.length, 0);
  });

  test('is what is counted, however searches and writes of several servers meet', async (t) => {
    const { bots } = await openTwo(t);
    const words = ['ja', 'jane', 'doe', 'x', 'jane doe'];
    await Promise.all(
      bots.map(async ({ create, search }, server) => {
        for (let step = 0; step < 40; step++) {
          const name = `${step % 2 === 0 ? 'Jane' : 'Max'} ${step % 3 === 0 ? 'Doe' : ''}${server}`;
          await Promise.all([create({ name }), search(words[step % words.length] as string)]);
        }
      }),
    );
    for (const word of words) {
      const parts = word.split(' ');
      for (const { search, exportAll } of bots) {
        const texts = (await exportAll()).map(({ name, email, id }) => `${id} ${name} ${email}`.toLowerCase());
        const expected = texts.filter((text) => parts.every((part) => text.includes(part))).length;
        const { total } = await search(word);
        assert.equal(total, expected, word);
      }
    }
  });

  test('and a page of it are right for rare and frequent words, in the index and not, before and after it is counted', async (t) => {
    const { url, botId, bots, cached } = await openTwo(t);
    const [{ create, search }] = bots as [(typeof bots)[number]];
    const found: Record<string, string[]> = {};
    const note = (query: string, id: string) => {
      found[query] = [id, ...(found[query] ?? [])];
    };
    for (let n = 0; n < 120; n++) {
      const words = ['often', 'qz', ...(n % 12 === 0 ? ['seldom', 'vx'] : []), ...(n === 7 ? ['unique', 'jw'] : [])];
      const { id } = await create({ name: words.join(' ') });
      for (const word of [...words, ...(n % 12 === 0 ? ['seldom qz'] : [])]) note(word, id);
    }
    Object.assign(found, { nowhere: [], wj: [] });
    // Only bots that have many contacts are sampled.
    await query(url, 'UPDATE bot_states SET contact_count = 100000 WHERE bot_id = $1', [botId]);
    for (const round of ['counted', 'cached', 'written']) {
      for (const [text, ids] of Object.entries(found)) {
        for (const offset of [0, 3, 9, 200]) {
          const page = await search(text, { offset, limit: 3 });
          assert.equal(page.total, ids.length, `${text}, ${round}`);
          assert.deepEqual(
            page.contacts.map(({ id }) => id),
            ids.slice(offset, offset + 3),
            `${text} from ${offset}, ${round}`,
          );
        }
      }
      if (round === 'cached') for (const word of ['often', 'vx']) note(word, (await create({ name: word })).id);
    }
    // Of a rare word in the index all hits are found for a page anyway.
    assert.deepEqual(
      new Set((await cached()).map(({ words }) => JSON.parse(words).flat().join(' '))),
      new Set(['jw', 'often', 'qz', 'qz seldom', 'seldom', 'vx', 'wj']),
    );
  });

  test('without a base, as a server that was killed leaves it, is counted by the next search', async (t) => {
    const { url, bots, cached } = await openTwo(t);
    const [here, there] = bots as [(typeof bots)[number], (typeof bots)[number]];
    await here.create({ name: 'Jane' });
    await here.search('jane');
    await query(url, 'UPDATE cached_counts SET base = NULL');
    await there.create({ name: 'Jane' });
    assert.equal((await there.search('jane')).total, 2);
    assert.deepEqual(
      (await cached()).map(({ total }) => total),
      [2],
    );
  });

  test('makes room for another when a bot has too many, and goes with its bot', async (t) => {
    const { bots, stores, botId, cached } = await openTwo(t);
    const [here, there] = bots as [(typeof bots)[number], (typeof bots)[number]];
    for (let n = 0; n < 40; n++) assert.equal((await here.search(`word${n}`)).total, 0);
    assert.equal((await cached()).length, 32);
    await there.create({ name: 'word0 word39' });
    for (const word of ['word0', 'word39']) assert.equal((await here.search(word)).total, 1);
    await stores[0].deleteBot(botId, sampleContext());
    assert.deepEqual(await cached(), []);
  });

  test('is not added for ever new words, which would slow down writes', async (t) => {
    const { bots, cached } = await openTwo(t, { addCountsEveryMs: 3_600_000 });
    for (let n = 0; n < 3; n++) await bots[0]?.search(`word${n}`);
    assert.equal((await cached()).length, 1);
  });
});
