// Counts of attempts with a password, as both engines read and write them. account/backoff.ts decides, inside the
// transaction.

import { change, lock, type PortSteps, query, type Steps } from '../sql-steps.ts';
import type { AccountStore, AttemptOutcome } from './account-store.ts';
import { type AttemptCount, type Counted, waitMsOf, withAttempt } from './backoff.ts';

/** Makes the row if it is missing: only one that is there can be locked. */
const lockRow = `INSERT INTO sign_in_attempts (key, last_at, forgiven_at) VALUES ($1, 0, 0)
  ON CONFLICT (key) DO UPDATE SET key = excluded.key`;
const saveRow = `INSERT INTO sign_in_attempts (key, last_at, forgiven_at) VALUES ($1, $2, $3)
  ON CONFLICT (key) DO UPDATE SET last_at = excluded.last_at, forgiven_at = excluded.forgiven_at`;

export const attemptWrites = {
  *reserveAttempt(counts, { nowMs }) {
    // Most attempts that are refused end here, so a flood of them neither locks nor writes.
    const refusal = judge(counts, yield* readCounts(counts), nowMs);
    if (refusal !== undefined) return refusal;
    for (const { key } of inOrder(counts)) yield* lock(lockRow, key);
    // Another server may have counted an attempt before the locks were there.
    const stored = yield* readCounts(counts);
    const lateRefusal = judge(counts, stored, nowMs);
    if (lateRefusal !== undefined) return lateRefusal;
    for (const { key, backoff } of counts) {
      const { lastAtMs, forgivenAtMs } = withAttempt(backoff, stored.get(key), nowMs);
      yield* change(saveRow, key, lastAtMs, forgivenAtMs);
    }
    return { kind: 'counted' };
  },

  *releaseAttempt(released, { nowMs }) {
    for (const { key, byMs } of inOrder(released)) {
      yield* change('UPDATE sign_in_attempts SET forgiven_at = forgiven_at - $2 WHERE key = $1', key, byMs);
      yield* change('DELETE FROM sign_in_attempts WHERE key = $1 AND forgiven_at <= $2', key, nowMs);
    }
  },

  *purgeAttempts(keep, rows, { nowMs }) {
    const forgiven = `DELETE FROM sign_in_attempts WHERE key IN (
      SELECT key FROM sign_in_attempts WHERE forgiven_at <= $1 LIMIT $2)`;
    const removed = yield* change(forgiven, nowMs, rows);
    if (removed > 0) return removed;
    const beyond = `DELETE FROM sign_in_attempts WHERE key IN (
      SELECT key FROM sign_in_attempts ORDER BY forgiven_at DESC LIMIT $2 OFFSET $1)`;
    return yield* change(beyond, keep, rows);
  },
} satisfies PortSteps<AccountStore>;

/** All transactions lock in the same order, so that none waits for another that waits for it. */
function inOrder<Item extends { key: string }>(items: readonly Item[]): Item[] {
  return items.toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

function* readCounts(counts: readonly Counted[]): Steps<Map<string, AttemptCount>> {
  const placeholders = counts.map((_, index) => `$${index + 1}`).join(', ');
  const sql = `SELECT key, last_at AS "lastAtMs", forgiven_at AS "forgivenAtMs" FROM sign_in_attempts
    WHERE key IN (${placeholders})`;
  const rows = yield* query<AttemptCount & { key: string }>(sql, ...counts.map(({ key }) => key));
  return new Map(rows.map((row) => [row.key, row]));
}

/** The longest wait, if there is one. */
function judge(
  counts: readonly Counted[],
  stored: ReadonlyMap<string, AttemptCount>,
  nowMs: number,
): AttemptOutcome | undefined {
  const waits = counts.map(({ key, backoff }) => ({ backoff, waitMs: waitMsOf(backoff, stored.get(key), nowMs) }));
  const [longest] = waits.toSorted((one, other) => other.waitMs - one.waitMs);
  return longest === undefined || longest.waitMs === 0 ? undefined : { kind: 'throttled', ...longest };
}
