// What can be set about the embedded engine, each with its default. Only tests set any of it; commands without a server set `readers`.
import { availableParallelism, setPriority } from 'node:os';

export const defaultSettings = {
  /** Bots with more contacts are searched by index. Others are scanned: about as fast, and an index costs writes. */
  indexThreshold: 10_000,
  /** Up to so many candidates are read and checked; for more, the index is asked for whole words. */
  checkedRowsMax: 500,
  /** What was deleted leaves the search index when it is merged, at least so often if there is any, in quiet moments. */
  mergeDeletedEveryMs: 12 * 3_600_000,
  /** A search that passes more contacts or index entries than this takes longer than an instant. */
  quickEffortMax: 100_000,
  /** A file up to this size is checked whole at each start, in well under a second; a larger one beside the service. */
  checkedWholeBytes: 64 * 1024 * 1024,
  /** How many threads search. A server has two at least: one for searches that take long, and one for all others. */
  readers: Math.min(4, Math.max(2, availableParallelism() - 1)),
  /**
   * How far reader threads stand back behind other threads, and other processes, when cores are scarce: 0 to 19. The main
   * thread, which serves everything else, goes first. The thread for quick searches alone then gets about a quarter of a
   * core, and the others a tenth. Elsewhere than on Linux a thread has no priority of its own.
   */
  quickReaderNiceness: 5,
  readerNiceness: 10,
};

export type EngineSettings = typeof defaultSettings;

/** What the threads are started with. */
export interface ThreadSettings extends EngineSettings {
  path: string;
}

export function standBack({ readerNiceness }: EngineSettings): void {
  try {
    if (process.platform === 'linux') setPriority(0, readerNiceness);
  } catch {
    // Where a sandbox forbids it, the thread is as urgent as all the rest.
  }
}
