// Delivering to one webhook: real events of a real store, and real receivers that answer in every way.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { webhookMessageSchema } from '@roster/contract';
import { Webhook } from 'standardwebhooks';
import { openDeliveryWorld, openWorldStore, webhookSecret } from '../../test/delivery-world.ts';
import { until } from '../../test/process/waiting.ts';
import { type ReceivedMessage, startReceiver } from '../../test/receiver.ts';
import { sampleContext } from '../../test/sample.ts';
import { wholeFile } from '../../test/whole-file.ts';
import { StoreUnavailableError } from '../store/store.ts';

const shared = await openWorldStore(wholeFile);

const never = () => new Promise<undefined>(() => {});
const contactOf = ({ message }: ReceivedMessage) => message.data.event.contactId as string;
const nameOf = ({ message }: ReceivedMessage) => message.data.contact?.name;

suite('events', () => {
  test('reach the receiver in the order of the feed, signed, with the contact as it is now', async (t) => {
    const { store, bot, ...world } = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    const contactId = await world.createContact();
    await world.updateContact(contactId, 'Zoë');
    world.startDeliverer();
    await world.untilDelivered(webhook, 2);
    const feed = await store.readEvents(bot.id, { limit: 10 }, bot);
    assert.ok(feed.kind === 'page');
    assert.deepEqual(
      receiver.received.map(({ id }) => id),
      feed.events.map(({ id }) => id),
    );
    for (const { text, headers, message } of receiver.received) {
      new Webhook(webhookSecret).verify(text, headers as Record<string, string>);
      assert.deepEqual(webhookMessageSchema.parse(message), message);
      assert.equal(message.data.contact?.name, 'Zoë');
    }
    const [delivery] = await world.listDeliveries(webhook);
    assert.deepEqual([delivery?.attempts, delivery?.statusCode, delivery?.dueAtMs], [1, 204, null]);
  });

  test('that come later are sent at once when this process wrote them, and soon when another did', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    const deliverer = world.startDeliverer();
    await until('an owner', async () => (await world.ownerOf(webhook)) === deliverer.id);
    await world.createContact();
    deliverer.wake(world.bot.id);
    await world.untilDelivered(webhook, 1);
    await world.createContact();
    await world.untilDelivered(webhook, 2);
  });

  test('from before the webhook are not sent, and neither are those of types that it does not want', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const contactId = await world.createContact();
    const webhook = await world.createWebhook(receiver.url, ['contact.updated']);
    await world.createContact();
    await world.updateContact(contactId, 'New');
    let read = 0;
    let plans = 0;
    const deliverer = world.startDeliverer({
      drainMs: 3_600_000,
      wrapStore: (store) => ({
        ...store,
        async readEvents(...args) {
          const page = await store.readEvents(...args);
          if (page.kind === 'page') read = page.next;
          return page;
        },
        planDeliveries(...args) {
          plans++;
          return store.planDeliveries(...args);
        },
      }),
    });
    await world.untilDelivered(webhook, 1);
    assert.deepEqual(receiver.received.map(nameOf), ['New']);
    for (const end of [4, 5, 6]) {
      await world.createContact();
      await until('the end of the feed', () => read === end);
    }
    await deliverer.stop();
    assert.equal(plans, 2, 'what is not wanted costs no write but the last');
    assert.equal((await world.findWebhook(webhook))?.position, 6, 'whoever comes next does not read it again');
  });

  test('are sent to ten contacts side by side, and to each in order', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const held = new Map<string, () => void>();
    const receiver = await startReceiver(t, async (received) => {
      await new Promise<void>((resolve) => held.set(contactOf(received), resolve));
      return 204;
    });
    const webhook = await world.createWebhook(receiver.url);
    const contacts: string[] = [];
    for (let contact = 0; contact < 12; contact++) contacts.push(await world.createContact());
    const [first, second, third] = contacts as [string, string, string];
    await world.updateContact(first, 'New');
    world.startDeliverer({ timeoutMs: 3_600_000 });
    const contactsFrom = (start: number) => receiver.received.slice(start).map(contactOf).toSorted();
    await until('ten in flight', () => receiver.received.length === 10);
    assert.deepEqual(contactsFrom(0), contacts.slice(0, 10).toSorted());
    // The second event of the first contact is held back until its first one is done.
    held.get(second)?.();
    await until('the next contact', () => receiver.received.length === 11);
    assert.deepEqual(contactsFrom(10), [contacts[10]]);
    held.get(first)?.();
    held.get(third)?.();
    await until('two more', () => receiver.received.length === 13);
    assert.deepEqual(contactsFrom(11), [first, contacts[11]].toSorted());
    for (const release of held.values()) release();
    await world.untilDelivered(webhook, 13);
  });
});

