// How long a page waits before it looks again at deliveries that are pending.
import type { Delivery } from '@roster/client';

export const shortestPauseMs = 2000;
const longestPauseMs = 60_000;

/**
 * The closer the next attempt, the sooner. One that is long overdue waits for another of the same contact, or for a server.
 * Undefined when nothing is pending.
 */
export function pauseUntilNews(
  deliveries: readonly Pick<Delivery, 'status' | 'nextAttemptAt'>[],
  nowMs: number,
): number | undefined {
  const distances = deliveries
    .filter(({ status }) => status === 'pending')
    .map(({ nextAttemptAt }) => (nextAttemptAt === null ? 0 : Math.abs(Date.parse(nextAttemptAt) - nowMs)));
  if (distances.length === 0) return undefined;
  return Math.min(Math.max(Math.min(...distances), shortestPauseMs), longestPauseMs);
}
