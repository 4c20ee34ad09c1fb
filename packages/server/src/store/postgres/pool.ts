// A pool of connections to the primary, and a connection as one caller has it. Knows no table.
import type { Writable } from 'node:stream';
import pg, { type ClientConfig, type PoolClient, type QueryConfig } from 'pg';
import { FairQueue, type QueueItem } from '../fair-queue.ts';
import type { SqlValue, Statement, Steps } from '../sql-steps.ts';
import { DiskFullError, StoreUnavailableError } from '../store.ts';
import { type HostAddress, parseAddress } from './address.ts';
import { LostConnectionError, LostNodeError, mapDriverError } from './driver-errors.ts';

export type Value = SqlValue | boolean | readonly (string | number | Uint8Array | null)[];

export interface PoolSettings {
  connections: number;
  /** How long the database works on one statement. */
  statementTimeoutMs: number;
  /** How long to wait for a connection, new or used by others. */
  connectTimeoutMs?: number | undefined;
  lockTimeoutMs?: number | undefined;
  /** SQL that each connection runs first, after the timeouts are set. */
  session?: string;
}

/** Beyond the database's own timeout: passed only when it does not answer at all. */
const answerGraceMs = 1500;
const defaultConnectTimeoutMs = 3000;
const defaultLockTimeoutMs = 4000;

/** So many connections of a pool may be used for one bot at a time: one whose rows are locked or out of reach leaves the others one. */
export function maxOfOneBot(connections: number): number {
  return Math.max(1, connections - 1);
}

interface WaitingCall extends QueueItem {
  resolve(): void;
}

