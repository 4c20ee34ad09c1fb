// What the suite asks of an engine under test, and where every test begins: an open store and an empty bot in it.
import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { Contact } from '@roster/contract';
import { parseQuery } from '../../src/contacts/search-text.ts';
import type { ContactFields, Store } from '../../src/store/store.ts';
import { sampleBot, sampleCaller, sampleContext, sampleFields, sampleNowMs, sampleOrganization } from '../sample.ts';

export interface Engine {
  name: string;
  /** The options that change how it searches. Left out: all of them. */
  heeds?: readonly (keyof EngineOptions)[];
  /** Opens a new and empty store. */
  open(options?: EngineOptions): Promise<OpenedStore>;
}

export interface EngineOptions {
  /** Bots with more contacts than this are searched by the index. */
  indexThreshold?: number;
  /** Searches with more candidates than this rely on the index alone. */
  checkedRowsMax?: number;
  /** Searches that read more than so much are queued apart from the others. */
  quickEffortMax?: number;
  /** One search and one write at a time, so that answers come in the order in which requests were started. */
  isSerial?: boolean;
  /** How many threads search, in an engine that has them. Left out: as many as in a server. */
  readers?: number;
}

export interface OpenedStore {
  store: Store;
  /** Closes the store and opens the same data again. */
  reopen(): Promise<Store>;
  /** Resolves when all background work, such as indexing, is done. Left out: the engine has none. */
  settle?(): Promise<void>;
  /** All rows of contacts, of tokens and of what serves the search. Left out: the engine cannot tell. */
  countRows?(): Promise<number>;
  /** Closes the store, and removes its data. */
  close(): Promise<void>;
}

/** A store that can be closed and opened again; `remove` is what is left to do when it is closed for good. */
export async function reopenable<Kind extends Store>(open: () => Promise<Kind>, remove: () => Promise<unknown>) {
  const opened = {
    store: await open(),
    async reopen() {
      await opened.store.close();
      opened.store = await open();
      return opened.store;
    },
    async close() {
      await opened.store.close();
      await remove();
    },
  };
  return opened;
}

/** The ways in which an engine may search: all must find the same. */
export const searchPlans: readonly { plan: string; options: EngineOptions }[] = [
  { plan: 'small bots', options: {} },
  { plan: 'bots above the index threshold', options: { indexThreshold: 5 } },
  { plan: 'bots above the index threshold, by broad words', options: { indexThreshold: 5, checkedRowsMax: -1 } },
  {
    plan: 'bots above the index threshold, by broad words that take long',
    options: { indexThreshold: 5, checkedRowsMax: -1, quickEffortMax: -1 },
  },
];

/** The plans that differ for this engine. */
export function searchPlansOf({ heeds }: Engine): typeof searchPlans {
  const heeded = ({ options }: (typeof searchPlans)[number]) =>
    JSON.stringify(Object.entries(options).filter(([name]) => heeds?.includes(name as keyof EngineOptions) ?? true));
  return Array.from(Map.groupBy(searchPlans, heeded).values(), ([first]) => first as (typeof searchPlans)[number]);
}

/** For engines under test: however busy the machine is, a search is not refused for having been pending too long. */
export const searchQueueTimeoutMs = 600_000;
/** For PostgreSQL under test: nor is any other call, for having waited for the database. */
export const patienceMs = 120_000;
export const postgresUnderLoad = { searchQueueTimeoutMs, patienceMs };
/** For SQLite under test: its searches get as much of a busy machine as all the rest. */
export const sqliteUnderLoad = { searchQueueTimeoutMs, readerNiceness: 0, quickReaderNiceness: 0 };

/**
 * A store that only the calling test uses: for one that needs an empty store, or counts what all of it holds. It has one thread for
 * searches, unless the test asks for more: a thread takes longer to start than most of these tests.
 */
export async function openStore(t: TestContext, engine: Engine, options?: EngineOptions): Promise<OpenedStore> {
  const opened = await engine.open({ readers: 1, ...options });
  t.after(() => opened.close());
  return opened;
}

