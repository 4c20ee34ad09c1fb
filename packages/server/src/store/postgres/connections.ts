// Connections to the database: a pool for each kind of work, always to the primary, and what is tried again after a
// failure. Knows no table.
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import pg, { type ClientConfig, type PoolClient, type QueryArrayConfig } from 'pg';
import { OutcomeUnknownError, StoreUnavailableError } from '../store.ts';
import type { Statement } from './statements.ts';

export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | Uint8Array)[];
// biome-ignore lint/suspicious/noExplicitAny: a row has the columns that its statement names, and the caller knows them.
export type Row = any[];

export interface PoolSettings {
  connections: number;
  /** How long the database works on one statement. */
  statementTimeoutMs: number;
  /** What each connection is told first, besides the timeouts. */
  session?: string;
}

/** Beyond the database's own timeout: passed only when it does not answer at all. */
const answerGraceMs = 1500;
const connectTimeoutMs = 3000;
const lockTimeoutMs = 4000;
/** A read is not worth as long a wait as a write, of which nobody knows yet whether it was done. */
export const readRetryMs = 2000;
/** Long enough for a database to recover from a crash, or for a standby to take over. */
export const writeRetryMs = 8000;
const firstPauseMs = 25;
const pauseMaxMs = 250;

const types = {
  // Times, counts and microseconds of this century are exact as numbers.
  getTypeParser: ((oid: number, format: never) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** The hosts of one database. One of them is the primary, and after a failure it may be another. */
export class Hosts {
  readonly #hosts: readonly ClientConfig[];
  #current = 0;

  constructor(hosts: readonly ClientConfig[]) {
    this.#hosts = hosts;
  }

  get current(): ClientConfig {
    return this.#hosts[this.#current] as ClientConfig;
  }

  /** Several connections fail at once: only the first of them turns to the next host. */
  leave(host: ClientConfig): void {
    if (host === this.current) this.#current = (this.#current + 1) % this.#hosts.length;
  }
}

export class Pool {
  readonly #pool: pg.Pool;
  readonly #hosts: Hosts;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #statementTimeoutMs: number;
  #isEnding = false;

  constructor(hosts: Hosts, { connections, statementTimeoutMs, session = '' }: PoolSettings) {
    this.#hosts = hosts;
    this.#statementTimeoutMs = statementTimeoutMs;
    class PrimaryClient extends pg.Client {
      readonly target = hosts.current;
      constructor(config: ClientConfig) {
        super({ ...hosts.current, ...config });
        // Whoever uses it at that moment hears of its end by what was asked; without a listener the process would end.
        this.on('error', () => {});
      }
    }
    this.#pool = new pg.Pool({
      Client: PrimaryClient as unknown as new () => pg.ClientBase,
      max: connections,
      types,
      pipeline: true,
      keepAlive: true,
      application_name: 'roster',
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: 60_000,
      query_timeout: statementTimeoutMs + answerGraceMs,
      async onConnect(client) {
        const settings = `SET statement_timeout = ${statementTimeoutMs}; SET lock_timeout = ${lockTimeoutMs};
          SET idle_in_transaction_session_timeout = ${statementTimeoutMs}; ${session}`;
        const [, state] = await Promise.all([
          client.query(settings),
          client.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby'),
        ]);
        if (state.rows[0]?.is_standby) {
          hosts.leave((client as PrimaryClient).target);
          throw new LostConnectionError('the database is a standby');
        }
      },
    });
    // An idle connection that breaks is replaced when it is needed.
    this.#pool.on('error', () => {});
  }

  get open(): number {
    return this.#pool.totalCount;
  }

  query(statement: Statement | string, values?: readonly Value[]): Promise<Row[]> {
    return this.use((connection) => connection.query(statement, values));
  }

  change(statement: Statement | string, values?: readonly Value[]): Promise<number> {
    return this.use((connection) => connection.change(statement, values));
  }

  /** Lends a connection to `work`. One that is left within a transaction, or broken, is not used again. */
  use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#isEnding) return Promise.reject(new StoreUnavailableError('the store is closed'));
    const done = this.#lend(work).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
    return done;
  }

  /** Waits for what is under way. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#underWay);
    await this.#pool.end();
  }

  async #lend<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const host = this.#hosts.current;
    const client = (await this.#pool.connect().catch((error) => {
      const reason = understood(error);
      if (reason instanceof LostConnectionError) this.#hosts.leave(host);
      throw reason;
    })) as PoolClient & { target: ClientConfig };
    let isClean = false;
    try {
      const result = await work(new Connection(client, this.#statementTimeoutMs));
      isClean = true;
      return result;
    } catch (error) {
      if (error instanceof LostConnectionError) this.#hosts.leave(client.target);
      throw error;
    } finally {
      client.release(!isClean);
    }
  }
}

/** A connection that one caller has for itself. What is asked without waiting goes out together. */
export class Connection {
  readonly #client: PoolClient;
  readonly #statementTimeoutMs: number;
  #isGathering = false;

