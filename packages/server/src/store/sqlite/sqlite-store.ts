// The embedded engine: one file, one process. Point reads here on the main thread, searches on reader threads, and
// every write on the writer thread.
import { limits } from '@roster/contract/limits';
import { toContactWithValues, toPage } from '../contacts/row.ts';
import type { SearchTotals } from '../contacts/search-totals.ts';
import { type Caller, type Store, StoreOpenError, StoreUnavailableError } from '../store.ts';
import { toTokenPage } from '../tokens/rows.ts';
import { backUp } from './backup.ts';
import { claimDataFolder, openForReading, prepareDatabase } from './database.ts';
import { type DatabaseWatch, prepareState } from './database-state.ts';
import { isDamage } from './driver-errors.ts';
import type { FileToCheck } from './inspection.ts';
import { prepareMainReads } from './main-reads.ts';
import { ReaderThreads, takesLong } from './reader-threads.ts';
import { prepareSearches } from './search/searches.ts';
import { defaultSettings, type EngineSettings, type ThreadSettings } from './settings.ts';
import { type OnFatal, startThread } from './threads.ts';
import { leaseRules } from './webhooks/webhooks.ts';
import { WriterThread } from './writer-thread.ts';

export interface SqliteSettings extends Partial<EngineSettings> {
  folder: string;
  /** How long a search may be pending. */
  searchQueueTimeoutMs?: number;
  /** How long to wait for a folder that another process has. Nothing else runs meanwhile. */
  waitMs?: number | undefined;
  /** Left out: those that the API promises. Only tests set it. */
  totals?: SearchTotals;
  /** The store must not go on: end the process. */
  onFatal: OnFatal;
  /** For a server. Left out: a large file is not checked. */
  watch?: DatabaseWatch | undefined;
}

