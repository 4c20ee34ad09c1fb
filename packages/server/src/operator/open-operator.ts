// Finds out who does an operator's work: a running server, or this process.
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { TenantCache } from '../account/tenant-cache.ts';
import type { Config } from '../process/config.ts';
import { databaseFile, openStore } from '../store/open.ts';
import { StoreInUseError, StoreOpenError } from '../store/store.ts';
import { makeOperator, type Operator } from './operator.ts';
import { preparePerform } from './perform.ts';
import { socketFile } from './protocol.ts';
import { findServer } from './socket-client.ts';

/** One for each kind of work. */
const databaseConnections = 3;
/** A server that starts has the folder before it listens; one that stops gives it up last. */
const patienceMs = 10_000;
const pauseMs = 100;

export interface OperatorOptions {
  /** Hears of changes that this process makes. A running server has its own log. */
  logger?: Pick<Logger, 'info'>;
  /** How long to wait for a data folder that another process has and does not serve. */
  patienceMs?: number;
}

export async function openOperator(config: Config, options: OperatorOptions = {}): Promise<Operator> {
  if (config.database !== undefined) return openHere(config, options);
  const endMs = performance.now() + (options.patienceMs ?? patienceMs);
  for (;;) {
    const server = await findServer(config.dataDir);
    if (server !== undefined) return makeOperator('server', server.perform, async () => {});
    refuseNothing(config.dataDir);
    try {
      return await openHere(config, options);
    } catch (error) {
      if (!(error instanceof StoreInUseError)) throw error;
      if (performance.now() > endMs) throw unreachable(config.dataDir, error);
    }
    await delay(pauseMs);
  }
}

/** Without this, a mistyped folder would become a new and empty database. */
function refuseNothing(dataDir: string): void {
  const file = databaseFile(dataDir);
  if (existsSync(file)) return;
  throw new StoreOpenError(
    `There is no ${file}. Set ROSTER_DATA_DIR to the folder that holds it, or make a database by "npm start" or "npm run migrate".`,
  );
}

function unreachable(dataDir: string, cause: StoreInUseError): StoreInUseError {
  return new StoreInUseError(
    `Another process is using the data folder ${dataDir}, and nobody answers at ${socketFile(dataDir)}. If it is a server, its log says why; stop it and run the command again.`,
    { cause },
  );
}

async function openHere({ dataDir, database, publicUrl }: Config, { logger }: OperatorOptions): Promise<Operator> {
  const store = await openStore({
    dataDir,
    // A newer command line must not change the schema under servers that run.
    database: database && { ...database, connections: databaseConnections, isMigrating: false },
    onFatal(error) {
      throw error;
    },
  });
  const perform = preparePerform({
    store,
    tenantCache: new TenantCache(store),
    clock: () => Date.now(),
    logger: logger ?? { info() {} },
    publicUrl,
  });
  return makeOperator('store', perform, () => store.close());
}
