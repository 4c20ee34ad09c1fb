// For tests of webhooks with the whole service: a secret that may create webhooks, the calls that such tests make, and what must be true of
// what a receiver got.
import assert from 'node:assert/strict';
import type { Delivery, FeedEvent, Permission, Webhook } from '@roster/contract';
import { Webhook as Verifier } from 'standardwebhooks';
import { hashCredential, makeSecret } from '../../src/account/credentials.ts';
import type { FirstRun } from '../../src/process/first-run.ts';
import type { Receiver } from '../receiver.ts';
import { sampleBot, sampleContext, sampleSecret } from '../sample.ts';
import type { HomeHere, ServerHere } from './serve-here.ts';
import { callFirstBot, type Home, type ServerProcess, startFirst } from './server-process.ts';
import { unlessBusy } from './unless-busy.ts';

/** Many attempts with short pauses, so that none is given up however many kills and failures there are. */
export const webhookSettings = {
  ROSTER_WEBHOOK_PRIVATE: '1',
  ROSTER_WEBHOOK_RETRIES: [0.02, 0.05, 0.1, 0.2, 0.5, ...Array<number>(45).fill(1)].join(),
};

const permissions: readonly Permission[] = ['contacts:read', 'contacts:write', 'account:read', 'account:write'];

/** Starts the first server on new data. What it returns calls whichever server it is given. */
export async function startWithWebhooks(home: Home, env: Record<string, string> = webhookSettings) {
  const first = await startFirst(home, { env });
  const server: ServerProcess = first;
  const args = ['secret', 'create', '--name', 'webhooks', '--permissions', permissions.join()];
  const { stdout, stderr } = await home.run({ env, args });
  const [secret] = /rst_\w+/.exec(stdout) ?? assert.fail(stderr);
  return { server, calls: new WebhookCalls({ ...first.firstRun, secret }) };
}

/** The same with a server in this process. */
export async function startWithWebhooksHere(home: HomeHere, env: Record<string, string> = webhookSettings) {
  const server = await home.startFirst(env);
  return { server, calls: new WebhookCalls(await addSecret(server)).to(server) };
}

/** Calls for another bot of the server. */
export async function callsOfNewBot(server: ServerHere & { firstRun: FirstRun }): Promise<WebhookCalls> {
  const bot = sampleBot(server.firstRun.organizationId);
  await server.deps.store.createBot(bot, undefined, sampleContext());
  return new WebhookCalls({ ...(await addSecret(server)), botId: bot.id }).to(server);
}

async function addSecret({ deps, firstRun }: ServerHere & { firstRun: FirstRun }): Promise<FirstRun> {
  const secret = makeSecret();
  await deps.store.createSecret(
    sampleSecret(firstRun.organizationId, { hash: hashCredential(secret), permissions }),
    undefined,
    sampleContext(),
  );
  return { ...firstRun, secret };
}

export type CreatedWebhook = Webhook & { secret: string };

export class WebhookCalls {
  readonly #first: FirstRun;
  /** Changed by a test whose server was started again. */
  url = '';

  constructor(first: FirstRun) {
    this.#first = first;
  }

  to({ url }: Pick<ServerProcess, 'url'>): this {
    this.url = url;
    return this;
  }

  async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const ask = () => callFirstBot(this.url, this.#first, method, path, body);
    const response = await (method === 'GET' ? unlessBusy(ask) : ask());
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  async createWebhook(receiver: Pick<Receiver, 'url'>): Promise<CreatedWebhook> {
    return (await this.call<{ data: CreatedWebhook }>('POST', 'webhooks', { url: receiver.url })).data;
  }

  async findWebhook({ id }: Pick<Webhook, 'id'>): Promise<Webhook> {
    return (await this.call<{ data: Webhook }>('GET', `webhooks/${id}`)).data;
  }

  async listDeliveries({ id }: Pick<Webhook, 'id'>, status: Delivery['status']): Promise<Delivery[]> {
    return (await this.call<{ data: Delivery[] }>('GET', `webhooks/${id}/deliveries?status=${status}&limit=100`)).data;
  }

  /** An event for each contact. Contacts are numbered, so that the same number is the same contact. */
  async writeContacts(numbers: readonly number[], name: string): Promise<void> {
    const items = numbers.map((number) => ({ email: `person${number}@example.com`, name: `${name} ${number}` }));
    await this.call('PATCH', 'contacts', { data: items });
  }

  async readFeed(): Promise<FeedEvent[]> {
    const events: FeedEvent[] = [];
    for (let after = ''; ; ) {
      const page = await this.call<{ data: FeedEvent[]; next: string }>('GET', `events?limit=1000&after=${after}`);
      if (page.data.length === 0) return events;
      events.push(...page.data);
      after = page.next;
    }
  }
}

/** Whether the receiver has accepted so many different events. */
export function hasAccepted({ accepted }: Receiver, count: number): boolean {
  return accepted.length >= count && new Set(accepted.map(({ id }) => id)).size >= count;
}

/** Each event was accepted at least once, in the order of the feed for each contact, and every message was signed. */
export function assertDelivered(feed: readonly FeedEvent[], { received, accepted }: Receiver, secret: string): void {
  // Of those that arrived several times, the first counts.
  const first = new Set(new Map(accepted.toReversed().map((one) => [one.id, one])).values());
  const byContact = (events: readonly { id: string; contactId: string | null }[]) =>
    Map.groupBy(events, ({ contactId }) => contactId);
  const arrived = byContact(accepted.filter((one) => first.has(one)).map(({ message }) => message.data.event));
  const expected = byContact(feed);
  assert.equal(first.size, feed.length);
  for (const [contactId, events] of expected) {
    const ids = (all: readonly { id: string }[] = []) => all.map(({ id }) => id);
    assert.deepEqual(ids(arrived.get(contactId)), ids(events), `of ${contactId}`);
  }
  const known = new Set(feed.map(({ id }) => id));
  const verifier = new Verifier(secret);
  for (const { id, text, headers, message } of received) {
    assert.ok(known.has(id), 'a message whose id is of no event');
    assert.equal(id, message.data.event.id);
    // Not `verify`, which refuses messages of more than five minutes ago: a test may take longer.
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
    const signatures = String(headers['webhook-signature']).split(' ');
    assert.ok(signatures.includes(verifier.sign(id, sentAt, text)), 'a message that is not signed');
  }
}
