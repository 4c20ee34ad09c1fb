// What follows from the results of attempts, by clocks that a test moves, over a real store.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { openDeliveryWorld, openWorldStore } from '../../test/delivery-world.ts';
import { handOver, takeWebhooks } from '../../test/leases.ts';
import { sampleContext } from '../../test/sample.ts';
import { wholeFile } from '../../test/whole-file.ts';
import type { Store } from '../store/store.ts';
import type { StoredWebhook } from '../store/webhooks/webhook-store.ts';
import { AttemptResults } from './attempt-results.ts';
import { DeliveryCounts } from './delivery-counts.ts';
import { PendingDeliveries, type PendingDelivery } from './pending-deliveries.ts';
import type { SendResult } from './send.ts';

const shared = await openWorldStore(wholeFile);

const hourMs = 3_600_000;
const success: SendResult = {
  statusCode: 204,
  response: '',
  isPrivate: false,
  error: null,
  retryAfterMs: null,
  durationMs: 1,
};
const failure: SendResult = { ...success, statusCode: 500 };

/** A webhook with a pending delivery for each of so many contacts, and its results. */
async function prepare(t: TestContext, contacts: number, wrapStore = (same: Store) => same) {
  const { store, bot, ...world } = await openDeliveryWorld(t, shared);
  const webhook = await world.createWebhook('https://shop.example.com/hooks?key=hidden');
  const of = { botId: bot.id, organizationId: bot.organizationId, webhookId: webhook.id, owner: 'me' };
  await takeWebhooks(store, bot.id, of.owner);
  for (let contact = 0; contact < contacts; contact++) await world.createContact();
  const page = await store.readEvents(bot.id, { after: 0, limit: 100 }, bot);
  assert.ok(page.kind === 'page');
  const { events, next } = page;
  const clock = { now: 0, startMs: Date.now() };
  const nowMs = () => clock.startMs + clock.now;
  await store.planDeliveries(
    bot.id,
    webhook.id,
    {
      owner: of.owner,
      version: 1,
      position: next,
      events,
    },
    sampleContext({ nowMs: nowMs() }),
  );
  const pending = new PendingDeliveries();
  pending.replace(events.map((event) => ({ event, attempts: 0, earlier: [], dueAt: 0, isDeferred: false })));
  const logged: string[] = [];
  const log = (_members: object, message: string) => logged.push(message);
  const results = new AttemptResults(of, {
    store: wrapStore(store),
    clock: nowMs,
    monotonic: () => clock.now,
    logger: { info: log, warn: log } as never,
    retriesMs: [hourMs, hourMs, hourMs],
    counts: new DeliveryCounts(),
    disablingContext: () => sampleContext({ nowMs: nowMs() }),
  });
  results.load(webhook, []);
  const take = () => pending.takeDue(Number.POSITIVE_INFINITY, false) as PendingDelivery;
  const note = (delivery: PendingDelivery, result: SendResult) => results.note(webhook, pending, delivery, result);
  const dueAts = async () =>
    (await world.listDeliveries(webhook, 'pending')).map(({ dueAtMs }) => dueAtMs).toReversed();
  return { ...world, store, bot, webhook, clock, nowMs, pending, results, logged, take, note, dueAts };
}

suite('after an outage', () => {
  test('what is deferred is due at once, and the log tells of both', async (t) => {
    const { clock, nowMs, pending, results, webhook, logged, take, note, dueAts } = await prepare(t, 3);
    const [first, second, third] = [take(), take(), take()];
    note(first, failure);
    clock.now = 61_000;
    note(second, failure);
    assert.deepEqual(logged, ['a webhook keeps failing']);
    await results.save(webhook);
    const [dueAtMs = 0] = await dueAts();
    assert.ok((dueAtMs ?? 0) > nowMs() + hourMs / 2);
    clock.now = 62_000;
    note(third, success);
    assert.equal(pending.needsDeferred, true);
    assert.equal(await results.save(webhook), 'saved');
    assert.deepEqual(await dueAts(), [nowMs(), nowMs()]);
    assert.deepEqual(logged, ['a webhook keeps failing', 'a webhook works again']);
  });

  test('it is saved until all that is deferred is due', async (t) => {
    let saves = 0;
    const saveAttempts: Store['saveAttempts'] = async () => ({ hasMoreDue: ++saves < 3 });
    const { clock, results, webhook, take, note } = await prepare(t, 2, (store) => ({ ...store, saveAttempts }));
    const [first, second] = [take(), take()];
    note(first, failure);
    clock.now = 61_000;
    note(second, success);
    while (results.hasUnsaved) await results.save(webhook);
    assert.equal(saves, 3);
  });

  test('of less than a minute nothing changes', async (t) => {
    const { clock, nowMs, results, webhook, logged, take, note, dueAts } = await prepare(t, 2);
    const [first, second] = [take(), take()];
    note(first, failure);
    clock.now = 59_000;
    note(second, success);
    await results.save(webhook);
    const [dueAtMs = 0, ...others] = await dueAts();
    assert.ok((dueAtMs ?? 0) > nowMs() + hourMs / 2);
    assert.deepEqual(others, []);
    assert.deepEqual(logged, []);
  });
});

test('a webhook that somebody has changed since is not switched off by an answer to the old address', async (t) => {
  const { store, bot, webhook, results, take, note, findWebhook } = await prepare(t, 1);
  note(take(), { ...failure, statusCode: 410 });
  assert.equal(results.isDisabling, true);
  await store.updateWebhook(
    bot.id,
    webhook.id,
    { url: 'https://shop.example.com/new' },
    sampleContext({ nowMs: Date.now() }),
  );
  assert.equal(await results.save(webhook), 'changed');
  assert.equal(results.isDisabling, false);
  assert.equal((await findWebhook(webhook))?.isEnabled, true);
});

test('a webhook that another has taken over is not written to', async (t) => {
  const { store, bot, webhook, results, take, note, listDeliveries } = await prepare(t, 1);
  note(take(), success);
  await handOver(store, bot.id, webhook.id, 'me', 'other');
  assert.equal(await results.save(webhook), 'lost');
  const [delivery] = await listDeliveries(webhook as StoredWebhook);
  assert.equal(delivery?.attempts, 0);
});

test('what a receiver in a private network answered is not kept', async (t) => {
  const { results, webhook, take, note, listDeliveries } = await prepare(t, 2);
  note(take(), { ...failure, response: 'the state of the cluster', isPrivate: true });
  note(take(), { ...failure, response: 'no such shop' });
  await results.save(webhook);
  const responses = (await listDeliveries(webhook as StoredWebhook)).map(({ response }) => response);
  assert.deepEqual(responses, ['no such shop', null]);
});
