// Conformance: webhooks and their deliveries. One owner delivers for a webhook, and nothing is decided twice.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { makeId } from '../../src/contacts/ids.ts';
import type { StoredEvent } from '../../src/store/event-store.ts';
import type { Store } from '../../src/store/store.ts';
import type {
  DeliveryAttempt,
  DeliveryPlan,
  DeliveryResults,
  NewWebhook,
  StoredWebhook,
} from '../../src/store/webhook-store.ts';
import { sampleAsker, sampleFields, sampleNowMs, sampleStamp } from '../sample.ts';
import { type Engine, shareStore, type TestBot } from './engine.ts';

const dayMs = 86_400_000;
const laterMs = sampleNowMs + 1000;
let made = 0;

export function sampleWebhook(changes: Partial<NewWebhook> = {}): NewWebhook {
  return {
    id: makeId('webhook', sampleNowMs * 1000 + ++made),
    url: `https://shop.example.com/hooks/${made}`,
    types: null,
    description: `Webhook ${made}`,
    secret: `whsec_${made}`,
    createdAtMs: sampleNowMs,
    ...changes,
  };
}

/** As it is right after it was created. */
const asCreated = (webhook: NewWebhook, position = 0): StoredWebhook => ({
  ...webhook,
  ...{ isEnabled: true, disabledReason: null, failingSinceMs: null },
  ...{ oldSecret: null, oldSecretUntilMs: null, position, version: 1 },
});

/** How a receiver answered, unless changes say otherwise. */
const attemptOf = ({ number }: StoredEvent, changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  ...{ number, status: 'succeeded', attempts: 1, attemptedAtMs: laterMs + 5, dueAtMs: null },
  ...{ statusCode: 200, response: 'ok', error: null, ...changes },
});

/** Creates contacts, which makes as many events. */
async function makeEvents({ store, botId }: Pick<TestBot, 'store' | 'botId'>, count: number): Promise<StoredEvent[]> {
  const items = Array.from({ length: count }, () => sampleFields());
  await store.upsertContacts(botId, items, sampleNowMs, undefined, sampleStamp());
  const page = await store.readEvents(botId, { limit: 1000 }, sampleAsker);
  assert.ok(page.kind === 'page');
  return page.events.slice(-count);
}

async function addWebhook({ store, botId }: Pick<TestBot, 'store' | 'botId'>, changes: Partial<NewWebhook> = {}) {
  const outcome = await store.createWebhook(botId, sampleWebhook(changes), 100);
  assert.ok(outcome.kind === 'created', outcome.kind);
  return outcome.webhook;
}

const findWebhook = async ({ store, botId }: Pick<TestBot, 'store' | 'botId'>, webhookId: string) =>
  (await store.listWebhooks(botId)).find(({ id }) => id === webhookId);

