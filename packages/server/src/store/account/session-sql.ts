// Sessions of members, as both engines read and write them.

import { change, exists, type PortSteps, query, type Steps } from '../sql-steps.ts';
import type { AccountStore, NewSession, StoredSession } from './account-store.ts';

export const sessionReads = {
  *listSessions(memberId) {
    const sql = `SELECT hash, created_at AS "createdAtMs", expires_at AS "expiresAtMs", last_seen_at AS "lastSeenAtMs",
        browser, address
      FROM sessions WHERE member_id = $1 ORDER BY created_at DESC, hash`;
    return yield* query<StoredSession>(sql, memberId);
  },
} satisfies PortSteps<AccountStore>;

export const sessionWrites = {
  *noteSessionSeen(hash, { nowMs }) {
    yield* change('UPDATE sessions SET last_seen_at = $2 WHERE hash = $1 AND last_seen_at < $2', hash, nowMs);
  },

  *confirmSession(hash, { confirmedAtMs, tokenHash, previousUntilMs }) {
    yield* change('UPDATE sessions SET confirmed_at = $2 WHERE hash = $1', hash, confirmedAtMs);
    const replaceToken = `UPDATE sessions SET previous_hash = token_hash, previous_until = $4, token_hash = $2
      WHERE hash = $1 AND coalesce(previous_until, 0) <= $3`;
    yield* change(replaceToken, hash, tokenHash, confirmedAtMs, previousUntilMs);
    const isReplaced = 'SELECT hash FROM sessions WHERE hash = $1 AND token_hash = $2';
    return { isReplaced: yield* exists(isReplaced, hash, tokenHash) };
  },

  *endSession(hash) {
    yield* change('DELETE FROM sessions WHERE hash = $1', hash);
  },

  endSessions: endSessionsOf,
} satisfies PortSteps<AccountStore>;

export function* endSessionsOf(memberId: string, keptHash: Uint8Array = new Uint8Array()): Steps<void> {
  yield* change('DELETE FROM sessions WHERE member_id = $1 AND hash <> $2', memberId, keptHash);
}

export function* beginSession(memberId: string, session: NewSession): Steps<void> {
  const { hash, createdAtMs, expiresAtMs, browser, address = null } = session;
  const sql = `INSERT INTO sessions (hash, token_hash, member_id, created_at, expires_at, last_seen_at, browser, address)
    VALUES ($1, $1, $2, $3, $4, $3, $5, $6) ON CONFLICT (hash) DO NOTHING`;
  yield* change(sql, hash, memberId, createdAtMs, expiresAtMs, browser, address);
}
