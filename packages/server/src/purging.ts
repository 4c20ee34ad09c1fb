// Removes what nobody can reach any more (contacts of deleted bots, expired tokens), a slice at a time.
import type { Logger } from 'pino';
import type { Store } from './store/store.ts';

const everyMs = 60_000;
/** Between two slices, so that writes of callers come first. */
const pauseMs = 50;
const rowsPerSlice = 500;

export function startPurging(store: Store, clock: () => number, logger: Logger): { stop(): void } {
  let timer = setTimeout(purge, pauseMs);
  timer.unref();
  let isStopped = false;

  async function purge(): Promise<void> {
    let isMoreLeft = false;
    try {
      isMoreLeft = await store.purge(clock(), rowsPerSlice);
    } catch (error) {
      logger.warn({ err: error }, 'purging failed; it will be tried again');
    }
    if (isStopped) return;
    timer = setTimeout(purge, isMoreLeft ? pauseMs : everyMs);
    timer.unref();
  }

  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
