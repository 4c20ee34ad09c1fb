// Conformance: the deliveries of a webhook. Its owner alone writes them, they are listed, sent again, and removed in time.

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { limits } from '@roster/contract';
import { makeId } from '../../src/contacts/ids.ts';
import type { StoredEvent } from '../../src/store/events/event-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { StoredDelivery } from '../../src/store/webhooks/webhook-store.ts';
import { handOver, takeWebhooks } from '../leases.ts';
import {
  sampleAttempt,
  sampleAuditEntry,
  sampleCaller,
  sampleContext,
  sampleFields,
  sampleNowMs,
  sampleOrganization,
} from '../sample.ts';
import { newAttribute } from './attributes.ts';
import { type Engine, openStore, shareStore, shareStoreInSuite, addBot as startBot } from './engine.ts';
import { addDeliveries, addWebhook, laterMs, makeEvents, owner } from './webhooks.ts';

const dayMs = 86_400_000;

/** Of a delivery that was planned at that time. */
function asPlanned(event: StoredEvent, atMs = laterMs): StoredDelivery {
  const answer = { isWaiting: false, statusCode: null, response: null, error: null, earlier: [] };
  return { event, status: 'pending', attempts: 0, createdAtMs: atMs, attemptedAtMs: null, dueAtMs: atMs, ...answer };
}

const numbersOf = (deliveries: readonly StoredDelivery[]) => deliveries.map(({ event }) => event.number);

