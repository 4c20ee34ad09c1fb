// Searches and export pages are queued here for a connection. There are two queues, so that quick searches never wait
// for broad ones: many of those at a time would take the database's cores from everything else. A node of a sharded
// database gets no more than its share of each. One that hangs does not stop the broad searches of others, and on a
// single node an organization whose broad searches take long does not stop those of other organizations.
import { FairQueue, type QueueItem, type QueueLimits, searchLimitsOf } from '../../fair-queue.ts';
import type { Caller } from '../../store.ts';
import { type NodeOf, shareOfNode } from '../bulkhead.ts';
import { LostConnectionError } from '../driver-errors.ts';
import type { Connection, Pool } from '../pool.ts';
import type { Plan } from './plans/plan.ts';

/** One in so many connections is for broad searches. Whoever has a larger database gives it more connections. */
const connectionsPerBroadSearch = 4;
/** A message to the database costs as much as a quick search. Not many, since the slowest holds up those behind it. */
const quickSearchesPerMessage = 4;
/** Longer than almost any search takes, and shorter than the others may be pending. */
const defaultHeldUpAfterMs = 2000;

export type SearchQueue = ReturnType<typeof prepareSearchQueue>;

export interface SearchQueueSettings {
  pool: Pool;
  connections: number;
  nodeOf: NodeOf;
  /** How long a search may be pending. */
  timeoutMs?: number | undefined;
  /** A broad search that takes longer counts as held up: by its node, or on a single node by its organization. */
  heldUpAfterMs?: number | undefined;
}

export function prepareSearchQueue({ pool, connections, nodeOf, ...times }: SearchQueueSettings) {
  const { heldUpAfterMs = defaultHeldUpAfterMs } = times;
  const shared = { pool, limits: searchLimitsOf(times.timeoutMs), heldUpAfterMs };
  const forBroad = Math.max(1, Math.floor(connections / connectionsPerBroadSearch));
  const forQuick = connections - forBroad;
  // One is left for quick searches.
  const spare = Math.max(0, Math.min(forBroad, forQuick - 1));
  const broad = prepareLane({ ...shared, connections: forBroad, spare, searchesPerMessage: 1 });
  // A single connection has one queue: in two, searches of one would wait for searches of the other.
  const forManyQuick = { connections: forQuick, spare: 0, searchesPerMessage: quickSearchesPerMessage };
  const quick = forQuick === 0 ? broad : prepareLane({ ...shared, ...forManyQuick });
  const queues = [...new Set([quick.queue, broad.queue])];
  const sum = (name: 'length' | 'inFlightCost' | 'rejected') => queues.reduce((total, queue) => total + queue[name], 0);

  return {
    gauges: {
      store_pending_searches: () => sum('length'),
      store_running_searches: () => sum('inFlightCost'),
      store_refused_searches_total: () => sum('rejected'),
    },
    query<Row extends unknown[]>(botId: string, plan: Plan, caller: Caller): Promise<Row[]> {
      const ask = (node: string | undefined) =>
        (plan.isBroad ? broad : quick).query(plan, caller, node) as Promise<Row[]>;
      const node = nodeOf(botId);
      return node instanceof Promise ? node.then(ask) : ask(node);
    },
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
  node: string | undefined;
  resolve(rows: unknown[][]): void;
}

interface LaneSettings {
  pool: Pool;
  limits: QueueLimits;
  connections: number;
  /** Up to so many more, one for each search that is held up, for nodes or organizations that hold up none. */
  spare: number;
  heldUpAfterMs: number;
  searchesPerMessage: number;
}

function prepareLane({ pool, limits, connections, spare, heldUpAfterMs, searchesPerMessage }: LaneSettings) {
  const queue = new FairQueue<QueuedSearch>(limits);
  let messages = 0;
  const nodeShare = shareOfNode(connections);
  const messagesOf = new Map<string, number>();
  /** For each search that is held up, what holds it up. */
  const heldUp: string[] = [];
  const holderOf = ({ node, key }: QueuedSearch) => node ?? key;

  const hasRoom = (search: QueuedSearch): boolean => {
    if (messages >= connections && heldUp.includes(holderOf(search))) return false;
    return search.node === undefined || (messagesOf.get(search.node) ?? 0) < nodeShare;
  };
  /** Counts a message that is sent, and returns what counts its answer. */
  const begin = (search: QueuedSearch): (() => void) => {
    const { node } = search;
    const count = (sign: 1 | -1) => {
      messages += sign;
      if (node !== undefined) messagesOf.set(node, (messagesOf.get(node) ?? 0) + sign);
    };
    count(1);
    if (spare === 0) return () => count(-1);
    const holder = holderOf(search);
    let isHeldUp = false;
    const timer = setTimeout(() => {
      isHeldUp = true;
      heldUp.push(holder);
      start();
    }, heldUpAfterMs);
    return () => {
      clearTimeout(timer);
      if (isHeldUp) heldUp.splice(heldUp.indexOf(holder), 1);
      count(-1);
    };
  };

  /** Of one node: in a message, searches of another would wait behind those of one that hangs. */
  const takeBatch = (items: number): QueuedSearch[] => {
    let first: QueuedSearch | undefined;
    const where = (search: QueuedSearch): boolean => {
      if (first !== undefined) return search.node === first.node;
      if (hasRoom(search)) first = search;
      return first !== undefined;
    };
    return queue.take({ items, where });
  };

  const start = (): void => {
    while (messages < connections + Math.min(heldUp.length, spare)) {
      const share = Math.ceil(queue.length / connections / 2);
      const batch = takeBatch(Math.min(share, searchesPerMessage));
      if (batch[0] === undefined) return;
      const end = begin(batch[0]);
      run(batch).finally(() => {
        end();
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

  const query = (plan: Plan, { organizationId, signal }: Caller, node: string | undefined): Promise<unknown[][]> =>
    new Promise((resolve, reject) => {
      queue.add({ key: organizationId, cost: 1, signal, plan, node, resolve, reject });
      start();
    });

  return { queue, query };
}
