// The embedded engine: one file, one process. Point reads here on the main thread, searches on reader threads, and
// every write on the writer thread.
import { availableParallelism } from 'node:os';
import type { AuditRecord } from '../account-store.ts';
import { type ContactRow, toContact } from '../contact-row.ts';
import {
  type Caller,
  type ListedBot,
  type Organization,
  type SecretState,
  type Store,
  StoreOpenError,
  StoreUnavailableError,
} from '../store.ts';
import { backUp } from './backup.ts';
import { claimDataFolder, type Durability, openForReading, prepareDatabase } from './database.ts';
import { prepareMainReads } from './main-reads.ts';
import type { ReaderSettings } from './reader.ts';
import { ReaderThreads } from './reader-threads.ts';
import type { SearchSettings } from './search/run-search.ts';
import { prepareSearches } from './search/searches.ts';
import { defaultListedContactsMax } from './search/short-ngrams.ts';
import { type OnFatal, startThread } from './threads.ts';
import type { WriterSettings } from './writer.ts';
import { WriterThread } from './writer-thread.ts';
import type { Writes } from './writes.ts';

export interface SqliteSettings {
  folder: string;
  /** Bots with more contacts than this are searched by index, smaller ones by a scan of their rows. */
  indexThreshold?: number;
  /** See SearchSettings and MaintenanceSettings: a matter of speed alone. */
  checkedRowsMax?: number;
  cachedFromMs?: number;
  quickEffortMax?: number;
  listedContactsMax?: number;
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

/** The operator asks for those of all organizations, and is of none. */
function listCaller(organizationId = ''): Caller {
  return { organizationId };
}

export interface SqliteStore extends Store {
  /** Read back from the writing connection itself. */
  inspectDurability(): Promise<Durability>;
}

export async function openSqliteStore(settings: SqliteSettings): Promise<SqliteStore> {
  const { onFatal } = settings;
  const folder = claimDataFolder(settings.folder, settings.waitMs);
  const path = folder.databasePath;
  const { db, writerWorker, readerWorkers } = await openAll(path, settings).catch((error) => {
    folder.release();
    throw error;
  });
  const reads = prepareMainReads(db);
  const writer = new WriterThread(writerWorker, reads.dropSnapshot, onFatal);
  const readers = new ReaderThreads(readerWorkers, onFatal, settings);

  async function write<Name extends keyof Writes>(
    name: Name,
    args: Parameters<Writes[Name]>,
    { audit, rows }: { audit?: AuditRecord | undefined; rows?: number } = {},
  ): Promise<ReturnType<Writes[Name]>> {
    const request = { name, args, audit } as unknown as Parameters<WriterThread['write']>[0];
    return (await writer.write(request, rows)) as ReturnType<Writes[Name]>;
  }

  let isClosed = false;
  /** A copy that is half done must not hold up the end of the process, nor be left behind by it. */
  const closing = new AbortController();
  const backups = new Set<Promise<unknown>>();
  async function read<Value>(find: () => Value): Promise<Value> {
    if (isClosed) throw new StoreUnavailableError('the store is closed');
    return find();
  }

  const search = prepareSearches(readers, (botId, counted) => write('cacheCount', [botId, counted]));

  return {
    async ping() {
      await write('ping', []);
      await read(reads.countUnindexed);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      closing.abort();
      await Promise.allSettled(backups);
      await readers.close();
      reads.dropSnapshot();
      db.close();
      await writer.close();
      folder.release();
    },
    gauges: () => ({
      store_pending_write_rows: writer.queuedRows,
      ...readers.metrics,
      store_unindexed_rows: reads.countUnindexed(),
    }),
    inspectDurability: () => writer.inspect(),

    createFirstOrganization: (first) => write('createFirstOrganization', [first]),
    createOrganization: (organization) => write('createOrganization', [organization]),
    renameOrganization: (organizationId, name, audit) => write('renameOrganization', [organizationId, name], { audit }),
    listOrganizations: async () => (await readers.read({ kind: 'organizations' }, listCaller())) as Organization[],
    findOrganization: (organizationId) => read(() => reads.findOrganization(organizationId)),
    createBot: (bot, audit) => write('createBot', [bot], { audit }),
    updateBot: (botId, changes, audit) => write('updateBot', [botId, changes], { audit }),
    async deleteBot(botId, nowMs, audit) {
      const isDeleted = await write('deleteBot', [botId, nowMs], { audit });
      reads.forgetBot(botId);
      return isDeleted;
    },
    findBot: (botId) => read(() => reads.findBot(botId)),
    listBots: async (organizationId) =>
      (await readers.read({ kind: 'bots', organizationId }, listCaller(organizationId))) as ListedBot[],
    createSecret: (secret, audit) => write('createSecret', [secret], { audit }),
    renameSecret: (secretId, name, audit) => write('renameSecret', [secretId, name], { audit }),
    revokeSecret: (secretId, nowMs, audit) => write('revokeSecret', [secretId, nowMs], { audit }),
    findSecret: (hash) => read(() => reads.findSecret(hash)),
    listSecrets: async (organizationId) =>
      (await readers.read({ kind: 'secrets', organizationId }, listCaller(organizationId))) as SecretState[],

    noteSecretsUsed: (used) => write('noteSecretsUsed', [used], { rows: used.length }),
    countContacts: (botId) => read(() => reads.countContacts(botId)),

    hasOwner: () => read(reads.hasOwner),
    keepSetUpCode: (hash, nowMs) => write('keepSetUpCode', [hash, nowMs]),
    createFirstOwner: (first, audit) => write('createFirstOwner', [first], { audit }),
    findMemberByEmail: (emailKey) => read(() => reads.findMemberByEmail(emailKey)),
    listMembers: (organizationId) => read(() => reads.listMembers(organizationId)),
    changeRole: (organizationId, memberId, role, audit) =>
      write('changeRole', [organizationId, memberId, role], { audit }),
    removeMember: (organizationId, memberId, audit) => write('removeMember', [organizationId, memberId], { audit }),
    createSession: (memberId, session, proof, audit) => write('createSession', [memberId, session, proof], { audit }),
    findSession: (hash) => read(() => reads.findSession(hash)),
    noteSessionSeen: (hash, seenAtMs) => write('noteSessionSeen', [hash, seenAtMs]),
    endSession: (hash, audit) => write('endSession', [hash], { audit }),
    endSessions: (memberId, audit) => write('endSessions', [memberId], { audit }),
    changePassword: (memberId, change, session, audit) =>
      write('changePassword', [memberId, change, session], { audit }),
    createInvitation: (invitation, hash, audit) => write('createInvitation', [invitation, hash], { audit }),
    listInvitations: (organizationId, nowMs) => read(() => reads.listInvitations(organizationId, nowMs)),
    revokeInvitation: async (organizationId, invitationId, nowMs, audit) =>
      (await write('revokeInvitation', [organizationId, invitationId, nowMs], { audit })) || undefined,
    createPasswordReset: (memberId, link, audit) => write('createPasswordReset', [memberId, link], { audit }),
    findLink: (hash, nowMs) => read(() => reads.findLink(hash, nowMs)),
    acceptInvitation: (hash, joining, session, audit) => write('acceptInvitation', [hash, joining, session], { audit }),
    resetPassword: async (hash, passwordHash, session, audit) =>
      (await write('resetPassword', [hash, passwordHash, session], { audit })) || undefined,
    recordAudit: (audit) => write('recordAudit', [audit]),
    listAudit: (organizationId, page) => read(() => reads.listAudit(organizationId, page)),
    purgeAudit: (before, rows) => write('purgeAudit', [before, rows], { rows }),

    async createContact(botId, fields, nowMs, audit) {
      const outcome = await write('createContact', [botId, fields, nowMs], { audit });
      return outcome.kind === 'created' ? { kind: 'created', contact: toContact(outcome.row) } : outcome;
    },
    async updateContact(botId, contactId, changes, nowMs, audit) {
      const outcome = await write('updateContact', [botId, contactId, changes, nowMs], { audit });
      return outcome.kind === 'updated' ? { kind: 'updated', contact: toContact(outcome.row) } : outcome;
    },
    upsertContacts: (botId, items, nowMs, audit) =>
      write('upsertContacts', [botId, items, nowMs], { audit, rows: items.length }),
    findNameless: (botId, items) => read(() => reads.findNameless(botId, items)),
    deleteContact: (botId, contactId, audit) => write('deleteContact', [botId, contactId], { audit }),
    findContact: (botId, contactId) => read(() => reads.findContact(botId, contactId)),
    findContactByEmail: (botId, emailKey) => read(() => reads.findContactByEmail(botId, emailKey)),
    async searchContacts(botId, wanted, caller) {
      const { rows, total } = await search(botId, wanted, caller);
      return { contacts: rows.map(toContact), total };
    },
    async exportContacts(botId, { after, limit }, caller) {
      // One row more than asked for shows whether there is a next page.
      const page = { after, limit: limit + 1 };
      const rows = (await readers.read({ kind: 'export', botId, page }, caller)) as ContactRow[];
      const contacts = rows.slice(0, limit).map(toContact);
      return { contacts, next: rows.length > limit ? contacts.at(-1)?.id : undefined };
    },

    createContactToken: (botId, contactId, token) => write('createContactToken', [botId, contactId, token]),
    revokeContactToken: (botId, hash) => write('revokeContactToken', [botId, hash]),
    revokeContactTokens: (botId, contactId, audit) => write('revokeContactTokens', [botId, contactId], { audit }),
    findVisitor: (botId, hash) => read(() => reads.findVisitor(botId, hash)),
    noteTokensSeen: (botId, seen) => write('noteTokensSeen', [botId, seen], { rows: seen.length }),
    listContactTokens: (botId, contactId) => read(() => reads.listContactTokens(botId, contactId)),

    purge: (nowMs, rows) => write('purge', [nowMs, rows], { rows }),

    async backup(file, { onProgress, signal } = {}) {
      if (isClosed) throw new StoreUnavailableError('the store is closed');
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
    const writing: WriterSettings = { path, indexThreshold, listedContactsMax };
    const writerWorker = await startThread('writer', writing);
    const reading: ReaderSettings = { path, checkedRowsMax, cachedFromMs, quickEffortMax, niceness };
    const threads = Array.from({ length: readers }, () => startThread('reader', reading));
    return { writerWorker, readerWorkers: await Promise.all(threads), db: openForReading(path) };
  } catch (cause) {
    throw new StoreOpenError(`Cannot open ${path}: ${(cause as Error).message}.`, { cause });
  }
}
