// Several processes that deliver on one store: each webhook is one's alone, others take over from one that is gone, and all stop in order.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openDeliveryWorld, openWorldStore } from '../../test/delivery-world.ts';
import { handOver } from '../../test/leases.ts';
import { until } from '../../test/process/waiting.ts';
import { startReceiver } from '../../test/receiver.ts';
import { sampleAttempt, sampleContext } from '../../test/sample.ts';
import { wholeFile } from '../../test/whole-file.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';
import type { StoredWebhook } from '../store/webhooks/webhook-store.ts';

const shared = await openWorldStore(wholeFile);

/** Its store answers nothing any more, as with a process that was killed or cut off. */
function killable() {
  let isDead = false;
  const wrapStore = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const method = Reflect.get(target, name);
        return (...args: unknown[]) => (isDead ? new Promise(() => {}) : method(...args));
      },
    });
  return {
    wrapStore,
    kill() {
      isDead = true;
    },
  };
}

suite('deliverers', () => {
  test('have each webhook once, however many come or go', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhooks: StoredWebhook[] = [];
    for (let webhook = 0; webhook < 5; webhook++) webhooks.push(await world.createWebhook(receiver.url));
    const first = world.startDeliverer();
    const others = [world.startDeliverer(), world.startDeliverer()];
    const untilOwned = (by: { id: string }[]) =>
      until('an owner of each', async () => {
        const owners = await Promise.all(webhooks.map((webhook) => world.ownerOf(webhook)));
        return owners.every((owner) => by.some(({ id }) => id === owner));
      });
    await untilOwned([first, ...others]);
    await first.stop();
    await untilOwned(others);
    await world.createContact();
    for (const webhook of webhooks) await world.untilDelivered(webhook, 1);
    assert.equal(receiver.received.length, 5);
  });

  test('take over from one that has died, and what it had not saved is sent again', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    const { kill, wrapStore } = killable();
    const first = world.startDeliverer({ wrapStore, leaseMs: 500 });
    await world.createContact();
    await world.untilDelivered(webhook, 1);
    receiver.answerWith(() => {
      kill();
      receiver.answerWith(() => 204);
      return 204;
    });
    const contactId = await world.createContact();
    first.wake(world.bot.id);
    await until('the message that is not saved', () => receiver.received.length === 2);
    await world.updateContact(contactId, 'Later');
    const second = world.startDeliverer();
    await world.untilDelivered(webhook, 3);
    assert.equal(await world.ownerOf(webhook), second.id);
    const ids = receiver.received.map(({ id }) => id);
    assert.equal(ids.length, 4);
    assert.equal(ids[1], ids[2], 'the same event has the same id');
  });

  test('do not take from one that is slow, and no message is sent twice', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    const first = world.startDeliverer();
    await until('an owner', async () => (await world.ownerOf(webhook)) === first.id);
    world.startDeliverer();
    for (let contact = 0; contact < 50; contact++) await world.createContact();
    await world.untilDelivered(webhook, 50);
    assert.equal(await world.ownerOf(webhook), first.id);
    assert.equal(receiver.received.length, 50);
  });

  test('that could not renew their leases for long begin nothing: another may have taken over', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    let isCutOff = false;
    let renewals = 0;
    const deliverer = world.startDeliverer({
      leaseMs: 300,
      wrapStore: (store) => ({
        ...store,
        async takeWebhooks(...args) {
          if (isCutOff) throw new StoreUnavailableError('down');
          return store.takeWebhooks(...args);
        },
        async renewLeases(...args) {
          renewals++;
          if (isCutOff) throw new StoreUnavailableError('down');
          return store.renewLeases(...args);
        },
      }),
    });
    await until('an owner', async () => (await world.ownerOf(webhook)) === deliverer.id);
    isCutOff = true;
    await until('its lease to be over', async () => (await world.ownerOf(webhook)) === undefined);
    await world.createContact();
    deliverer.wake(world.bot.id);
    await world.untilDelivered(webhook, 1, 'pending');
    const renewalsBefore = renewals;
    await until('more failed renewals', () => renewals > renewalsBefore + 3);
    assert.equal(receiver.received.length, 0);
    isCutOff = false;
    await world.untilDelivered(webhook, 1);
  });

  test('begin no message whose contact was read for so long that their lease is in doubt', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    const read = Promise.withResolvers<void>();
    let isRead = false;
    let isCutOff = false;
    const deliverer = world.startDeliverer({
      leaseMs: 300,
      wrapStore: (store) => ({
        ...store,
        async takeWebhooks(...args) {
          if (isCutOff) throw new StoreUnavailableError('down');
          return store.takeWebhooks(...args);
        },
        async renewLeases(...args) {
          if (isCutOff) throw new StoreUnavailableError('down');
          return store.renewLeases(...args);
        },
        async findContactWithValues(...args) {
          isCutOff = true;
          await read.promise;
          isRead = true;
          return store.findContactWithValues(...args);
        },
      }),
    });
    await world.createContact();
    await until('its lease to be over', async () => isCutOff && (await world.ownerOf(webhook)) === undefined);
    read.resolve();
    await until('the contact to be read', () => isRead);
    assert.deepEqual(
      (await world.listDeliveries(webhook)).map(({ status }) => status),
      ['pending'],
    );
    assert.equal(receiver.received.length, 0);
    isCutOff = false;
    await world.untilDelivered(webhook, 1);
    assert.equal(receiver.received.length, 1);
    assert.equal(deliverer.runCount, 1);
  });

  test('let go of a webhook that another has taken', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    const deliverer = world.startDeliverer();
    await until('an owner', async () => (await world.ownerOf(webhook)) === deliverer.id);
    const [leased] = await world.store.listLeases([world.bot.id]);
    await handOver(world.store, world.bot.id, webhook.id, leased?.owner as string, 'another');
    await world.createContact();
    await until('it to let go', () => deliverer.runCount === 0);
    assert.equal(await world.ownerOf(webhook), 'another');
    assert.deepEqual(await world.listDeliveries(webhook), []);
    assert.equal(receiver.received.length, 0);
  });

  test('forget what they knew of a webhook that they lost and took again', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const { store, bot } = world;
    const hanging = Promise.withResolvers<void>();
    const receiver = await startReceiver(t, async () => {
      await hanging.promise;
      return 204;
    });
    const webhook = await world.createWebhook(receiver.url);
    const contactId = await world.createContact();
    let isHeldUp = false;
    const held = Promise.withResolvers<void>();
    const deliverer = world.startDeliverer({
      timeoutMs: 3_600_000,
      wrapStore: (same) => ({
        ...same,
        async listLeases(botIds) {
          if (isHeldUp) await held.promise;
          return same.listLeases(botIds);
        },
      }),
    });
    await until('a message in flight', () => receiver.received.length === 1);
    isHeldUp = true;
    const before = (await store.listLeases([bot.id]))[0]?.owner as string;
    // Meanwhile another has delivered that event and the next one, and has died.
    await handOver(store, bot.id, webhook.id, before, 'another');
    await world.updateContact(contactId, 'Later');
    const page = await store.readEvents(bot.id, { limit: 10 }, bot);
    assert.ok(page.kind === 'page');
    const { events, next } = page;
    const plan = { owner: 'another', version: 1, events, position: next };
    const context = sampleContext({ nowMs: Date.now() });
    assert.ok(await store.planDeliveries(bot.id, webhook.id, plan, context));
    const attempts = events.map(({ number }) => sampleAttempt(number, { attempts: 7 }));
    await store.saveAttempts(bot.id, webhook.id, { owner: 'another', attempts, failingSinceMs: null }, context);
    await store.releaseWebhook(bot.id, webhook.id, 'another');

    isHeldUp = false;
    held.resolve();
    await until('it to take the webhook again', async () => (await world.ownerOf(webhook)) === deliverer.id);
    assert.notEqual((await store.listLeases([bot.id]))[0]?.owner, before);
    hanging.resolve();
    await world.createContact();
    await world.untilDelivered(webhook, 3);
    assert.deepEqual(
      (await world.listDeliveries(webhook)).map((delivery) => delivery.attempts),
      [1, 7, 7],
    );
    assert.equal(receiver.received.length, 2, 'the message in flight and the newest');
  });
});

