// Serving as one process: store, application, port, and their orderly end.
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { ConsoleBuildError } from '@roster/console/files';
import { WidgetScriptError } from '@roster/widget/script';
import { destination, pino } from 'pino';
import { TenantCache } from '../account/tenant-cache.ts';
import { type App, buildApp } from '../app.ts';
import { type Config, httpUrl } from '../config/config.ts';
import { type Deps, defaultTimeouts } from '../deps.ts';
import type { Logger } from '../log.ts';
import { isLoopback } from '../network/addresses.ts';
import { loadConsole, loadWidgetScript } from '../program/built-files.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { type Delivering, prepareDelivering } from './delivering.ts';
import { createFirstOrganization, makeSetUpLink, provisionAtStart } from './first-run.ts';
import { listenForOperator } from './operator-listener.ts';
import { startPurging } from './purging.ts';
import { StartError } from './start-error.ts';

/** How long closing the store may take after requests took all of their time. Both take 9 seconds by default: containers are killed after 10. */
export const closeTimeoutMs = 1000;
export const requestsMax = 10_000;
/** A browser asks for a few at a time. */
export const unreadFilesMax = 100;

/** A command that an operator runs, or a server that ends, has the data folder for a moment longer. */
const folderWaitMs = 2000;

const storeFailedCode = 70;
const damagedEvent = 'the database is damaged and takes no writes: run "roster doctor", then "roster restore"';

/**
 * By so much the heap of each thread grows until V8 looks for garbage. On a machine with much memory it lets a heap grow to four
 * times what is in use.
 */
const heapGrowthPercent = 40;

/** Log lines that the reader of the log has not taken yet. Further ones are dropped. */
const pendingLogBytesMax = 16 * 1024 * 1024;

/** What all processes of the service begin with, and the applications of a process share. */
export async function prepareProcess(config: Config): Promise<Deps & { config: Config }> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`);
  // Logs go to stderr as JSON lines; stdout is for the operator. The service goes on when the log has no reader. Lines are
  // written beside the work, those of busy moments together, and at the exit: a slow reader of the log delays no request.
  const logs = destination({ dest: 2, sync: false, maxLength: pendingLogBytesMax });
  logs.on('error', () => {});
  const logger: Logger = pino({ level: config.logLevel, base: null }, logs);
  checkBuilds();
  const store = await openStore({
    ...config,
    waitMs: folderWaitMs,
    onFatal(error) {
      logger.fatal({ err: error }, 'the store failed; exiting so that a restart can recover');
      process.exit(storeFailedCode);
    },
    watch: {
      onDamage: (err) => logger.fatal({ err }, damagedEvent),
      onChecked(tookMs, err) {
        if (err === undefined) logger.info({ ms: Math.round(tookMs) }, 'the database was checked and is intact');
        else logger.warn({ err }, 'the database could not be checked');
      },
    },
  });
  return {
    config,
    logger,
    store,
    clock: () => Date.now(),
    tenantCache: new TenantCache(store),
    timeouts: defaultTimeouts,
    requestsMax,
    unreadFilesMax,
    isStrict: false,
  };
}

/** Secrets, passwords and contact tokens pass through every network in between. */
export function warnOfPlainHttp({ host, publicUrl }: Config, logger: Logger): void {
  if (isLoopback(host) || publicUrl.startsWith('https:')) return;
  logger.warn(
    { host, publicUrl },
    'listening on a public interface without TLS: put a TLS-terminating proxy in front, and set ROSTER_PUBLIC_URL to its https address',
  );
}

/** A server that cannot serve its widget or its console says so now, not to the first visitor. */
function checkBuilds(): void {
  try {
    loadWidgetScript();
    loadConsole();
  } catch (error) {
    const isExplained = error instanceof WidgetScriptError || error instanceof ConsoleBuildError;
    throw isExplained ? new StartError(error.message, { cause: error }) : error;
  }
}

/** For what the settings ROSTER_SETUP_… ask for. A start that fails leaves the store closed. */
export async function provisionOrClose({ provisioning }: Config, deps: Deps): Promise<void> {
  if (provisioning === undefined) return;
  await provisionAtStart(deps, provisioning).catch(async (error) => {
    await deps.store.close();
    throw error;
  });
}

/** Listens on the port, or closes the store and says why it cannot. */
export async function listen({ host, port }: Config, deps: Deps): Promise<{ app: App; url: string }> {
  const app = buildApp(deps);
  await app.http.listen({ host, port }).catch(async (cause: NodeJS.ErrnoException) => {
    await deps.store.close();
    const reasons: Record<string, string> = {
      EADDRINUSE: `Port ${port} on ${host} is already in use. Stop the other program, or set ROSTER_PORT.`,
      EACCES: `You don't have permission to listen on port ${port}. Set ROSTER_PORT to 1024 or higher.`,
      EADDRNOTAVAIL: `${host} is not an address of this machine. Set ROSTER_HOST.`,
    };
    throw new StartError(reasons[cause.code ?? ''] ?? `Cannot listen on ${host}:${port}: ${cause.message}`);
  });
  // With port 0 only the system knows the port.
  const { port: chosenPort } = app.http.server.address() as AddressInfo;
  return { app, url: httpUrl(host, chosenPort) };
}

