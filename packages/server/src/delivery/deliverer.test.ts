// Several processes that deliver on one store: they share the webhooks, take over from one that is gone, and stop in order.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openDeliveryWorld, openWorldStore } from '../../test/delivery-world.ts';
import { until } from '../../test/process/waiting.ts';
import { startReceiver } from '../../test/receiver.ts';
import { sampleContext } from '../../test/sample.ts';
import { wholeFile } from '../../test/whole-file.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';
import type { Deliverer } from './deliverer.ts';

const shared = await openWorldStore(wholeFile);

type World = Awaited<ReturnType<typeof openDeliveryWorld>>;

async function ownersOf({ store, bot }: World): Promise<(string | undefined)[]> {
  return (await store.listOwners([bot.id])).map(({ owner }) => owner);
}

/** In whichever order: nothing says who gets the larger share. */
function untilShared(world: World, deliverers: Pick<Deliverer, 'id'>[], ...shares: number[]): Promise<void> {
  return until(`shares of ${shares}`, async () => {
    const owners = await ownersOf(world);
    const counts = deliverers.map(({ id }) => owners.filter((owner) => owner === id).length);
    return counts.toSorted().join() === shares.toSorted().join();
  });
}

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
  test('share the webhooks, however many come or go', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    for (let webhook = 0; webhook < 5; webhook++) await world.createWebhook(receiver.url);
    const first = world.startDeliverer();
    await untilShared(world, [first], 5);
    const second = world.startDeliverer();
    await untilShared(world, [first, second], 3, 2);
    const third = world.startDeliverer();
    await until('a share for each', async () => {
      const owners = new Set(await ownersOf(world));
      return owners.size === 3 && !owners.has(undefined);
    });
    await first.stop();
    await until('the shares of two', async () => {
      const owners = await ownersOf(world);
      return owners.every((owner) => owner === second.id || owner === third.id) && new Set(owners).size === 2;
    });
    await world.createContact();
    await until('a message from each webhook', () => receiver.received.length === 5);
  });

  test('take over from one that has died, and what it had not saved is sent again', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    const { kill, wrapStore } = killable();
    const first = world.startDeliverer({ wrapStore });
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
    const second = world.startDeliverer({ deadAfterMs: 500 });
    await world.untilDelivered(webhook, 3);
    assert.equal(await world.ownerOf(webhook), second.id);
    const ids = receiver.received.map(({ id }) => id);
    assert.equal(ids.length, 4);
    assert.equal(ids[1], ids[2], 'the same event has the same id');
    await until('the dead one to be forgotten', async () => (await world.store.beat(second.id)).size === 1);
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

  test('that could not beat for long begin nothing: another may have taken over', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    let isCutOff = false;
    let beats = 0;
    const deliverer = world.startDeliverer({
      deadAfterMs: 300,
      wrapStore: (store) => ({
        ...store,
        async beat(id) {
          beats++;
          if (isCutOff) throw new StoreUnavailableError('down');
          return store.beat(id);
        },
      }),
    });
    await until('an owner', async () => (await world.ownerOf(webhook)) === deliverer.id);
    isCutOff = true;
    const startedAt = performance.now();
    await until('its ownership to be in doubt', () => performance.now() - startedAt > 300 && beats > 0);
    await world.createContact();
    deliverer.wake(world.bot.id);
    await world.untilDelivered(webhook, 1, 'pending');
    const beatsBefore = beats;
    await until('more failed beats', () => beats > beatsBefore + 3);
    assert.equal(receiver.received.length, 0);
    isCutOff = false;
    await world.untilDelivered(webhook, 1);
  });

  test('go on after a beat during which their ownership came into doubt', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    const release = Promise.withResolvers<void>();
    let beatAt = 0;
    let isSlow = false;
    let isHeld = false;
    const deliverer = world.startDeliverer({
      // So its ownership is certain for two seconds.
      deadAfterMs: 3000,
      wrapStore: (store) => ({
        ...store,
        async beat(id) {
          if (!isSlow) beatAt = performance.now();
          else if (performance.now() - beatAt < 1200) throw new StoreUnavailableError('down');
          else {
            isHeld = true;
            await release.promise;
          }
          return store.beat(id);
        },
      }),
    });
    await until('an owner', async () => (await world.ownerOf(webhook)) === deliverer.id);
    isSlow = true;
    await until('a beat that takes long', () => isHeld);
    await until('its ownership to be in doubt', () => performance.now() - beatAt > 2100);
    await world.createContact();
    deliverer.wake(world.bot.id);
    await world.untilDelivered(webhook, 1, 'pending');
    assert.equal(receiver.received.length, 0);
    isSlow = false;
    release.resolve();
    await world.untilDelivered(webhook, 1);
  });

  test('let go of a webhook that another has taken, and do not take it back from one that has just begun', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    const other = 'another-process';
    let isTaken = false;
    const deliverer = world.startDeliverer({
      // The other begins between this one's look at the beats and its look at the owners.
      wrapStore: (store) => ({
        ...store,
        async listOwners(botIds) {
          const owners = await store.listOwners(botIds);
          if (isTaken || owners[0]?.owner !== deliverer.id) return owners;
          isTaken = true;
          await store.beat(other);
          assert.ok(await store.changeOwner(world.bot.id, webhook.id, deliverer.id, other));
          await world.createContact();
          return store.listOwners(botIds);
        },
      }),
    });
    await until('it to let go', () => isTaken && deliverer.runCount === 0);
    assert.equal(await world.ownerOf(webhook), other);
    assert.deepEqual(await world.listDeliveries(webhook), []);
    assert.equal(receiver.received.length, 0);
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
    await until('it to leave', async () => !(await world.store.beat('another')).has(deliverer.id));
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

test('without webhooks there is one query in each round, and no beat', async (t) => {
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
  await world.createContact();
  await until('some rounds', () => calls.length > 5);
  assert.deepEqual(new Set(calls), new Set(['listBotsWithWebhooks']));
  const webhook = await world.createWebhook((await startReceiver(t)).url);
  await world.createContact();
  await world.untilDelivered(webhook, 1);
  await world.store.deleteWebhook(world.bot.id, webhook.id, sampleContext());
  await until('it to leave', async () => !(await world.store.beat('another')).has(deliverer.id));
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
