// The main thread's side of searches, and of exports of what they find. Every search is tried as one that is done in an
// instant; one that turns out to take long is queued apart. Totals that are slow to count are kept.
import { SearchTotals } from '../../contacts/search-totals.ts';
import type { Caller, ExportPage, Search } from '../../store.ts';
import type { Reads } from '../reader.ts';
import type { ReaderThreads } from '../reader-threads.ts';

export function prepareSearches(readers: ReaderThreads, totals = new SearchTotals()) {
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
    search: (botId: string, search: Search, caller: Caller) =>
      totals.find(botId, search, (known) => read('search', botId, { ...search, known }, caller)),
    exportMatches: (botId: string, page: ExportPage, caller: Caller) => read('exportMatches', botId, page, caller),
  };
}
