// The operator's operations without a running server: this process opens the store, builds the application, and asks it
// without a port. An entry of its own for the command line, since it loads the web framework.
import type { Readable } from 'node:stream';
import { type Operation, operatorCredentials } from '@roster/contract';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { buildApp } from '../app.ts';
import type { Config } from '../config/config.ts';
import { defaultTimeouts } from '../deps.ts';
import type { Logger } from '../log.ts';
import { openStore } from '../store/open.ts';

export interface Sent {
  method: Operation['method'];
  path: string;
  /** JSON. */
  body: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Sends a request to the application, in this process or in another. */
export type Send = (request: Sent) => Promise<{ status: number; body: Readable }>;

/** One for each kind of work. */
const databaseConnections = 3;
/** The command line asks one thing at a time. */
const readers = 1;
/** More than it ever has in flight. */
const requestsMax = 10;

export interface InProcessOptions {
  /** For the changes that this process makes. Left out: they are not logged. */
  logger?: Logger | undefined;
  /** Check every answer against the contract. On in tests. */
  isStrict?: boolean | undefined;
}

export async function openInProcess(
  config: Config,
  { logger = pino({ level: 'silent' }), isStrict = false }: InProcessOptions,
): Promise<{ send: Send; close(): Promise<void> }> {
  const { dataDir, database } = config;
  const store = await openStore({
    dataDir,
    // A newer command line must not change the schema under servers that run.
    database: database && { ...database, connections: databaseConnections, isMigrating: false },
    readers,
    onFatal(error) {
      throw error;
    },
  });
  const bounds = { timeouts: defaultTimeouts, requestsMax, unreadFilesMax: requestsMax };
  const deps = { config, store, logger, clock: () => Date.now(), ...bounds, isStrict };
  const { http } = buildApp(deps, operatorCredentials);
  return {
    send: sendByInject(http),
    async close() {
      await http.close();
      await store.close();
    },
  };
}

export function sendByInject(http: FastifyInstance): Send {
  return async ({ method, path, body, signal }) => {
    const { statusCode, raw, stream } = await http.inject({
      method,
      url: path,
      ...(body !== undefined && { payload: body, headers: { 'content-type': 'application/json' } }),
      payloadAsStream: true,
    });
    // As a connection that closes: the handler's stream is destroyed, and the answer ends.
    const disconnect = () => raw.res.destroy();
    if (signal?.aborted) disconnect();
    else signal?.addEventListener('abort', disconnect);
    return { status: statusCode, body: stream() };
  };
}
