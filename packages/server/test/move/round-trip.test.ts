// Moving all data to the other engine and back: nothing is lost, nothing is changed, and the service goes on as before.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { parseQuery } from '../../src/contacts/search-text.ts';
import { tableNames } from '../../src/store/archive.ts';
import type { Bot, Store } from '../../src/store/store.ts';
import { addBot } from '../conformance/engine.ts';
import { addDeliveries } from '../conformance/webhooks.ts';
import { describeSchema } from '../postgres/describe-schema.ts';
import { sampleAsker, sampleBot, sampleFields, sampleNowMs, sampleOrganization, sampleStamp } from '../sample.ts';
import { answersOf, storeOddData } from './odd-data.ts';
import { makeSides } from './sides.ts';

for (const kind of ['plain', 'partitioned'] as const) {
  suite(`a move to PostgreSQL (${kind}) and back`, () => {
    test('keeps every answer, every id and every time', async (t) => {
      const sides = await makeSides(t, kind);
      const first = await sides.openSqlite('first');
      const data = await storeOddData(first);
      const expected = await answersOf(first, data);
      await first.close();

      const there = await sides.move('to-postgres', 'first');
      const back = await sides.move('to-sqlite', 'second');
      assert.deepEqual(
        there.tables.map(({ table, rows }) => [table, rows]),
        // Two bots with 19 contacts, one of them deleted, and five tokens each. The deleted bot is left behind.
        [
          ['organizations', 2],
          ['bots', 3],
          ['secrets', 6],
          ['members', 8],
          ['audit_entries', 8],
          ['attributes', 8],
          ['tags', 36],
          ['removed_fields', 4],
          ['segments', 2],
          ['contacts_by_day', 1],
          ['webhooks', 4],
          ['contacts', 36],
          ['contact_tokens', 10],
        ],
      );
      assert.deepEqual(back.tables, there.tables);

      const postgres = await sides.openPostgres();
      assert.deepEqual(await answersOf(postgres, data), expected);
      const second = await sides.openSqlite('second');
      assert.deepEqual(await answersOf(second, data), expected);

      const last = data.contactIds.toSorted().at(-1) as string;
      for (const store of [postgres, second]) {
        // The clock has gone back meanwhile.
        const outcome = await store.createContact(data.bots[0]?.id as string, sampleFields(), sampleNowMs - 1000);
        assert.ok(outcome.kind === 'created');
        assert.ok(outcome.contact.id > last, 'a new contact has a later id than all before it');
        const newest = await store.searchContacts(
          data.bots[0]?.id as string,
          { words: [], offset: 0, limit: 1 },
          sampleAsker,
        );
        assert.deepEqual([newest.contacts[0]?.id, newest.total], [outcome.contact.id, 19]);
        // A bot without contacts is moved ready to take some.
        const inEmpty = await store.createContact(data.bots[2]?.id as string, sampleFields(), sampleNowMs);
        assert.equal(inEmpty.kind, 'created');
      }
    });

    test('begins the feed of each bot anew, in another history', async (t) => {
      const sides = await makeSides(t, kind);
      const first = await sides.openSqlite('first');
      const { botId } = await addBot({ store: first });
      const create = (store: Store) =>
        store.createContact(botId, sampleFields(), sampleNowMs, undefined, sampleStamp());
      for (let count = 0; count < 3; count++) await create(first);
      const histories = [(await first.findFeeds([botId])).get(botId)?.history];
      await first.close();
      await sides.move('to-postgres', 'first');
      await sides.move('to-sqlite', 'second');
      for (const store of [await sides.openPostgres(), await sides.openSqlite('second')]) {
        const feed = (await store.findFeeds([botId])).get(botId);
        assert.equal(feed?.end, 0);
        histories.push(feed?.history);
        await create(store);
        const page = await store.readEvents(botId, { limit: 10 }, sampleAsker);
        assert.ok(page.kind === 'page' && page.events.length === 1);
      }
      assert.equal(new Set(histories).size, 3);
    });

    test('begins the deliveries of webhooks anew, with whoever delivers then', async (t) => {
      const sides = await makeSides(t, kind);
      const first = await sides.openSqlite('first');
      const { botId, webhookId, find, list } = await addDeliveries(await addBot({ store: first }));
      await first.updateWebhook(botId, webhookId, { description: 'New' }, sampleNowMs);
      const webhook = await find();
      assert.deepEqual([webhook.position, (await list()).length], [3, 3]);
      await first.close();
      await sides.move('to-postgres', 'first');
      await sides.move('to-sqlite', 'second');
      for (const store of [await sides.openPostgres(), await sides.openSqlite('second')]) {
        assert.deepEqual(await store.listWebhooks(botId), [{ ...webhook, position: 0, version: 1 }]);
        assert.deepEqual(await store.listDeliveries(botId, webhookId, { limit: 10 }), []);
        assert.deepEqual(await store.listOwners([botId]), [{ botId, webhookId, owner: undefined, version: 1 }]);
        assert.deepEqual(
          (await store.listBotsWithWebhooks()).map((bot) => bot.botId),
          [botId],
        );
      }
    });

    test('leaves the schema as it was, with its indexes', async (t) => {
      const sides = await makeSides(t, kind);
      const first = await sides.openSqlite('first');
      await storeOddData(first);
      await first.close();
      const before = await describeSchema(sides.url);
      await sides.move('to-postgres', 'first');
      assert.equal(await describeSchema(sides.url), before);
    });
  });
}

