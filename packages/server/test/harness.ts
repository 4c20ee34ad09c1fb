// A real server for tests: on a loopback port, over a real store of the chosen engine, with two organizations to tell
// apart.
import type { TestContext } from 'node:test';
import { type Contact, type ContactUpdate, limits, type Problem, permissionNames } from '@roster/contract';
import { pino } from 'pino';
import { hashCredential, makeSecret } from '../src/account/credentials.ts';
import { type HashCost, Passwords } from '../src/account/passwords.ts';
import { defaultQuotas } from '../src/account/quotas.ts';
import { type App, buildApp } from '../src/app.ts';
import type { Deps, Timeouts } from '../src/deps.ts';
import type { Bot, Store } from '../src/store/store.ts';
import { openChosenStore } from './chosen-engine.ts';
import { lightFetch } from './light-fetch.ts';
import { sampleBot, sampleContext, sampleOrganization, sampleSecret } from './sample.ts';

/** Of the metrics page, unless a test chooses another. */
export const metricsToken = 'the-metrics-token';

/** The least that argon2 takes. At its usual cost, signing in is what most tests of the account would spend their time on. */
export const quickHash: HashCost = { memory: 8, passes: 1, parallelism: 1 };

/** However busy the machine is, none of them passes during a test. */
export const patientTimeouts: Timeouts = {
  headersMs: 3_600_000,
  requestMs: 7_200_000,
  idleMs: 3_600_000,
  stalledMs: 3_600_000,
  unreadMs: 3_600_000,
  heavyQueueMs: 3_600_000,
};

export interface TestServer {
  url: string;
  app: App;
  store: Store;
  clock: TestClock;
  /** Lines that the server logged, as text. */
  logged: string[];
  /** The organization that most tests speak for. */
  mine: Tenant;
  /** Another one, whose data must stay out of reach. */
  theirs: Tenant;
  call: Caller;
}

export interface Tenant {
  organizationId: string;
  secretId: string;
  secret: string;
  bot: Bot;
}

export interface TestClock {
  nowMs: number;
}

type ServerOptions = Partial<Pick<Deps, 'timeouts' | 'requestsMax' | 'unreadFilesMax' | 'passwords'>> & {
  config?: Partial<Deps['config']>;
  /** Wraps the store, to make it slow or fail. */
  wrapStore?: (store: Store) => Store;
  /** Another server on the same data and with the same organizations, which outlives this one. */
  beside?: TestServer;
  /**
   * A server whose store this one uses, and that outlives it. All else is its own: organizations, log, counters, and a clock that starts a
   * day later than the one before. Opening a store takes ten times as long as that.
   */
  storeOf?: TestServer;
  clock?: TestClock;
};

/** When clocks start. It has milliseconds, which must not be lost. */
const startMs = Date.UTC(2026, 10, 14, 9, 30, 0, 123);

/** Of the server that was started last on the store of this one. */
const latestClocks = new WeakMap<TestServer, TestClock>();

/** The store counts wrong passwords by address, and all tests have the same one. It forgives them within a day. */
function nextDay(first: TestServer): TestClock {
  const clock = { nowMs: (latestClocks.get(first) ?? first.clock).nowMs + 86_400_000 };
  latestClocks.set(first, clock);
  return clock;
}