export function testWebhooks(engine: Engine): void {
  const start = shareStore(engine);
  const owner = 'deliverer 1';

  /** A bot with a webhook that has an owner, and events that are planned or not. */
  const prepare = async ({ events: count = 3, isPlanned = true } = {}) => {
    const bot = await start();
    const { store, botId } = bot;
    const { id: webhookId } = await addWebhook(bot);
    assert.equal(await store.changeOwner(botId, webhookId, undefined, owner), true);
    const events = await makeEvents(bot, count);
    const plan = (changes: Partial<DeliveryPlan> = {}) =>
      store.planDeliveries(botId, webhookId, {
        ...{ owner, version: 1, position: events.at(-1)?.number as number, events, nowMs: laterMs },
        ...changes,
      });
    const save = (attempts: readonly DeliveryAttempt[], changes: Partial<DeliveryResults> = {}) =>
      store.saveAttempts(botId, webhookId, { owner, attempts, failingSinceMs: null, ...changes });
    const list = (wanted: Partial<Parameters<Store['listDeliveries']>[2]> = {}) =>
      store.listDeliveries(botId, webhookId, { limit: 100, ...wanted });
    const find = async () => (await findWebhook(bot, webhookId)) as StoredWebhook;
    if (isPlanned) assert.equal(await plan(), true);
    return { ...bot, webhookId, events, plan, save, list, find };
  };

  suite('settings', () => {
    test('a webhook is listed as it was created, the oldest first', async () => {
      const bot = await start();
      const created = [
        await addWebhook(bot),
        await addWebhook(bot, { types: ['contact.created', 'tag.deleted'], description: '' }),
        await addWebhook(bot),
      ];
      assert.deepEqual(await bot.store.listWebhooks(bot.botId), created);
      assert.deepEqual(created[1]?.types, ['contact.created', 'tag.deleted']);
      assert.deepEqual(created[0], asCreated({ ...(created[0] as StoredWebhook) }));
      assert.deepEqual(await bot.store.listWebhooks((await start()).botId), []);
    });

    test('the position of a new webhook is the end of the feed', async () => {
      const bot = await start();
      assert.equal((await addWebhook(bot)).position, 0);
      await makeEvents(bot, 4);
      const webhook = await addWebhook(bot);
      assert.equal(webhook.position, 4);
      assert.deepEqual(await findWebhook(bot, webhook.id), webhook);
    });

    test('no bot has more webhooks than it may, also when they are created at once', async () => {
      const bot = await start();
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () => bot.store.createWebhook(bot.botId, sampleWebhook(), 3)),
      );
      assert.equal(outcomes.filter(({ kind }) => kind === 'created').length, 3);
      assert.equal(outcomes.filter(({ kind }) => kind === 'limit_reached').length, 2);
      const [first] = await bot.store.listWebhooks(bot.botId);
      assert.equal(await bot.store.deleteWebhook(bot.botId, first?.id as string), true);
      assert.equal((await bot.store.createWebhook(bot.botId, sampleWebhook(), 3)).kind, 'created');
    });

    test('an update changes what it names, and raises the version', async () => {
      const bot = await start();
      const { store, botId } = bot;
      const webhook = await addWebhook(bot, { types: ['contact.created'] });
      const update = (changes: Parameters<Store['updateWebhook']>[2]) =>
        store.updateWebhook(botId, webhook.id, changes, laterMs);
      const expected = { ...webhook, url: 'https://other.example.com/', version: 2 };
      assert.deepEqual(await update({ url: expected.url }), expected);
      assert.deepEqual(await update({ types: null }), { ...expected, types: null, version: 3 });
      const described = { ...expected, types: null, description: 'New', version: 4 };
      assert.deepEqual(await update({ description: 'New' }), described);
      assert.deepEqual(await update({ isEnabled: false }), { ...described, isEnabled: false, version: 5 });
      assert.deepEqual(await findWebhook(bot, webhook.id), { ...described, isEnabled: false, version: 5 });
    });

    test('the secret before a rotation is kept, and the one before that is not', async () => {
      const bot = await start();
      const { store, botId } = bot;
      const { id, secret } = await addWebhook(bot);
      const rotate = (text: string, oldUntilMs: number) =>
        store.updateWebhook(botId, id, { secret: { text, oldUntilMs } }, laterMs);
      const secretsOf = async () => {
        const webhook = await findWebhook(bot, id);
        return [webhook?.secret, webhook?.oldSecret, webhook?.oldSecretUntilMs];
      };
      await rotate('whsec_second', 10);
      assert.deepEqual(await secretsOf(), ['whsec_second', secret, 10]);
      await rotate('whsec_third', 20);
      assert.deepEqual(await secretsOf(), ['whsec_third', 'whsec_second', 20]);
    });

    test('enabling forgets why a webhook was off, and makes what is pending due', async () => {
      const { store, botId, webhookId, events, save, list, find } = await prepare();
      const dueAtMs = laterMs + dayMs;
      const failed = { status: 'pending', dueAtMs, statusCode: 500 } as const;
      await save([attemptOf(events[0] as StoredEvent), attemptOf(events[1] as StoredEvent, failed)], {
        ...{ failingSinceMs: laterMs, disabledReason: 'failing' },
      });
      const { isEnabled, disabledReason, failingSinceMs, version } = await find();
      const expected = { isEnabled: false, disabledReason: 'failing', failingSinceMs: laterMs, version: 1 };
      assert.deepEqual({ isEnabled, disabledReason, failingSinceMs, version }, expected);
      await store.updateWebhook(botId, webhookId, { description: 'Still off' }, laterMs);
      assert.equal((await find()).disabledReason, 'failing');
      const nowMs = laterMs + 60_000;
      const enabled = await store.updateWebhook(botId, webhookId, { isEnabled: true }, nowMs);
      assert.ok(enabled?.isEnabled && enabled.disabledReason === null && enabled.failingSinceMs === null);
      assert.deepEqual(await find(), enabled);
      const dueTimes = (await list()).map((delivery) => delivery.dueAtMs);
      assert.deepEqual(dueTimes, [laterMs, nowMs, null]);
    });

    test('a webhook that is deleted is missing for every method', async () => {
      const { store, botId, webhookId, events, plan, save, list } = await prepare();
      assert.equal(await store.deleteWebhook(botId, webhookId), true);
      assert.equal(await store.deleteWebhook(botId, webhookId), false);
      await assertMissing(store, botId, webhookId, events);
      assert.equal(await plan(), false);
      assert.equal(await save([attemptOf(events[0] as StoredEvent)]), false);
      assert.deepEqual(await list(), []);
    });

    test('the webhooks of a deleted bot are missing for every method', async () => {
      const { store, botId, webhookId, events, plan, save, list } = await prepare();
      assert.equal(await store.deleteBot(botId, laterMs), true);
      await assertMissing(store, botId, webhookId, events);
      assert.equal(await store.deleteWebhook(botId, webhookId), false);
      assert.equal(await plan(), false);
      assert.equal(await save([]), false);
      assert.deepEqual(await list(), []);
      assert.deepEqual(await store.createWebhook(botId, sampleWebhook(), 20), { kind: 'missing' });
      while (await store.purge(laterMs, 100)) {}
      await assertMissing(store, botId, webhookId, events);
    });

    const assertMissing = async (store: Store, botId: string, webhookId: string, events: readonly StoredEvent[]) => {
      assert.deepEqual(await store.listWebhooks(botId), []);
      assert.equal(await store.updateWebhook(botId, webhookId, { url: 'https://x.example' }, laterMs), undefined);
      assert.equal(await store.replayEvents(botId, webhookId, undefined), undefined);
      assert.equal(await store.retryDelivery(botId, webhookId, events[0]?.id as string, laterMs), undefined);
      assert.equal(await store.changeOwner(botId, webhookId, owner, 'deliverer 2'), false);
      assert.equal(await store.findOwned(botId, webhookId, owner, 10), undefined);
      assert.deepEqual(await store.listOwners([botId]), []);
      assert.ok(!(await store.listBotsWithWebhooks()).some((bot) => bot.botId === botId));
    };
  });
}
