// Finds out who does the operator's work: a running server, or this process.
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { InProcessOptions } from '@roster/server/in-process';
import { type Config, databaseFile, StoreInUseError, StoreOpenError, socketFile } from '@roster/server/operator';
import { makeOperator, type Operator } from './operator.ts';
import { findServer } from './socket-client.ts';

/** A server that starts has the folder before it listens. One that stops gives it up last, about a second after its timeout. */
const patienceBeyondStopMs = 2000;
const pauseMs = 100;

export interface OperatorOptions extends InProcessOptions {
  /** How long to wait for a data folder that another process has and does not serve. */
  patienceMs?: number;
}

export async function openOperator(config: Config, options: OperatorOptions = {}): Promise<Operator> {
  if (config.database !== undefined) return openHere(config, options);
  const endMs = performance.now() + (options.patienceMs ?? config.stopTimeoutMs + patienceBeyondStopMs);
  for (;;) {
    const server = await findServer(config.dataDir);
    if (server !== undefined) {
      return makeOperator({ via: 'server', hasBackups: true, send: server.send, close: async () => {} });
    }
    requireDatabase(config.dataDir);
    try {
      return await openHere(config, options);
    } catch (error) {
      if (!(error instanceof StoreInUseError)) throw error;
      if (performance.now() > endMs) throw unreachable(config.dataDir, error);
    }
    await delay(pauseMs);
  }
}

async function openHere(config: Config, options: InProcessOptions): Promise<Operator> {
  // Loaded only now: a command that reaches a server does without the web framework.
  const { openInProcess } = await import('@roster/server/in-process');
  const opened = await openInProcess(config, options);
  return makeOperator({ via: 'store', hasBackups: config.database === undefined, ...opened });
}

/** Without this, a mistyped folder would become a new and empty database. */
function requireDatabase(dataDir: string): void {
  const file = databaseFile(dataDir);
  if (existsSync(file)) return;
  throw new StoreOpenError(
    `${file} does not exist. Set ROSTER_DATA_DIR to the server's data folder, or create a database: start the server, or run "roster migrate".`,
  );
}

function unreachable(dataDir: string, cause: StoreInUseError): StoreInUseError {
  return new StoreInUseError(
    `Another process is using the data folder ${dataDir}, but does not respond at ${socketFile(dataDir)}. If it is a server, check its log. Then stop it and run the command again.`,
    { cause },
  );
}
