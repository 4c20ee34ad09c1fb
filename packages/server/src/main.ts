// The process: starts, listens, stops on a signal, and ends with an exit code that means something.
import { setTimeout as delay } from 'node:timers/promises';
import { loadWidgetScript, WidgetScriptError } from '@roster/widget/script';
import { destination, pino } from 'pino';
import { type App, buildApp } from './app.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { defaultTimeouts } from './deps.ts';
import { createFirstOrganization, welcomeText } from './first-run.ts';
import { startPurging } from './purging.ts';
import { openStore } from './store/open.ts';
import { type Store, StoreOpenError } from './store/store.ts';

/** What is under way has this long to finish after SIGTERM. Less than the 10 seconds after which others kill. */
const stopDeadlineMs = 8000;
/** And what is still in memory this long to be written. */
const lastWritesMs = 1000;
const requestsMax = 10_000;

const exitCodes = { cannotStart: 1, storeFailed: 70 } as const;

/** The server cannot listen. The message says why and what to do. */
class StartError extends Error {}

async function start(config: Config): Promise<void> {
  // Whatever this process makes, other users of the machine cannot read.
  process.umask(0o077);
  // Logs go to stderr as JSON lines; stdout is for people. Neither reader is needed for the service to go on.
  const logs = destination({ dest: 2, sync: true });
  logs.on('error', () => {});
  process.stdout.on('error', () => {});
  const logger = pino({ level: config.logLevel, base: null }, logs);
  // A server that cannot serve its widget says so now, not to the first visitor.
  await loadWidgetScript();
  const store = await openStore({
    dataDir: config.dataDir,
    onFatal(error) {
      logger.fatal({ err: error }, 'the store failed; ending so that a restart can recover');
      process.exit(exitCodes.storeFailed);
    },
  });
  const clock = () => Date.now();
  const isStrict = false;
  const app = buildApp({ config, store, logger, clock, timeouts: defaultTimeouts, requestsMax, isStrict });
  const url = await listen(app, config).catch(async (error) => {
    await store.close();
    throw error;
  });
  const firstRun = await createFirstOrganization(store, clock());
  const purging = startPurging(store, clock, logger);

  const stop = async (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'stopping');
    purging.stop();
    await stopWithin(app, store);
    logger.info('stopped');
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

  if (firstRun !== undefined) process.stdout.write(welcomeText(firstRun, url));
  process.stdout.write(`\nRoster listens on ${url}  (API reference: ${url}/docs)\n`);
  logger.debug({ url, dataDir: config.dataDir }, 'listening');
}

async function listen({ http }: App, { host, port }: Config): Promise<string> {
  try {
    return await http.listen({ host, port });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reasons: Record<string, string> = {
      EADDRINUSE: `Port ${port} of ${host} is in use. Stop the other program, or set ROSTER_PORT.`,
      EACCES: `This user may not listen on port ${port}. Set ROSTER_PORT to 1024 or more.`,
      EADDRNOTAVAIL: `This machine has no address ${host}. Set ROSTER_HOST.`,
    };
    throw new StartError(reasons[code ?? ''] ?? `Cannot listen on ${host}:${port}: ${(cause as Error).message}`);
  }
}

/** Finishes what is under way, then cuts off what is left, then writes what is still in memory. */
async function stopWithin({ http, lastSeen, beginStop }: App, store: Store): Promise<void> {
  beginStop();
  const closed = http.close();
  await Promise.race([closed, delay(stopDeadlineMs, undefined, { ref: false })]);
  http.server.closeAllConnections();
  // A store that does not answer must not keep the process from ending.
  await Promise.race([lastSeen.flush(), delay(lastWritesMs, undefined, { ref: false })]);
  await store.close();
}

/** One line for what a person can mend; the whole stack for what is our own fault. */
function explain(error: unknown): string {
  const kinds = [ConfigError, StoreOpenError, StartError, WidgetScriptError];
  if (error instanceof Error && kinds.some((kind) => error instanceof kind)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  await start(loadConfig());
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(exitCodes.cannotStart);
}