suite('a failed delivery', () => {
  test('is sent again with the same id until it is accepted, and holds back its contact alone', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const failures = new Map<string, number>();
    const [one, other] = [await world.createContact(), await world.createContact()];
    const receiver = await startReceiver(t, (received) => {
      const count = failures.get(received.id) ?? 0;
      failures.set(received.id, count + 1);
      return contactOf(received) === one && count < 3 ? 500 : 204;
    });
    const webhook = await world.createWebhook(receiver.url);
    await world.updateContact(one, 'First');
    await world.updateContact(one, 'Second');
    await world.updateContact(other, 'Other');
    world.startDeliverer();
    await world.untilDelivered(webhook, 3);
    const ofOne = receiver.received.filter((received) => contactOf(received) === one);
    const [first, second] = [...new Set(ofOne.map(({ id }) => id))];
    assert.deepEqual(
      ofOne.map(({ id }) => id),
      [first, first, first, first, second, second, second, second],
    );
    const attempts = (await world.listDeliveries(webhook)).map((delivery) => delivery.attempts);
    assert.deepEqual(attempts, [1, 4, 4]);
    assert.equal((await world.findWebhook(webhook))?.failingSinceMs, null);
  });

  test('is given up after the last attempt, and the next event of the contact follows', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const contactId = await world.createContact();
    const receiver = await startReceiver(t, ({ message }) => (message.data.contact?.name === 'Bad' ? 400 : 204));
    const webhook = await world.createWebhook(receiver.url);
    await world.updateContact(contactId, 'Bad');
    const { counts } = world.startDeliverer({ retriesMs: [1, 1] });
    await world.untilDelivered(webhook, 1, 'failed');
    await world.updateContact(contactId, 'Good');
    await world.untilDelivered(webhook, 1);
    const [failed] = await world.listDeliveries(webhook, 'failed');
    assert.deepEqual([failed?.attempts, failed?.statusCode, failed?.dueAtMs], [3, 400, null]);
    const { earlier = [] } = failed ?? {};
    assert.deepEqual(
      earlier.map(({ statusCode, error }) => [statusCode, error]),
      [
        [400, null],
        [400, null],
      ],
    );
    const times = [...earlier.map(({ atMs }) => atMs), failed?.attemptedAtMs ?? 0];
    assert.deepEqual(times.toSorted(), times);
    assert.deepEqual(counts.attempts, { succeeded: 1, failed: 2, given_up: 1 });
  });

  test('tells why it failed, and when it is tried again', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    // Nobody listens there, unlike at a port that was given back, which another process may get.
    const webhook = await world.createWebhook('http://127.0.0.1:1/hooks');
    await world.createContact();
    world.startDeliverer({ retriesMs: [3_600_000] });
    await until('an attempt', async () => (await world.listDeliveries(webhook))[0]?.attempts === 1);
    const [delivery] = await world.listDeliveries(webhook, 'pending');
    assert.deepEqual([delivery?.statusCode, delivery?.error], [null, 'The connection was refused']);
    const delayMs = (delivery?.dueAtMs ?? 0) - (delivery?.attemptedAtMs ?? 0);
    assert.ok(delayMs >= 0.9 * 3_600_000 && delayMs <= 1.1 * 3_600_000, String(delayMs));
    assert.equal((await world.findWebhook(webhook))?.failingSinceMs, delivery?.attemptedAtMs);
  });

  test('waits as long as the receiver asks for, and so do all others', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t, (_, response) => {
      response.setHeader('retry-after', '3600');
      return 429;
    });
    const webhook = await world.createWebhook(receiver.url);
    await world.createContact();
    const deliverer = world.startDeliverer({ retriesMs: [1] });
    await until('an attempt', async () => (await world.listDeliveries(webhook))[0]?.attempts === 1);
    await world.createContact();
    deliverer.wake(world.bot.id);
    await until('a second delivery', async () => (await world.listDeliveries(webhook, 'pending')).length === 2);
    const [second, first] = await world.listDeliveries(webhook);
    assert.ok((first?.dueAtMs ?? 0) >= (first?.attemptedAtMs ?? 0) + 3_600_000);
    assert.equal(second?.attempts, 0);
    assert.equal(receiver.received.length, 1);
  });

  test('lets one at a time be tried while nothing but failures comes back', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    let inFlight = 0;
    let most = 0;
    const receiver = await startReceiver(t, async () => {
      inFlight++;
      if (receiver.received.length > 1) most = Math.max(most, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight--;
      return 500;
    });
    const webhook = await world.createWebhook(receiver.url);
    await world.createContact();
    const deliverer = world.startDeliverer({ retriesMs: [1, 1] });
    await world.untilDelivered(webhook, 1, 'failed');
    for (let contact = 0; contact < 20; contact++) await world.createContact();
    deliverer.wake(world.bot.id);
    await world.untilDelivered(webhook, 21, 'failed');
    assert.equal(most, 1);
  });
});

