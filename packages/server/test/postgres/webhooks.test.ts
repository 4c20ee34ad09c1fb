// Webhooks with several processes on one database: what a killed one leaves behind is delivered by another, and a stopping one lets go.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { makeHomeHere } from '../process/serve-here.ts';
import { makeHome } from '../process/server-process.ts';
import { until } from '../process/waiting.ts';
import {
  assertDelivered,
  type CreatedWebhook,
  hasAccepted,
  startWithWebhooksHere,
  webhookSettings,
} from '../process/webhook-servers.ts';
import { startReceiver } from '../receiver.ts';
import { sampleBot, sampleContext, sampleOrganization, sampleWebhook } from '../sample.ts';
import { createDatabase, query } from './databases.ts';

const webhooksCount = 4;

/** Webhooks, and a server in this process that delivers for them. */
async function prepare(t: TestContext) {
  const { url, drop } = await createDatabase('plain');
  const home = await makeHome(t);
  const homeHere = await makeHomeHere(t);
  // After the servers of the homes have ended.
  t.after(drop);
  const env = { DATABASE_URL: url, ROSTER_DATABASE_CONNECTIONS: '3', ...webhookSettings };
  const { server, calls } = await startWithWebhooksHere(homeHere, env);
  const receivers = await Promise.all(Array.from({ length: webhooksCount }, () => startReceiver(t)));
  // One after the other: a process has one connection for writes, for which a call waits a few seconds at most.
  const webhooks: CreatedWebhook[] = [];
  for (const receiver of receivers) webhooks.push(await calls.createWebhook(receiver));
  /** The processes that deliver for each webhook. */
  const owners = async () => {
    const rows = await query(url, 'SELECT owner FROM webhooks');
    return rows.map(({ owner }) => (owner as string | null)?.split('/')[0]);
  };
  const untilOwned = () => until('an owner of each', async () => !(await owners()).includes(undefined));
  const assertAllDelivered = async () => {
    const feed = await calls.readFeed();
    for (const [index, receiver] of receivers.entries()) {
      assertDelivered(feed, receiver, webhooks[index]?.secret ?? '');
    }
    return feed;
  };
  return { url, home, env, server, calls, receivers, owners, untilOwned, assertAllDelivered };
}

test('whoever takes or renews leases waits for no rows that others have locked', async (t) => {
  const { url, drop } = await createDatabase('plain');
  const store = await openPostgresStore({ url });
  const holder = new Client(url);
  t.after(async () => {
    await holder.end();
    await store.close();
    await drop();
  });
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  const addBot = async () => {
    const bot = sampleBot(organization.id);
    await store.createBot(bot, undefined, sampleContext());
    const botId = bot.id;
    const [first, second] = [sampleWebhook(), sampleWebhook()];
    await store.createWebhook(botId, first, 5, sampleContext());
    assert.equal((await store.takeWebhooks([botId], { owner: 'a', leaseMs: 60_000 })).length, 1);
    await store.createWebhook(botId, second, 5, sampleContext());
    return { botId, leased: first.id, free: second.id };
  };
  const [held, other] = [await addBot(), await addBot()];
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM webhooks WHERE bot_id = $1 FOR UPDATE', [held.botId]);
  const botIds = [held.botId, other.botId];
  assert.deepEqual(await store.renewLeases(botIds, ['a'], 60_000), [other.leased]);
  assert.deepEqual(await store.takeWebhooks(botIds, { owner: 'b', leaseMs: 60_000 }), [
    { botId: other.botId, webhookId: other.free },
  ]);
});

suite('webhooks on PostgreSQL', { concurrency: 2 }, () => {
  test('of two servers one is killed: the other delivers its webhooks too, and none is lost', async (t) => {
    const world = await prepare(t);
    const { calls, receivers } = world;
    const other = await world.home.start({ env: world.env });
    // Its webhooks are the other's from now on.
    await world.server.stop();
    await world.untilOwned();
    calls.to(await world.home.start({ env: world.env }));
    // Written by one, delivered by the other.
    for (let round = 0; round < 5; round++) await calls.writeContacts([1, 2, 3], `Round ${round}`);
    await until('all of them', () => receivers.every((receiver) => hasAccepted(receiver, 15)));
    for (const receiver of receivers) receiver.answerWith(() => 500);
    await calls.writeContacts([1, 2, 3], 'Before the kill');
    await until('messages that fail', () => receivers.every(({ received }) => received.length > 15));
    const ownersBefore = await world.owners();
    assert.equal(new Set(ownersBefore).size, 1);
    await other.stop('SIGKILL');
    for (const receiver of receivers) receiver.answerWith(() => 204);
    await calls.writeContacts([1, 2, 3], 'After the kill');
    await until('all of them', () => receivers.every((receiver) => hasAccepted(receiver, 21)));
    assert.equal((await world.assertAllDelivered()).length, 21);
    const ownersAfter = await world.owners();
    assert.equal(new Set(ownersAfter).size, 1);
    assert.ok(!ownersAfter.includes(ownersBefore[0]));
  });

  test('the workers of a server deliver for them, and let go of them when it stops', async (t) => {
    const world = await prepare(t);
    const { calls, receivers } = world;
    await world.server.stop();
    const server = await world.home.start({ env: { ...world.env, ROSTER_WORKERS: '2' } });
    await world.untilOwned();
    await calls.to(server).writeContacts([1, 2, 3], 'First');
    await until('all of them', () => receivers.every((receiver) => hasAccepted(receiver, 3)));
    await world.assertAllDelivered();
    await until('the metrics of both', async () => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      return /^roster_webhook_deliveries_total\{result="succeeded"\} 12$/m.test(metrics);
    });
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    assert.deepEqual(await world.owners(), Array(webhooksCount).fill(undefined));
  });
});