/** Starts a server that ends with the test, or with the suite when `t` is the suite's `after`. */
export async function startServer(t: Pick<TestContext, 'after'>, options: ServerOptions = {}): Promise<TestServer> {
  const { beside, storeOf } = options;
  const first = beside ?? storeOf;
  const { store: opened, close } = first ? { store: first.store, close: undefined } : await openChosenStore();
  const store = options.wrapStore?.(opened) ?? opened;
  const clock = options.clock ?? beside?.clock ?? (storeOf ? nextDay(storeOf) : { nowMs: startMs });
  const logged: string[] = [];
  const app = buildApp({
    config: {
      host: '127.0.0.1',
      publicUrl: 'http://roster.test',
      hstsSubdomains: false,
      trustProxy: false,
      bodyLimitBytes: limits.bodyBytes,
      connectionsPerAddress: 100_000,
      quotas: defaultQuotas,
      rateLimitPerMinute: undefined,
      metricsToken,
      securityContact: 'mailto:security@example.com',
      webhookNetworks: ['127.0.0.0/8'],
      ...options.config,
    },
    store,
    logger: pino({ level: 'trace' }, { write: (line: string) => logged.push(line) }),
    clock: () => clock.nowMs,
    timeouts: options.timeouts ?? patientTimeouts,
    requestsMax: options.requestsMax ?? 1000,
    unreadFilesMax: options.unreadFilesMax ?? 100,
    passwords: options.passwords ?? new Passwords(quickHash),
    isStrict: true,
  });
  const mine = beside?.mine ?? (await addTenant(opened));
  const theirs = beside?.theirs ?? (await addTenant(opened));
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    app.http.server.closeAllConnections();
    await app.http.close();
    await close?.();
  });
  return { url, app, store, clock, logged, mine, theirs, call: callerOf(url, mine) };
}

/** The same server, for tests that must not see what others have done: it speaks for organizations of its own. */
export async function withOwnTenants(server: TestServer): Promise<TestServer> {
  const [mine, theirs] = [await addTenant(server.store), await addTenant(server.store)];
  return { ...server, mine, theirs, call: callerOf(server.url, mine) };
}

export async function addTenant(store: Store): Promise<Tenant> {
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  const bot = sampleBot(organization.id);
  await store.createBot(bot, undefined, sampleContext());
  const secret = makeSecret();
  const stored = sampleSecret(organization.id, { hash: hashCredential(secret), permissions: permissionNames });
  await store.createSecret(stored, undefined, sampleContext());
  return { organizationId: organization.id, secretId: stored.id, secret, bot };
}

export interface CallOptions {
  /** Sent as JSON, unless it is text, bytes or a form. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The bearer; `null` sends no credential. Left out: the tenant's secret. */
  token?: string | null;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body. Tests say what they expect it to be. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer has many shapes, and the assertion names the one it wants.
  json: any;
}

/** `path` is relative to the tenant's bot (`contacts`), or absolute (`/healthz`). */
export type Caller = (method: string, path: string, options?: CallOptions) => Promise<Reply>;

export function callerOf(url: string, tenant: Tenant): Caller {
  return async (method, path, { body, headers = {}, token = tenant.secret } = {}) => {
    const target = path.startsWith('/') ? `${url}${path}` : `${url}/v1/bots/${tenant.bot.id}/${path}`;
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
    const isForm = body instanceof URLSearchParams;
    const reply = await lightFetch(target, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && !isRaw && !isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isRaw || isForm || body === undefined ? body : JSON.stringify(body),
    });
    const isJson = /json/.test(reply.headers.get('content-type') ?? '');
    return { ...reply, json: isJson ? JSON.parse(reply.text) : undefined };
  };
}

/** For `wrapStore`: reads of a contact tell that they arrived, and wait until they are released. */
export function heldContactReads() {
  const release = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const wrapStore = (store: Store): Store => ({
    ...store,
    async findContact(...args) {
      arrived.resolve();
      await release.promise;
      return store.findContact(...args);
    },
  });
  return { release, arrived, wrapStore };
}

/** Creates a contact over HTTP and returns it. */
export async function createContact(
  call: Caller,
  fields: Partial<Contact> & Pick<ContactUpdate, 'attributes' | 'tags'> = {},
): Promise<Contact> {
  const body = { name: 'Jane Doe', email: `jane${++created}@example.com`, ...fields };
  const reply = await call('PUT', 'contacts', { body });
  if (reply.status !== 201) throw new Error(`could not create a contact: ${reply.text}`);
  return reply.json.data;
}

let created = 0;

/** The parts of a problem that tests compare: all but its id and its prose. */
export function codeOf({ status, json }: Reply): [number, Problem['code']] {
  return [status, json?.code];
}