export async function openSqliteStore(settings: SqliteSettings): Promise<Store> {
  const { folder: folderPath, searchQueueTimeoutMs, waitMs, totals, onFatal, watch, ...engineSettings } = settings;
  const folder = claimDataFolder(folderPath, waitMs);
  const threadSettings = { ...defaultSettings, ...engineSettings, path: folder.databasePath };
  const { db, writing, readerWorkers, isChecked } = await openAll(threadSettings).catch((error) => {
    folder.release();
    throw error;
  });
  const { noteError, ...state } = prepareState(threadSettings, (damage) => {
    writer.halt(damage);
    watch?.onDamage(damage);
  });
  const failures = { noteError, onFatal };
  /** Also ends backups: a copy that is half done must not hold up the end of the process, nor be left behind by it. */
  const closing = new AbortController();
  const { reads, dropSnapshot, forgetBot, tryRead } = prepareMainReads(db, closing.signal, noteError);
  const readers = new ReaderThreads(readerWorkers, { onAnswer: dropSnapshot, ...failures }, searchQueueTimeoutMs);
  const writer = new WriterThread(writing.worker, writing.message, {
    onCommit() {
      dropSnapshot();
      state.lookForRoom();
    },
    onHold: (isHeld) => readers.holdLong(isHeld),
    ...failures,
  });

  const { writes } = writer;
  /** What must end before the store does. */
  const running: Promise<unknown>[] = [];
  const check = (thoroughness: FileToCheck['thoroughness']) =>
    watch && !closing.signal.aborted && running.push(state.checkFile(watch, thoroughness, closing.signal));
  if (!isChecked) check('quick');
  const { search, exportMatches } = prepareSearches(readers, totals);
  /** The operator lists those of all organizations, and is of none. */
  const callerOf = (organizationId = ''): Caller => ({ organizationId });

  return {
    ...reads,
    ...writes,
    async ping() {
      await writes.ping();
      closing.signal.throwIfAborted();
      tryRead();
      state.assertNotFull();
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(new StoreUnavailableError('the store is closed'));
      await Promise.allSettled(running);
      await readers.close();
      dropSnapshot();
      db.close();
      await writer.close();
      folder.release();
    },
    gauges: () => ({
      store_pending_write_rows: () => writer.queuedRows,
      ...readers.gauges,
      store_unindexed_rows: () => readers.read('countUnindexed', [], callerOf()),
      ...state.gauges,
    }),

    listOrganizations: () => readers.read('listOrganizations', [], callerOf()),
    async deleteBot(botId, context) {
      const isDeleted = await writes.deleteBot(botId, context);
      forgetBot(botId);
      return isDeleted;
    },
    listBots: (organizationId) => readers.read('listBots', [organizationId], callerOf(organizationId)),
    listAudit: (organizationId, wanted) =>
      readers.read('listAudit', [organizationId, wanted], callerOf(organizationId)),
    listSecrets: (organizationId) => readers.read('listSecrets', [organizationId], callerOf(organizationId)),

    async createContact(...args) {
      const outcome = await writes.createContact(...args);
      return outcome.kind === 'created' ? { kind: 'created', ...toContactWithValues(outcome.row) } : outcome;
    },
    async updateContact(...args) {
      const outcome = await writes.updateContact(...args);
      return outcome.kind === 'updated' ? { kind: 'updated', ...toContactWithValues(outcome.row) } : outcome;
    },
    async searchContacts(botId, wanted, caller) {
      const { rows, total } = await search(botId, wanted, caller);
      return { ...toPage(rows, wanted), total };
    },
    async exportContacts(botId, { words = [], filters = [], after, limit, withValues }, caller) {
      // One row more than asked for shows whether there is a next page.
      const page = { words, filters, after, limit: limit + 1, withValues };
      // A page for a program, not for a reader, takes longer than an instant.
      const isLong = limit > limits.pageSizeMax;
      const rows =
        words.length === 0 && filters.length === 0
          ? await readers.read('exportPage', [botId, page], caller, { isLong })
          : await exportMatches(botId, page, caller);
      const found = toPage(rows.slice(0, limit), { withValues });
      return { ...found, next: rows.length > limit ? found.contacts.at(-1)?.id : undefined };
    },

    // The bot stands for its organization in the queue, here and where a member reads something now and then.
    findFaults: (botId, items) => readers.read('findFaults', [botId, items], callerOf(botId)),
    async findContactsWithValues(botId, contactIds, caller) {
      const rows = await readers.read('findRowsWithValues', [botId, contactIds], caller);
      return rows.map(toContactWithValues);
    },

    async listContactTokens(botId, contactId, page) {
      const { limit } = page;
      const rows = await readers.read('listTokens', [botId, contactId, { ...page, limit: limit + 1 }], callerOf(botId));
      return toTokenPage(rows, limit);
    },

    findLastSeen: (botId, contactIds) => readers.read('findLastSeen', [botId, contactIds], callerOf(botId)),

    findActivity: (botId, wanted, caller) => readers.read('findActivity', [botId, wanted], caller),
    readEvents: (botId, wanted, caller) => readers.read('readEvents', [botId, wanted], caller),

    listDeliveries: (botId, ...wanted) => readers.read('listDeliveries', [botId, ...wanted], callerOf(botId)),
    listBotsWithWebhooks: () => readers.read('listBotsWithWebhooks', [], callerOf()),
    leaseRules: () => leaseRules,
    listLeases: (botIds) => readers.read('listLeases', [botIds], callerOf()),
    findOwned: (botId, ...wanted) => readers.read('findOwned', [botId, ...wanted], callerOf(botId)),
    findDeferred: (botId, ...wanted) => readers.read('findDeferred', [botId, ...wanted], callerOf(botId)),

    async backup(file, { signal, ...progress } = {}) {
      closing.signal.throwIfAborted();
      const signals = [closing.signal, ...(signal === undefined ? [] : [signal])];
      const made = backUp(threadSettings, file, { ...progress, signal: AbortSignal.any(signals) });
      running.push(made);
      // The copy may have been damaged on its way. If the file is, whatever the copy shows can be found in it.
      made.catch(({ cause }) => isDamage(cause) && check('whole'));
      return made;
    },
  };
}

/** Every connection of the store, the writing one first: the others need the log that it makes. */
async function openAll(settings: ThreadSettings) {
  const { path, readers } = settings;
  const { isChecked } = prepareDatabase(path, settings);
  try {
    const writing = await startThread('writer', settings);
    const reading = await Promise.all(
      Array.from({ length: readers }, (_, index) => {
        const readerNiceness = takesLong(index, readers) ? settings.readerNiceness : settings.quickReaderNiceness;
        return startThread('reader', { ...settings, readerNiceness });
      }),
    );
    return { writing, readerWorkers: reading.map(({ worker }) => worker), db: openForReading(path), isChecked };
  } catch (cause) {
    throw new StoreOpenError(`Cannot open ${path}: ${(cause as Error).message}.`, { cause });
  }
}
