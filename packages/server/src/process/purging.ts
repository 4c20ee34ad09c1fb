// Removes what no request can reach any more (contacts of deleted bots, expired tokens, sessions and links) and what was kept
// long enough (counts of attempts to sign in, the audit log, events), a slice at a time.
import { lowestId } from '../contacts/ids.ts';
import type { Logger } from '../log.ts';
import type { Store } from '../store/store.ts';

const everyMs = 60_000;
/** Between two slices, so that writes of callers come first. */
const pauseMs = 50;
const rowsPerSlice = 500;
const dayMs = 86_400_000;
/** Some 10 MB. A minute adds only so many as passwords can be compared in it, whoever guesses. */
const attemptsMax = 100_000;

export interface PurgingSettings {
  store: Pick<Store, 'purge' | 'purgeAttempts' | 'purgeAudit'>;
  clock: () => number;
  logger: Pick<Logger, 'warn'>;
  /** How long entries of the audit log are kept. */
  auditDays: number;
  /** How long events are kept. 0: not at all. */
  eventDays: number;
}

export function startPurging({ store, clock, logger, auditDays, eventDays }: PurgingSettings): { stop(): void } {
  let timer = setTimeout(purge, pauseMs);
  timer.unref();
  let isStopped = false;

  async function purge(): Promise<void> {
    let isMoreLeft = false;
    try {
      const nowMs = clock();
      const auditBefore = lowestId('auditEntry', Math.max(0, nowMs - auditDays * dayMs) * 1000);
      const eventsBeforeMs = eventDays === 0 ? Number.MAX_SAFE_INTEGER : nowMs - eventDays * dayMs;
      isMoreLeft =
        (await store.purge(nowMs, rowsPerSlice, eventsBeforeMs)) ||
        (await store.purgeAttempts(nowMs, attemptsMax, rowsPerSlice)) === rowsPerSlice ||
        (await store.purgeAudit(auditBefore, rowsPerSlice));
    } catch (error) {
      logger.warn({ err: error }, 'purging failed and will be retried');
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
