// Conformance: webhooks, what may be changed about them, and who owns them. Their deliveries are in deliveries.ts.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { makeId } from '../../src/contacts/ids.ts';
import type { StoredEvent } from '../../src/store/events/event-store.ts';
import type { Store } from '../../src/store/store.ts';
import type {
  DeliveryAttempt,
  DeliveryPlan,
  DeliveryResults,
  NewWebhook,
  StoredWebhook,
  WantedDeliveries,
} from '../../src/store/webhooks/webhook-store.ts';
import { leaseWebhooks, takeWebhooks } from '../leases.ts';
import { until } from '../process/waiting.ts';
import { sampleAttempt, sampleCaller, sampleContext, sampleFields, sampleNowMs, sampleWebhook } from '../sample.ts';
import { type Engine, shareStore, type TestBot } from './engine.ts';

export const laterMs = sampleNowMs + 1000;
export const owner = 'deliverer 1';

type Bot = Pick<TestBot, 'store' | 'botId'>;

/** Creates contacts, which makes as many events. */
export async function makeEvents({ store, botId }: Bot, count: number): Promise<StoredEvent[]> {
  const items = Array.from({ length: count }, () => sampleFields());
  await store.upsertContacts(botId, items, sampleContext());
  const page = await store.readEvents(botId, { limit: 1000 }, sampleCaller);
  assert.ok(page.kind === 'page');
  return page.events.slice(-count);
}

export async function addWebhook({ store, botId }: Bot, changes: Partial<NewWebhook> = {}): Promise<StoredWebhook> {
  const outcome = await store.createWebhook(botId, sampleWebhook(changes), 100, sampleContext());
  assert.ok(outcome.kind === 'created', outcome.kind);
  return outcome.webhook;
}

/** Gives a bot events, and a webhook with an owner that has planned their deliveries. */
export async function addDeliveries<Start extends Bot>(bot: Start, { events: count = 3, isPlanned = true } = {}) {
  const { store, botId } = bot;
  const { id: webhookId } = await addWebhook(bot);
  assert.ok((await takeWebhooks(store, botId, owner)).includes(webhookId));
  const events = await makeEvents(bot, count);
  const delivering = {
    ...bot,
    webhookId,
    events,
    numbers: events.map(({ number }) => number),
    find: async () => (await store.listWebhooks(botId)).find(({ id }) => id === webhookId) as StoredWebhook,
    /** The numbers of those that are deferred. */
    plan: async ({
      nowMs = laterMs,
      ...changes
    }: Partial<DeliveryPlan> & { nowMs?: number } = {}): Promise<number[] | undefined> => {
      const plan = { owner, version: 1, position: events.at(-1)?.number ?? 0, events, ...changes };
      const planned = await store.planDeliveries(botId, webhookId, plan, sampleContext({ nowMs }));
      return planned ? planned.deferred : undefined;
    },
    save: async (attempts: readonly DeliveryAttempt[], changes: Partial<DeliveryResults> = {}): Promise<boolean> => {
      const results = { owner, attempts, failingSinceMs: null, ...changes };
      return (await store.saveAttempts(botId, webhookId, results, sampleContext())) !== false;
    },
    list: (wanted: Partial<WantedDeliveries> = {}) =>
      store.listDeliveries(botId, webhookId, { limit: 1000, ...wanted }),
  };
  if (isPlanned) assert.deepEqual(await delivering.plan(), []);
  return delivering;
}

