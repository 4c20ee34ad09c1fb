// Deliveries that fail hold back their contact alone, however many they are, and are sent at once when the receiver works again.
// Real events of a real store, and real receivers. Five thousand messages to them take 25 CPU-seconds on PostgreSQL.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { openDeliveryWorld, openWorldStore } from '../../test/delivery-world.ts';
import { until } from '../../test/process/waiting.ts';
import { type ReceivedMessage, startReceiver } from '../../test/receiver.ts';
import { sampleContext, sampleFields } from '../../test/sample.ts';
import { wholeFile } from '../../test/whole-file.ts';
import { defaultRetriesMs } from './schedule.ts';

const shared = await openWorldStore(wholeFile);

const hourMs = 3_600_000;
const contactOf = ({ message }: ReceivedMessage) => message.data.event.contactId as string;

/** A receiver that refuses messages about some contacts, and a webhook to it. */
async function prepare(t: TestContext) {
  const { store, bot, ...world } = await openDeliveryWorld(t, shared);
  const refused = new Set<string>();
  /** Contacts that a message was accepted about. */
  const accepted = new Set<string>();
  const receiver = await startReceiver(t, (received) => {
    const contactId = contactOf(received);
    if (refused.has(contactId)) return 500;
    accepted.add(contactId);
    return 204;
  });
  const webhook = await world.createWebhook(receiver.url);

  /** Their ids. Each makes an event. */
  const createContacts = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    while (ids.length < count) {
      const items = Array.from({ length: Math.min(1000, count - ids.length) }, () => sampleFields());
      const outcome = await store.upsertContacts(bot.id, items, sampleContext({ nowMs: Date.now() }));
      assert.ok(outcome.kind === 'upserted');
      ids.push(...outcome.ids);
    }
    return ids;
  };
  const update = (contactId: string, times: number) =>
    Promise.all(Array.from({ length: times }, (_, index) => world.updateContact(contactId, `Name ${index}`)));
  const untilAccepted = (contactIds: readonly string[]) =>
    until('messages about them to be accepted', () => contactIds.every((id) => accepted.has(id)));
  const attemptsOf = async (contactIds: readonly string[]) => {
    const attempts = new Map(
      (await world.listDeliveries(webhook)).map((delivery) => [delivery.event.contactId, delivery.attempts]),
    );
    return contactIds.map((id) => attempts.get(id) ?? 0);
  };
  /** Each once. */
  const untilRefused = async (contactIds: readonly string[]) => {
    await until('messages about them', () => receiver.received.length >= contactIds.length);
    await until('all to be refused', async () => (await attemptsOf(contactIds)).every((attempts) => attempts === 1));
  };
  return {
    ...world,
    store,
    bot,
    refused,
    receiver,
    webhook,
    createContacts,
    update,
    accepted,
    untilAccepted,
    attemptsOf,
    untilRefused,
  };
}

suite('contacts whose deliveries fail', () => {
  test('take no room of others: one with 2,000 changes, and 2,000 with one', async (t) => {
    const { store, bot, refused, webhook, ...world } = await prepare(t);
    const [changing = ''] = await world.createContacts(1);
    refused.add(changing);
    await world.update(changing, 2000);
    for (const id of await world.createContacts(2000)) refused.add(id);
    const others = await world.createContacts(1000);
    const deliverer = world.startDeliverer({ retriesMs: defaultRetriesMs });
    await world.untilAccepted(others);
    const later = await world.createContacts(100);
    deliverer.wake(bot.id);
    await world.untilAccepted(later);
    assert.ok([...refused].every((id) => !world.accepted.has(id)));
    assert.equal((await world.findWebhook(webhook))?.failingSinceMs, null, 'a receiver that works for most');
    await world.untilDelivered(webhook, 1100);
    assert.equal((await world.listDeliveries(webhook, 'pending')).length, 1 + 2000 + 2000);
    assert.ok(deliverer.oldestUndeliveredSeconds() > 0);
  });

  test('get their events in order, also from another process that goes on', async (t) => {
    const { store, bot, receiver, webhook, ...world } = await prepare(t);
    const contacts = await world.createContacts(3);
    for (let round = 0; round < 10; round++) {
      for (const id of contacts) await world.updateContact(id, `Name ${round}`);
    }
    // Each message is refused twice. Refused by the count of all attempts, one could use up its retries by chance.
    const attempts = new Map<string, number>();
    receiver.answerWith(({ id }) => {
      const count = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, count);
      return count > 2 ? 204 : 500;
    });
    const retriesMs = Array(20).fill(1);
    for (const before of [8, 16]) {
      const deliverer = world.startDeliverer({ retriesMs });
      await until('some', () => receiver.accepted.length >= before);
      await deliverer.stop();
    }
    world.startDeliverer({ retriesMs });
    await world.updateContact(contacts[0] as string, 'Last');
    await world.untilDelivered(webhook, 34);
    const feed = await store.readEvents(bot.id, { limit: 100 }, bot);
    assert.ok(feed.kind === 'page');
    for (const contactId of contacts) {
      const accepted = receiver.accepted.filter((message) => contactOf(message) === contactId).map(({ id }) => id);
      const expected: string[] = feed.events.filter((event) => event.contactId === contactId).map(({ id }) => id);
      // One that was in flight when a process stopped may have come twice.
      assert.deepEqual([...new Set(accepted)], expected);
    }
  });

  test('are not tried again because others succeed', async (t) => {
    const { bot, refused, ...world } = await prepare(t);
    const bad = await world.createContacts(3);
    for (const id of bad) refused.add(id);
    const deliverer = world.startDeliverer({ retriesMs: [hourMs] });
    await world.untilRefused(bad);
    for (let round = 0; round < 5; round++) {
      const good = await world.createContacts(2);
      deliverer.wake(bot.id);
      await world.untilAccepted(good);
    }
    assert.deepEqual(await world.attemptsOf(bad), [1, 1, 1]);
  });

  test('leave events in the feed while nothing but failures comes back for over a minute', async (t) => {
    const { bot, receiver, webhook, ...world } = await prepare(t);
    receiver.answerWith(() => 500);
    const first = await world.createContacts(1);
    const deliverer = world.startDeliverer({ retriesMs: [hourMs] });
    await world.untilRefused(first);
    await deliverer.stop();
    await world.createContacts(2500);
    let reads = 0;
    world.startDeliverer({
      retriesMs: [hourMs, hourMs],
      // It has failed for days, and is not switched off yet.
      clock: () => Date.now() + 96 * hourMs,
      wrapStore: (store) => ({
        ...store,
        findFeeds(botIds) {
          reads++;
          return store.findFeeds(botIds);
        },
      }),
    });
    const all = async () => world.listDeliveries(webhook);
    await until('messages', () => receiver.received.length >= 1002);
    await until('those that were planned to be refused', async () => {
      const deliveries = await all();
      return deliveries.length > 1 && deliveries.every(({ attempts }) => attempts > 0);
    });
    const readsBefore = reads;
    await until('more looks at the feed', () => reads > readsBefore + 3);
    assert.equal((await all()).length, 1001);
    const position = (await world.findWebhook(webhook))?.position;
    assert.equal(position, 1001);
  });
});