suite('leases', () => {
  test('of many bots are renewed together, and not each by itself', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const botIds = [world.bot.id, await world.addBot(), await world.addBot()];
    for (const botId of botIds) await world.createWebhook('https://shop.example.com/', null, botId);
    await world.createWebhook('https://shop.example.com/');
    const renewals: string[][] = [];
    const deliverer = world.startDeliverer({
      leaseMs: 1000,
      wrapStore: (store) => ({
        ...store,
        async renewLeases(ids, ...args) {
          const renewed = await store.renewLeases(ids, ...args);
          renewals.push(renewed);
          return renewed;
        },
      }),
    });
    await until('some renewals', () => renewals.length >= 2);
    for (const renewed of renewals) assert.equal(renewed.length, 4);
    assert.equal(deliverer.runCount, 4);
  });

  test('that fail or hang hold up no others', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const hangingBot = await world.addBot();
    await world.createWebhook('https://shop.example.com/', null, hangingBot);
    await world.createWebhook('https://shop.example.com/');
    const hanging = Promise.withResolvers<never>();
    let calls = 0;
    let renewals = 0;
    world.startDeliverer({
      leaseMs: 300,
      wrapStore: (store) => ({
        ...store,
        leaseRules: () => ({ ...store.leaseRules(), botsAtOnce: 1 }),
        async takeWebhooks(botIds, ...args) {
          if (calls > 0 && botIds.includes(hangingBot)) throw new StoreUnavailableError('down');
          return store.takeWebhooks(botIds, ...args);
        },
        async renewLeases(botIds, ...args) {
          // The first call fails as a statement does that takes too long.
          if (botIds.includes(hangingBot) && ++calls === 1) throw new StoreUnavailableError('down');
          if (botIds.includes(hangingBot)) return hanging.promise;
          renewals++;
          return store.renewLeases(botIds, ...args);
        },
      }),
    });
    await until('one that hangs', () => calls === 2);
    const before = renewals;
    await until('renewals of the other', () => renewals > before + 3);
    assert.equal(calls, 2);
    hanging.reject(new StoreUnavailableError('down'));
  });

  test('whose taking was not answered are taken again', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const webhook = await world.createWebhook((await startReceiver(t)).url);
    await world.createContact();
    let isAnswered = false;
    world.startDeliverer({
      wrapStore: (store) => ({
        ...store,
        async takeWebhooks(...args) {
          const taken = await store.takeWebhooks(...args);
          if (isAnswered) return taken;
          isAnswered = true;
          throw new StoreUnavailableError('down');
        },
      }),
    });
    await world.untilDelivered(webhook, 1);
    assert.ok(isAnswered);
  });
});