export function testWebhooks(engine: Engine): void {
  const start = shareStore(engine);
  const prepare = async () => addDeliveries(await start());

  suite('settings', () => {
    test('a webhook is listed as it was created, the oldest first', async () => {
      const bot = await start();
      const given = [sampleWebhook(), sampleWebhook({ types: ['contact.created', 'tag.deleted'], description: '' })];
      const created: StoredWebhook[] = [];
      for (const webhook of given) created.push(await addWebhook(bot, webhook));
      const state = {
        isEnabled: true,
        disabledReason: null,
        failingSinceMs: null,
        position: 0,
        version: 1,
        changedBy: null,
      };
      assert.deepEqual(
        created,
        given.map((webhook) => ({ ...webhook, ...state, oldSecret: null, oldSecretUntilMs: null })),
      );
      assert.deepEqual(await bot.store.listWebhooks(bot.botId), created);
      assert.deepEqual(await bot.store.listWebhooks((await start()).botId), []);
      assert.deepEqual(await bot.store.listWebhooks(makeId('bot', 1)), []);
    });

    test('the position of a new webhook is the end of the feed', async () => {
      const bot = await start();
      assert.equal((await addWebhook(bot)).position, 0);
      await makeEvents(bot, 4);
      const webhook = await addWebhook(bot);
      assert.equal(webhook.position, 4);
      assert.deepEqual((await bot.store.listWebhooks(bot.botId)).at(-1), webhook);
    });

    test('no bot has more webhooks than it may, also when they are created at once', async () => {
      const { store, botId } = await start();
      const create = () => store.createWebhook(botId, sampleWebhook(), 3, sampleContext());
      const kinds = (await Promise.all(Array.from({ length: 5 }, create))).map(({ kind }) => kind);
      assert.deepEqual(kinds.toSorted(), ['created', 'created', 'created', 'limit_reached', 'limit_reached']);
      const [first] = await store.listWebhooks(botId);
      assert.equal(await store.deleteWebhook(botId, first?.id as string, sampleContext()), true);
      assert.equal((await create()).kind, 'created');
      assert.equal((await create()).kind, 'limit_reached');
    });

    test('an update changes what it names, and raises the version', async () => {
      const bot = await start();
      const webhook = await addWebhook(bot, { types: ['contact.created'] });
      const update = (changes: Parameters<Store['updateWebhook']>[2]) =>
        bot.store.updateWebhook(bot.botId, webhook.id, changes, sampleContext({ nowMs: laterMs }));
      let expected = { ...webhook };
      const changesOfEach = [
        { url: 'https://other.example.com/' },
        { types: null },
        { types: ['contact.deleted' as const], description: 'New' },
        { isEnabled: false },
        { changedBy: { kind: 'member', id: 'mem_jane', name: 'Jane “J” Doe' } as const },
        {},
      ];
      for (const changes of changesOfEach) {
        expected = { ...expected, ...changes, version: expected.version + 1 };
        assert.deepEqual(await update(changes), expected);
        assert.deepEqual(await bot.store.listWebhooks(bot.botId), [expected]);
      }
    });

    test('the secret before a rotation is kept, and the one before that is not', async () => {
      const bot = await start();
      const { id, secret } = await addWebhook(bot);
      const rotate = async (text: string, oldUntilMs: number) => {
        const rotated = await bot.store.updateWebhook(
          bot.botId,
          id,
          { secret: { text, oldUntilMs } },
          sampleContext({ nowMs: laterMs }),
        );
        assert.deepEqual(await bot.store.listWebhooks(bot.botId), [rotated]);
        assert.ok(rotated);
        return [rotated.secret, rotated.oldSecret, rotated.oldSecretUntilMs];
      };
      assert.deepEqual(await rotate('whsec_second', 10), ['whsec_second', secret, 10]);
      assert.deepEqual(await rotate('whsec_third', 20), ['whsec_third', 'whsec_second', 20]);
    });

    test('enabling forgets why a webhook was off, and makes what is pending due', async () => {
      const { store, botId, webhookId, numbers, save, list, find } = await prepare();
      const [first = 0, second = 0] = numbers;
      const failed = { status: 'pending', dueAtMs: laterMs + 100_000, statusCode: 500 } as const;
      await save([sampleAttempt(first), sampleAttempt(second, failed)], {
        ...{ failingSinceMs: laterMs, disabledReason: 'failing' },
      });
      const stateOf = ({ isEnabled, disabledReason, failingSinceMs }: StoredWebhook) =>
        [isEnabled, disabledReason, failingSinceMs] as const;
      await store.updateWebhook(
        botId,
        webhookId,
        { description: 'Still off', isEnabled: false },
        sampleContext({ nowMs: laterMs }),
      );
      assert.deepEqual(stateOf(await find()), [false, 'failing', laterMs]);
      const nowMs = laterMs + 60_000;
      const enabled = await store.updateWebhook(botId, webhookId, { isEnabled: true }, sampleContext({ nowMs }));
      assert.ok(enabled);
      assert.deepEqual(stateOf(enabled), [true, null, null]);
      assert.deepEqual(await find(), enabled);
      assert.deepEqual(
        (await list()).map(({ dueAtMs }) => dueAtMs),
        [laterMs, nowMs, null],
      );
    });

    test('an update of a webhook that is on makes nothing due', async () => {
      const { store, botId, webhookId, numbers, save, list } = await prepare();
      const dueAtMs = laterMs + 100_000;
      await save(numbers.map((number) => sampleAttempt(number, { status: 'pending', dueAtMs })));
      await store.updateWebhook(
        botId,
        webhookId,
        { isEnabled: true, description: 'New' },
        sampleContext({ nowMs: laterMs }),
      );
      assert.ok((await list()).every((delivery) => delivery.dueAtMs === dueAtMs));
    });
  });

  suite('what is not there', () => {
    const assertMissing = async ({ store, botId, webhookId, events, ...bot }: Awaited<ReturnType<typeof prepare>>) => {
      assert.deepEqual(await store.listWebhooks(botId), []);
      assert.equal(
        await store.updateWebhook(botId, webhookId, { url: 'https://x.example' }, sampleContext({ nowMs: laterMs })),
        false,
      );
      assert.equal(await store.deleteWebhook(botId, webhookId, sampleContext()), false);
      assert.equal(await store.replayEvents(botId, webhookId, undefined, sampleContext()), false);
      assert.equal(
        await store.retryDelivery(botId, webhookId, events[0]?.id as string, sampleContext({ nowMs: laterMs })),
        false,
      );
      assert.equal(await store.makeDeliveriesDue(botId, webhookId, sampleContext({ nowMs: laterMs })), false);
      assert.deepEqual(await takeWebhooks(store, botId, owner), []);
      assert.equal(await store.releaseWebhook(botId, webhookId, owner), undefined);
      assert.equal(await store.findOwned(botId, webhookId, owner, 10), undefined);
      assert.deepEqual(await store.listLeases([botId]), []);
      assert.ok(!(await store.listBotsWithWebhooks()).some((listed) => listed.botId === botId));
      assert.equal(await bot.plan(), undefined);
      assert.equal(await bot.save([sampleAttempt(events[0]?.number as number)]), false);
      assert.deepEqual(await bot.list(), []);
      assert.deepEqual(await bot.list({ status: 'pending' }), []);
    };

    test('a webhook that is deleted is missing for every method', async () => {
      const bot = await prepare();
      assert.equal(await bot.store.deleteWebhook(bot.botId, bot.webhookId, sampleContext()), true);
      await assertMissing(bot);
      while (await bot.store.purge(100, 0, sampleContext({ nowMs: laterMs }))) {}
      await assertMissing(bot);
    });

    test('the webhooks of a deleted bot are missing for every method', async () => {
      const bot = await prepare();
      assert.equal(await bot.store.deleteBot(bot.botId, sampleContext({ nowMs: laterMs })), true);
      await assertMissing(bot);
      assert.deepEqual(await bot.store.createWebhook(bot.botId, sampleWebhook(), 20, sampleContext()), {
        kind: 'missing',
      });
      while (await bot.store.purge(100, 0, sampleContext({ nowMs: laterMs }))) {}
      await assertMissing(bot);
    });

    test('a webhook is missing in another bot', async () => {
      const [bot, other] = [await prepare(), await start()];
      await assertMissing({ ...bot, ...(await rebind(bot, other.botId)) });
    });

    /** The same webhook, asked for in another bot. */
    const rebind = async ({ store, webhookId, events }: Awaited<ReturnType<typeof prepare>>, botId: string) => ({
      botId,
      plan: async () => {
        const plan = { owner, version: 1, position: 1, events };
        const planned = await store.planDeliveries(botId, webhookId, plan, sampleContext({ nowMs: laterMs }));
        return planned ? planned.deferred : undefined;
      },
      save: async (attempts: readonly DeliveryAttempt[]) =>
        (await store.saveAttempts(botId, webhookId, { owner, attempts, failingSinceMs: null }, sampleContext())) !==
        false,
      list: (wanted: Partial<WantedDeliveries> = {}) =>
        store.listDeliveries(botId, webhookId, { limit: 1000, ...wanted }),
    });
  });

  suite('leases', () => {
    const leaseMs = 60_000;
    const ownersOf = async ({ store, botId }: Bot) => (await store.listLeases([botId])).map((leased) => leased.owner);

    test('of several that take the webhooks of a bot at once, one gets each', async () => {
      const bot = await start();
      const ids = [(await addWebhook(bot)).id, (await addWebhook(bot)).id];
      const owners = ['a', 'b', 'c', 'd'];
      const taken = await Promise.all(owners.map((to) => takeWebhooks(bot.store, bot.botId, to)));
      assert.deepEqual(taken.flat().toSorted(), ids.toSorted());
      for (const { webhookId, owner: listed } of await bot.store.listLeases([bot.botId])) {
        assert.ok(taken[owners.indexOf(listed as string)]?.includes(webhookId));
      }
    });

    test('a lease is renewed by its owner alone, and taken by another once it was released', async () => {
      const bot = await start();
      const { store, botId } = bot;
      const { id } = await addWebhook(bot);
      const renew = (of: string) => store.renewLeases([botId], ['c', of], leaseMs);
      assert.deepEqual(await renew('a'), []);
      assert.deepEqual(await takeWebhooks(store, botId, 'a'), [id]);
      assert.deepEqual(await takeWebhooks(store, botId, 'b'), []);
      assert.deepEqual(await renew('b'), []);
      await store.releaseWebhook(botId, id, 'b');
      assert.deepEqual(await ownersOf(bot), ['a']);
      assert.deepEqual(await renew('a'), [id]);
      await store.releaseWebhook(botId, id, 'a');
      assert.deepEqual(await ownersOf(bot), [undefined]);
      assert.deepEqual(await renew('a'), []);
      assert.deepEqual(await takeWebhooks(store, botId, 'b'), [id]);
      assert.deepEqual(await ownersOf(bot), ['b']);
    });

    test('a lease that is over is renewed by its owner, unless another has taken the webhook', async () => {
      const bot = await start();
      const { store, botId } = bot;
      const { id } = await addWebhook(bot);
      const take = (of: string, forMs: number) => leaseWebhooks(store, botId, of, forMs);
      const renew = (forMs: number) => store.renewLeases([botId], ['a'], forMs);
      const isOver = async () => (await ownersOf(bot))[0] === undefined;
      assert.deepEqual(await take('a', 1), [id]);
      await until('the lease to be over', isOver);
      assert.deepEqual(await renew(leaseMs), [id]);
      assert.deepEqual(await take('b', leaseMs), []);
      assert.deepEqual(await renew(1), [id]);
      await until('the lease to be over', isOver);
      assert.deepEqual(await take('b', leaseMs), [id]);
      assert.deepEqual(await renew(leaseMs), []);
      assert.deepEqual(await ownersOf(bot), ['b']);
    });

    test('results are written as long as no other has taken the webhook, even when the lease is over', async () => {
      const bot = await prepare();
      const { store, botId, webhookId, numbers, save, plan, list } = bot;
      await store.renewLeases([botId], [owner], 1);
      await until('the lease to be over', async () => (await ownersOf(bot))[0] === undefined);
      assert.equal(await save([sampleAttempt(numbers[0] as number)]), true);
      assert.deepEqual(await plan(), []);
      const before = await list();
      await takeWebhooks(store, botId, 'deliverer 2');
      assert.equal(await save([sampleAttempt(numbers[0] as number)]), false);
      assert.equal(await plan(), undefined);
      assert.equal(await store.findOwned(botId, webhookId, owner, 10), undefined);
      assert.deepEqual(await list(), before);
    });

    test('a lease that ends later than any can is over: the clock was set back', async () => {
      const bot = await start();
      const { id } = await addWebhook(bot);
      const take = (of: string, forMs: number) => leaseWebhooks(bot.store, bot.botId, of, forMs);
      await take('a', 2 * bot.store.leaseRules().leaseMaxMs);
      assert.deepEqual(await ownersOf(bot), [undefined]);
      assert.deepEqual(await take('b', leaseMs), [id]);
      assert.deepEqual(await take('a', leaseMs), []);
    });

    test('one that is switched off is not taken, and stays with its owner until that releases it', async () => {
      const bot = await start();
      const { store, botId } = bot;
      const ids = [(await addWebhook(bot)).id, (await addWebhook(bot)).id] as const;
      await store.updateWebhook(botId, ids[0], { isEnabled: false }, sampleContext({ nowMs: laterMs }));
      assert.deepEqual(await takeWebhooks(store, botId, 'a'), [ids[1]]);
      await store.updateWebhook(botId, ids[1], { isEnabled: false }, sampleContext({ nowMs: laterMs }));
      assert.deepEqual(await takeWebhooks(store, botId, 'b'), []);
      assert.deepEqual(await store.renewLeases([botId], ['a'], leaseMs), [ids[1]]);
    });

    test('webhooks of many bots are taken and renewed at once, and those of others are left alone', async () => {
      const [one, two, other] = [await start(), await start(), await start()];
      const { store } = one;
      const [first, second, third, fourth] = [
        await addWebhook(one),
        await addWebhook(one),
        await addWebhook(two),
        await addWebhook(other),
      ];
      const botIds = [one.botId, makeId('bot', 1), two.botId];
      assert.deepEqual(
        new Set(await store.takeWebhooks(botIds, { owner: 'a', leaseMs })),
        new Set([
          { botId: one.botId, webhookId: first.id },
          { botId: one.botId, webhookId: second.id },
          { botId: two.botId, webhookId: third.id },
        ]),
      );
      assert.deepEqual(await ownersOf(other), [undefined]);
      await store.releaseWebhook(one.botId, second.id, 'a');
      assert.deepEqual(await takeWebhooks(store, one.botId, 'b'), [second.id]);
      assert.deepEqual(await takeWebhooks(store, other.botId, 'a'), [fourth.id]);
      const renewed = (owners: string[]) => store.renewLeases(botIds, owners, leaseMs);
      assert.deepEqual(new Set(await renewed(['a'])), new Set([first.id, third.id]));
      assert.deepEqual(new Set(await renewed(['a', 'b'])), new Set([first.id, second.id, third.id]));
    });

    test('leases are listed of webhooks that are enabled, of all bots that are asked for', async () => {
      const [one, other, none] = [await start(), await start(), await start()];
      const { store } = one;
      const webhooks = [await addWebhook(one), await addWebhook(one), await addWebhook(other)] as const;
      await addWebhook(none);
      await store.updateWebhook(one.botId, webhooks[1].id, { isEnabled: false }, sampleContext({ nowMs: laterMs }));
      await store.updateWebhook(
        other.botId,
        webhooks[2].id,
        { url: 'https://x.example/' },
        sampleContext({ nowMs: laterMs }),
      );
      await takeWebhooks(store, one.botId, 'a');
      const listed = await store.listLeases([one.botId, makeId('bot', 1), other.botId]);
      assert.deepEqual(
        new Set(listed),
        new Set([
          { botId: one.botId, webhookId: webhooks[0].id, owner: 'a', version: 1 },
          { botId: other.botId, webhookId: webhooks[2].id, owner: undefined, version: 2 },
        ]),
      );
      assert.deepEqual(await store.listLeases([]), []);
    });

    test('the bots that have webhooks are listed, enabled or not', async () => {
      const [one, other] = [await start(), await start()];
      const { store } = one;
      const before = await store.listBotsWithWebhooks();
      const assertListed = async (entries: typeof before) =>
        assert.deepEqual(new Set(await store.listBotsWithWebhooks()), new Set([...before, ...entries]));
      await assertListed([]);
      const webhooks = [await addWebhook(one), await addWebhook(one)] as const;
      await addWebhook(other);
      await store.updateWebhook(one.botId, webhooks[0].id, { isEnabled: false }, sampleContext({ nowMs: laterMs }));
      await store.deleteWebhook(one.botId, webhooks[1].id, sampleContext());
      const entryOf = async (botId: string) => {
        const bot = await store.findBot(botId);
        return { botId, organizationId: bot?.organizationId as string };
      };
      const expected = [await entryOf(one.botId), await entryOf(other.botId)];
      await assertListed(expected);
      await store.deleteWebhook(one.botId, webhooks[0].id, sampleContext());
      await assertListed(expected.slice(1));
      await addWebhook(one);
      assert.equal((await store.listBotsWithWebhooks()).length, before.length + 2);
      await store.deleteBot(other.botId, sampleContext({ nowMs: laterMs }));
      await assertListed(expected.slice(0, 1));
    });
  });
}
