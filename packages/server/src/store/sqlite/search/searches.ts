// The main thread's side of searches, and of exports of what they find. Every search is tried as one that is done in an instant; one that turns out to
// take long is queued apart, and its count is cached for those that follow.
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller, ExportPage, Search } from '../../store.ts';
import type { Reads } from '../reader.ts';
import type { ReaderThreads } from '../reader-threads.ts';
import type { CountedSearch } from './cached-counts.ts';
import type { FoundPage } from './run-search.ts';

/** A search that took longer is answered when its count is cached: the next page is often asked for at once. */
const cachedBeforeAnswerMs = 20;
/** It is answered after this time all the same, when many writes are pending. */
const cacheTimeoutMs = 50;

type CacheCount = (botId: string, counted: CountedSearch) => Promise<void>;

export function prepareSearches(readers: ReaderThreads, cacheCount: CacheCount) {
  const cache = async (botId: string, { counted, tookMs }: FoundPage): Promise<void> => {
    if (counted === undefined) return;
    // A count is cached for speed alone: a full disk must not keep a search from its answer.
    const cached = cacheCount(botId, counted).catch(() => {});
    if (tookMs > cachedBeforeAnswerMs) await Promise.race([cached, delay(cacheTimeoutMs, undefined, { ref: false })]);
  };

  /** As one that is done in an instant, and otherwise as one that takes long. */
  const read = async <Name extends 'search' | 'exportMatches'>(
    name: Name,
    botId: string,
    wanted: Parameters<Reads[Name]>[1],
    caller: Caller,
  ) => {
    const queuedAtMs = performance.now();
    const run = (mayTakeLong: boolean) =>
      readers.read(name, [botId, wanted, { mayTakeLong }] as Parameters<Reads[Name]>, caller, {
        isLong: mayTakeLong,
        queuedAtMs,
      });
    return ((await run(false)) ?? (await run(true))) as NonNullable<ReturnType<Reads[Name]>>;
  };

  return {
    async search(botId: string, search: Search, caller: Caller): Promise<FoundPage> {
      const found = await read('search', botId, search, caller);
      await cache(botId, found);
      return found;
    },
    exportMatches: (botId: string, page: ExportPage, caller: Caller) => read('exportMatches', botId, page, caller),
  };
}