export function testDeliveries(engine: Engine): void {
  const start = shareStore(engine);
  /** A store without other tests: a purge by time removes the events of all bots. */
  const startAlone = shareStoreInSuite(engine, { readers: 1 });
  const prepare = async (options: Parameters<typeof addDeliveries>[1] = {}) => addDeliveries(await start(), options);

  suite('planning', () => {
    test('a plan makes deliveries of events as they are read, and moves the position on', async () => {
      const bot = await start();
      const { store, botId } = bot;
      await store.defineAttribute(botId, newAttribute('plan'), sampleContext());
      const webhook = await addWebhook(bot);
      await takeWebhooks(store, botId, owner);
      const bySecret = sampleContext({ nowMs: laterMs, event: { kind: 'secret', id: makeId('secret', 1) } });
      const [created] = await makeEvents(bot, 1);
      const contactId = created?.contactId as string;
      await store.updateContact(botId, contactId, { name: 'New', phone: '1' }, bySecret);
      await store.deleteAttribute(botId, 'plan', sampleContext());
      const page = await store.readEvents(botId, { limit: 10 }, sampleCaller);
      assert.ok(page.kind === 'page' && page.events.length === 3);
      const { events } = page;
      const plan = { owner, version: 1, position: 7, events };
      assert.deepEqual(await store.planDeliveries(botId, webhook.id, plan, bySecret), { deferred: [] });
      const expected = events.map((event) => asPlanned(event));
      assert.deepEqual(await store.listDeliveries(botId, webhook.id, { limit: 10 }), expected.toReversed());
      const owned = await store.findOwned(botId, webhook.id, owner, 10);
      assert.deepEqual(owned, { webhook: { ...webhook, position: 7 }, pending: expected });
    });

    test('a plan without events moves the position alone', async () => {
      const { plan, list, find } = await prepare({ isPlanned: false });
      assert.deepEqual(await plan({ events: [], position: 3 }), []);
      assert.deepEqual(await list(), []);
      assert.equal((await find()).position, 3);
    });

    test('many deliveries are planned and saved at once', async () => {
      const { events, numbers, save, list } = await prepare({ events: 500 });
      assert.deepEqual(await list(), events.map((event) => asPlanned(event)).toReversed());
      assert.equal(await save(numbers.map((number) => sampleAttempt(number, { response: `${number}` }))), true);
      const saved = await list();
      assert.equal(saved.length, 500);
      for (const { event, status, response } of saved) {
        assert.deepEqual([status, response], ['succeeded', `${event.number}`]);
      }
    });

    test('a delivery that there is already becomes pending again, without attempts', async () => {
      const { events, numbers, plan, save, list } = await prepare();
      const failed = { status: 'failed', attempts: 11, statusCode: null, response: null, error: 'timeout' } as const;
      await save(numbers.slice(0, 2).map((number) => sampleAttempt(number, failed)));
      assert.deepEqual(await plan({ events: events.slice(1), nowMs: laterMs + 9 }), []);
      const [third, second, first] = await list();
      assert.equal(first?.attempts, 11);
      assert.deepEqual(
        [second, third],
        events.slice(1).map((event) => asPlanned(event, laterMs + 9)),
      );
    });

    test('a plan is refused when another has the webhook, or it was changed or is off', async () => {
      const { store, botId, webhookId, plan, list, find } = await prepare({ isPlanned: false });
      assert.equal(await plan({ owner: 'deliverer 2' }), undefined);
      assert.equal(await plan({ version: 2 }), undefined);
      await store.updateWebhook(
        botId,
        webhookId,
        { url: 'https://other.example.com/' },
        sampleContext({ nowMs: laterMs }),
      );
      assert.equal(await plan(), undefined);
      await store.updateWebhook(botId, webhookId, { isEnabled: false }, sampleContext({ nowMs: laterMs }));
      assert.equal(await plan({ version: 3 }), undefined);
      assert.equal((await find()).position, 0);
      assert.deepEqual(await list(), []);
      await store.updateWebhook(botId, webhookId, { isEnabled: true }, sampleContext({ nowMs: laterMs }));
      await handOver(store, botId, webhookId, owner, 'deliverer 2');
      assert.equal(await plan({ version: 4 }), undefined);
      assert.deepEqual(await plan({ version: 4, owner: 'deliverer 2' }), []);
      assert.equal((await list()).length, 3);
    });

    test('only the owner of a webhook that is on finds it, with what is pending of the lowest numbers', async () => {
      const { store, botId, webhookId, events, numbers, save } = await prepare({ events: 5 });
      await save([sampleAttempt(numbers[1] as number)]);
      const findPending = async (max: number) => (await store.findOwned(botId, webhookId, owner, max))?.pending;
      const pending = [0, 2, 3, 4].map((index) => asPlanned(events[index] as StoredEvent));
      assert.deepEqual(await findPending(10), pending);
      assert.deepEqual(await findPending(2), pending.slice(0, 2));
      assert.equal(await store.findOwned(botId, webhookId, 'deliverer 2', 10), undefined);
      await store.updateWebhook(botId, webhookId, { isEnabled: false }, sampleContext({ nowMs: laterMs }));
      assert.equal(await findPending(10), undefined);
    });
  });

  suite('attempts', () => {
    test('what came of an attempt is kept', async () => {
      const { events, numbers, save, list, find } = await prepare();
      const [first = 0, second = 0, third = 0] = numbers;
      const tried = { attemptedAtMs: laterMs + 3, attempts: 2 };
      const attempts = [
        sampleAttempt(first, { ...tried, statusCode: 204, response: '' }),
        sampleAttempt(second, {
          ...tried,
          status: 'pending',
          dueAtMs: laterMs + 50,
          statusCode: 500,
          response: 'é€😀"\\{}',
          earlier: [{ atMs: laterMs, statusCode: null, error: 'No response “within” 10 seconds' }],
        }),
        sampleAttempt(third, { ...tried, status: 'failed', statusCode: null, response: null, error: 'timed out' }),
      ];
      assert.equal(await save(attempts, { failingSinceMs: laterMs }), true);
      const expected = attempts.map(({ number: _, wasDeferred: __, ...attempt }, index) => ({
        ...attempt,
        isWaiting: false,
        event: events[index] as StoredEvent,
        createdAtMs: laterMs,
      }));
      assert.deepEqual((await list()).toReversed(), expected);
      const { failingSinceMs, version, position } = await find();
      assert.deepEqual({ failingSinceMs, version, position }, { failingSinceMs: laterMs, version: 1, position: third });
      await save([]);
      assert.equal((await find()).failingSinceMs, null);
    });

    test('a response of any characters is kept, but for NUL', async () => {
      const { numbers, save, list } = await prepare({ events: 1 });
      const odd = { response: 'a\0b\u{1f600}'.slice(0, 4), error: '\0' };
      assert.equal(await save([sampleAttempt(numbers[0] as number, odd)]), true);
      const [delivery] = await list();
      assert.deepEqual([delivery?.response, delivery?.error], ['ab�', '']);
    });

    test('what waits longer becomes due, if the results say so', async () => {
      const { numbers, save, list } = await prepare({ events: 4 });
      const waiting = numbers.map((number, index) =>
        sampleAttempt(number, {
          status: index === 0 ? 'failed' : 'pending',
          dueAtMs: index === 0 ? null : laterMs + index,
        }),
      );
      await save(waiting);
      const dueTimes = async () => (await list()).map(({ dueAtMs }) => dueAtMs && dueAtMs - laterMs);
      await save([sampleAttempt(numbers[2] as number, { status: 'pending', dueAtMs: laterMs + 100 })]);
      assert.deepEqual(await dueTimes(), [3, 100, 1, null]);
      await save([sampleAttempt(numbers[3] as number, { status: 'pending', dueAtMs: laterMs + 200 })], {
        dueAtLatestMs: laterMs + 50,
      });
      assert.deepEqual(await dueTimes(), [50, 50, 1, null]);
    });

    test('results of a webhook that was changed since are kept, also if it is off', async () => {
      const { store, botId, webhookId, numbers, save, list } = await prepare();
      await store.updateWebhook(botId, webhookId, { isEnabled: false }, sampleContext({ nowMs: laterMs }));
      assert.equal(await save([sampleAttempt(numbers[0] as number)]), true);
      assert.equal((await list()).at(-1)?.status, 'succeeded');
    });

    test('nothing is written of the results of another', async () => {
      const { store, botId, webhookId, numbers, save, list, find } = await prepare();
      const organization = sampleOrganization();
      await store.createOrganization(organization, sampleContext());
      const audit = { entry: sampleAuditEntry(organization.id) };
      const before = [await list(), await find()];
      const results = {
        ...{ owner: 'deliverer 2', attempts: [sampleAttempt(numbers[0] as number)], failingSinceMs: laterMs },
        ...{ disabledReason: 'gone' as const, dueAtLatestMs: 1 },
      };
      const saveOther = () => store.saveAttempts(botId, webhookId, results, sampleContext({ audit }));
      assert.equal(await saveOther(), false);
      assert.deepEqual([await list(), await find()], before);
      const entries = async () =>
        (await store.listAudit(organization.id, { before: undefined, limit: 10 })).entries.length;
      assert.equal(await entries(), 0);
      await handOver(store, botId, webhookId, owner, 'deliverer 2');
      assert.equal(await save([sampleAttempt(numbers[0] as number)]), false, 'the owner from before');
      assert.deepEqual((await list()).at(-1), before[0] && (before[0] as StoredDelivery[]).at(-1));
      assert.deepEqual(await saveOther(), { hasMoreDue: false });
      assert.equal(await entries(), 1);
      const { isEnabled, disabledReason, version } = await find();
      assert.deepEqual(
        { isEnabled, disabledReason, version },
        { isEnabled: false, disabledReason: 'gone', version: 1 },
      );
    });
  });

  suite('lists', () => {
    test('deliveries are listed newest first, in pages, and by status', async () => {
      const { events, numbers, save, list } = await prepare({ events: 6 });
      await save([
        ...numbers.slice(0, 2).map((number) => sampleAttempt(number)),
        ...numbers.slice(2, 4).map((number) => sampleAttempt(number, { status: 'failed' })),
      ]);
      const [one, two, three, four, five, six] = numbers;
      assert.deepEqual(numbersOf(await list()), numbers.toReversed());
      assert.deepEqual(numbersOf(await list({ limit: 2 })), [six, five]);
      assert.deepEqual(numbersOf(await list({ before: five, limit: 2 })), [four, three]);
      assert.deepEqual(numbersOf(await list({ before: one })), []);
      assert.deepEqual(numbersOf(await list({ status: 'pending' })), [six, five]);
      assert.deepEqual(numbersOf(await list({ status: 'failed', limit: 1 })), [four]);
      assert.deepEqual(numbersOf(await list({ status: 'succeeded', before: two })), [one]);
      assert.deepEqual(numbersOf(await list({ eventId: events[2]?.id })), [three]);
      assert.deepEqual(numbersOf(await list({ eventId: makeId('event', 1) })), []);
    });

    test('each webhook has its own deliveries', async () => {
      const bot = await prepare({ events: 2 });
      const other = await addDeliveries(bot, { events: 1 });
      assert.deepEqual(numbersOf(await bot.list()), [2, 1]);
      assert.deepEqual(numbersOf(await other.list()), [3]);
      await other.save([sampleAttempt(1, { response: 'of another' })]);
      assert.equal((await bot.list()).at(-1)?.response, null);
      assert.equal(
        await bot.store.retryDelivery(bot.botId, other.webhookId, bot.events[0]?.id ?? '', sampleContext({ nowMs: 1 })),
        false,
      );
    });
  });

  suite('sending again', () => {
    test('a retried delivery is pending, without attempts, and raises the version', async () => {
      const { store, botId, webhookId, events, numbers, save, list, find } = await prepare();
      await save(numbers.map((number) => sampleAttempt(number, { status: 'failed', attempts: 11, statusCode: 500 })));
      const event = events[1] as StoredEvent;
      const retried = await store.retryDelivery(botId, webhookId, event.id, sampleContext({ nowMs: laterMs + 77 }));
      assert.deepEqual(retried, { ...asPlanned(event), dueAtMs: laterMs + 77 });
      assert.deepEqual(await list({ status: 'pending' }), [retried]);
      assert.equal((await find()).version, 2);
      assert.equal(
        await store.retryDelivery(botId, webhookId, makeId('event', 1), sampleContext({ nowMs: laterMs })),
        false,
      );
      assert.equal((await find()).version, 2);
    });

    test('a replay moves the position, and refuses the plan that was made before it', async () => {
      const { store, botId, webhookId, events, plan, find, list } = await prepare({ events: 5 });
      const webhook = await find();
      const replayed = await store.replayEvents(botId, webhookId, 2, sampleContext());
      assert.deepEqual(replayed, { ...webhook, position: 2, version: 2 });
      assert.deepEqual(await find(), replayed);
      assert.equal(await plan({ position: 5, events: [] }), undefined);
      assert.deepEqual(await plan({ position: 5, events: events.slice(2), version: 2, nowMs: laterMs + 1 }), []);
      assert.equal((await list()).length, 5);
      await store.replayEvents(botId, webhookId, undefined, sampleContext());
      assert.equal((await find()).position, 0);
    });

    test('a replay of all begins with the oldest event that is kept', async () => {
      const bot = await startAlone();
      const { store } = bot;
      const { id } = await addWebhook(bot);
      const replay = async () => {
        const replayed = await store.replayEvents(bot.botId, id, undefined, sampleContext());
        assert.ok(replayed);
        return replayed.position;
      };
      for (const day of [0, 1, 2]) {
        const atMs = sampleNowMs + day * dayMs;
        await store.createContact(bot.botId, sampleFields(), sampleContext({ nowMs: atMs }));
      }
      while (await store.purge(10, sampleNowMs + dayMs, sampleContext())) {}
      assert.equal(await replay(), 1);
      while (await store.purge(10, sampleNowMs + 9 * dayMs, sampleContext())) {}
      assert.equal(await replay(), 3);
    });
  });

  suite('retention', () => {
    /** As long after the plan as deliveries are kept. */
    const keptUntilMs = laterMs + limits.deliveryDays * dayMs;
    const purgeAll = async (store: Store, nowMs: number, rows = 2) => {
      while (await store.purge(rows, 0, sampleContext({ nowMs }))) {}
    };

    test('deliveries go when they are old, the oldest first, unless they are pending', async () => {
      const [bot, other] = [await addDeliveries(await startAlone(), { events: 9 }), await startAlone()];
      const { store, botId, webhookId, events, numbers, save, list, plan } = bot;
      const [, second = 0, third = 0] = numbers;
      const done = numbers.filter((number) => ![third, 5, 9].includes(number));
      await save(done.map((number) => sampleAttempt(number, { status: number === second ? 'failed' : 'succeeded' })));
      await store.skipDelivery(botId, webhookId, events[4]?.id as string, sampleContext());
      await purgeAll(store, keptUntilMs);
      assert.equal((await list()).length, 9, 'none goes before its time');
      await plan({ version: 2, events: events.slice(6, 7), nowMs: laterMs + 1 });
      await save([sampleAttempt(7)]);
      await store.purge(2, 0, sampleContext({ nowMs: keptUntilMs + 1 }));
      assert.deepEqual(numbersOf(await list()), [9, 8, 7, 6, 5, 3, 2], 'the oldest go first');
      // Only now: which of two bots a slice begins with depends on their ids.
      const inOther = await addDeliveries(other, { events: 2 });
      await inOther.save(inOther.numbers.map((number) => sampleAttempt(number)));
      await purgeAll(store, keptUntilMs + 1, 3);
      // The eighth is as old as the others, but comes after one that is kept.
      assert.deepEqual(numbersOf(await list()), [9, 8, 7, 3]);
      assert.deepEqual(await inOther.list(), []);
      await purgeAll(store, keptUntilMs + 2);
      assert.deepEqual(numbersOf(await list()), [9, 3]);
      assert.ok((await bot.find()).isEnabled);
    });

    test('nothing is left of the deliveries of webhooks and bots that were deleted', async (t) => {
      const opened = await openStore(t, engine);
      const { store } = opened;
      const { botId: emptyId } = await startBot(opened);
      const bot = await addDeliveries(await startBot(opened), { events: 5 });
      const other = await addDeliveries(bot, { events: 3 });
      const count = async () => (await opened.countRows?.()) ?? 0;
      const rowsBefore = await count();
      await store.deleteWebhook(bot.botId, bot.webhookId, sampleContext());
      await purgeAll(store, laterMs, 2);
      if (opened.countRows) assert.equal(await count(), rowsBefore - 6);
      assert.equal((await other.list()).length, 3);
      await store.deleteWebhook(bot.botId, other.webhookId, sampleContext());
      await store.deleteBot(bot.botId, sampleContext({ nowMs: laterMs }));
      await purgeAll(store, laterMs, 2);
      await store.deleteBot(emptyId, sampleContext({ nowMs: laterMs }));
      await purgeAll(store, laterMs, 2);
      if (opened.countRows) assert.equal(await count(), 0);
    });
  });

  test('webhooks and deliveries are there after the store was opened again', async () => {
    const { botId, webhookId, list, find, reopen } = await prepare();
    const before = [await list(), await find()];
    const store = await reopen();
    assert.deepEqual(await store.listDeliveries(botId, webhookId, { limit: 1000 }), before[0]);
    assert.deepEqual(await store.listWebhooks(botId), [before[1]]);
  });
}
