// The embedded engine: one file, one process. Point reads here on the main thread, searches on reader threads, and
// every write on the writer thread.
import { availableParallelism } from 'node:os';
import { toContact } from '../contact-row.ts';
import { type Caller, type Store, StoreOpenError, StoreUnavailableError } from '../store.ts';
import { backUp } from './backup.ts';
import { claimDataFolder, type Durability, openForReading, prepareDatabase } from './database.ts';
import { prepareMainReads } from './main-reads.ts';
import type { ReaderSettings } from './reader.ts';
import { ReaderThreads } from './reader-threads.ts';
import type { MaintenanceSettings } from './search/maintenance.ts';
import type { SearchSettings } from './search/run-search.ts';
import { prepareSearches } from './search/searches.ts';
import { defaultListedContactsMax } from './search/short-ngrams.ts';
import { type OnFatal, startThread } from './threads.ts';
import type { WriterSettings } from './writer.ts';
import { WriterThread } from './writer-thread.ts';

export interface SqliteSettings extends Partial<SearchSettings & MaintenanceSettings> {
  folder: string;
  /** Bots with more contacts than this are searched by index, smaller ones by a scan of their rows. */
  indexThreshold?: number;
  /** How many threads search. From two on, long searches do not delay quick ones. */
  readers?: number;
  /** How far searches stand back behind other threads, and other processes, when cores are scarce: 0 to 19. */
  readerNiceness?: number;
  /** How long a search may be pending. */
  searchQueueTimeoutMs?: number;
  /** How long to wait for a folder that another process has. Nothing else runs meanwhile. */
  waitMs?: number | undefined;
  /** The store must not go on: end the process. */
  onFatal: OnFatal;
}

/** Up to this size a scan is about as fast as the index, which then costs no writes. */
export const defaultIndexThreshold = 10_000;
const defaultSearchSettings: SearchSettings = { checkedRowsMax: 500, cachedFromMs: 5, quickEffortMax: 100_000 };

/** Two at least: one for searches that take long, and one for all others. */
const defaultReaders = Math.min(4, Math.max(2, availableParallelism() - 1));

/**
 * When there are not enough cores for all threads, the main thread, which serves everything else, goes first: a reader
 * then gets about a tenth of a core. Elsewhere than on Linux a thread has no priority of its own.
 */
const defaultNiceness = 10;

export interface SqliteStore extends Store {
  /** Read back from the writing connection itself. */
  inspectDurability(): Promise<Durability>;
}

export async function openSqliteStore(settings: SqliteSettings): Promise<SqliteStore> {
  const { onFatal } = settings;
  const folder = claimDataFolder(settings.folder, settings.waitMs);
  const path = folder.databasePath;
  const { db, writing, readerWorkers } = await openAll(path, settings).catch((error) => {
    folder.release();
    throw error;
  });
  /** Also ends backups: a copy that is half done must not hold up the end of the process, nor be left behind by it. */
  const closing = new AbortController();
  const { reads, dropSnapshot, forgetBot, countUnindexed } = prepareMainReads(db, closing.signal);
  const writer = new WriterThread(writing.worker, writing.message, dropSnapshot, onFatal);
  const readers = new ReaderThreads(readerWorkers, onFatal, settings);

  const { cacheCount, ...writes } = writer.writes;
  const backups = new Set<Promise<unknown>>();
  const search = prepareSearches(readers, cacheCount);
  /** The operator lists those of all organizations, and is of none. */
  const callerOf = (organizationId = ''): Caller => ({ organizationId });

  return {
    ...reads,
    ...writes,
    async ping() {
      await writes.ping();
      closing.signal.throwIfAborted();
      countUnindexed();
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(new StoreUnavailableError('the store is closed'));
      await Promise.allSettled(backups);
      await readers.close();
      dropSnapshot();
      db.close();
      await writer.close();
      folder.release();
    },
    gauges: () => ({
      store_pending_write_rows: writer.queuedRows,
      ...readers.metrics,
      store_unindexed_rows: countUnindexed(),
    }),

    listOrganizations: () => readers.read('listOrganizations', [], callerOf()),
    async deleteBot(botId, nowMs, audit) {
      const isDeleted = await writes.deleteBot(botId, nowMs, audit);
      forgetBot(botId);
      return isDeleted;
    },
    listBots: (organizationId) => readers.read('listBots', [organizationId], callerOf(organizationId)),
    listSecrets: (organizationId) => readers.read('listSecrets', [organizationId], callerOf(organizationId)),

    revokeInvitation: async (...args) => (await writes.revokeInvitation(...args)) || undefined,
    resetPassword: async (...args) => (await writes.resetPassword(...args)) || undefined,

    async createContact(...args) {
      const outcome = await writes.createContact(...args);
      return outcome.kind === 'created' ? { kind: 'created', contact: toContact(outcome.row) } : outcome;
    },
    async updateContact(...args) {
      const outcome = await writes.updateContact(...args);
      return outcome.kind === 'updated' ? { kind: 'updated', contact: toContact(outcome.row) } : outcome;
    },
    async searchContacts(botId, wanted, caller) {
      const { rows, total } = await search(botId, wanted, caller);
      return { contacts: rows.map(toContact), total };
    },
    async exportContacts(botId, { after, limit }, caller) {
      // One row more than asked for shows whether there is a next page.
      const page = { after, limit: limit + 1 };
      const rows = await readers.read('exportPage', [botId, page], caller);
      const contacts = rows.slice(0, limit).map(toContact);
      return { contacts, next: rows.length > limit ? contacts.at(-1)?.id : undefined };
    },

    async backup(file, { onProgress, signal } = {}) {
      closing.signal.throwIfAborted();
      const signals = [closing.signal, ...(signal === undefined ? [] : [signal])];
      const made = backUp(path, file, { onProgress, signal: AbortSignal.any(signals) });
      backups.add(made);
      return made.finally(() => backups.delete(made));
    },
  };
}

/** Every connection of the store, the writing one first: the others need the log that it makes. */
async function openAll(path: string, settings: SqliteSettings) {
  prepareDatabase(path);
  const { indexThreshold = defaultIndexThreshold, listedContactsMax = defaultListedContactsMax } = settings;
  const { readers = defaultReaders, readerNiceness: niceness = defaultNiceness } = settings;
  const { checkedRowsMax, cachedFromMs, quickEffortMax } = { ...defaultSearchSettings, ...settings };
  try {
    const writer: WriterSettings = { path, indexThreshold, listedContactsMax };
    const writing = await startThread('writer', writer);
    const reader: ReaderSettings = { path, checkedRowsMax, cachedFromMs, quickEffortMax, niceness };
    const reading = await Promise.all(Array.from({ length: readers }, () => startThread('reader', reader)));
    return { writing, readerWorkers: reading.map(({ worker }) => worker), db: openForReading(path) };
  } catch (cause) {
    throw new StoreOpenError(`Cannot open ${path}: ${(cause as Error).message}.`, { cause });
  }
}
