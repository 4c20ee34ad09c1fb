// Webhooks with the whole service, killed and started again: every event arrives, in order for each contact.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { startReceiver } from '../receiver.ts';
import { wholeFile } from '../whole-file.ts';
import { makeHomeHere } from './serve-here.ts';
import { makeHome, type ServerProcess } from './server-process.ts';
import { until } from './waiting.ts';
import {
  assertDelivered,
  callsOfNewBot,
  hasAccepted,
  startWithWebhooks,
  startWithWebhooksHere,
  webhookSettings,
} from './webhook-servers.ts';

/** ROSTER_TEST_WEBHOOK_EVENTS=10000 for the long run. */
const eventsCount = Number(process.env['ROSTER_TEST_WEBHOOK_EVENTS'] ?? 1000);
const contactsCount = 50;
const env = webhookSettings;

// Side by side: some of them wait for a time.
suite('webhooks', { concurrency: 3 }, () => {
  test(`${eventsCount} events reach a receiver that fails a third of them, over two kills`, async (t) => {
    const home = await makeHome(t);
    const homeHere = await makeHomeHere(t);
    let answers = 0;
    const receiver = await startReceiver(t, (_, response) => {
      answers++;
      if (answers % 3 !== 0) return 204;
      // Some fail without an answer.
      if (answers % 2 === 0) return 500;
      response.destroy();
      return undefined;
    });
    const { server: first, calls } = await startWithWebhooks(home);
    const { secret } = await calls.to(first).createWebhook(receiver);
    const rounds = eventsCount / contactsCount;
    const numbers = Array.from({ length: contactsCount }, (_, number) => number);
    let written = 0;
    const startedAt = performance.now();
    const writeUntil = async (end: number) => {
      for (; written < end; written++) await calls.writeContacts(numbers, `Round ${written}`);
    };
    const writeAndKill = async (server: ServerProcess, end: number) => {
      await writeUntil(end);
      // In the middle of its deliveries.
      await until('some deliveries', () => hasAccepted(receiver, (end / 2) * contactsCount));
      await server.stop('SIGKILL');
    };
    await writeAndKill(first, Math.floor(rounds / 3));
    const second = await home.start({ env });
    calls.to(second);
    await writeAndKill(second, Math.floor((2 * rounds) / 3));
    calls.to(await homeHere.start({ ...env, ROSTER_DATA_DIR: home.dataDir }));
    await writeUntil(rounds);
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
    const home = await makeHomeHere(t);
    const receiver = await startReceiver(t, () => 503);
    const { server, calls } = await startWithWebhooksHere(home);
    const webhook = await calls.createWebhook(receiver);
    await calls.writeContacts([1], 'First');
    await until('an attempt', () => receiver.received.length > 0);
    await server.stop();
    receiver.answerWith(() => 204);
    const again = await home.start(env);
    await calls.to(again).writeContacts([1], 'Second');
    await until('both', () => hasAccepted(receiver, 2));
    assertDelivered(await calls.readFeed(), receiver, webhook.secret);
    await until('both to be saved', async () => (await calls.listDeliveries(webhook, 'succeeded')).length === 2);
  });

  test('a receiver that never answers delays no other webhook, and does not keep the server from stopping', async (t) => {
    const hanging = await startReceiver(t, () => new Promise<undefined>(() => {}));
    const prompt = await startReceiver(t);
    const { server, calls } = await startWithWebhooksHere(await makeHomeHere(t));
    await calls.createWebhook(hanging);
    const webhook = await calls.createWebhook(prompt);
    await calls.writeContacts([1, 2, 3], 'First');
    await until('messages that hang', () => hanging.received.length >= 3);
    for (let round = 0; round < 5; round++) await calls.writeContacts([1, 2, 3], `Round ${round}`);
    await until('the others', () => hasAccepted(prompt, 18));
    assertDelivered(await calls.readFeed(), prompt, webhook.secret);
    assert.deepEqual(hanging.accepted, []);
    await server.stop();
  });

  test('tests share with deliveries what an organization may have in flight', async (t) => {
    const held = Promise.withResolvers<number>();
    const receiver = await startReceiver(t, () => held.promise);
    const { server, calls } = await startWithWebhooksHere(await makeHomeHere(t));
    const { id } = await calls.createWebhook(receiver);
    const { sendSlots } = server.deps;
    const { organizationId } = server.firstRun;
    for (let taken = 0; taken < 199; taken++) assert.equal(sendSlots?.take(organizationId), true);
    await calls.writeContacts([1], 'First');
    await until('the last one', () => receiver.received.length === 1);
    await assert.rejects(calls.call('POST', `webhooks/${id}/test`), /503/);
    sendSlots?.giveBack(organizationId);
    held.resolve(204);
    await calls.call('POST', `webhooks/${id}/test`);
  });

  test('nothing is sent to a private address, unless the operator allows it', async (t) => {
    const receiver = await startReceiver(t);
    const { calls } = await startWithWebhooksHere(await makeHomeHere(t), {});
    await assert.rejects(calls.createWebhook(receiver), /400.*https/);
    await assert.rejects(calls.createWebhook({ url: 'https://127.0.0.1/' }), /400.*public/);
    await assert.rejects(calls.createWebhook({ url: 'https://localhost:1/' }), /400.*public/);
    assert.equal(receiver.connections(), 0);
  });
});

suite('webhooks of one server', async () => {
  const home = await makeHomeHere(wholeFile);
  let server: Awaited<ReturnType<typeof startWithWebhooksHere>>['server'];
  before(async () => {
    ({ server } = await startWithWebhooksHere(home));
  });

  test('a message carries the contact with its attributes and tags, and null for one that is deleted', async (t) => {
    const receiver = await startReceiver(t);
    const calls = await callsOfNewBot(server);
    await calls.call('PUT', 'attributes/plan', { type: 'text', label: 'Plan' });
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

  test('410 switches a webhook off, which its state and the metrics tell', async (t) => {
    const receiver = await startReceiver(t, () => 410);
    const calls = await callsOfNewBot(server);
    const { mock: warn } = t.mock.method(server.deps.logger, 'warn');
    const findWarning = () =>
      warn.calls.find((call) => call.arguments[1] === 'a webhook was switched off')?.arguments[0];
    const webhook = await calls.createWebhook(receiver);
    await calls.writeContacts([1], 'First');
    await until('it to be off', async () => !(await calls.findWebhook(webhook)).isEnabled);
    assert.equal((await calls.findWebhook(webhook)).disabledReason, 'gone');
    // Told once the save is known to have succeeded.
    await until('the log to tell it', () => findWarning() !== undefined);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    assert.match(metrics, /^roster_webhooks_disabled_total\{reason="gone"\} 1$/m);
    assert.match(metrics, /^roster_webhook_deliveries_total\{result="failed"\} [1-9]\d*$/m);
    const line = { webhookId: webhook.id, origin: new URL(receiver.url).origin, reason: 'gone' };
    assert.deepEqual(findWarning(), line);
    receiver.answerWith(() => 204);
    await calls.call('PATCH', `webhooks/${webhook.id}`, { isEnabled: true });
    await until('what was pending', () => hasAccepted(receiver, 1));
  });
});
