// The sessions of members, and the passwords by which they begin.
import { type SessionRow, selectSessions, toSession } from '../account-row.ts';
import type { Store } from '../store.ts';
import { beginSession, ownSession } from './member-rows.ts';
import type { Transactions } from './transactions.ts';

const findSession = { name: 'findSession', text: `${selectSessions} WHERE hash = $1` };
const replaceHash = 'UPDATE members SET password_hash = $3, last_sign_in_at = $4 WHERE id = $1 AND password_hash = $2';
const endSessionsOf = 'DELETE FROM sessions WHERE member_id = $1';

export function prepareSessions({ read, change, write }: Transactions) {
  return {
    createSession: (memberId, session, { passwordHash, rehashed = passwordHash }, audit) =>
      write({ audit, own: ownSession(session) }, async (connection) => {
        const values = [memberId, passwordHash, rehashed, session.createdAtMs];
        if ((await connection.change(replaceHash, values)) === 0) return false;
        await beginSession(connection, memberId, session);
        return true;
      }),
    async findSession(hash) {
      const [row] = await read<SessionRow>(findSession, [hash]);
      return row && toSession(row);
    },
    async noteSessionSeen(hash, seenAtMs) {
      await change('UPDATE sessions SET last_seen_at = $2 WHERE hash = $1 AND last_seen_at < $2', [hash, seenAtMs]);
    },
    endSession: (hash, audit) =>
      write({ audit }, async (connection) => {
        await connection.change('DELETE FROM sessions WHERE hash = $1', [hash]);
      }),
    endSessions: (memberId, audit) =>
      write({ audit }, async (connection) => {
        await connection.change(endSessionsOf, [memberId]);
      }),
    changePassword: (memberId, { from, to }, session, audit) =>
      write({ audit, own: ownSession(session) }, async (connection) => {
        // The member's row is locked by this, so that no session begins by the old password meanwhile.
        if ((await connection.change(replaceHash, [memberId, from, to, session.createdAtMs])) === 0) return false;
        await connection.change(endSessionsOf, [memberId]);
        await connection.change("DELETE FROM one_time_links WHERE member_id = $1 AND kind = 'passwordReset'", [
          memberId,
        ]);
        await beginSession(connection, memberId, session);
        return true;
      }),
  } satisfies Partial<Store>;
}
