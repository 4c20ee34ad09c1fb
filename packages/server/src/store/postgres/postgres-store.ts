// The engine for several servers: one PostgreSQL, or a kin of it, behind any number of processes. It keeps nothing in
// memory that another process could make untrue.
import { isImpossible } from '../../contacts/search-text.ts';
import { type ContactRow, planUpsert, toContact } from '../contact-row.ts';
import type { CreateOutcome, Store, UpdateOutcome, UpsertOutcome, Visitor } from '../store.ts';
import { parseAddress } from './address.ts';
import { prepareAudit } from './audit.ts';
import { answerBeforeClosing } from './calls-in-flight.ts';
import { Hosts, Pool, type Row, readRetryMs, retrying, writeRetryMs } from './connections.ts';
import { hexOf } from './contact-plan.ts';
import { ContactWrites } from './contact-writes.ts';
import { GatheredReads } from './gathered-reads.ts';
import { IndexMaintenance } from './index-maintenance.ts';
import { prepareLinks } from './links.ts';
import { prepareMembers } from './members.ts';
import { checkSchema, migratePostgres } from './migrate.ts';
import { Purge } from './purge.ts';
import { BotSamples } from './samples.ts';
import { type PageForm, pageStatement } from './search.ts';
import { SearchQueue } from './search-queue.ts';
import { searchColumnsOf } from './search-tokens.ts';
import { type Statement, statements } from './statements.ts';
import { prepareTenants } from './tenants.ts';

export interface PostgresSettings {
  url: string;
  /** For all kinds of work together. */
  connections?: number;
  /** False: the schema must be the newest one already. */
  isMigrating?: boolean;
  /** How long a search may be pending. */
  searchQueueTimeoutMs?: number;
}

const defaultConnections = 12;
/** With the wait for an answer it is below what a write is retried for: a machine that vanished is left in time. */
const byKeyTimeoutMs = 5000;
const searchTimeoutMs = 30_000;
/**
 * All our statements find rows by an index: a plan that was made while a table was small must not be a scan of it. And
 * compiling a plan takes longer than running it. One plan serves all values, except with Citus, which must know the bot
 * to choose the shard.
 */
const byIndex = `SET enable_seqscan = off; SET jit = off; SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
  WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus');`;

