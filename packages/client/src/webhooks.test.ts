// Webhooks by the client, against the real server and a real receiver.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { badGateway } from '../test/faults.ts';
import {
  clientOfNewBot,
  clientThrough,
  planDeliveries,
  rejectionOf,
  startReceiver,
  startServer,
  wholeFile,
} from '../test/harness.ts';
import {
  ConnectionError,
  EventsExpiredError,
  NotFoundError,
  ValidationError,
  verifyWebhook,
  type WebhookMessage,
} from './index.ts';

const server = await startServer(wholeFile);
const url = 'https://shop.example.com/hooks/roster';

suite('webhooks', () => {
  test('are created, listed, retrieved, changed and deleted', async () => {
    const { webhooks } = await clientOfNewBot(server);
    const types = ['contact.created'] as const;
    const { status, data: created } = await webhooks.create({ url, types, description: 'CRM' });
    const { secret, ...webhook } = created;
    assert.equal(status, 201);
    assert.match(secret, /^whsec_/);
    assert.deepEqual([webhook.url, webhook.types, webhook.isEnabled], [url, types, true]);
    assert.deepEqual(await webhooks.retrieve(webhook.id), { status: 200, data: webhook });
    assert.deepEqual(await webhooks.list(), { status: 200, data: [webhook] });
    const changed = await webhooks.update(webhook.id, { types: null, isEnabled: false });
    const { createdBy: changedBy } = webhook;
    assert.deepEqual(changed, { status: 200, data: { ...webhook, types: null, isEnabled: false, changedBy } });
    assert.deepEqual(await webhooks.delete(webhook.id), { status: 204, data: null });
    assert.ok((await rejectionOf(webhooks.retrieve(webhook.id))) instanceof NotFoundError);
    const invalid = await rejectionOf(webhooks.create({ url: 'shop' }));
    assert.ok(invalid instanceof ValidationError);
    assert.equal(invalid.errors[0]?.field, 'url');
  });

  test('are tested, with messages that verifyWebhook accepts, also after a rotation', async (t) => {
    server.clock.nowMs = Date.now();
    const receiver = await startReceiver(t);
    const { webhooks } = await clientOfNewBot(server);
    const { data: webhook } = await webhooks.create({ url: receiver.url });
    const { data: rotated } = await webhooks.rotate(webhook.id);
    const { data: result } = await webhooks.test(webhook.id);
    assert.deepEqual([result.status, result.statusCode, result.error], ['succeeded', 204, null]);
    const [received] = receiver.received;
    assert.ok(received);
    for (const secret of [webhook.secret, rotated.secret]) {
      const message: WebhookMessage = await verifyWebhook(received.text, received.headers, secret);
      assert.deepEqual([message.type, message.data.event.id], ['webhook.test', received.id]);
    }
  });

  test('list their deliveries page by page, and send events again', async () => {
    const { webhooks, events, botId } = await clientOfNewBot(server);
    const { data: webhook } = await webhooks.create({ url });
    const { events: planned } = await planDeliveries(server, botId, webhook.id, 3);
    const first = await webhooks.deliveries(webhook.id, { status: 'pending', limit: 2 });
    const second = await webhooks.deliveries(webhook.id, { before: first.next ?? '' });
    assert.deepEqual(
      [...first.data, ...second.data].map(({ eventId }) => eventId),
      planned.map(({ id }) => id).toReversed(),
    );
    assert.deepEqual([first.status, second.next], [200, null]);
    const { status, data } = await webhooks.retry(webhook.id, planned[0]?.id ?? '');
    assert.deepEqual([status, data.status, data.attempts], [202, 'pending', 0]);
    assert.ok((await rejectionOf(webhooks.retry(webhook.id, 'evt_unknown'))) instanceof NotFoundError);

    const { data: detail } = await webhooks.delivery(webhook.id, planned[1]?.id ?? '');
    assert.equal(JSON.parse(detail.request.body ?? '').data.event.id, planned[1]?.id);
    assert.deepEqual([detail.history, detail.request.headers['webhook-signature']], [[], undefined]);
    assert.equal((await webhooks.skip(webhook.id, planned[1]?.id ?? '')).data.status, 'skipped');
    assert.deepEqual(await webhooks.retryFailed(webhook.id), { status: 202, data: { count: 0 } });

    const { next } = await events.list({ limit: 1 });
    assert.equal((await webhooks.replay(webhook.id, { after: next })).status, 202);
    assert.equal((await webhooks.replay(webhook.id)).data.id, webhook.id);
    const expired = await rejectionOf(webhooks.replay(webhook.id, { after: '000000000000-1' }));
    assert.ok(expired instanceof EventsExpiredError);
    assert.equal(expired.next, (await events.list({ after: 'now' })).next);
  });

  test('are not created or rotated a second time when an answer is lost, and the rest is retried', async () => {
    const { botId, webhooks } = await clientOfNewBot(server);
    const { roster, proxy, retries } = await clientThrough(server, []);
    const through = roster.withOptions({ botId }).webhooks;
    const lose = async (call: () => Promise<unknown>) => {
      proxy.faults.push('drop answer');
      const error = await rejectionOf(call());
      assert.ok(error instanceof ConnectionError && error.isOutcomeUnknown);
    };
    await lose(() => through.create({ url }));
    const [webhook, ...others] = (await webhooks.list()).data;
    assert.ok(webhook !== undefined && others.length === 0);
    await lose(() => through.rotate(webhook.id));
    assert.equal(retries.length, 0);
    proxy.faults.push('drop answer', badGateway);
    assert.equal((await through.replay(webhook.id)).status, 202);
    proxy.faults.push('drop answer');
    assert.equal((await through.delete(webhook.id)).status, 204);
    assert.equal(retries.length, 3);
  });
});