suite('a webhook is switched off', () => {
  test('when the receiver answers 410, with an entry in the audit log, and goes on when it is enabled', async (t) => {
    const { store, bot, organization, ...world } = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t, () => 410);
    const webhook = await world.createWebhook(`${receiver.url}/path?key=hidden`);
    const contactId = await world.createContact();
    const deliverer = world.startDeliverer({ retriesMs: [3_600_000] });
    await until('it to be off', async () => (await world.findWebhook(webhook))?.isEnabled === false);
    assert.equal((await world.findWebhook(webhook))?.disabledReason, 'gone');
    await until('it to be given back', async () => deliverer.runCount === 0);
    await world.updateContact(contactId, 'Later');
    assert.equal(receiver.received.length, 1);
    // Counted and logged once the save is known to have succeeded.
    await until('it to be counted', () => deliverer.counts.disabled.gone === 1);
    assert.equal(deliverer.counts.disabled.failing, 0);
    const { entries } = await store.listAudit(organization.id, { before: undefined, limit: 10 });
    assert.deepEqual(
      entries.map(({ action, actor, object }) => ({ action, actor, object })),
      [
        {
          action: 'webhook.disable',
          actor: { kind: 'nobody', id: undefined, name: 'nobody' },
          object: { id: bot.id, name: new URL(receiver.url).origin },
        },
      ],
    );
    assert.ok(world.logged.some((line) => line.includes('"reason":"gone"')));
    assert.ok(world.logged.every((line) => !line.includes('hidden')));

    receiver.answerWith(() => 204);
    await store.updateWebhook(bot.id, webhook.id, { isEnabled: true }, sampleContext({ nowMs: Date.now() }));
    await world.untilDelivered(webhook, 2);
  });

  test('after five days of nothing but failures', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t, () => 500);
    const webhook = await world.createWebhook(receiver.url);
    const startMs = Date.now();
    for (let contact = 0; contact < 3; contact++) await world.createContact();
    const first = world.startDeliverer({ retriesMs: [3_600_000, 3_600_000] });
    await until('three failures', async () => {
      const deliveries = await world.listDeliveries(webhook);
      return deliveries.length === 3 && deliveries.every(({ attempts }) => attempts === 1);
    });
    await first.stop();
    const second = world.startDeliverer({ retriesMs: [3_600_000, 3_600_000], clock: () => startMs + 6 * 86_400_000 });
    await until('it to be off', async () => (await world.findWebhook(webhook))?.isEnabled === false);
    assert.equal((await world.findWebhook(webhook))?.disabledReason, 'failing');
    // Counted once the save is known to have succeeded.
    await until('it to be counted', () => second.counts.disabled.failing === 1);
    assert.equal(second.counts.disabled.gone, 0);
    assert.equal((await world.listDeliveries(webhook, 'pending')).length, 3);
  });

  test('by a member while messages are in flight: those are saved, and no more are sent', async (t) => {
    const { store, bot, ...world } = await openDeliveryWorld(t, shared);
    const release = Promise.withResolvers<void>();
    const receiver = await startReceiver(t, async () => {
      await release.promise;
      return 204;
    });
    const webhook = await world.createWebhook(receiver.url);
    for (let contact = 0; contact < 30; contact++) await world.createContact();
    let looks = 0;
    const deliverer = world.startDeliverer({
      timeoutMs: 3_600_000,
      wrapStore: (same) => ({
        ...same,
        // The end of a look at what has changed.
        findFeeds(botIds) {
          looks++;
          return same.findFeeds(botIds);
        },
      }),
    });
    await until('ten in flight', () => receiver.received.length === 10);
    await store.updateWebhook(bot.id, webhook.id, { isEnabled: false }, sampleContext({ nowMs: Date.now() }));
    // The first of them may have begun before.
    const looksBefore = looks;
    await until('two looks', () => looks >= looksBefore + 2);
    release.resolve();
    await until('it to be given back', () => deliverer.runCount === 0);
    assert.equal(receiver.received.length, 10);
    assert.equal((await world.listDeliveries(webhook, 'succeeded')).length, 10);
  });
});

