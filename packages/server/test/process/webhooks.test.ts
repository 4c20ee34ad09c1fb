// Webhooks with the real server, killed and started again: every event arrives, in order for each contact.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startReceiver } from '../receiver.ts';
import { makeHome } from './server-process.ts';
import { until } from './waiting.ts';
import { assertDelivered, hasAccepted, startWithWebhooks, webhookSettings } from './webhook-servers.ts';

/** ROSTER_TEST_WEBHOOK_EVENTS=10000 for the long run. */
const eventsCount = Number(process.env['ROSTER_TEST_WEBHOOK_EVENTS'] ?? 1000);
const contactsCount = 50;
const env = webhookSettings;

suite('webhooks', { concurrency: 3 }, () => {
  test(`${eventsCount} events reach a receiver that fails a third of them, over two kills`, async (t) => {
    const home = await makeHome(t);
    let answers = 0;
    const receiver = await startReceiver(t, (_, response) => {
      answers++;
      if (answers % 3 !== 0) return 204;
      // Some fail without an answer.
      if (answers % 2 === 0) return 500;
      response.destroy();
      return undefined;
    });
    let { server, calls } = await startWithWebhooks(home);
    const { secret } = await calls.to(server).createWebhook(receiver);
    const rounds = eventsCount / contactsCount;
    const numbers = Array.from({ length: contactsCount }, (_, number) => number);
    const startedAt = performance.now();
    for (let round = 0; round < rounds; round++) {
      await calls.writeContacts(numbers, `Round ${round}`);
      if (round !== Math.floor(rounds / 3) && round !== Math.floor((2 * rounds) / 3)) continue;
      // In the middle of its deliveries.
      await until('some deliveries', () => hasAccepted(receiver, (round / 2) * contactsCount));
      await server.stop('SIGKILL');
      server = await home.start({ env });
      calls.to(server);
    }
    await until('all events', () => hasAccepted(receiver, eventsCount));
    const seconds = (performance.now() - startedAt) / 1000;
    const feed = await calls.readFeed();
    assert.equal(feed.length, eventsCount);
    assertDelivered(feed, receiver, secret);
    const { received, accepted } = receiver;
    t.diagnostic(
      `${received.length} messages in ${seconds.toFixed(1)} s, of which ${accepted.length - eventsCount} arrived again`,
    );
  });

  test('events keep coming after a restart, those that were pending first', async (t) => {
    const home = await makeHome(t);
    const receiver = await startReceiver(t, () => 503);
    const { server, calls } = await startWithWebhooks(home);
    const webhook = await calls.to(server).createWebhook(receiver);
    await calls.writeContacts([1], 'First');
    await until('an attempt', () => receiver.received.length > 0);
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    receiver.answerWith(() => 204);
    const again = await home.start({ env });
    await calls.to(again).writeContacts([1], 'Second');
    await until('both', () => hasAccepted(receiver, 2));
    assertDelivered(await calls.readFeed(), receiver, webhook.secret);
    await until('both to be saved', async () => (await calls.listDeliveries(webhook, 'succeeded')).length === 2);
  });

  test('a message carries the contact with its attributes and tags, and null for one that is deleted', async (t) => {
    const home = await makeHome(t);
    const receiver = await startReceiver(t);
    const { server, calls } = await startWithWebhooks(home);
    await calls.to(server).call('PUT', 'attributes/plan', { type: 'text', label: 'Plan' });
    await calls.createWebhook(receiver);
    const contact = { name: 'Jane Doe', email: 'jane@example.com', attributes: { plan: 'pro' }, tags: ['VIP'] };
    const { data } = await calls.call<{ data: { id: string } }>('PUT', 'contacts', contact);
    await until('a message', () => receiver.accepted.length > 0);
    const [created] = receiver.accepted;
    assert.equal(created?.message.type, 'contact.created');
    assert.deepEqual(created?.message.data.contact, {
      ...data,
      attributes: { plan: 'pro' },
      tags: ['VIP'],
    });
    await calls.call('DELETE', `contacts/${data.id}`);
    // A message that was answered too late is sent again.
    await until('another event', () => hasAccepted(receiver, 2));
    const deleted = receiver.accepted.at(-1)?.message;
    assert.deepEqual([deleted?.type, deleted?.data.contact], ['contact.deleted', null]);
  });

  test('a receiver that never answers delays no other webhook, and does not keep the server from stopping', async (t) => {
    const home = await makeHome(t);
    const hanging = await startReceiver(t, () => new Promise<undefined>(() => {}));
    const prompt = await startReceiver(t);
    const { server, calls } = await startWithWebhooks(home);
    await calls.to(server).createWebhook(hanging);
    const webhook = await calls.createWebhook(prompt);
    await calls.writeContacts([1, 2, 3], 'First');
    await until('messages that hang', () => hanging.received.length >= 3);
    for (let round = 0; round < 5; round++) await calls.writeContacts([1, 2, 3], `Round ${round}`);
    await until('the others', () => hasAccepted(prompt, 18));
    assertDelivered(await calls.readFeed(), prompt, webhook.secret);
    assert.deepEqual(hanging.accepted, []);
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
  });

  test('410 switches a webhook off, which its state and the metrics tell', async (t) => {
    const home = await makeHome(t);
    const receiver = await startReceiver(t, () => 410);
    const { server, calls } = await startWithWebhooks(home);
    const webhook = await calls.to(server).createWebhook(receiver);
    await calls.writeContacts([1], 'First');
    await until('it to be off', async () => !(await calls.findWebhook(webhook)).isEnabled);
    assert.equal((await calls.findWebhook(webhook)).disabledReason, 'gone');
    // Told once the save is known to have succeeded.
    await until('the log to tell it', () => server.output.stderr.includes('"msg":"a webhook was switched off"'));
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    assert.match(metrics, /^roster_webhooks_disabled_total\{reason="gone"\} 1$/m);
    assert.match(metrics, /^roster_webhook_deliveries_total\{result="failed"\} [1-9]\d*$/m);
    assert.match(server.output.stderr, /"origin":"http:\/\/127\.0\.0\.1:\d+".*"msg":"a webhook was switched off"/);
    receiver.answerWith(() => 204);
    await calls.call('PATCH', `webhooks/${webhook.id}`, { isEnabled: true });
    await until('what was pending', () => hasAccepted(receiver, 1));
  });

  test('nothing is sent to a private address, unless the operator allows it', async (t) => {
    const home = await makeHome(t);
    const receiver = await startReceiver(t);
    const { server, calls } = await startWithWebhooks(home, {});
    await assert.rejects(calls.to(server).createWebhook(receiver), /400.*https/);
    await assert.rejects(calls.createWebhook({ url: 'https://127.0.0.1/' }), /400.*public/);
    await assert.rejects(calls.createWebhook({ url: 'https://localhost:1/' }), /400.*public/);
    assert.equal(receiver.connections(), 0);
  });
});
