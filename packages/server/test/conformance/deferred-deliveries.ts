// Conformance: deliveries that failed, and those of the same contact behind them; and what is kept of what receivers answer.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { makeId } from '../../src/contacts/ids.ts';
import type { StoredEvent } from '../../src/store/events/event-store.ts';
import type { DeliveryAttempt } from '../../src/store/webhooks/webhook-store.ts';
import {
  sampleAttempt,
  sampleAuditEntry,
  sampleCaller,
  sampleContext,
  sampleFields,
  sampleOrganization,
} from '../sample.ts';
import { newAttribute } from './attributes.ts';
import { type Engine, shareStore } from './engine.ts';
import { addDeliveries, laterMs, owner } from './webhooks.ts';

export function testDeferredDeliveries(engine: Engine): void {
  const start = shareStore(engine);

  /** A bot with two contacts and a webhook. */
  const prepare = async () => {
    const bot = await addDeliveries(await start(), { events: 2, isPlanned: false });
    const { store, botId, webhookId, events } = bot;
    const [one, other] = events.map(({ contactId }) => contactId) as [string, string];
    const eventsFrom = async (after: number): Promise<StoredEvent[]> => {
      const page = await store.readEvents(botId, { after, limit: 1000 }, sampleCaller);
      assert.ok(page.kind === 'page');
      return page.events;
    };
    let position = 2;
    const idOf = async (number: number) =>
      (await bot.list()).find(({ event }) => event.number === number)?.event.id as string;
    return {
      ...bot,
      one,
      other,
      /** Changes each of these contacts in turn, and plans the deliveries. Answers with the numbers of all and the deferred ones. */
      async change(...contactIds: string[]) {
        for (const contactId of contactIds) {
          const name = `Name ${Math.random()}`;
          await store.updateContact(botId, contactId, { name }, sampleContext({ nowMs: laterMs }));
        }
        const made = await eventsFrom(position);
        position = made.at(-1)?.number ?? position;
        return { numbers: made.map(({ number }) => number), deferred: await bot.plan({ events: made, position }) };
      },
      plan: async (from: number, nowMs: number) => bot.plan({ events: await eventsFrom(from - 1), position, nowMs }),
      save: (...attempts: DeliveryAttempt[]) => bot.save(attempts),
      fresh: async () =>
        (await store.findOwned(botId, webhookId, owner, 1000))?.pending.map(({ event }) => event.number),
      /** Number and due time, after `laterMs`. */
      due: async (max = 100) =>
        (await store.findDeferred(botId, webhookId, max)).next.map(({ event, dueAtMs }) => [
          event.number,
          (dueAtMs ?? 0) - laterMs,
        ]),
      responses: async () => (await bot.list()).map(({ response }) => response).toReversed(),
      retry: async (number: number, nowMs: number) =>
        store.retryDelivery(botId, webhookId, await idOf(number), sampleContext({ nowMs })),
      retryFailed: async (nowMs: number) => store.retryFailed(botId, webhookId, sampleContext({ nowMs })),
      skip: async (number: number) => {
        const context = sampleContext({ nowMs: laterMs + 9 });
        const skipped = await store.skipDelivery(botId, webhookId, await idOf(number), context);
        return skipped === false ? false : skipped.status;
      },
    };
  };

  const failed = (number: number, dueInMs: number, changes: Partial<DeliveryAttempt> = {}) =>
    sampleAttempt(number, { status: 'pending', statusCode: 500, dueAtMs: laterMs + dueInMs, ...changes });
  const done = (number: number) =>
    sampleAttempt(number, { wasDeferred: true, attemptedAtMs: laterMs + 7, response: null });

  suite('a delivery that failed', () => {
    test('is deferred with those of its contact behind it, and takes no room of others', async () => {
      const { one, other, change, save, fresh, due } = await prepare();
      assert.deepEqual(await change(one, other, one), { numbers: [3, 4, 5], deferred: [] });
      assert.deepEqual(await fresh(), [3, 4, 5]);
      await save(failed(3, 50));
      assert.deepEqual([await fresh(), await due()], [[4], [[3, 50]]]);
      assert.deepEqual((await change(one, other, one)).deferred, [6, 8], 'what comes later waits behind it');
      assert.deepEqual([await fresh(), await due()], [[4, 7], [[3, 50]]]);
    });

    test('is followed by the next one of its contact once it is done, in the order of the feed', async () => {
      const { one, change, save, fresh, due } = await prepare();
      await change(one, one, one);
      await save(failed(3, 50));
      await save(failed(3, 60, { attempts: 2, wasDeferred: true }));
      assert.deepEqual(await due(), [[3, 60]]);
      await save({ ...done(3), status: 'failed' });
      assert.deepEqual(await due(), [[4, 7]]);
      await save(done(4));
      assert.deepEqual(await due(), [[5, 7]]);
      assert.deepEqual((await change(one)).deferred, [6]);
      await save(done(5));
      await save(done(6));
      assert.deepEqual(await due(), []);
      assert.deepEqual((await change(one)).deferred, [], 'nothing is in its way any more');
      assert.deepEqual(await fresh(), [7]);
    });

    test('of the whole bot holds back those of the whole bot', async () => {
      const { store, botId, change, save, due } = await prepare();
      for (const key of ['plan', 'seats']) {
        await store.defineAttribute(botId, newAttribute(key), sampleContext());
        await store.deleteAttribute(botId, key, sampleContext());
      }
      assert.deepEqual((await change()).numbers, [3, 4]);
      await save(failed(3, 50));
      await save(done(3));
      assert.deepEqual(await due(), [[4, 7]]);
    });

    test('is found by when it is due, and the oldest event is told', async () => {
      const { store, botId, webhookId, events, numbers, save } = await addDeliveries(await start(), { events: 5 });
      await save(numbers.slice(1).map((number) => failed(number, 100 - number)));
      const find = (max: number) => store.findDeferred(botId, webhookId, max);
      const numbersOf = async (max: number) => (await find(max)).next.map(({ event }) => event.number);
      assert.deepEqual(await numbersOf(10), [5, 4, 3, 2]);
      assert.deepEqual(await numbersOf(2), [5, 4]);
      assert.equal((await find(1)).oldestMs, events[1]?.atMs);
      await save(numbers.map(done));
      assert.deepEqual(await find(1), { next: [], oldestMs: undefined });
    });
  });

  suite('sending again', () => {
    test('all that is deferred is due at once, but for what waits behind another', async () => {
      const { store, botId, webhookId, one, other, change, save, fresh, due, find } = await prepare();
      await change(one, one, other, other);
      await save(failed(3, 50), failed(5, 3_600_000));
      const { version } = await find();
      assert.equal(await store.makeDeliveriesDue(botId, webhookId, sampleContext({ nowMs: laterMs + 9 })), true);
      assert.deepEqual(
        [await due(), await fresh()],
        [
          [
            [3, 9],
            [5, 9],
          ],
          [],
        ],
      );
      assert.equal((await find()).version, version + 1);
    });

    test('many become due by two thousands, so that no other write waits long', async () => {
      const { store, botId, webhookId, change, list } = await prepare();
      for (let made = 0; made < 3; made++) {
        const items = Array.from({ length: 700 }, () => sampleFields());
        await store.upsertContacts(botId, items, sampleContext({ nowMs: laterMs }));
        await change();
      }
      const attempts = (await list({ limit: 3000 })).map(({ event }) =>
        failed(event.number, 50, { wasDeferred: true }),
      );
      const results = { owner, attempts, failingSinceMs: null, dueAtLatestMs: laterMs };
      assert.deepEqual(await store.saveAttempts(botId, webhookId, results, sampleContext()), { hasMoreDue: true });
      const rest = { ...results, attempts: [] };
      assert.deepEqual(await store.saveAttempts(botId, webhookId, rest, sampleContext()), { hasMoreDue: false });
      assert.ok((await list({ limit: 3000 })).every(({ dueAtMs }) => dueAtMs === laterMs));
    });

    test('one that waits behind another makes that one due', async () => {
      const { one, change, save, due, retry } = await prepare();
      await change(one, one);
      await save(failed(3, 3_600_000));
      const retried = await retry(4, laterMs + 9);
      assert.ok(retried);
      assert.equal(retried.status, 'pending');
      assert.deepEqual(await due(), [[3, 9]]);
    });

    test('one from before those that are deferred comes first', async () => {
      const { one, change, save, due, fresh, retry } = await prepare();
      await change(one, one, one);
      await save(sampleAttempt(3, { status: 'failed' }), failed(4, 3_600_000));
      await retry(3, laterMs + 9);
      assert.deepEqual([await due(), await fresh()], [[[3, 9]], []]);
      await save(done(3));
      assert.deepEqual(await due(), [[4, 7]]);
      await save(done(4));
      assert.deepEqual(await due(), [[5, 7]]);
    });

    test('one of a contact that has no deferred ones is not deferred', async () => {
      const { one, change, save, due, fresh, retry } = await prepare();
      await change(one, one);
      await save(sampleAttempt(3, { status: 'failed' }));
      await retry(3, laterMs + 9);
      assert.deepEqual([await due(), await fresh()], [[], [3, 4]]);
    });

    test('a replay leaves what is deferred in its order, due at once and without attempts', async () => {
      const { one, other, change, save, due, fresh, plan, list } = await prepare();
      await change(one, one, other, one);
      await save(sampleAttempt(3), failed(4, 3_600_000, { attempts: 9 }));
      assert.deepEqual(await plan(3, laterMs + 5), [3, 4, 6]);
      assert.deepEqual([await due(), await fresh()], [[[4, 5]], [5]]);
      assert.ok((await list()).every(({ status, attempts }) => status === 'pending' && attempts === 0));
      for (const [sent, next] of [
        [4, 3],
        [3, 6],
      ] as const) {
        await save(done(sent));
        assert.deepEqual(await due(), [[next, 7]]);
      }
    });
  });

  suite('all that failed', () => {
    const givenUp = (number: number, changes: Partial<DeliveryAttempt> = {}) =>
      sampleAttempt(number, { status: 'failed', attempts: 11, statusCode: 500, ...changes });

    test('is pending again, of each contact in the order of its events, and beside what is new', async () => {
      const { one, other, change, save, fresh, due, list, find, retryFailed } = await prepare();
      await change(one, one, other, one, other);
      const earlier = [{ atMs: laterMs, statusCode: null, error: 'refused' }];
      await save(givenUp(3), givenUp(4, { earlier }), givenUp(5), sampleAttempt(6));
      const { version } = await find();
      assert.deepEqual(await retryFailed(laterMs + 9), { count: 3, hasMore: false });
      assert.equal((await find()).version, version + 1);
      assert.deepEqual(
        [await fresh(), (await due()).toSorted()],
        [
          [7],
          [
            [3, 9],
            [5, 9],
          ],
        ],
      );
      const [, , third, second, first] = (await list()).map(({ status, attempts, isWaiting, earlier: before }) => [
        ...[status, attempts, isWaiting, before],
      ]);
      assert.deepEqual(
        [first, second, third],
        [false, true, false].map((isWaiting) => ['pending', 0, isWaiting, []]),
      );
      await save(done(3));
      assert.deepEqual((await due()).toSorted(), [
        [4, 7],
        [5, 9],
      ]);
      assert.deepEqual(await retryFailed(laterMs + 9), { count: 0, hasMore: false });
    });

    test('comes before what is deferred, and never leaves a contact without a next one', async () => {
      const { one, change, save, due, retryFailed } = await prepare();
      await change(one, one, one);
      await save(givenUp(3), failed(4, 3_600_000));
      await retryFailed(laterMs + 9);
      assert.deepEqual(await due(), [[3, 9]]);
      // It was in flight when it was deferred behind the other.
      await save(failed(4, 50, { attempts: 2, wasDeferred: true }));
      for (const number of [3, 4, 5]) await save(done(number));
      assert.deepEqual(await due(), []);
    });

    test('waits behind an older one of its contact, which stays due when it was', async () => {
      const { one, other, change, save, due, retryFailed } = await prepare();
      await change(one, one, other, one);
      await save(failed(3, 50), givenUp(4), givenUp(5));
      await retryFailed(laterMs + 9);
      assert.deepEqual(await due(), [
        [5, 9],
        [3, 50],
      ]);
      for (const number of [3, 4]) await save(done(number));
      assert.deepEqual(await due(), [
        [6, 7],
        [5, 9],
      ]);
    });

    test('is counted in the audit entry, if there is any', async () => {
      const { store, botId, webhookId, one, change, save } = await prepare();
      const organization = sampleOrganization();
      await store.createOrganization(organization, sampleContext());
      const retry = () => {
        const audit = { entry: sampleAuditEntry(organization.id) };
        return store.retryFailed(botId, webhookId, sampleContext({ nowMs: laterMs, audit }));
      };
      await change(one, one);
      await save(givenUp(3), givenUp(4));
      assert.deepEqual(
        [await retry(), await retry()],
        [
          { count: 2, hasMore: false },
          { count: 0, hasMore: false },
        ],
      );
      const { entries } = await store.listAudit(organization.id, { before: undefined, limit: 10 });
      assert.deepEqual(
        entries.map(({ count }) => count),
        [2],
      );
    });

    test('is tried again by two thousands, so that no other write waits long', async () => {
      const { store, botId, change, list, save, retryFailed } = await prepare();
      for (let made = 0; made < 3; made++) {
        const items = Array.from({ length: 700 }, () => sampleFields());
        await store.upsertContacts(botId, items, sampleContext({ nowMs: laterMs }));
        await change();
      }
      await save(...(await list({ limit: 3000 })).map(({ event }) => givenUp(event.number)));
      assert.deepEqual(await retryFailed(laterMs), { count: 2000, hasMore: true });
      assert.deepEqual(await retryFailed(laterMs), { count: 100, hasMore: false });
      assert.ok((await list({ limit: 3000 })).every(({ status }) => status === 'pending'));
    });

    test('is not found of a webhook that is not there', async () => {
      const { store, botId } = await prepare();
      assert.equal(await store.retryFailed(botId, makeId('webhook', 1), sampleContext()), false);
    });
  });

  suite('an event that is skipped', () => {
    test('is not pending any more, and the next of its contact follows', async () => {
      const { one, change, save, due, list, find, skip, retryFailed } = await prepare();
      await change(one, one, one);
      await save(failed(3, 3_600_000));
      const { version } = await find();
      assert.equal(await skip(3), 'skipped');
      assert.equal((await find()).version, version + 1);
      assert.deepEqual(await due(), [[4, 9]]);
      const first = (await list()).at(-1);
      assert.deepEqual([first?.status, first?.attempts, first?.statusCode, first?.dueAtMs], ['skipped', 1, 500, null]);
      assert.equal(await skip(5), 'skipped', 'one that waits');
      await save(done(4));
      assert.deepEqual(await due(), []);
      assert.deepEqual(await retryFailed(laterMs + 9), { count: 0, hasMore: false });
      assert.deepEqual(
        (await list({ status: 'skipped' })).map(({ event }) => event.number),
        [5, 3],
      );
    });

    test('may have failed, and stays as it is if it succeeded or is skipped already', async () => {
      const { store, botId, webhookId, one, change, save, skip, find } = await prepare();
      await change(one, one);
      await save(sampleAttempt(3), sampleAttempt(4, { status: 'failed' }));
      assert.deepEqual([await skip(3), await skip(4)], [false, 'skipped']);
      const { version } = await find();
      assert.deepEqual([await skip(4), (await find()).version], [false, version]);
      const unknown = store.skipDelivery(botId, webhookId, makeId('event', 1), sampleContext());
      assert.equal(await unknown, false);
    });

    test('while it is in flight stays skipped when it fails, and holds back nothing', async () => {
      const { one, change, save, due, skip, list } = await prepare();
      await change(one, one);
      await skip(3);
      await save(failed(3, 50));
      assert.deepEqual(await due(), [[4, -1000]]);
      assert.equal((await list()).at(-1)?.status, 'skipped');
      await save(sampleAttempt(3));
      assert.equal((await list()).at(-1)?.status, 'succeeded', 'the receiver has it');
    });
  });

  suite('what a receiver answered', () => {
    test('goes with the contact that it was about, one or many, and no other', async () => {
      const { store, botId, one, other, change, save, responses } = await prepare();
      await change(one, other, one);
      await save(failed(3, 1, { response: 'one' }), failed(4, 1, { response: 'other' }));
      assert.deepEqual(await responses(), ['one', 'other', null]);
      assert.equal(await store.deleteContact(botId, one, sampleContext()), true);
      assert.deepEqual(await responses(), [null, 'other', null]);
      await store.deleteContacts(botId, [one, other], sampleContext());
      assert.deepEqual(await responses(), [null, null, null]);
    });

    test('is not kept about a contact that was deleted meanwhile', async () => {
      const { store, botId, one, other, change, save, responses } = await prepare();
      await change(one, other);
      await store.deleteContact(botId, one, sampleContext());
      await save(failed(3, 1, { response: 'one' }), sampleAttempt(4, { status: 'failed', response: 'other' }));
      assert.deepEqual(await responses(), [null, 'other']);
    });

    test('is kept about events of the whole bot', async () => {
      const { store, botId, change, save, responses } = await prepare();
      await store.defineAttribute(botId, newAttribute('plan'), sampleContext());
      await store.deleteAttribute(botId, 'plan', sampleContext());
      await change();
      await save(failed(3, 1, { response: 'kept' }));
      assert.deepEqual(await responses(), ['kept']);
    });

    test('is gone when its contact is deleted while it is being saved', async () => {
      const { store, botId, one, other, change, save, responses } = await prepare();
      const contacts = Array.from({ length: 10 }, () => [one, other]).flat();
      const { numbers } = await change(...contacts);
      const saved = numbers.map((number) => failed(number, 1, { response: 'echo' }));
      await Promise.all([
        ...saved.map((attempt) => save(attempt)),
        store.deleteContacts(botId, [other, one], sampleContext()),
      ]);
      assert.deepEqual(new Set(await responses()), new Set([null]));
    });
  });
}
