// Webhooks of a bot for tests: created over HTTP, and with deliveries as a server that delivers leaves them in the store.

import assert from 'node:assert/strict';
import type { Webhook } from '@roster/contract';
import type { DeliveryAttempt, DeliveryResults } from '../src/store/webhooks/webhook-store.ts';
import { type Caller, callerOf, createContact, type TestServer } from './harness.ts';
import { takeWebhooks } from './leases.ts';
import { sampleAttempt, sampleBot, sampleCaller, sampleContext } from './sample.ts';

/** Its path and query are what a log must not hold. */
export const sampleUrl = 'https://shop.example.com/hooks/path-canary?key=query-canary';
const owner = 'a deliverer';

export interface TestBot {
  call: Caller;
  botId: string;
}

/** A bot of its own, with the calls of its organization's secret. */
export async function addBot(server: TestServer): Promise<TestBot> {
  const bot = sampleBot(server.mine.organizationId);
  await server.store.createBot(bot, undefined, sampleContext());
  return { call: callerOf(server.url, { ...server.mine, bot }), botId: bot.id };
}

export async function createWebhook(call: Caller, body: object = {}): Promise<Webhook & { secret: string }> {
  const reply = await call('POST', 'webhooks', { body: { url: sampleUrl, ...body } });
  assert.equal(reply.status, 201, reply.text);
  return reply.json.data;
}

/** Makes events and their deliveries. `save` says how an attempt of all of them went. */
export async function planDeliveries(server: TestServer, { call, botId }: TestBot, webhookId: string, count = 1) {
  const { store, clock } = server;
  await takeWebhooks(store, botId, owner);
  for (let made = 0; made < count; made++) await createContact(call);
  const { webhook } = (await store.findOwned(botId, webhookId, owner, 0)) ?? assert.fail('another one delivers');
  const page = await store.readEvents(botId, { after: webhook.position, limit: 1000 }, sampleCaller);
  assert.ok(page.kind === 'page');
  const plan = { owner, version: webhook.version, position: page.next, events: page.events };
  assert.ok(await store.planDeliveries(botId, webhookId, plan, sampleContext({ nowMs: clock.nowMs })));
  const save = (attempt: Partial<DeliveryAttempt>, results: Partial<DeliveryResults> = {}) => {
    const attempts = page.events.map(({ number }) => sampleAttempt(number, { attemptedAtMs: clock.nowMs, ...attempt }));
    return store.saveAttempts(botId, webhookId, { owner, attempts, failingSinceMs: null, ...results }, sampleContext());
  };
  return { events: page.events, save };
}