const types = {
  // Times, counts and microseconds of this century are exact as numbers.
  getTypeParser: ((oid: number, format: never) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** The hosts of one database, of which one is the primary, and after a failover another. Pools share them. */
export class Hosts {
  readonly #hosts: readonly HostAddress[];
  #current = 0;

  constructor(url: string) {
    this.#hosts = parseAddress(url);
  }

  get current(): HostAddress {
    return this.#hosts[this.#current] as HostAddress;
  }

  /** Several connections fail at once: only the first of them turns to the next host. */
  leave(host: ClientConfig): void {
    if (host === this.current) this.#current = (this.#current + 1) % this.#hosts.length;
  }
}

export class Pool {
  readonly #pool: pg.Pool;
  readonly #hosts: Hosts;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #statementTimeoutMs: number;
  readonly #maxOfBot: number;
  /** How many connections each bot uses, or waits for together with other bots. */
  readonly #usedBy = new Map<string, number>();
  /** Calls for bots that use as many as they may. */
  readonly #waiting: FairQueue<WaitingCall>;
  /** How often a node behind the database was out of reach. */
  lostNodeErrors = 0;
  #isEnding = false;
  #diskFullAtMs = Number.NEGATIVE_INFINITY;

  constructor(hosts: Hosts, { connections, statementTimeoutMs, session = '', ...timeouts }: PoolSettings) {
    const { connectTimeoutMs = defaultConnectTimeoutMs, lockTimeoutMs = defaultLockTimeoutMs } = timeouts;
    this.#hosts = hosts;
    this.#statementTimeoutMs = statementTimeoutMs;
    this.#maxOfBot = maxOfOneBot(connections);
    const waiting = { what: 'database calls', cost: Number.POSITIVE_INFINITY, timeoutMs: connectTimeoutMs } as const;
    this.#waiting = new FairQueue(waiting);
    class PrimaryClient extends pg.Client {
      readonly target = hosts.current;
      constructor(config: ClientConfig) {
        super({ ...hosts.current, ...config });
        // The statement that is in flight fails with the connection; without a listener the process would end.
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
        // Behind a pooler, they would be set for whoever comes next. The role has them there: see scale-out.md.
        const isPooled = (client as PrimaryClient).target.isPooledByTransaction;
        const settings = `SET statement_timeout = ${statementTimeoutMs}; SET lock_timeout = ${lockTimeoutMs};
          SET idle_in_transaction_session_timeout = ${statementTimeoutMs}; ${session}`;
        const [, state] = await Promise.all([
          isPooled || client.query(settings),
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

  /** Whether a write found the disk full within the last minute. Others may have fitted into existing pages since. */
  get isDiskFull(): boolean {
    return performance.now() - this.#diskFullAtMs < 60_000;
  }

  query<Row extends object>(statement: Statement, values?: readonly Value[], botId?: string): Promise<Row[]> {
    return this.use((connection) => connection.query<Row>(statement, values), botId);
  }

  change(statement: Statement, values?: readonly Value[], botId?: string): Promise<number> {
    return this.use((connection) => connection.change(statement, values), botId);
  }

  /**
   * Lends a connection to `work`. One that is left within a transaction, or broken, is not used again. After the loss of
   * a node it is rolled back and kept. `botId`: whose rows it is about. Left out: of none. For several see each-bot.ts.
   */
  use<Result>(work: (connection: Connection) => Promise<Result>, botId?: string): Promise<Result> {
    if (this.#isEnding) return Promise.reject(new StoreUnavailableError('the store is closed'));
    const lent = botId === undefined ? this.#lend(work) : this.#lendFor(botId, work);
    const done = lent.finally(() => this.#inFlight.delete(done));
    this.#inFlight.add(done);
    return done;
  }

  /** Waits for the work that is in flight. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#inFlight);
    await this.#pool.end();
  }

  async #lendFor<Result>(botId: string, work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const used = this.#usedBy.get(botId) ?? 0;
    if (used < this.#maxOfBot) this.#usedBy.set(botId, used + 1);
    else await new Promise<void>((resolve, reject) => this.#waiting.add({ key: botId, cost: 1, resolve, reject }));
    try {
      return await this.#lend(work);
    } finally {
      this.#leave(botId);
    }
  }

  /** The bot's next call takes the place of one that has ended. */
  #leave(botId: string): void {
    const [next] = this.#waiting.takeFrom(botId, 1);
    const used = this.#usedBy.get(botId) ?? 0;
    if (next !== undefined) {
      this.#waiting.done(next);
      next.resolve();
    } else if (used > 1) this.#usedBy.set(botId, used - 1);
    else this.#usedBy.delete(botId);
  }

  async #lend<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const host = this.#hosts.current;
    const client = (await this.#pool.connect().catch((error) => {
      const mapped = mapDriverError(error);
      if (mapped instanceof LostConnectionError) this.#hosts.leave(host);
      throw mapped;
    })) as PoolClient & { target: HostAddress };
    let isClean = false;
    try {
      const result = await work(new Connection(client, this.#statementTimeoutMs, client.target.isPooledByTransaction));
      isClean = true;
      return result;
    } catch (error) {
      if (error instanceof LostConnectionError) this.#hosts.leave(client.target);
      if (error instanceof DiskFullError) this.#diskFullAtMs = performance.now();
      // The connection is as good as before. A ROLLBACK outside of a transaction is a no-op.
      if (error instanceof LostNodeError) {
        this.lostNodeErrors++;
        isClean = await isRolledBack(client);
      }
      throw error;
    } finally {
      client.release(!isClean);
    }
  }
}

async function isRolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    // The connection is broken too, or the node does not let go of it: a new one takes its place.
    return false;
  }
}

/** Lends a pool of one connection to `work`. */
export async function withPool<Result>(
  url: string,
  settings: Omit<PoolSettings, 'connections'>,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = new Pool(new Hosts(url), { connections: 1, ...settings });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** A connection that one caller has for itself. Statements that are sent without awaiting share a round trip. */
export class Connection {
  readonly #client: PoolClient;
  readonly #statementTimeoutMs: number;
  readonly #isPooledByTransaction: boolean;
  #isCorked = false;

  constructor(client: PoolClient, statementTimeoutMs: number, isPooledByTransaction: boolean) {
    this.#client = client;
    this.#isPooledByTransaction = isPooledByTransaction;
    this.#statementTimeoutMs = statementTimeoutMs;
  }

  /** Rows as objects, in which a NULL is undefined. A text without values may hold several statements. */
  async query<Row extends object>(statement: Statement, values?: readonly Value[]): Promise<Row[]> {
    // Several statements in one text have no rows.
    const { rows = [] } = await this.#send(statement, values);
    for (const row of rows) for (const name in row) row[name] ??= undefined;
    return rows;
  }

  /**
   * Rows in the order of the columns that both engines share: see contacts/row.ts and archive.ts.
   * `behind`: how many statements were sent before it that may each take their time.
   */
  async tuples<Tuple extends unknown[]>(statement: Statement, values?: readonly Value[], behind = 0): Promise<Tuple[]> {
    return (await this.#send(statement, values, { isTuples: true, behind })).rows as unknown as Tuple[];
  }

  /** How many rows were changed. */
  async change(statement: Statement, values?: readonly Value[]): Promise<number> {
    return (await this.#send(statement, values)).rowCount ?? 0;
  }

  async #send(statement: Statement, values?: readonly Value[], { isTuples = false, behind = 0 } = {}) {
    const isUnnamed = typeof statement === 'string' || this.#isPooledByTransaction;
    const named = isUnnamed ? { text: typeof statement === 'string' ? statement : statement.text } : statement;
    this.#cork();
    try {
      return await this.#client.query({
        ...named,
        ...(values && { values: [...values] }),
        ...(isTuples && { rowMode: 'array' }),
        ...(behind > 0 && { query_timeout: (behind + 1) * this.#statementTimeoutMs + answerGraceMs }),
      } as QueryConfig);
    } catch (error) {
      throw mapDriverError(error);
    }
  }

  /** One write to the socket for all statements of a moment: each costs both sides as much as a small statement. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = (this.#client as unknown as { connection: { stream: Writable } }).connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }
}

/** Awaits each step before the next. */
export async function runSteps<Outcome>(connection: Connection, steps: Steps<Outcome>) {
  let next = steps.next();
  while (!next.done) {
    const { kind, statement, values } = next.value;
    const answer = kind === 'change' ? connection.change(statement, values) : connection.query(statement, values);
    next = steps.next(await answer);
  }
  return next.value;
}
