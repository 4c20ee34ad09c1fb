// The main thread's side of searches. Every search is tried as one that is done in an instant; one that turns out to
// take long is queued apart. Of slow searches for the same words of a bot one counts at a time (single-flight): the
// others wait for its count to be cached, and are then mostly quick. Each reads a snapshot of its own, so all are exact.
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller, Search } from '../../store.ts';
import { type ReaderThreads, takesLong } from '../reader-threads.ts';
import { type CountedSearch, keyOf } from './cached-counts.ts';
import type { FoundPage } from './run-search.ts';

/** A search that took longer is answered when its count is cached: the next page is often asked for at once. */
const cachedBeforeAnswerMs = 20;
/** It is answered after this time all the same, when many writes are pending. */
const cacheTimeoutMs = 50;

type CacheCount = (botId: string, counted: CountedSearch) => Promise<void>;

export function prepareSearches(readers: Pick<ReaderThreads, 'read'>, cacheCount: CacheCount) {
  /** By bot and words: settles when a slow search for them has ended. Never rejects. */
  const inFlight = new Map<string, Promise<unknown>>();

  const cache = async (botId: string, { counted, tookMs }: FoundPage): Promise<void> => {
    if (counted === undefined) return;
    // A count is cached for speed alone: a full disk must not keep a search from its answer.
    const cached = cacheCount(botId, counted).catch(() => {});
    if (tookMs > cachedBeforeAnswerMs) await Promise.race([cached, delay(cacheTimeoutMs, undefined, { ref: false })]);
  };

  return async (botId: string, search: Search, caller: Caller): Promise<FoundPage> => {
    const queuedAtMs = performance.now();
    const run = async (mayTakeLong: boolean): Promise<FoundPage | typeof takesLong> => {
      const read = readers.read({ kind: 'search', botId, search }, caller, { mayTakeLong, queuedAtMs });
      const found = (await read) as FoundPage | typeof takesLong;
      if (found !== takesLong) await cache(botId, found);
      return found;
    };

    const quick = await run(false);
    if (quick !== takesLong) return quick;
    const key = `${botId} ${keyOf(search.words)}`;
    const earlier = inFlight.get(key);
    if (earlier !== undefined) {
      await earlier;
      const again = await run(false);
      if (again !== takesLong) return again;
    }
    const found = run(true) as Promise<FoundPage>;
    const ended = found.catch(() => {}).finally(() => inFlight.get(key) === ended && inFlight.delete(key));
    inFlight.set(key, ended);
    return found;
  };
}
