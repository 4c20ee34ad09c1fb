// The real server, and clients that speak to it. The one place from which the client's tests reach into the server.
import { startServer, type TestServer } from '../../server/test/harness.ts';
import { wholeFile } from '../../server/test/http/every-operation.ts';
import { sampleBot } from '../../server/test/sample.ts';
import { type Retry, Roster, type RosterOptions } from '../src/index.ts';
import { type Fault, startFaultProxy } from './fault-proxy.ts';

export type { TestServer };
export { startServer, wholeFile };

/** A client of the server's first organization. It waits next to nothing between tries. */
export function clientOf(server: TestServer, options: Partial<RosterOptions> = {}): Roster {
  return new Roster({
    orgToken: server.mine.secret,
    botId: server.mine.bot.id,
    baseUrl: server.url,
    retryDelayMs: 1,
    ...options,
  });
}

/** A client of a new bot, which has no contacts. */
export async function clientOfNewBot(server: TestServer, options: Partial<RosterOptions> = {}): Promise<Roster> {
  const bot = sampleBot(server.mine.organizationId);
  await server.store.createBot(bot);
  return clientOf(server, { botId: bot.id, ...options });
}

/** A client whose next requests meet these faults on their way to the server. */
export async function clientThrough(server: TestServer, faults: Fault[], options: Partial<RosterOptions> = {}) {
  const proxy = await startFaultProxy(wholeFile, server.url, faults);
  const retries: Retry[] = [];
  const roster = clientOf(server, { baseUrl: proxy.url, onRetry: (retry) => retries.push(retry), ...options });
  return { proxy, roster, retries };
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

/** Everything that a walk gives. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