  constructor(client: PoolClient, statementTimeoutMs: number) {
    this.#client = client;
    this.#statementTimeoutMs = statementTimeoutMs;
  }

  /** Rows as arrays. `behind`: how many were sent before it that may each take their time. */
  async query(statement: Statement | string, values?: readonly Value[], behind = 0): Promise<Row[]> {
    return (await this.#send(statement, values, behind)).rows;
  }

  /** How many rows were changed. */
  async change(statement: Statement | string, values?: readonly Value[]): Promise<number> {
    return (await this.#send(statement, values)).rowCount ?? 0;
  }

  /** A statement with a name is prepared, once on each connection. A text without values may hold several statements. */
  async #send(statement: Statement | string, values?: readonly Value[], behind = 0) {
    const named = typeof statement === 'string' ? { text: statement } : statement;
    this.#gather();
    try {
      return await this.#client.query({
        ...named,
        rowMode: 'array',
        ...(values && { values: [...values] }),
        ...(behind > 0 && { query_timeout: (behind + 1) * this.#statementTimeoutMs + answerGraceMs }),
      } as QueryArrayConfig);
    } catch (error) {
      throw understood(error);
    }
  }

  /** One write to the socket for all statements of a moment: each costs both sides as much as a small statement. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { stream } = (this.#client as unknown as { connection: { stream: Writable } }).connection;
    stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }
}

/** The connection broke, or there was none. What was asked may have been done, or not. */
export class LostConnectionError extends StoreUnavailableError {}

/** The database chose this transaction to give way: it was not done, and may be tried again at once. */
export class ConflictError extends StoreUnavailableError {}

/** For a write whose connection broke at its commit, after the last try to find out what came of it. */
export function lostWhileWriting(cause: unknown): OutcomeUnknownError {
  return new OutcomeUnknownError('the database was lost while it wrote', { cause });
}

/** What an error of the driver means for the caller. Its own text, which tells where the database is, stays in `cause`. */
function understood(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || error instanceof TypeError || error instanceof RangeError) return error;
  const outOfReach = 'the database is out of reach';
  const { code = '', message } = error as Error & { code?: string };
  // The pool's words for "all connections are in use, and none became free in time".
  if (message === 'timeout exceeded when trying to connect') {
    return new StoreUnavailableError('too much is waiting for the database', { cause: error });
  }
  if (!(error instanceof pg.DatabaseError)) {
    // A certificate that is not trusted will not be so at the next try either.
    const isRefused = /^(ERR_TLS|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(code) || /support SSL/.test(message);
    return new (isRefused ? StoreUnavailableError : LostConnectionError)(outOfReach, { cause: error });
  }
  // 57P0x: shutting down or starting; 25006: the primary has become a standby; 53300: no connection left.
  if (/^(08|57P0|25006|53300)/.test(code)) return new LostConnectionError(outOfReach, { cause: error });
  if (code === '40001' || code === '40P01') return new ConflictError('the database is busy', { cause: error });
  // Full disk or memory, a timeout, a lock that was not to be had.
  if (/^(53|57014|55P03|25P0[34]|58)/.test(code))
    return new StoreUnavailableError('the database is busy', { cause: error });
  // It does not let us in.
  if (/^(28|3D000)/.test(code)) return new StoreUnavailableError(outOfReach, { cause: error });
  return error;
}

/**
 * Does the work, and again after a lost connection or a conflict, until it succeeds or the time is over. The work must
 * be harmless when repeated; `isRetry` tells it that an earlier try may have been done unseen.
 */
export async function retrying<Result>(withinMs: number, work: (isRetry: boolean) => Promise<Result>): Promise<Result> {
  const endMs = performance.now() + withinMs;
  for (let pauseMs = firstPauseMs, tries = 0; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs), tries++) {
    try {
      return await work(tries > 0);
    } catch (error) {
      const mayTryAgain = error instanceof LostConnectionError || error instanceof ConflictError;
      const waitMs = pauseMs * (0.5 + Math.random());
      if (!mayTryAgain || performance.now() + waitMs > endMs) throw error;
      await delay(waitMs);
    }
  }
}
