// What the application is given from outside. Tests give other parts; nothing is reached by a global.
import type { Registry } from 'prom-client';
import type { Passwords } from './account/passwords.ts';
import type { TenantCache } from './account/tenant-cache.ts';
import type { DeliveryReadings } from './delivery/delivery-counts.ts';
import type { Send } from './delivery/send.ts';
import type { SendSlots } from './delivery/send-slots.ts';
import type { Logger } from './log.ts';
import type { Config } from './process/config.ts';
import type { Store } from './store/store.ts';

export interface Deps {
  config: Pick<
    Config,
    | 'host'
    | 'publicUrl'
    | 'hstsSubdomains'
    | 'trustProxy'
    | 'bodyLimitBytes'
    | 'connectionsPerAddress'
    | 'quotas'
    | 'rateLimitPerMinute'
    | 'metricsToken'
    | 'securityContact'
    | 'webhookNetworks'
  >;
  store: Store;
  logger: Logger;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Shared by the applications of one process, so that a change by one is in force at once in all. */
  tenantCache?: TenantCache;
  /** Sends messages to webhooks. Left out: the application sends its own. */
  send?: Send;
  sendSlots?: SendSlots;
  /** Is told of bots that may have new events. */
  onEvents?: (botId: string) => void;
  /** Of this process, for its metrics. Left out: it delivers nothing. */
  deliveries?: DeliveryReadings;
  /** Hashes passwords. Left out: at the usual cost. */
  passwords?: Passwords;
  /** How long a client may take. */
  timeouts: Timeouts;
  /** Requests that may be in flight at once; more are refused. */
  requestsMax: number;
  /** Files on their way to one address, each of which may take a quarter of a megabyte of the kernel's memory. */
  unreadFilesMax: number;
  /** Where this process keeps its metrics. Left out: a registry of its own. */
  metricsRegistry?: MetricsRegistry;
  /** Check every answer against the contract and fail loudly. On in tests, off in production. */
  isStrict: boolean;
}

export interface MetricsRegistry {
  registry: Registry;
  /** The metrics page: of this process, or of all workers. */
  render(): Promise<string>;
}

export interface Timeouts {
  headersMs: number;
  /** The whole request, body included. */
  requestMs: number;
  /** Between two requests of a connection. */
  idleMs: number;
  /** Without any byte on the connection, whatever its state: a client that does not read its answer. */
  stalledMs: number;
  /** Without any byte on a connection whose client has a file to read. Node looks twice, so that it may take twice as long. */
  unreadMs: number;
  /** Until a heavy call of an organization that has no slots begins. */
  heavyQueueMs: number;
}

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  // Longer than the 60 seconds of common load balancers, which must be the ones to close.
  idleMs: 65_000,
  stalledMs: 90_000,
  unreadMs: 15_000,
  // Shorter than clients wait for an answer.
  heavyQueueMs: 20_000,
};
