// How long a page waits before it looks again at deliveries.
import type { Delivery } from '@roster/client';

export const shortestPauseMs = 2000;
const duePauseMs = 5000;
/** A new event may come at any time. */
const longestPauseMs = 15_000;

/** The closer the next attempt, the sooner. */
export function pauseUntilNews(deliveries: readonly Pick<Delivery, 'nextAttemptAt'>[], nowMs: number): number {
  const distances = deliveries.flatMap(({ nextAttemptAt }) =>
    nextAttemptAt === null ? [] : [Date.parse(nextAttemptAt) - nowMs],
  );
  return Math.min(Math.max(Math.min(...distances), duePauseMs), longestPauseMs);
}
