// A real server for tests: on a loopback port, over a real store of the chosen engine, with two organizations to tell
// apart.
import type { TestContext } from 'node:test';
import { type Contact, type ContactUpdate, limits, type Problem, permissionNames } from '@roster/contract';
import { pino } from 'pino';
import { hashCredential, makeSecret } from '../src/account/credentials.ts';
import { defaultQuotas } from '../src/account/quotas.ts';
import { type App, buildApp } from '../src/app.ts';
import type { Deps, Timeouts } from '../src/deps.ts';
import type { Bot, Store } from '../src/store/store.ts';
import { openChosenStore } from './chosen-engine.ts';
import { sampleBot, sampleOrganization, sampleSecret } from './sample.ts';

/** Of the metrics page, unless a test chooses another. */
export const metricsToken = 'the-metrics-token';

/** However busy the machine is, none of them passes during a test. */
export const patientTimeouts: Timeouts = {
  headersMs: 3_600_000,
  requestMs: 7_200_000,
  idleMs: 3_600_000,
  stalledMs: 3_600_000,
  unreadMs: 3_600_000,
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
  /** Another server on the same data, which outlives this one. */
  beside?: TestServer;
};

/** Starts a server that ends with the test, or with the suite when `t` is the suite's `after`. */
export async function startServer(t: Pick<TestContext, 'after'>, options: ServerOptions = {}): Promise<TestServer> {
  const { beside } = options;
  const { store: opened, close } = beside ? { store: beside.store, close: undefined } : await openChosenStore();
  const store = options.wrapStore?.(opened) ?? opened;
  const clock: TestClock = beside?.clock ?? { nowMs: Date.UTC(2026, 10, 14, 9, 30, 0, 123) };
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
      eventDays: 30,
      allowsPrivateWebhooks: true,
      ...options.config,
    },
    store,
    logger: pino({ level: 'trace' }, { write: (line: string) => logged.push(line) }),
    clock: () => clock.nowMs,
    timeouts: options.timeouts ?? patientTimeouts,
    requestsMax: options.requestsMax ?? 1000,
    unreadFilesMax: options.unreadFilesMax ?? 100,
    ...(options.passwords !== undefined && { passwords: options.passwords }),
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

export async function addTenant(store: Store): Promise<Tenant> {
  const organization = sampleOrganization();
  await store.createOrganization(organization);
  const bot = sampleBot(organization.id);
  await store.createBot(bot);
  const secret = makeSecret();
  const stored = sampleSecret(organization.id, { hash: hashCredential(secret), permissions: permissionNames });
  await store.createSecret(stored);
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
    const response = await fetch(target, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && !isRaw && !isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: (isRaw || isForm ? body : JSON.stringify(body)) as NonNullable<RequestInit['body']>,
      }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
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
