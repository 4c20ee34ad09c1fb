// The engine for several servers: one PostgreSQL, or a database of its family, behind any number of processes. It keeps
// nothing in memory that another process could make untrue. Here its parts are put together.
import { DiskFullError, type Store } from '../store.ts';
import { prepareAccount } from './account/account.ts';
import { prepareActivity } from './activity/activity.ts';
import { prepareContactReads } from './contacts/reads.ts';
import { ContactWrites, prepareContactWrites } from './contacts/writes.ts';
import { prepareEvents } from './events/events.ts';
import { checkSchema, migratePostgres } from './migrate.ts';
import { Hosts, Pool } from './pool.ts';
import { preparePurge } from './purge.ts';
import { prepareSearchQueue } from './search/queue.ts';
import { prepareSearch } from './search/search.ts';
import { prepareTenants } from './tenants/tenants.ts';
import { prepareContactTokens } from './tokens/contact-tokens.ts';
import { prepareTransactions } from './transactions.ts';
import { prepareAttributes } from './values/attributes.ts';
import { prepareWebhooks } from './webhooks/webhooks.ts';

export interface PostgresSettings {
  url: string;
  /** For all kinds of work together. */
  connections?: number;
  /** False: the schema must be the newest one already. */
  isMigrating?: boolean;
  /** How long a search may be pending. */
  searchQueueTimeoutMs?: number;
  /** How long calls may wait: for a connection, for a lock, and for each statement. Searches have 30 seconds at least. */
  patienceMs?: number;
  /** A search that reads more rows is queued apart, and its total may be kept. Only tests set it. */
  broadFrom?: number;
}

const defaultConnections = 12;
/** With the wait for an answer it is below what a write is retried for: a machine that vanished is left in time. */
const byKeyTimeoutMs = 5000;
const searchTimeoutMs = 30_000;
const broadFrom = 2000;
/**
 * All our statements find rows by an index: a plan that was made while a table was small must not be a scan of it. And
 * compiling a plan takes longer than running it. A statement has one process: with several, a broad search would take all
 * cores of a small database from everybody else. One plan serves all values: a plan for one bot that is newer than the
 * statistics takes it for empty, and reads all its rows to find one. With Citus that is so on the workers
 * (citus-settings.sql); the coordinator must know the bot to choose the shard.
 */
const byIndex = `SET enable_seqscan = off; SET jit = off; SET max_parallel_workers_per_gather = 0; SELECT set_config('plan_cache_mode',
  CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN 'auto' ELSE 'force_generic_plan' END, false);`;

/**
 * The bitmap of what an index finds in a bot of a million takes 7 MB. With less room it names pages alone, and every row of them is
 * compared anew.
 */
const manyHits = "SET work_mem = '32MB';";

/** Whether the tables by bot are spread over nodes of Citus, or over partitions. */
const findSharding = `SELECT relkind = 'p' OR EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "isSharded"
  FROM pg_class WHERE oid = to_regclass('contacts')`;

export async function openPostgresStore(settings: PostgresSettings): Promise<Store> {
  const { url, connections: allConnections = defaultConnections, isMigrating = true } = settings;
  if (isMigrating) await migratePostgres(url);
  const hosts = new Hosts(url);
  const connections = Math.max(1, Math.floor(allConnections / 3));
  // Each kind of work has a pool of its own, so that long searches hold up neither reads by key nor writes.
  const waits = { connectTimeoutMs: settings.patienceMs, lockTimeoutMs: settings.patienceMs };
  const openPool = (statementTimeoutMs: number, session = byIndex) =>
    new Pool(hosts, { connections, statementTimeoutMs, session, ...waits });
  const byKeyMs = settings.patienceMs ?? byKeyTimeoutMs;
  const [reads, writes] = [openPool(byKeyMs), openPool(byKeyMs)];
  const searches = openPool(Math.max(searchTimeoutMs, settings.patienceMs ?? 0), `${byIndex} ${manyHits}`);
  const pools = [reads, writes, searches];
  const [sharding] = await checkSchema(reads)
    .then(() => reads.query<{ isSharded: boolean }>(findSharding))
    .catch(async (error) => {
      await reads.end();
      throw error;
    });

  const queue = prepareSearchQueue({ pool: searches, connections, timeoutMs: settings.searchQueueTimeoutMs });
  const options = { isSharded: sharding?.isSharded === true, broadFrom: settings.broadFrom ?? broadFrom };
  const search = prepareSearch({ reads, searches, queue, options });
  const transactions = prepareTransactions(reads, writes);
  const contactWrites = new ContactWrites(transactions, search.noteWritten);
  const contactReads = prepareContactReads(transactions);
  const contactTokens = prepareContactTokens(transactions, contactWrites);
  let isClosed = false;

  const store: Store = {
    async ping() {
      // Searches are left out: when they are many and slow, all the rest still works.
      await Promise.all([
        writes.change('UPDATE installation SET checked_at = $1', [Date.now()]),
        reads.query('SELECT 1'),
      ]);
      if (writes.isDiskFull) throw new DiskFullError('the disk is full');
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      queue.close();
      await contactWrites.close();
      search.stop();
      await Promise.all(pools.map((pool) => pool.end()));
    },
    gauges: () => ({
      store_pending_write_rows: () => contactWrites.pendingRows,
      store_pending_reads: () => contactReads.pending() + contactTokens.pending(),
      ...queue.gauges,
      store_read_only: () => Number(writes.isDiskFull),
      store_lost_node_errors_total: () => pools.reduce((sum, pool) => sum + pool.lostNodeErrors, 0),
      store_connections: () => pools.reduce((sum, pool) => sum + pool.open, 0),
    }),

    ...prepareTenants(transactions, reads),
    ...prepareAccount(transactions),
    ...prepareAttributes(transactions),
    ...prepareActivity(transactions),
    ...prepareEvents(transactions, reads),
    ...prepareWebhooks(transactions, { reads, writes, ...options }),

    ...prepareContactWrites(contactWrites),
    ...contactReads.methods,
    searchContacts: search.searchContacts,
    exportContacts: search.exportContacts,
    ...contactTokens.methods,
    ...preparePurge(writes, contactWrites),
  };
  return answerBeforeClosing(store);
}

type Method = (...values: unknown[]) => unknown;

/**
 * Lets closing wait until each call in flight was answered: one may be between two statements, or pause before it tries
 * again, where no pool knows of it.
 */
function answerBeforeClosing(store: Store): Store {
  const inFlight = new Set<Promise<unknown>>();
  const track =
    (method: Method): Method =>
    (...values) => {
      const answer = method(...values);
      if (answer instanceof Promise) {
        const end = () => inFlight.delete(answer);
        inFlight.add(answer);
        answer.then(end, end);
      }
      return answer;
    };
  const tracked = Object.fromEntries(Object.entries(store).map(([name, method]) => [name, track(method)])) as unknown;
  return {
    ...(tracked as Store),
    async close() {
      await store.close();
      // The pools are closed now, so whatever is left ends with its next statement.
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
  };
}