suite('a change of the webhook', () => {
  test('of its address, what it wants and its secret is in force soon', async (t) => {
    const { store, bot, ...world } = await openDeliveryWorld(t, shared);
    const [old, next] = [await startReceiver(t), await startReceiver(t)];
    const webhook = await world.createWebhook(old.url);
    world.startDeliverer();
    const contactId = await world.createContact();
    await world.untilDelivered(webhook, 1);
    const secret = { text: `whsec_${Buffer.alloc(32, 2).toString('base64')}`, oldUntilMs: Date.now() + 3_600_000 };
    await store.updateWebhook(
      bot.id,
      webhook.id,
      { url: next.url, types: ['contact.updated'], secret },
      sampleContext({ nowMs: Date.now() }),
    );
    await until('a message to the new address', async () => {
      await world.updateContact(contactId, `Name ${next.received.length} ${Math.random()}`);
      return next.received.length > 0;
    });
    const [{ text, headers }] = next.received as [ReceivedMessage];
    for (const key of [webhookSecret, secret.text]) new Webhook(key).verify(text, headers as Record<string, string>);
  });

  test('a delivery that is retried is sent again, and so are replayed events, with their ids', async (t) => {
    const { store, bot, ...world } = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    world.startDeliverer();
    const contactId = await world.createContact();
    await world.updateContact(contactId, 'New');
    await world.untilDelivered(webhook, 2);
    const [first, second] = receiver.received.map(({ id }) => id) as [string, string];
    await store.retryDelivery(bot.id, webhook.id, first, sampleContext({ nowMs: Date.now() }));
    await until('the first again', () => receiver.received.length === 3);
    assert.equal(receiver.received[2]?.id, first);
    await store.replayEvents(bot.id, webhook.id, undefined, sampleContext());
    await until('both again', () => receiver.received.length === 5);
    assert.deepEqual(
      receiver.received.slice(3).map(({ id }) => id),
      [first, second],
    );
  });

  test('a webhook that is deleted gets nothing more, and neither does one whose bot is', async (t) => {
    const { store, bot, ...world } = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t, () => 500);
    const [one, other] = [await world.createWebhook(receiver.url), await world.createWebhook(receiver.url)];
    const deliverer = world.startDeliverer({ retriesMs: Array(1000).fill(1) });
    await world.createContact();
    await until('attempts', () => receiver.received.length > 4 && deliverer.oldestUndeliveredSeconds() > 0);
    await store.deleteWebhook(bot.id, one.id, sampleContext());
    await store.deleteBot(bot.id, sampleContext({ nowMs: Date.now() }));
    await until('the end of both', () => deliverer.oldestUndeliveredSeconds() === 0);
    assert.equal(await world.findWebhook(other), undefined);
  });
});

