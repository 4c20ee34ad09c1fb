// Searches and export pages are queued here for a connection, quick ones and broad ones apart: many broad ones at a time
// would take the database's cores from everything else, so most connections are for quick ones. One bot leaves a connection
// to the others.
import { FairQueue, type QueueItem, searchLimitsOf } from '../../fair-queue.ts';
import type { Caller } from '../../store.ts';
import { LostConnectionError } from '../driver-errors.ts';
import { type Connection, maxOfOneBot, type Pool } from '../pool.ts';
import type { Plan } from './plans/plan.ts';

/** One in so many connections is for broad searches. Whoever has a larger database gives it more connections. */
const connectionsPerBroadSearch = 4;
/** A message to the database costs as much as a quick search. Not many, since the slowest holds up those behind it. */
const quickSearchesPerMessage = 4;

export type SearchQueue = ReturnType<typeof prepareSearchQueue>;

interface SearchQueueSettings {
  pool: Pool;
  connections: number;
  /** How long a search may be pending. */
  timeoutMs?: number | undefined;
}

interface Found<Row> {
  rows: Row[];
  /** Without the time that it was pending. */
  tookMs: number;
}

interface QueuedSearch extends QueueItem {
  botId: string;
  plan: Plan;
  resolve(found: Found<unknown[]>): void;
}

export function prepareSearchQueue({ pool, connections, timeoutMs }: SearchQueueSettings) {
  const quick = new FairQueue<QueuedSearch>(searchLimitsOf(timeoutMs));
  // A single connection has one queue: of two, one would always come first.
  const broad = connections === 1 ? quick : new FairQueue<QueuedSearch>(searchLimitsOf(timeoutMs));
  const queues = [...new Set([quick, broad])];
  const broadMax = Math.max(1, Math.floor(connections / connectionsPerBroadSearch));
  /** A message takes a connection until it is answered. */
  let messages = 0;
  const messagesOf = new Map<string, number>();

  const hasRoom = ({ botId }: QueuedSearch) => (messagesOf.get(botId) ?? 0) < maxOfOneBot(connections);
  const takeBatch = (): QueuedSearch[] => {
    if (broad.inFlightCost < broadMax) {
      const batch = broad.take({ items: 1, where: hasRoom });
      if (batch.length > 0) return batch;
    }
    const share = Math.ceil(quick.length / connections / 2);
    return quick.take({ items: Math.min(share, quickSearchesPerMessage), where: hasRoom });
  };

  const countMessage = (botIds: ReadonlySet<string>, sign: 1 | -1): void => {
    messages += sign;
    for (const botId of botIds) {
      const count = (messagesOf.get(botId) ?? 0) + sign;
      if (count > 0) messagesOf.set(botId, count);
      else messagesOf.delete(botId);
    }
  };

  const start = (): void => {
    while (messages < connections) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      const botIds = new Set(batch.map(({ botId }) => botId));
      countMessage(botIds, 1);
      send(pool, batch).finally(() => {
        countMessage(botIds, -1);
        for (const search of batch) (search.plan.isBroad ? broad : quick).done(search);
        start();
      });
    }
  };

  const sum = (name: 'length' | 'inFlightCost' | 'rejected') => queues.reduce((total, queue) => total + queue[name], 0);

  return {
    gauges: {
      store_pending_searches: () => sum('length'),
      store_running_searches: () => sum('inFlightCost'),
      store_refused_searches_total: () => sum('rejected'),
    },
    query: <Row extends unknown[]>(botId: string, plan: Plan, { organizationId, signal }: Caller) =>
      new Promise<Found<Row>>((resolve, reject) => {
        const answer = { resolve: resolve as QueuedSearch['resolve'], reject };
        (plan.isBroad ? broad : quick).add({ key: organizationId, cost: 1, signal, botId, plan, ...answer });
        start();
      }),
    /** Rejects pending searches. */
    close(): void {
      for (const queue of queues) queue.close();
    },
  };
}

async function send(pool: Pool, batch: readonly QueuedSearch[]): Promise<void> {
  try {
    await pool.use(async (connection) => {
      const answers = batch.map(async ({ plan, resolve, reject }, position) => {
        try {
          const startedAtMs = performance.now();
          const rows = await runPlan(connection, plan, position);
          resolve({ rows, tookMs: performance.now() - startedAtMs });
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

/**
 * A count reads so much that planning it is worth while, for this bot: where the bot is most of the table, the whole table
 * is read. For other statements see `byIndex` in postgres-store.ts.
 */
const beginCount = `BEGIN READ ONLY; SET LOCAL enable_seqscan = on; SET LOCAL plan_cache_mode = force_custom_plan`;

async function runPlan(connection: Connection, plan: Plan, behind: number): Promise<unknown[][]> {
  if (plan.besideTotal === undefined) return connection.tuples(plan.statement, plan.values, behind);
  const begun = connection.query(beginCount);
  const counted = connection.tuples(plan.statement, plan.values);
  // Each is waited for: after an error of one, COMMIT is answered with a rollback, and the connection is clean.
  await Promise.allSettled([begun, counted, connection.query('COMMIT')]);
  await begun;
  return counted;
}
