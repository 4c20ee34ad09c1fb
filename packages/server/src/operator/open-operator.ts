// Finds out who does an operator's work: a running server, or this process.
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { Directory } from '../directory.ts';
import { openStore } from '../store/open.ts';
import { makeOperator, type Operator } from './operator.ts';
import { preparePerform } from './perform.ts';

/** One for each kind of work. */
const databaseConnections = 3;

export interface OperatorOptions {
  /** Hears of changes that this process makes. A running server has its own log. */
  logger?: Pick<Logger, 'info'>;
}

export async function openOperator(config: Config, options: OperatorOptions = {}): Promise<Operator> {
  return openHere(config, options);
}

async function openHere({ dataDir, database }: Config, { logger }: OperatorOptions): Promise<Operator> {
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
    directory: new Directory(store),
    clock: () => Date.now(),
    logger: logger ?? { info() {} },
  });
  return makeOperator('store', perform, () => store.close());
}