suite('a store that fails', () => {
  test('loses nothing, and is not asked all the time', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    let isDown = false;
    let calls = 0;
    const failing = <Method extends (...args: never[]) => Promise<unknown>>(method: Method): Method =>
      ((...args: never[]) => {
        calls++;
        return isDown ? Promise.reject(new StoreUnavailableError('down')) : method(...args);
      }) as Method;
    const deliverer = world.startDeliverer({
      wrapStore: (store) => ({
        ...store,
        readEvents: failing(store.readEvents),
        planDeliveries: failing(store.planDeliveries),
        saveAttempts: failing(store.saveAttempts),
        findOwned: failing(store.findOwned),
      }),
    });
    for (let contact = 0; contact < 5; contact++) await world.createContact();
    await world.untilDelivered(webhook, 5);
    isDown = true;
    calls = 0;
    const downAt = performance.now();
    for (let contact = 0; contact < 5; contact++) {
      await world.createContact();
      deliverer.wake(world.bot.id);
    }
    await until('a failure', () => calls > 0 && world.logged.some((line) => line.includes('will be retried')));
    for (let wake = 0; wake < 100; wake++) {
      deliverer.wake(world.bot.id);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const seconds = (performance.now() - downAt) / 1000;
    assert.ok(calls < 5 + 2 * seconds, `${calls} calls in ${seconds} seconds`);
    isDown = false;
    await world.untilDelivered(webhook, 10);
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 10);
  });

  test('after messages were sent makes no second ones while the process lives', async (t) => {
    const world = await openDeliveryWorld(t, shared);
    const receiver = await startReceiver(t);
    const webhook = await world.createWebhook(receiver.url);
    let failures = 2;
    world.startDeliverer({
      wrapStore: (store) => ({
        ...store,
        saveAttempts: (...args) =>
          failures-- > 0 ? Promise.reject(new StoreUnavailableError('down')) : store.saveAttempts(...args),
      }),
    });
    for (let contact = 0; contact < 3; contact++) await world.createContact();
    await world.untilDelivered(webhook, 3);
    assert.equal(receiver.received.length, 3);
  });
});

test('events that are not kept any more are passed over, and the log says so', async (t) => {
  const { store, bot, ...world } = await openDeliveryWorld(t, shared);
  const receiver = await startReceiver(t);
  const webhook = await world.createWebhook(receiver.url);
  await world.createContact();
  const beforeMs = Date.now() + 1;
  await until('a later time', () => Date.now() > beforeMs);
  while (await store.purge(100, beforeMs, sampleContext({ nowMs: Date.now() }))) {}
  await world.createContact();
  world.startDeliverer();
  await world.untilDelivered(webhook, 1);
  assert.equal(receiver.received.length, 1);
  assert.ok(world.logged.some((line) => line.includes('events expired before a webhook got them')));
});

test('a receiver that never answers delays no other webhook', async (t) => {
  const world = await openDeliveryWorld(t, shared);
  const [hanging, prompt] = [await startReceiver(t, never), await startReceiver(t)];
  const webhooks = [await world.createWebhook(hanging.url), await world.createWebhook(prompt.url)] as const;
  // Never, as far as this test can tell.
  world.startDeliverer({ timeoutMs: 3_600_000 });
  for (let contact = 0; contact < 25; contact++) await world.createContact();
  await world.untilDelivered(webhooks[1], 25);
  assert.deepEqual(await world.listDeliveries(webhooks[0], 'succeeded'), []);
  await until('messages that hang', () => hanging.received.length === 10);
});
