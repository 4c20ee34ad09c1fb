// Removes what no request can reach any more (contacts of deleted bots, expired tokens, sessions and links) and what was kept
// long enough (counts of attempts to sign in, the audit log, events), a slice at a time.
import { lowestId } from '../contacts/ids.ts';
import type { Store } from '../store/store.ts';
import { contextAt } from '../store/write-context.ts';
import { type PurgeTimeSettings, preparePurgeTime } from './purge-time.ts';

const defaultEveryMs = 60_000;
/** Between two slices, so that writes of callers come first. */
const pauseMs = 50;
const rowsPerSlice = 500;
const dayMs = 86_400_000;
/** Some 10 MB. Guessing adds few in a minute: each attempt costs the comparison of a password. */
const attemptsMax = 100_000;

export interface PurgingSettings extends PurgeTimeSettings {
  store: PurgeTimeSettings['store'] & Pick<Store, 'purge' | 'purgeAttempts' | 'purgeAudit'>;
  /** How long entries of the audit log are kept. */
  auditDays: number;
  /** How long events are kept. */
  eventDays: number;
  everyMs?: number;
}

export function startPurging(settings: PurgingSettings): { stop(): void } {
  const { store, logger, auditDays, eventDays, everyMs = defaultEveryMs } = settings;
  const findTime = preparePurgeTime(settings);
  /** The time that all slices of one purge go by, until nothing is left. */
  let nowMs: number | undefined;
  let timer = setTimeout(purge, pauseMs);
  timer.unref();
  let isStopped = false;

  async function purge(): Promise<void> {
    let isMoreLeft = false;
    try {
      nowMs ??= await findTime();
      const auditBefore = lowestId('auditEntry', Math.max(0, nowMs - auditDays * dayMs) * 1000);
      const context = contextAt(nowMs);
      isMoreLeft =
        (await store.purge(rowsPerSlice, nowMs - eventDays * dayMs, context)) ||
        (await store.purgeAttempts(attemptsMax, rowsPerSlice, context)) === rowsPerSlice ||
        (await store.purgeAudit(auditBefore, rowsPerSlice, context));
    } catch (error) {
      logger.warn({ err: error }, 'purging failed and will be retried');
    }
    if (isStopped) return;
    if (!isMoreLeft) nowMs = undefined;
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
