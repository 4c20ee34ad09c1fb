// As of when the purge works: now, unless the clock may be wrong. What it removes is gone for good, so after a jump of the
// clock it goes on as of the time before, for a day in which the clock can be set right.
import { uptime as secondsSinceBoot } from 'node:os';
import type { Logger } from '../log.ts';
import type { Store } from '../store/store.ts';
import { contextAt } from '../store/write-context.ts';

const hourMs = 3_600_000;
/** How far the clock may be ahead of the last purge: a new process cannot tell a jump of the clock from a time without servers. */
const jumpMs = hourMs;
const pauseMs = 24 * hourMs;

export interface PurgeTimeSettings {
  store: Pick<Store, 'findPurging' | 'savePurging'>;
  clock: () => number;
  logger: Pick<Logger, 'warn'>;
  /** A monotonic clock that also runs while the machine sleeps. */
  uptime?: () => number;
}

export function preparePurgeTime(settings: PurgeTimeSettings): () => Promise<number> {
  const { store, clock, logger, uptime = () => secondsSinceBoot() * 1000 } = settings;
  /** The clock less the uptime, as of when this process last trusted the clock. */
  let bootedAtMs: number | undefined;
  let lastAheadMs = Number.POSITIVE_INFINITY;
  let isAlone = false;

  return async () => {
    const nowMs = clock();
    const { purgedAtMs = nowMs, pausedUntilMs, databaseMs = nowMs } = await store.findPurging();
    // Of several servers, one that is alone with its time must neither purge by it nor make the others pause.
    const wasAlone = isAlone;
    isAlone = Math.abs(nowMs - databaseMs) > jumpMs;
    if (isAlone) {
      const line = { aheadHours: Math.round((nowMs - databaseMs) / hourMs) };
      if (!wasAlone) logger.warn(line, 'purging is paused until the clock of this machine agrees with the database');
      return Math.min(purgedAtMs, nowMs, databaseMs);
    }

    const expectedMs = bootedAtMs === undefined ? purgedAtMs : Math.max(purgedAtMs, bootedAtMs + uptime());
    const aheadMs = nowMs - expectedMs;
    // A sleep during the pause, as of a laptop overnight, does not prolong it; a further jump by more than a day does.
    const jumpsAgain = aheadMs > lastAheadMs + pauseMs;
    if (aheadMs <= jumpMs || (pausedUntilMs !== undefined && nowMs >= pausedUntilMs && !jumpsAgain)) {
      await store.savePurging({ purgedAtMs: nowMs }, contextAt(nowMs));
      bootedAtMs = nowMs - uptime();
      return nowMs;
    }
    lastAheadMs = aheadMs;
    // No pause lasts longer than a day: one that ends later was begun by a clock that has been set back since.
    if (pausedUntilMs === undefined || pausedUntilMs > nowMs + pauseMs || jumpsAgain) {
      const pausedUntil = new Date(nowMs + pauseMs);
      await store.savePurging({ purgedAtMs, pausedUntilMs: pausedUntil.getTime() }, contextAt(nowMs));
      const line = { aheadHours: Math.round(aheadMs / hourMs), pausedUntil };
      logger.warn(line, 'the clock is ahead, so purging is paused; if it is right, run "roster purge --now"');
    }
    return purgedAtMs;
  };
}
