// Creates that are written without reading first, on the assumption that nothing stands against them: they end as any
// others, also when the assumption is wrong.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { assertAscending, botIn, postgresUnderLoad } from '../conformance/engine.ts';
import { noContactValues, sampleBot, sampleContext, sampleFields, sampleNowMs, sampleOrganization } from '../sample.ts';
import { createDatabase, query } from './databases.ts';
import { watchStatements } from './watch-statements.ts';

const laterMs = sampleNowMs + 1000;
const oneRoundTrip = ['BEGIN', 'lockState', 'insertContacts', 'insertEvents', 'saveState', 'COMMIT'];

for (const kind of ['plain', 'partitioned'] as const) {
  suite(`creates without reading first: ${kind} tables`, () => {
    /** A bot to which one of two stores has written last. */
    async function open(t: TestContext) {
      const { url, drop } = await createDatabase(kind);
      const settings = { url, ...postgresUnderLoad };
      const [store, other] = [await openPostgresStore(settings), await openPostgresStore(settings)];
      t.after(async () => {
        await Promise.all([store.close(), other.close()]);
        await drop();
      });
      const organization = sampleOrganization();
      await store.createOrganization(organization, sampleContext());
      const bot = sampleBot(organization.id);
      await store.createBot(bot, undefined, sampleContext());
      const { create, exportAll } = botIn(store, bot.id);
      for (let before = 0; before < 3; before++) await create();
      return { botId: bot.id, store, other, url, create, exportAll };
    }

    async function assertExact({ url, botId, exportAll }: Awaited<ReturnType<typeof open>>, count: number) {
      const all = await exportAll();
      assertAscending(
        all.map(({ id }) => id),
        { isStrict: true },
      );
      const rows = await query(url, 'SELECT contact_count::int AS kept FROM bot_states WHERE bot_id = $1', [botId]);
      assert.deepEqual([all.length, rows], [count, [{ kept: count }]]);
      return all;
    }

    test('they take one round trip', async (t) => {
      const bot = await open(t);
      const sent = watchStatements(t);
      await Promise.all([bot.create({}, laterMs), bot.create({}, laterMs)]);
      assert.deepEqual(sent, oneRoundTrip);
      await assertExact(bot, 5);
    });

    test('an email that is taken is answered with its contact, and those beside it are created', async (t) => {
      const bot = await open(t);
      const holder = await bot.create();
      const twice = sampleFields();
      const sent = watchStatements(t);
      const outcomes = await Promise.all(
        [sampleFields(), sampleFields({ email: holder.email }), twice, twice].map((fields) =>
          bot.store.createContact(bot.botId, fields, sampleContext({ nowMs: laterMs })),
        ),
      );
      assert.deepEqual(sent.slice(0, oneRoundTrip.length), oneRoundTrip);
      assert.ok(sent.includes('readForWriteByEmail'), 'the assumption was not wrong');
      const all = await assertExact(bot, 6);
      assert.deepEqual(outcomes, [
        { kind: 'created', contact: all[4], values: noContactValues },
        { kind: 'email_taken', contactId: holder.id },
        { kind: 'created', contact: all[5], values: noContactValues },
        { kind: 'email_taken', contactId: all[5]?.id },
      ]);
    });

    test('ids ascend after those of a server whose clock is ahead', async (t) => {
      const bot = await open(t);
      const ids: string[] = [];
      for (let round = 0; round < 3; round++) {
        ids.push((await botIn(bot.other, bot.botId).create({}, sampleNowMs + 60_000)).id);
        ids.push((await bot.create()).id);
      }
      assertAscending(ids, { isStrict: true });
      await assertExact(bot, 9);
      const sent = watchStatements(t);
      await bot.create({}, laterMs);
      assert.ok(sent.includes('readForWriteByEmail'), 'the assumption was not wrong');
      await assertExact(bot, 10);
    });

    test('servers that create at once, with clocks that differ, all count and ascend', async (t) => {
      const bot = await open(t);
      const creates = Array.from({ length: 40 }, (_, index) => {
        const store = index % 2 === 0 ? bot.store : bot.other;
        const delayed = new Promise((resolve) => setImmediate(resolve));
        return delayed.then(() =>
          store.createContact(bot.botId, sampleFields(), sampleContext({ nowMs: laterMs + (index % 2) * 3 + index })),
        );
      });
      for (const { kind } of await Promise.all(creates)) assert.equal(kind, 'created');
      await assertExact(bot, 43);
    });

    test('nothing is written to a bot that another server has deleted', async (t) => {
      const { botId, store, other, url } = await open(t);
      await other.deleteBot(botId, sampleContext());
      const sent = watchStatements(t);
      const outcome = await store.createContact(botId, sampleFields(), sampleContext({ nowMs: laterMs }));
      assert.deepEqual(outcome, { kind: 'missing' });
      assert.deepEqual(sent.slice(0, oneRoundTrip.length), oneRoundTrip);
      const sql = `SELECT count(*)::int AS rows FROM contacts WHERE bot_id = $1`;
      assert.deepEqual(await query(url, sql, [botId]), [{ rows: 3 }]);
    });
  });
}