export async function openPostgresStore(settings: PostgresSettings): Promise<Store> {
  const { url, connections = defaultConnections, isMigrating = true } = settings;
  if (isMigrating) await migratePostgres(url);
  const hosts = new Hosts(parseAddress(url));
  const share = Math.max(1, Math.floor(connections / 3));
  // Each kind of work has its own, so that long searches hold up neither reads by key nor writes.
  const reads = new Pool(hosts, { connections: share, statementTimeoutMs: byKeyTimeoutMs, session: byIndex });
  const writes = new Pool(hosts, { connections: share, statementTimeoutMs: byKeyTimeoutMs, session: byIndex });
  const searches = new Pool(hosts, { connections: share, statementTimeoutMs: searchTimeoutMs, session: byIndex });
  const pools = [reads, writes, searches];
  const isSharded = await checkSchema(reads)
    .then(() => askWhetherSharded(reads))
    .catch(async (error) => {
      await reads.end();
      throw error;
    });

  const upkeep = new IndexMaintenance(searches);
  const contactWrites = new ContactWrites(writes, (rows) => upkeep.note(rows));
  const purge = new Purge(writes);
  // A few rows by key, and no search may be kept waiting by those before it.
  const samples = new BotSamples(reads);
  const searchQueue = new SearchQueue(searches, share, settings.searchQueueTimeoutMs);
  const gather = <Value>({ statement, toKey, toValue }: GatheredKind<Value>) =>
    new GatheredReads<Value>(async (botId, keys) => {
      const rows = await retrying(readRetryMs, () => reads.query(statement, [botId, keys.map(toKey)]));
      return new Map(rows.map(([key, ...row]) => [key, toValue(row)]));
    }, share);
  const contactsById = gather({ statement: statements.findById, toKey: (id) => id, toValue: contactOf });
  const contactsByEmail = gather({ statement: statements.findByEmail, toKey: (key) => key, toValue: contactOf });
  const visitors = gather<Visitor>({
    statement: statements.findVisitors,
    toKey: (hex) => Buffer.from(hex, 'hex'),
    toValue: ([id, name, expiresAtMs]) => ({ id, name, expiresAtMs }),
  });

  let isClosed = false;

  const store: Store = {
    async ping() {
      // Searches are left out: when they are many and slow, all the rest still works.
      await Promise.all([
        writes.change('UPDATE installation SET checked_at = $1', [Date.now()]),
        reads.query('SELECT 1'),
      ]);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      searchQueue.close();
      await contactWrites.close();
      upkeep.stop();
      await Promise.all(pools.map((pool) => pool.end()));
    },
    gauges: () => ({
      store_waiting_write_rows: contactWrites.pendingRows,
      store_waiting_reads: contactsById.waiting + contactsByEmail.waiting + visitors.waiting,
      ...searchQueue.figures,
      store_connections: pools.reduce((sum, pool) => sum + pool.open, 0),
    }),

    ...prepareTenants(reads, writes),
    ...prepareMembers(reads, writes),
    ...prepareLinks(reads, writes),
    ...prepareAudit(reads, writes),

    async createContact(botId, fields, nowMs, audit) {
      // Made here, while other writes have the lock, and not when this one has it.
      const search = searchColumnsOf(botId, fields);
      return (await contactWrites.write(botId, { kind: 'create', fields, search, nowMs }, { audit })) as CreateOutcome;
    },
    updateContact: async (botId, contactId, changes, nowMs, audit) =>
      (await contactWrites.write(botId, { kind: 'update', contactId, changes, nowMs }, { audit })) as UpdateOutcome,
    upsertContacts: async (botId, items, nowMs, audit) =>
      (await contactWrites.write(
        botId,
        { kind: 'upsert', items, nowMs },
        { audit, rows: items.length },
      )) as UpsertOutcome,
    deleteContact: async (botId, contactId, audit) =>
      (await contactWrites.write(botId, { kind: 'delete', contactId }, { audit })) as boolean,
    async findNameless(botId, items) {
      const keys = items.map(({ emailKey }) => emailKey);
      const rows = await retrying(readRetryMs, () => reads.query(statements.findByEmail, [botId, keys]));
      const found = new Set(rows.map(([emailKey]) => emailKey));
      return planUpsert(items, (emailKey) => found.has(emailKey) || undefined).nameless;
    },
    findContact: (botId, contactId) => contactsById.find(botId, contactId),
    findContactByEmail: (botId, emailKey) => contactsByEmail.find(botId, emailKey),
    async searchContacts(botId, search, caller) {
      if (search.words.some(isImpossible)) return { contacts: [], total: 0 };
      const ask = (form: PageForm) =>
        retrying(readRetryMs, async () => {
          const sample = await samples.of(botId);
          return searchQueue.query(pageStatement(botId, search, { sample, isSharded, form }), caller);
        });
      let rows = await ask('quick');
      // Past the end: only the total is wanted, from the snapshot in which it is past the end.
      if (rows.length === 0 && search.offset > 0) rows = await ask('complete');
      const found = rows.filter(([, id]) => id !== null);
      return { contacts: found.map(([, ...row]) => contactOf(row)), total: rows[0]?.[0] ?? 0 };
    },
    async exportContacts(botId, { after = '', limit }, caller) {
      // One row more than asked for tells whether there is a next page.
      const asked = { statement: statements.exportPage, values: [botId, after, limit + 1], isBroad: false };
      const rows = await retrying(readRetryMs, () => searchQueue.query(asked, caller));
      const contacts = rows.slice(0, limit).map(contactOf);
      return { contacts, next: rows.length > limit ? contacts.at(-1)?.id : undefined };
    },

    createContactToken: async (botId, contactId, token) =>
      (await contactWrites.write(botId, { kind: 'createToken', contactId, token })) as boolean,
    revokeContactToken: async (botId, hash) =>
      (await contactWrites.write(botId, { kind: 'revokeToken', hash })) as boolean,
    revokeContactTokens: async (botId, contactId, audit) =>
      (await contactWrites.write(botId, { kind: 'revokeTokensOf', contactId }, { audit })) as boolean,
    findVisitor: (botId, hash) => visitors.find(botId, hexOf(hash)),
    async noteTokensSeen(botId, seen) {
      const values = [botId, seen.map(({ hash }) => hash), seen.map(({ seenAtMs }) => seenAtMs)];
      await retrying(writeRetryMs, () => writes.change(statements.noteTokensSeen, values));
    },
    async listContactTokens(botId, contactId) {
      const rows = await retrying(readRetryMs, () => reads.query(statements.listTokens, [botId, contactId]));
      return rows.map(([createdAtMs, expiresAtMs, lastSeenAtMs]) => ({
        createdAtMs,
        expiresAtMs,
        lastSeenAtMs: lastSeenAtMs ?? undefined,
      }));
    },

    purge: (nowMs, rows) => purge.run(nowMs, rows),
  };
  return answerBeforeClosing(store);
}

/** Whether the tables by bot are spread over partitions or nodes. */
async function askWhetherSharded(pool: Pool): Promise<boolean> {
  const [[isSharded]] =
    (await pool.query(`SELECT relkind = 'p' OR EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
    FROM pg_class WHERE oid = to_regclass('contacts')`)) as [[boolean]];
  return isSharded;
}

interface GatheredKind<Value> {
  /** Its first column is the key. */
  statement: Statement;
  toKey(key: string): string | Uint8Array;
  toValue(row: Row): Value;
}

function contactOf(row: Row) {
  return toContact(row as ContactRow);
}
