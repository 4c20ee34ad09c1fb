// The application as one list: what every request passes, in order, and then every operation, in order.
import { type Credential, type Operation, operationsFor, portCredentials } from '@roster/contract';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { FirstUses, LastSeen, LastUsed } from './account/last-used.ts';
import { Passwords } from './account/passwords.ts';
import { TenantCache } from './account/tenant-cache.ts';
import { makeIdSource } from './contacts/ids.ts';
import { prepareSend, type Send } from './delivery/send.ts';
import { SendSlots } from './delivery/send-slots.ts';
import type { Deps } from './deps.ts';
import { prepareAccess } from './http/access.ts';
import { parseBodies } from './http/body.ts';
import { Connections } from './http/connections.ts';
import { mountPreflights } from './http/cross-origin.ts';
import { HeavyCalls } from './http/heavy-calls.ts';
import { lingerOnClose } from './http/lingering-close.ts';
import { noMetrics, prepareMetrics } from './http/metrics.ts';
import { mount } from './http/mount.ts';
import type { Handler } from './http/operation-types.ts';
import { handleProblems } from './http/problem.ts';
import { serverOptions } from './http/server-options.ts';
import { TimeSlices } from './http/time-slices.ts';
import { Traffic } from './http/traffic.ts';
import { AllowedNetworks } from './network/public-addresses.ts';
import { prepareHandlers } from './operations/handlers.ts';
import { notifyingOfEvents, WaitingReaders } from './operations/waiting-readers.ts';

export interface App {
  http: FastifyInstance;
  tenantCache: TenantCache;
  /** Writes what is gathered in memory. Never rejects. */
  flush(): Promise<void>;
  /** From now on the server is not ready, so that load balancers send requests elsewhere. It serves those that come. */
  beginDrain(): void;
  /** From now on new requests get 503, connections are closed as their answers go out, and a backup is aborted. */
  beginStop(): void;
}

/** The share of the requests in flight that may be waiting for events. */
const waitingShare = 0.5;

/** The application of one listener, with the operations that take a credential which this listener accepts. */
export function buildApp(deps: Deps, accepted: readonly Credential[] = portCredentials): App {
  const { config, clock, logger, tenantCache = new TenantCache(deps.store) } = deps;
  const served = operationsFor(accepted);
  const servedOperations = served.map(([, operation]) => operation);
  const http: FastifyInstance = fastify(serverOptions(deps));
  const traffic = new Traffic(deps);
  const readers = new WaitingReaders({
    store: deps.store,
    max: Math.ceil(deps.requestsMax * waitingShare),
    stopping: traffic.stopping,
  });
  const store = notifyingOfEvents(deps.store, (botId) => {
    readers.wake(botId);
    deps.onEvents?.(botId);
  });
  const lastSeen = new LastSeen({ store, clock, logger });
  const lastUsed = new LastUsed({ store, clock, logger });
  const firstUses = new FirstUses({ store, logger });
  const connections = new Connections(config);
  const metrics = accepted.includes('metrics')
    ? prepareMetrics(deps, {
        requestsInFlight: () => traffic.requestsInFlight,
        waitingReaders: () => readers.count,
        refusedConnections: () => connections.refused,
      })
    : noMetrics;

  // Deny by default: a route that no operation declares, or an operation without credentials, does not start.
  http.addHook('onRoute', ({ config, url }) => {
    if ((config?.operation?.credentials ?? []).length === 0 && config?.isPreflight !== true) {
      throw new Error(`The route ${url} declares no credential.`);
    }
  });
  connections.watch(http.server);
  lingerOnClose(http.server, deps.timeouts.requestMs);
  traffic.watch(http, deps, metrics);
  handleProblems(http, deps, servedOperations);
  const timeSlices = new TimeSlices();
  parseBodies(http, config.bodyLimitBytes, { largeBodies: new HeavyCalls(deps.timeouts), timeSlices });

  const accessChecks = prepareAccess(deps, accepted, { tenantCache, lastSeen, lastUsed, firstUses });
  const handlers = prepareHandlers({
    ...deps,
    store,
    readers,
    send: deps.send ?? prepareOwnSend(http, deps),
    sendSlots: deps.sendSlots ?? new SendSlots(),
    webhookNetworks: config.webhookNetworks,
    publicUrl: config.publicUrl,
    quotas: config.quotas,
    securityContact: config.securityContact,
    tenantCache,
    firstUses,
    passwords: deps.passwords ?? new Passwords(),
    nextId: makeIdSource(),
    metrics,
    draining: traffic.draining,
    stopping: traffic.stopping,
  });
  const onFile = (reply: FastifyReply) => traffic.handOverFile(reply);
  const mounting = {
    http,
    isStrict: deps.isStrict,
    accessChecks,
    heavyReads: new HeavyCalls(deps.timeouts),
    timeSlices,
    onFile,
  };
  for (const [name, operation] of served) {
    // The record's type pairs each name with its own handler, which a loop over the names cannot express.
    mount(mounting, operation, handlers[name] as Handler<Operation>);
  }
  mountPreflights(http, servedOperations, tenantCache);

  return {
    http,
    tenantCache,
    flush: async () => {
      await Promise.all([lastSeen.flush(), lastUsed.flush(), firstUses.flush()]);
    },
    beginDrain: () => traffic.beginDrain(),
    beginStop: () => traffic.beginStop(),
  };
}

/** Its connections end with the application. */
function prepareOwnSend(http: FastifyInstance, { clock, config }: Pick<Deps, 'clock' | 'config'>): Send {
  const { send, close } = prepareSend({ clock, allowed: new AllowedNetworks(config.webhookNetworks) });
  http.addHook('onClose', async () => close());
  return send;
}
