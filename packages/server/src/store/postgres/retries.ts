// Tries again after a lost connection, a lost node or a conflict. Whoever calls it makes its work harmless when repeated.
import { setTimeout as delay } from 'node:timers/promises';
import { ConflictError, LostConnectionError, LostNodeError } from './driver-errors.ts';

/** A read is not worth as long a wait as a write, whose outcome may be unknown. */
export const readRetryMs = 2000;
/** Long enough for a database to recover from a crash, or for a standby to take over. */
export const writeRetryMs = 8000;
const retriable = [LostConnectionError, LostNodeError, ConflictError];
const firstPauseMs = 25;
const pauseMaxMs = 250;

/** Does the work until it succeeds, fails for another reason, or the time is over. */
export async function retrying<Result>(withinMs: number, work: () => Promise<Result>): Promise<Result> {
  const endMs = performance.now() + withinMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
    try {
      return await work();
    } catch (error) {
      const mayTryAgain = retriable.some((kind) => error instanceof kind);
      const waitMs = pauseMs * (0.5 + Math.random());
      if (!mayTryAgain || performance.now() + waitMs > endMs) throw error;
      await delay(waitMs);
    }
  }
}
