// Totals of more than 10,000 contacts that are slow to count: kept by each server for itself, beside pages that are of now. That
// counting is slow, and reading a page is not, is made so by a policy that sleeps at the oldest contact.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { parseQuery } from '../../src/contacts/search-text.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { botIn, postgresUnderLoad } from '../conformance/engine.ts';
import { sampleBot, sampleCaller, sampleContext, sampleOrganization } from '../sample.ts';
import { createDatabase, query } from './databases.ts';

const contacts = 10_100;

suite('a slow total of many contacts', () => {
  // The word of two letters is in no index; the other one is frequent. Of a large bot 10,100 are few: they are sorted.
  for (const [word, botCount, way] of [
    ['often', contacts, 'read in their order'],
    ['qz', contacts, 'read in their order'],
    ['qz', 1_000_000, 'found and sorted'],
  ] as const) {
    test(`is kept beside pages that are of now: ${word}, ${way}`, async (t) => {
      const { bot, ids, find } = await start(t, botCount);
      assert.deepEqual(await find(word), { ids: ids.slice(0, 3), total: contacts });
      ids.unshift((await bot.create({ name: 'Often Qz' })).id);
      assert.deepEqual(await find(word), { ids: ids.slice(0, 3), total: contacts });
      assert.deepEqual(await find(word, { offset: 7 }), { ids: ids.slice(7, 10), total: contacts });
      // A page that is full up to the end of what was counted, one that is the last, and one past the end.
      const end = contacts - 2;
      assert.deepEqual(await find(word, { offset: end }), { ids: ids.slice(end), total: contacts + 1 });
      assert.deepEqual(await find(word, { offset: contacts }), { ids: ids.slice(contacts), total: contacts + 1 });
      assert.equal((await find(word, { offset: contacts + 50 })).ids.length, 0);
    });
  }

  test('is counted anew for whoever wants it fresh, and by another server', async (t) => {
    const { bot, find, open } = await start(t);
    await find('qz');
    await bot.create({ name: 'Often Qz' });
    assert.equal((await find('qz')).total, contacts);
    assert.equal((await find('qz', { store: await open() })).total, contacts + 1);
    assert.equal((await find('qz', { isFresh: true })).total, contacts + 1);
    await bot.create({ name: 'Often Qz' });
    assert.equal((await find('qz')).total, contacts + 1);
  });

  test('is that of its own words, and of its own bot', async (t) => {
    const { bot, find, addBot } = await start(t);
    const other = await addBot(contacts - 50);
    assert.equal((await find('qz often')).total, contacts);
    await bot.create({ name: 'Often Qz' });
    assert.equal((await find('qz often')).total, contacts);
    assert.equal((await find('often')).total, contacts + 1);
    assert.equal((await find('qz often', { botId: other })).total, contacts - 50);
  });

  test('ends with the bot', async (t) => {
    const { store, bot, find } = await start(t);
    await find('qz');
    await store.deleteBot(bot.botId, sampleContext());
    assert.deepEqual(await find('qz'), { ids: [], total: 0 });
  });
});

test('a slow total of few contacts is of now', async (t) => {
  const { bot, find } = await start(t);
  const { id } = await bot.create({ name: 'vx' });
  assert.deepEqual(await find('vx'), { ids: [id], total: 1 });
  await bot.create({ name: 'vx' });
  assert.equal((await find('vx')).total, 2);
});

async function start(t: TestContext, botCount = contacts) {
  const { url, drop } = await createDatabase('plain');
  const stores: Awaited<ReturnType<typeof openPostgresStore>>[] = [];
  const open = async () => {
    const store = await openPostgresStore({ url, ...postgresUnderLoad });
    stores.push(store);
    return store;
  };
  t.after(async () => {
    for (const store of stores) await store.close();
    await drop();
  });
  const store = await open();
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  const idOf = (n: number) => `con_${String(n).padStart(8, '0')}`;
  /** `count` is how many contacts it passes for. */
  const addBot = async (held: number, count = held) => {
    const bot = sampleBot(organization.id);
    await store.createBot(bot, undefined, sampleContext());
    const insert = `INSERT INTO contacts (bot_id, id, name, email, email_key, phone, mid, wid, created_us, updated_at,
        search_text, search_tokens)
      SELECT $1, 'con_' || lpad(n::text, 8, '0'), 'Often Qz', n || '@example.com', n || '@example.com', '', '', '', n, 0,
        'often qz', '{}' FROM generate_series(1, ${held}) AS n`;
    await query(url, insert, [bot.id]);
    await query(url, 'UPDATE bot_states SET contact_count = $2 WHERE bot_id = $1', [bot.id, count]);
    return bot.id;
  };
  const botId = await addBot(contacts, botCount);
  await query(
    url,
    `ALTER TABLE contacts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    CREATE POLICY slow ON contacts USING (id <> '${idOf(1)}' OR pg_sleep(0.1) IS NOT NULL)`,
  );

  interface Asked {
    offset?: number;
    isFresh?: boolean;
    botId?: string;
    store?: typeof store;
  }
  const find = async (
    text: string,
    { offset = 0, isFresh = false, botId: of = botId, store: asked = store }: Asked = {},
  ) => {
    const search = { words: parseQuery(text), offset, limit: 3, isFresh };
    const { contacts: found, total } = await asked.searchContacts(of, search, sampleCaller);
    return { ids: found.map(({ id }) => id), total };
  };
  const ids = Array.from({ length: contacts }, (_, index) => idOf(contacts - index));
  return { store, open, addBot, bot: botIn(store, botId), ids, find };
}