suite('a deliverer that stops', () => {
  test('saves what is in flight, and gives its webhooks back', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const release = Promise.withResolvers<void>();
    const receiver = await startReceiver(t, async () => {
      await release.promise;
      return 204;
    });
    const webhook = await world.createWebhook(receiver.url);
    for (let contact = 0; contact < 30; contact++) await world.createContact();
    const deliverer = world.startDeliverer({ drainMs: 3_600_000, timeoutMs: 3_600_000 });
    await until('ten in flight', () => receiver.received.length === 10);
    const stopped = deliverer.stop();
    release.resolve();
    await stopped;
    assert.equal(receiver.received.length, 10);
    assert.equal((await world.listDeliveries(webhook, 'succeeded')).length, 10);
    // A store that is slow to note it does not keep the deliverer from stopping.
    await until('it to be given back', async () => (await world.ownerOf(webhook)) === undefined);
  });

  test('does not wait for a receiver that hangs, whose message is sent again', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t, () => new Promise<undefined>(() => {}));
    const webhook = await world.createWebhook(receiver.url);
    await world.createContact();
    const first = world.startDeliverer({ timeoutMs: 3_600_000 });
    await until('a message in flight', () => receiver.received.length === 1);
    await first.stop();
    await until('it to be given back', async () => (await world.ownerOf(webhook)) === undefined);
    receiver.answerWith(() => 204);
    world.startDeliverer();
    await world.untilDelivered(webhook, 1);
    assert.equal(receiver.received[0]?.id, receiver.received[1]?.id);
  });
});

test('without webhooks there is one query in each round', async (t) => {
  const world = await openDeliveryWorld(t, shared);
  const calls: string[] = [];
  const counting = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const method = Reflect.get(target, name);
        return (...args: unknown[]) => {
          calls.push(String(name));
          return method(...args);
        };
      },
    });
  const deliverer = world.startDeliverer({ wrapStore: counting });
  calls.length = 0;
  await world.createContact();
  await until('some rounds', () => calls.length > 5);
  assert.deepEqual(new Set(calls), new Set(['listBotsWithWebhooks']));
  const webhook = await world.createWebhook((await startReceiver(t)).url);
  await world.createContact();
  await world.untilDelivered(webhook, 1);
  await world.store.deleteWebhook(world.bot.id, webhook.id, sampleContext());
  await until('it to let go', () => deliverer.runCount === 0);
});

test('an organization has at most 200 messages in flight, and another is not held up by them', async (t) => {
  const world = await openDeliveryWorld(t, shared);
  const hanging = await startReceiver(t, () => new Promise<undefined>(() => {}));
  const prompt = await startReceiver(t);
  const bots = [world.bot.id];
  for (let bot = 1; bot < 2; bot++) bots.push(await world.addBot(world.organization.id));
  // 25 webhooks of 10 messages each.
  for (let webhook = 0; webhook < 25; webhook++) await world.createWebhook(hanging.url, null, bots[webhook % 2]);
  const otherBot = await world.addBot();
  const other = await world.createWebhook(prompt.url, null, otherBot);
  world.startDeliverer({ timeoutMs: 3_600_000 });
  for (const botId of bots) for (let contact = 0; contact < 10; contact++) await world.createContact(botId);
  await until('200 in flight', () => hanging.received.length === 200);
  await world.createContact(otherBot);
  await world.untilDelivered(other, 1, 'succeeded', otherBot);
  assert.equal(hanging.received.length, 200);
});