suite('a move to SQLite', () => {
  const indexThreshold = 20;

  test('lets the server index the bots that are large enough, and searches find the same meanwhile', async (t) => {
    const sides = await makeSides(t);
    const postgres = await sides.openPostgres();
    const organization = sampleOrganization();
    await postgres.createOrganization(organization);
    const [small, large] = [sampleBot(organization.id), sampleBot(organization.id)] as [Bot, Bot];
    for (const [bot, count] of [[small, indexThreshold] as const, [large, indexThreshold + 1] as const]) {
      await postgres.createBot(bot);
      const items = Array.from({ length: count }, (_, index) => sampleFields({ name: `Łukasz Number${index}` }));
      await postgres.upsertContacts(bot.id, items, sampleNowMs);
    }
    const ask = (store: typeof postgres, botId: string) =>
      store.searchContacts(botId, { words: parseQuery('lukasz number1'), offset: 0, limit: 100 }, sampleAsker);
    const expected = [await ask(postgres, small.id), await ask(postgres, large.id)];
    await postgres.close();
    await sides.move('to-sqlite', 'new', {}, indexThreshold);

    const path = join(sides.folderOf('new'), 'roster.db');
    const countIn = (table: string) => {
      const db = new DatabaseSync(path, { readOnly: true });
      const [{ rows } = { rows: -1 }] = db.prepare(`SELECT count(*) AS rows FROM ${table}`).all() as { rows: number }[];
      db.close();
      return rows;
    };
    assert.equal(countIn('search_pending'), indexThreshold + 1);
    const sqlite = await sides.openSqlite('new', indexThreshold);
    assert.deepEqual([await ask(sqlite, small.id), await ask(sqlite, large.id)], expected);
    while (sqlite.gauges()['store_unindexed_rows'] !== 0) await sqlite.ping();
    assert.equal(countIn('search_index_docsize'), indexThreshold + 1);
    assert.deepEqual([await ask(sqlite, small.id), await ask(sqlite, large.id)], expected);
  });

  test('makes a file like that of a server, whole and of the newest schema', async (t) => {
    const sides = await makeSides(t);
    const first = await sides.openSqlite('first');
    await storeOddData(first);
    await first.close();
    await sides.move('to-postgres', 'first');
    await sides.move('to-sqlite', 'second');
    const describe = (name: string) => {
      const db = new DatabaseSync(join(sides.folderOf(name), 'roster.db'), { readOnly: true });
      const pragmas = ['journal_mode', 'application_id', 'user_version', 'page_size', 'auto_vacuum', 'integrity_check'];
      const values = pragmas.map((pragma) => db.prepare(`PRAGMA ${pragma}`).get());
      const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
      db.close();
      return { values, schema };
    };
    assert.deepEqual(describe('second'), describe('first'));
  });
});

test('the progress of a move ends at its total, in each phase', async (t) => {
  const sides = await makeSides(t);
  const first = await sides.openSqlite('first');
  await storeOddData(first);
  await first.close();
  const phases: { phase: string; total: number | undefined; done: number }[] = [];
  const { tables } = await sides.move('to-postgres', 'first', {
    begin: (phase, total) => void phases.push({ phase, total, done: 0 }),
    advance(rows) {
      (phases.at(-1) as (typeof phases)[0]).done += rows;
    },
  });
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  assert.equal(tables.length, tableNames.length);
  assert.deepEqual(phases, [
    { phase: 'moving', total: rows, done: rows },
    { phase: 'completing', total: undefined, done: 0 },
    { phase: 'checking', total: 2 * rows, done: 2 * rows },
  ]);
});
