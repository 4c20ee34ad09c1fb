// Searches and export pages are queued here for a connection. There are two queues, so that quick searches never wait
// for broad ones: many of those at a time would take the database's cores from everything else.
import { FairQueue, type QueueItem, type QueueLimits, searchLimitsOf } from '../../fair-queue.ts';
import type { Caller } from '../../store.ts';
import { LostConnectionError } from '../driver-errors.ts';
import type { Connection, Pool } from '../pool.ts';
import type { Plan } from './plans/plan.ts';

/** One in so many connections is for broad searches. Whoever has a larger database gives it more connections. */
const connectionsPerBroadSearch = 4;
/** A message to the database costs as much as a quick search. Not many, since the slowest holds up those behind it. */
const quickSearchesPerMessage = 4;

export type SearchQueue = ReturnType<typeof prepareSearchQueue>;

export function prepareSearchQueue(pool: Pool, connections: number, timeoutMs?: number) {
  const limits = searchLimitsOf(timeoutMs);
  const forBroad = Math.max(1, Math.floor(connections / connectionsPerBroadSearch));
  const broad = prepareLane(pool, limits, forBroad, 1);
  const forQuick = connections - forBroad;
  // A single connection has one queue: in two, searches of one would wait for searches of the other.
  const quick = forQuick === 0 ? broad : prepareLane(pool, limits, forQuick, quickSearchesPerMessage);
  const queues = [...new Set([quick.queue, broad.queue])];
  const sum = (name: 'length' | 'inFlightCost' | 'rejected') => queues.reduce((total, queue) => total + queue[name], 0);

  return {
    metrics: () => ({
      store_pending_searches: sum('length'),
      store_running_searches: sum('inFlightCost'),
      store_refused_searches_total: sum('rejected'),
    }),
    query: <Row extends unknown[]>(plan: Plan, caller: Caller): Promise<Row[]> =>
      (plan.isBroad ? broad : quick).query(plan, caller) as Promise<Row[]>,
    /** Rejects pending searches. */
    close(): void {
      for (const queue of queues) queue.close();
    },
  };
}

/**
 * A count reads so much that planning it is worth while, for this bot and with all that the database can do: reading the
 * whole table where the bot is most of it, and several of its processes at once. For other statements see `byIndex` in
 * postgres-store.ts.
 */
const beginCount = `BEGIN READ ONLY; SET LOCAL enable_seqscan = on; SET LOCAL plan_cache_mode = force_custom_plan`;

async function runPlan(connection: Connection, plan: Plan, behind: number): Promise<unknown[][]> {
  const rows = await connection.tuples(plan.statement, plan.values, behind);
  if (plan.uncached === undefined || rows.length > 0) return rows;
  const { statement, values } = plan.uncached.count;
  const begun = connection.query(beginCount);
  const counted = connection.tuples(statement, values);
  // Each is waited for: after an error of one, COMMIT is answered with a rollback, and the connection is clean.
  await Promise.allSettled([begun, counted, connection.query('COMMIT')]);
  await begun;
  return counted;
}

interface QueuedSearch extends QueueItem {
  plan: Plan;
  resolve(rows: unknown[][]): void;
}

function prepareLane(pool: Pool, limits: QueueLimits, connections: number, searchesPerMessage: number) {
  const queue = new FairQueue<QueuedSearch>(limits);
  let messages = 0;

  const start = (): void => {
    while (messages < connections) {
      const share = Math.ceil(queue.length / connections / 2);
      const batch = queue.take({ items: Math.min(share, searchesPerMessage) });
      if (batch.length === 0) return;
      messages++;
      run(batch).finally(() => {
        messages--;
        for (const search of batch) queue.done(search);
        start();
      });
    }
  };

  const run = async (batch: readonly QueuedSearch[]): Promise<void> => {
    try {
      await pool.use(async (connection) => {
        const answers = batch.map(async ({ plan, resolve, reject }, position) => {
          try {
            resolve(await runPlan(connection, plan, position));
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
  };

  const query = (plan: Plan, { organizationId, signal }: Caller): Promise<unknown[][]> =>
    new Promise((resolve, reject) => {
      queue.add({ key: organizationId, cost: 1, signal, plan, resolve, reject });
      start();
    });

  return { queue, query };
}
