// Searches and export pages are queued here for a connection. There are two queues, so that quick searches never wait
// for broad ones: many of those at a time would take the database's cores from everything else.
import { FairQueue, type QueueItem, type QueueLimits, searchLimitsOf } from '../../fair-queue.ts';
import type { Caller } from '../../store.ts';
import { LostConnectionError } from '../driver-errors.ts';
import type { Pool } from '../pool.ts';
import type { Plan } from './plans/plan.ts';

/** One in so many connections is for broad searches. Whoever has a larger database gives it more connections. */
const connectionsPerBroadSearch = 4;
/** A message to the database costs as much as a quick search. Not many, since the slowest holds up those behind it. */
const quickSearchesPerMessage = 4;

export class SearchQueue {
  readonly #lanes: { quick: Lane; broad: Lane };

  constructor(pool: Pool, connections: number, timeoutMs?: number) {
    const limits = searchLimitsOf(timeoutMs);
    const forBroad = Math.max(1, Math.floor(connections / connectionsPerBroadSearch));
    const broad = new Lane(pool, limits, forBroad, 1);
    const forQuick = connections - forBroad;
    // A single connection has one queue: in two, searches of one would wait for searches of the other.
    const quick = forQuick === 0 ? broad : new Lane(pool, limits, forQuick, quickSearchesPerMessage);
    this.#lanes = { quick, broad };
  }

  get metrics() {
    const queues = new Set(Object.values(this.#lanes).map(({ queue }) => queue));
    const sum = (name: 'length' | 'inFlightCost' | 'rejected') =>
      queues.values().reduce((total, queue) => total + queue[name], 0);
    return {
      store_pending_searches: sum('length'),
      store_running_searches: sum('inFlightCost'),
      store_refused_searches_total: sum('rejected'),
    };
  }

  query<Row extends unknown[]>(plan: Plan, caller: Caller): Promise<Row[]> {
    return this.#lanes[plan.isBroad ? 'broad' : 'quick'].query(plan, caller) as Promise<Row[]>;
  }

  /** Rejects pending searches. */
  close(): void {
    for (const { queue } of Object.values(this.#lanes)) queue.close();
  }
}

interface QueuedSearch extends QueueItem {
  plan: Plan;
  resolve(rows: unknown[][]): void;
}

class Lane {
  readonly #pool: Pool;
  readonly #connections: number;
  readonly #perMessage: number;
  readonly queue: FairQueue<QueuedSearch>;
  #messages = 0;

  constructor(pool: Pool, limits: QueueLimits, connections: number, perMessage: number) {
    this.#pool = pool;
    this.queue = new FairQueue(limits);
    this.#connections = connections;
    this.#perMessage = perMessage;
  }

  query(plan: Plan, { organizationId, signal }: Caller): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      this.queue.add({ key: organizationId, cost: 1, signal, plan, resolve, reject });
      this.#start();
    });
  }

  #start(): void {
    while (this.#messages < this.#connections) {
      const share = Math.ceil(this.queue.length / this.#connections / 2);
      const batch = this.queue.take({ items: Math.min(share, this.#perMessage) });
      if (batch.length === 0) return;
      this.#messages++;
      this.#run(batch).finally(() => {
        this.#messages--;
        for (const search of batch) this.queue.done(search);
        this.#start();
      });
    }
  }

  async #run(batch: readonly QueuedSearch[]): Promise<void> {
    try {
      await this.#pool.use(async (connection) => {
        const answers = batch.map(async ({ plan, resolve, reject }, position) => {
          try {
            resolve(await connection.tuples(plan.statement, plan.values, position));
          } catch (error) {
            reject(error);
            // The pool turns to another host.
            if (error instanceof LostConnectionError) throw error;
          }
        });
        await Promise.all(answers);
      });
    } catch (error) {
      // Rejecting one that was answered is a no-op.
      for (const { reject } of batch) reject(error);
    }
  }
}