/** Lets load balancers notice first, finishes what is in flight, then cuts off what is left, then writes what is still in memory, then closes the store. */
export async function stopServing(
  apps: readonly App[],
  delivering: Delivering,
  store: Store,
  { stopDelayMs, stopTimeoutMs }: Config,
): Promise<void> {
  for (const app of apps) app.beginDrain();
  if (stopDelayMs > 0) await delay(stopDelayMs);
  // A store that does not answer must not keep the process from ending.
  const atTheLatest = delay(stopTimeoutMs + closeTimeoutMs, undefined, { ref: false });
  await Promise.all([...apps.map((app) => stopListening(app, stopTimeoutMs)), delivering.stop()]);
  const finished = Promise.all(apps.map((app) => app.flush())).then(() => store.close());
  await Promise.race([finished, atTheLatest]);
}

async function stopListening(app: App, timeoutMs: number): Promise<void> {
  app.beginStop();
  await Promise.race([app.http.close(), delay(timeoutMs, undefined, { ref: false })]);
  app.http.server.closeAllConnections();
}

/** A server that listens, until it is stopped. */
export interface Serving {
  url: string;
  /** What a first start has to say. It may hold a secret. */
  welcome: string | undefined;
  deps: Deps & { config: Config };
  stop(): Promise<void>;
}

/** All of the service but its process: signals and what is printed. */
export async function startServing(config: Config): Promise<Serving> {
  const prepared = await prepareProcess(config);
  const { store } = prepared;
  await provisionOrClose(config, prepared);
  const delivering = prepareDelivering(prepared);
  const deps = { ...prepared, ...delivering.deps };
  const { app, url } = await listen(config, deps);
  const welcome = await createFirstOrganization(deps, url);
  delivering.start();
  const purging = startPurging({ ...deps, auditDays: config.auditDays, eventDays: config.eventDays });
  // PostgreSQL is open to any process, so that the command line needs no server.
  const isShared = config.database !== undefined;
  const operatorApp = isShared ? undefined : await listenForOperator(config.dataDir, deps);
  const stop = async () => {
    purging.stop();
    await stopServing(operatorApp === undefined ? [app] : [app, operatorApp], delivering, store, config);
  };
  return { url, welcome, deps, stop };
}

export async function serve(config: Config): Promise<void> {
  const { url, welcome, deps, stop } = await startServing(config);
  stopOnSignal(deps.logger, stop);
  warnOfPlainHttp(config, deps.logger);
  await greet(deps, welcome, url);
  deps.logger.debug({ url }, 'listening');
}

export function stopOnSignal(
  logger: Logger,
  stop: () => Promise<void>,
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'],
): void {
  let isStopping = false;
  const stopOnce = async (signal: NodeJS.Signals) => {
    // In a terminal, Control-C reaches this process twice: from the terminal, and from npm, which forwards it.
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping');
    await stop();
    logger.info({}, 'stopped');
    process.exit(0);
  };
  for (const signal of signals) process.on(signal, stopOnce);
}

/** Straight to the terminal: the first start's welcome may hold a secret, and the set-up link is one. */
export async function greet(deps: Deps & { config: Config }, welcome: string | undefined, url: string): Promise<void> {
  const addresses = `Roster listens on ${url}  (console: ${url}/console, API reference: ${url}/docs)\n`;
  for (const text of [welcome, await makeSetUpLink(deps, url), addresses]) {
    if (text !== undefined) process.stdout.write(`\n${text}`);
  }
}
