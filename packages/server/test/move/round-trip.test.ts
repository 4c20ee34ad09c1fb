// Moving all data to the other engine and back: nothing is lost, nothing is changed, and the service goes on as before.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, suite, test } from 'node:test';
import { parseQuery } from '../../src/contacts/search-text.ts';
import { tableNames } from '../../src/store/archive.ts';
import type { MovedTable, MoveWatch } from '../../src/store/move.ts';
import type { Bot, Store } from '../../src/store/store.ts';
import type { StoredWebhook } from '../../src/store/webhooks/webhook-store.ts';
import { addBot } from '../conformance/engine.ts';
import { addDeliveries, makeEvents } from '../conformance/webhooks.ts';
import { describeSchema } from '../postgres/describe-schema.ts';
import { until } from '../process/waiting.ts';
import { sampleBot, sampleCaller, sampleContext, sampleFields, sampleNowMs, sampleOrganization } from '../sample.ts';
import { wholeFile } from '../whole-file.ts';
import { answersOf, type OddData, storeOddData } from './odd-data.ts';
import { makeSides } from './sides.ts';

for (const kind of ['plain', 'partitioned'] as const) {
  // One move there and back, of all that the tests are about.
  suite(`a move to PostgreSQL (${kind}) and back`, async () => {
    const sides = await makeSides(wholeFile, kind);
    let odd: OddData;
    let expected: Awaited<ReturnType<typeof answersOf>>;
    /** A bot with events. */
    let followed: { botId: string; history: string | undefined };
    /** A bot with deliveries to a webhook. */
    let delivered: { botId: string; webhook: StoredWebhook; deliveries: number };
    const schemas: string[] = [];
    const phases: { phase: string; total: number | undefined; done: number }[] = [];
    let there: MovedTable[];
    let back: MovedTable[];
    let files: unknown[];
    let postgres: Store;
    let second: Store;

    before(async () => {
      const first = await sides.openSqlite('first');
      odd = await storeOddData(first);
      expected = await answersOf(first, odd);
      followed = await addEvents(first);
      delivered = await addDeliveredWebhook(first);
      await first.close();

      schemas.push(await describeSchema(sides.url));
      const watch: Partial<MoveWatch> = {
        begin: (phase, total) => void phases.push({ phase, total, done: 0 }),
        advance(rows) {
          (phases.at(-1) as (typeof phases)[0]).done += rows;
        },
      };
      there = (await sides.move('to-postgres', 'first', watch)).tables;
      schemas.push(await describeSchema(sides.url));
      back = (await sides.move('to-sqlite', 'second')).tables;
      files = ['first', 'second'].map((name) => describeFile(join(sides.folderOf(name), 'roster.db')));
      postgres = await sides.openPostgres();
      second = await sides.openSqlite('second');
    });

    test('keeps every answer, every id and every time', async () => {
      assert.deepEqual(
        there.map(({ table, rows }) => [table, rows]),
        // Two odd bots with 19 contacts, one of them deleted, and five tokens each, and an empty one. The deleted bot is left behind.
        // Two more bots with three contacts each, one of them with a webhook.
        [
          ['organizations', 4],
          ['bots', 5],
          ['secrets', 6],
          ['members', 8],
          ['audit_entries', 8],
          ['attributes', 10],
          ['tags', 36],
          ['removed_fields', 4],
          ['segments', 2],
          ['contacts_by_day', 1],
          ['webhooks', 5],
          ['contacts', 42],
          ['contact_tokens', 10],
        ],
      );
      assert.deepEqual(back, there);
      for (const store of [postgres, second]) assert.deepEqual(await answersOf(store, odd), expected);
    });

    test('lets the next contact come after all that were moved', async () => {
      const [odd0, , empty] = odd.bots as [Bot, Bot, Bot];
      const last = odd.contactIds.toSorted().at(-1) as string;
      for (const store of [postgres, second]) {
        // The clock has gone back meanwhile.
        const outcome = await store.createContact(
          odd0.id,
          sampleFields(),
          sampleContext({ nowMs: sampleNowMs - 1000 }),
        );
        assert.ok(outcome.kind === 'created');
        assert.ok(outcome.contact.id > last, 'a new contact has a later id than all before it');
        const newest = await store.searchContacts(odd0.id, { words: [], offset: 0, limit: 1 }, sampleCaller);
        assert.deepEqual([newest.contacts[0]?.id, newest.total], [outcome.contact.id, 19]);
        // A bot without contacts is moved ready to take some.
        const inEmpty = await store.createContact(empty.id, sampleFields(), sampleContext());
        assert.equal(inEmpty.kind, 'created');
      }
    });

    test('begins the feed of each bot anew, in another history', async () => {
      const { botId, history } = followed;
      const histories = [history];
      for (const store of [postgres, second]) {
        const feed = (await store.findFeeds([botId])).get(botId);
        assert.equal(feed?.end, 0);
        histories.push(feed?.history);
        await store.createContact(botId, sampleFields(), sampleContext());
        const page = await store.readEvents(botId, { limit: 10 }, sampleCaller);
        assert.ok(page.kind === 'page' && page.events.length === 1);
      }
      assert.equal(new Set(histories).size, 3);
    });

    test('begins the deliveries of webhooks anew, with whoever delivers then', async () => {
      const { botId, webhook, deliveries } = delivered;
      assert.deepEqual([webhook.position, deliveries], [3, 3]);
      const withWebhooks = [odd.bots[0]?.id, odd.bots[1]?.id, botId];
      for (const store of [postgres, second]) {
        assert.deepEqual(await store.listWebhooks(botId), [{ ...webhook, position: 0, version: 1 }]);
        assert.deepEqual(await store.listDeliveries(botId, webhook.id, { limit: 10 }), []);
        const unowned = { botId, webhookId: webhook.id, owner: undefined, version: 1 };
        assert.deepEqual(await store.listLeases([botId]), [unowned]);
        const found = (await store.listBotsWithWebhooks()).map((bot) => bot.botId);
        assert.deepEqual(found.toSorted(), withWebhooks.toSorted());
      }
    });

    test('leaves the schema as it was, with its indexes', () => assert.equal(schemas[1], schemas[0]));

    test('makes a file like that of a server, whole and of the newest schema', () =>
      assert.deepEqual(files[1], files[0]));

    test('has a progress that ends at its total, in each phase', () => {
      const rows = there.reduce((sum, table) => sum + table.rows, 0);
      assert.equal(there.length, tableNames.length);
      assert.deepEqual(phases, [
        { phase: 'moving', total: rows, done: rows },
        { phase: 'completing', total: undefined, done: 0 },
        { phase: 'checking', total: 2 * rows, done: 2 * rows },
      ]);
    });
  });
}