suite('what waits is sent at once', () => {
  test('when a test was accepted', async (t) => {
    const { store, bot, refused, webhook, ...world } = await prepare(t);
    const contacts = await world.createContacts(250);
    for (const id of contacts) refused.add(id);
    world.startDeliverer({ retriesMs: [hourMs] });
    await world.untilRefused(contacts);
    refused.clear();
    // As the operation does then.
    await store.makeDeliveriesDue(bot.id, webhook.id, sampleContext({ nowMs: Date.now() }));
    await world.untilDelivered(webhook, 250);
  });

  test('when one that somebody sent again was accepted', async (t) => {
    const { store, bot, refused, webhook, ...world } = await prepare(t);
    const contacts = await world.createContacts(20);
    for (const id of contacts) refused.add(id);
    const [always = ''] = await world.createContacts(1);
    refused.add(always);
    const deliverer = world.startDeliverer({ retriesMs: Array(5).fill(hourMs) });
    await world.untilRefused([...contacts, always]);
    refused.clear();
    refused.add(always);
    const [, delivery] = await world.listDeliveries(webhook);
    await store.retryDelivery(bot.id, webhook.id, delivery?.event.id as string, sampleContext({ nowMs: Date.now() }));
    await world.untilDelivered(webhook, 20);
    await until('the one that is refused', async () => (await world.attemptsOf([always]))[0] === 2);
    // Once, and not with every further success.
    const later = await world.createContacts(5);
    deliverer.wake(bot.id);
    await world.untilAccepted(later);
    assert.deepEqual(await world.attemptsOf([always]), [2]);
  });

  test('when anything is accepted after an outage', async (t) => {
    const { bot, refused, webhook, ...world } = await prepare(t);
    const contacts = await world.createContacts(5);
    for (const id of contacts) refused.add(id);
    const first = world.startDeliverer({ retriesMs: [hourMs] });
    await world.untilRefused(contacts);
    await first.stop();
    refused.clear();
    const second = world.startDeliverer({ retriesMs: [hourMs], clock: () => Date.now() + 120_000 });
    await world.createContacts(1);
    second.wake(bot.id);
    await world.untilDelivered(webhook, 6);
  });
});

test('a response of 2xx is not kept', async (t) => {
  const { receiver, webhook, ...world } = await prepare(t);
  const contacts = await world.createContacts(2);
  receiver.answerWith(({ text, message }, response) => {
    response.writeHead(message.data.event.contactId === contacts[0] ? 500 : 200).end(text);
    return undefined;
  });
  world.startDeliverer({ retriesMs: [] });
  await world.untilDelivered(webhook, 1);
  await world.untilDelivered(webhook, 1, 'failed');
  const [succeeded, failed] = await world.listDeliveries(webhook);
  assert.deepEqual([succeeded?.statusCode, succeeded?.response], [200, null]);
  assert.match(failed?.response ?? '', /contact\.created/);
});