/** Begins a test with an empty bot. The test may open the store again, and goes on with the one that it gets. */
export type StartTest = () => Promise<TestBot & Pick<OpenedStore, 'reopen'>>;

/** PostgreSQL goes through more bots than this once an hour: a purge between two rounds returns false, and removes nothing of theirs. */
const sharedBotsMax = 1000;

/** A store is opened for the first test that starts, and closed by `close`. */
function sharedStore(engine: Engine, options?: EngineOptions) {
  let opening: Promise<OpenedStore> | undefined;
  const start: StartTest = async () => {
    opening ??= engine.open(options);
    const opened = await opening;
    return { ...(await addBot(opened)), reopen: () => opened.reopen() };
  };
  const close = async () => {
    const opened = await opening;
    if (opened === undefined) return;
    try {
      const { length } = await opened.store.listBots();
      assert.ok(length <= sharedBotsMax, `${length} bots share a store: give the tests that add many one of their own`);
    } finally {
      await opened.close();
    }
  };
  return { start, close };
}

/** One store for the tests of a suite, for those that no other test may disturb. Each adds its own bots. */
export function shareStoreInSuite(engine: Engine, options?: EngineOptions): StartTest {
  const { start, close } = sharedStore(engine, options);
  after(close);
  return start;
}

const sharedStores = new WeakMap<Engine, Map<string, ReturnType<typeof sharedStore>>>();

/**
 * One store for all tests that want these options, of whatever suite: to open one takes longer than most tests. Each adds
 * its own bots, and finds in the store what all before it have left. `closeSharedStores` ends it, and fails when there are more bots
 * than `sharedBotsMax`.
 */
export function shareStore(engine: Engine, options: EngineOptions = {}): StartTest {
  const stores = sharedStores.get(engine) ?? new Map<string, ReturnType<typeof sharedStore>>();
  sharedStores.set(engine, stores);
  const key = JSON.stringify(options);
  const shared = stores.get(key) ?? sharedStore(engine, options);
  stores.set(key, shared);
  return shared.start;
}

export async function closeSharedStores(engine: Engine): Promise<void> {
  await Promise.all(Array.from(sharedStores.get(engine)?.values() ?? [], ({ close }) => close()));
}

export type TestBot = Awaited<ReturnType<typeof addBot>>;

export async function addBot({ store, settle }: Pick<OpenedStore, 'store' | 'settle'>) {
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  const bot = sampleBot(organization.id);
  await store.createBot(bot, undefined, sampleContext());
  return { ...botIn(store, bot.id), settle: async () => settle?.() };
}

/** The methods of the port for one bot, shortened to what most tests say. */
export function botIn(store: Store, botId: string) {
  return {
    store,
    botId,

    async create(fields: Partial<Omit<ContactFields, 'emailKey'>> = {}, nowMs = sampleNowMs): Promise<Contact> {
      const outcome = await store.createContact(botId, sampleFields(fields), sampleContext({ nowMs }));
      assert.ok(outcome.kind === 'created', `not created: ${JSON.stringify(outcome)}`);
      return outcome.contact;
    },

    search(query: string, { offset = 0, limit = 100 } = {}): ReturnType<Store['searchContacts']> {
      return store.searchContacts(botId, { words: parseQuery(query), offset, limit }, sampleCaller);
    },

    async exportAll(limit = 1000, query = ''): Promise<Contact[]> {
      const contacts: Contact[] = [];
      let after: string | undefined;
      do {
        const page = await store.exportContacts(botId, { words: parseQuery(query), after, limit }, sampleCaller);
        contacts.push(...page.contacts);
        after = page.next;
      } while (after !== undefined);
      return contacts;
    },
  };
}

/** Ids or times that must ascend; with `isStrict` no two may be equal. */
export function assertAscending(values: readonly string[], { isStrict }: { isStrict: boolean }): void {
  for (const [index, value] of values.entries()) {
    const before = values[index - 1];
    if (before === undefined) continue;
    assert.ok(isStrict ? value > before : value >= before, `${value} stands after ${before}`);
  }
}