async function addEvents(store: Store) {
  const { botId } = await addBot({ store });
  await makeEvents({ store, botId }, 3);
  return { botId, history: (await store.findFeeds([botId])).get(botId)?.history };
}

async function addDeliveredWebhook(store: Store) {
  const { botId, webhookId, find, list } = await addDeliveries(await addBot({ store }));
  await store.updateWebhook(botId, webhookId, { description: 'New' }, sampleContext());
  return { botId, webhook: await find(), deliveries: (await list()).length };
}

function describeFile(path: string) {
  const db = new DatabaseSync(path, { readOnly: true });
  const pragmas = ['journal_mode', 'application_id', 'user_version', 'page_size', 'auto_vacuum', 'integrity_check'];
  const values = pragmas.map((pragma) => db.prepare(`PRAGMA ${pragma}`).get());
  const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
  db.close();
  return { values, schema };
}

suite('a move to SQLite', () => {
  const indexThreshold = 20;

  test('lets the server index the bots that are large enough, and searches find the same meanwhile', async (t) => {
    const sides = await makeSides(t);
    const postgres = await sides.openPostgres();
    const organization = sampleOrganization();
    await postgres.createOrganization(organization, sampleContext());
    const [small, large] = [sampleBot(organization.id), sampleBot(organization.id)] as [Bot, Bot];
    for (const [bot, count] of [[small, indexThreshold] as const, [large, indexThreshold + 1] as const]) {
      await postgres.createBot(bot, undefined, sampleContext());
      const items = Array.from({ length: count }, (_, index) => sampleFields({ name: `Łukasz Number${index}` }));
      await postgres.upsertContacts(bot.id, items, sampleContext());
    }
    const ask = (store: typeof postgres, botId: string) =>
      store.searchContacts(botId, { words: parseQuery('lukasz number1'), offset: 0, limit: 100 }, sampleCaller);
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
    await until('all rows to be indexed', async () => (await sqlite.gauges()['store_unindexed_rows']?.()) === 0);
    assert.equal(countIn('search_index_docsize'), indexThreshold + 1);
    assert.deepEqual([await ask(sqlite, small.id), await ask(sqlite, large.id)], expected);
  });
});
