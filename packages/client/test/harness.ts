// The real server and clients of it. The only file of the client's tests that imports the server.
import { callerOf, startServer, type TestServer } from '../../server/test/harness.ts';
import { wholeFile } from '../../server/test/http/every-operation.ts';
import { ensureProgram, php, python } from '../../server/test/installed-program.ts';
import { until } from '../../server/test/process/waiting.ts';
import { startReceiver } from '../../server/test/receiver.ts';
import { sampleBot, sampleContext } from '../../server/test/sample.ts';
import { planDeliveries as plan } from '../../server/test/webhook-calls.ts';
import { type ContactUpsert, type Retry, Roster, type RosterOptions } from '../src/index.ts';
import { type Fault, startFaultProxy } from './fault-proxy.ts';

export type { TestServer };
export { ensureProgram, php, python, startReceiver, startServer, until, wholeFile };

/** A client of the server's first organization, with almost no delay between tries. */
export function clientOf(server: TestServer, options: Partial<RosterOptions> = {}): Roster {
  return new Roster({
    secret: server.mine.secret,
    botId: server.mine.bot.id,
    baseUrl: server.url,
    retryDelayMs: 1,
    ...options,
  });
}

/** A client of a new bot without contacts. */
export async function clientOfNewBot(server: TestServer, options: Partial<RosterOptions> = {}): Promise<Roster> {
  const bot = sampleBot(server.mine.organizationId);
  await server.store.createBot(bot, undefined, sampleContext());
  return clientOf(server, { botId: bot.id, ...options });
}

/** A client whose next requests pass a proxy that injects these faults. */
export async function clientThrough(server: TestServer, faults: Fault[], options: Partial<RosterOptions> = {}) {
  const proxy = await startFaultProxy(wholeFile, server.url, faults);
  const retries: Retry[] = [];
  const roster = clientOf(server, { baseUrl: proxy.url, onRetry: (retry) => retries.push(retry), ...options });
  return { proxy, roster, retries };
}

/** Makes events of a bot, and deliveries of them that are pending. */
export function planDeliveries(server: TestServer, botId: string, webhookId: string, count: number) {
  const call = callerOf(server.url, { ...server.mine, bot: { ...server.mine.bot, id: botId } });
  return plan(server, { call, botId }, webhookId, count);
}

/** What a promise rejects with. A promise that resolves is a failed test. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const settled = await promise.then(
    (resolved) => ({ resolved }),
    (thrown: unknown) => ({ thrown }),
  );
  if ('thrown' in settled) return settled.thrown;
  throw new Error(`it should have been rejected, but resolved with ${JSON.stringify(settled.resolved)}`);
}

/** Generated contacts, the same for the same count. */
export function sampleContacts(count: number): ContactUpsert[] {
  return Array.from({ length: count }, (_, n) => ({ name: `Person ${n}`, email: `person${n}@example.com` }));
}

/** All items of an iteration. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
