// Serving as several processes that share a port. The leader migrates, welcomes, purges and keeps the workers running;
// the workers answer requests and deliver webhooks.
import cluster, { type Address } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry, Registry } from 'prom-client';
import { type Config, httpUrl, leaderConnections } from '../config/config.ts';
import type { MetricsRegistry } from '../deps.ts';
import { forkThisProcess } from '../program/start-worker.ts';
import { prepareDelivering } from './delivering.ts';
import { createFirstOrganization } from './first-run.ts';
import { startPurging } from './purging.ts';
import {
  closeTimeoutMs,
  greet,
  listen,
  prepareProcess,
  provisionOrClose,
  stopOnSignal,
  stopServing,
  warnOfPlainHttp,
} from './serve.ts';
import { StartError } from './start-error.ts';

/** A worker that ended may end again at once: the pause keeps the machine usable meanwhile. */
const restartPauseMs = 1000;

/** From a worker: why it cannot start, or that it wants the metrics of all workers. The latter is also the answer. */
type Message =
  | { kind: 'cannot start'; reason: string }
  | { kind: 'metrics'; request: number; text?: string | undefined };

export async function serveWithWorkers(config: Config): Promise<void> {
  if (cluster.isPrimary) await lead(config);
  else await work(config);
}

async function lead(config: Config): Promise<void> {
  const database = config.database && { ...config.database, connections: leaderConnections };
  const deps = await prepareProcess({ ...config, database });
  const { logger, store } = deps;
  await provisionOrClose(config, deps);
  const metrics = new AggregatorRegistry();
  let isStopping = false;

  const start = (): Promise<Address> => {
    const { promise, resolve, reject } = Promise.withResolvers<Address>();
    // The schema is up to date by now.
    const worker = forkThisProcess({ ROSTER_MIGRATE: 'false' });
    worker.once('listening', resolve);
    worker.on('message', async (message: Message) => {
      if (message.kind === 'cannot start') reject(new StartError(message.reason));
      if (message.kind !== 'metrics') return;
      // There is no text when a worker does not report its metrics in time.
      const text = await metrics.clusterMetrics().catch(() => undefined);
      if (worker.isConnected()) worker.send({ ...message, text } satisfies Message);
    });
    worker.once('exit', async (code, signal) => {
      if (isStopping) return;
      reject(new StartError(`A worker exited with code ${code} before it was ready. Check the log above.`));
      logger.error({ pid: worker.process.pid, code, signal }, 'a worker exited; starting another');
      await delay(restartPauseMs);
      if (isStopping) return;
      start().catch(({ message: reason }: Error) => logger.error({ reason }, 'a worker cannot start'));
    });
    return promise;
  };
  const stop = async () => {
    isStopping = true;
    await stopWorkers(config.stopDelayMs + config.stopTimeoutMs + closeTimeoutMs + 500);
    await store.close();
  };

  const startAll = async (): Promise<Address> => {
    // The first one finds out whether the port is free.
    const address = await start();
    for (let started = 1; started < config.workers; started++) await start();
    return address;
  };
  const { address, port } = await startAll().catch(async (error) => {
    await stop();
    throw error;
  });
  // Only after the start: one that fails would create a secret that nobody ever sees.
  const url = httpUrl(address, port);
  const welcome = await createFirstOrganization(deps, url).catch(async (error) => {
    await stop();
    throw error;
  });
  const purging = startPurging({ ...deps, auditDays: config.auditDays, eventDays: config.eventDays });
  stopOnSignal(logger, () => {
    purging.stop();
    return stop();
  });
  warnOfPlainHttp(config, logger);
  await greet(deps, welcome, url);
}

async function stopWorkers(withinMs: number): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  await Promise.all(
    workers.map(async (worker) => {
      const exited = once(worker, 'exit');
      worker.process.kill('SIGTERM');
      // The worker keeps the deadline by itself, unless it hangs.
      await Promise.race([exited, delay(withinMs, undefined, { ref: false })]);
      worker.process.kill('SIGKILL');
    }),
  );
}

async function work(config: Config): Promise<void> {
  // Control-C in a terminal reaches every process of it: the leader decides.
  process.on('SIGINT', () => {});
  const deps = await prepareProcess(config);
  const delivering = prepareDelivering(deps);
  const shared = { ...deps, ...delivering.deps, metricsRegistry: sharedMetrics() };
  const { app } = await listen(config, shared).catch(async (error) => {
    if (!(error instanceof StartError)) throw error;
    // The leader prints it, once for all.
    await notifyLeader({ kind: 'cannot start', reason: error.message });
    return process.exit(1);
  });
  delivering.start();
  stopOnSignal(deps.logger, () => stopServing([app], delivering, deps.store, config), ['SIGTERM']);
}

/** A scrape reaches one worker, but is meant for all: the leader asks each and adds up. */
function sharedMetrics(): MetricsRegistry {
  const registry = new Registry();
  // Listens for the leader's question.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries([registry]);
  let requests = 0;
  return {
    registry,
    render() {
      const request = ++requests;
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const receive = (message: Message) => {
        if (message.kind !== 'metrics' || message.request !== request) return;
        process.off('message', receive);
        if (message.text !== undefined) resolve(message.text);
        else reject(new Error('not all workers reported their metrics in time'));
      };
      process.on('message', receive);
      notifyLeader({ kind: 'metrics', request });
      return promise;
    },
  };
}

function notifyLeader(message: Message): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}
