// Waits for conditions, with a deadline: no test sleeps and hopes.
import { setTimeout as delay } from 'node:timers/promises';

/** Generous, for machines under load: only a test that fails waits for so long. */
const defaultDeadlineMs = 300_000;
const pollMs = 5;

/** Resolves when `isTrue` is; rejects when it is not in time. `what` completes "gave up waiting for …". */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  deadlineMs = defaultDeadlineMs,
): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!(await isTrue())) {
    if (performance.now() > endMs) throw new Error(`gave up waiting for ${what}`);
    await delay(pollMs);
  }
}
