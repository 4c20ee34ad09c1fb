// The sessions of members, and the passwords by which they begin.
import type { AccountStore } from '../account-store.ts';
import { beginSession, hasBegun, type PersonRow, personColumns, toPerson } from './member-rows.ts';
import type { Pool } from './pool.ts';
import { prepareTransactions } from './transactions.ts';

type Sessions = Pick<
  AccountStore,
  'createSession' | 'findSession' | 'noteSessionSeen' | 'endSession' | 'endSessions' | 'changePassword'
>;

const findSession = {
  name: 'findSession',
  text: `SELECT ${personColumns}, sessions.created_at AS "sessionCreatedAtMs", expires_at AS "expiresAtMs",
      last_seen_at AS "lastSeenAtMs"
    FROM sessions JOIN members ON members.id = sessions.member_id
      JOIN organizations ON organizations.id = members.organization_id
    WHERE hash = $1`,
};

interface SessionRow extends PersonRow {
  sessionCreatedAtMs: number;
  expiresAtMs: number;
  lastSeenAtMs: number;
}

const replaceHash = `UPDATE members SET password_hash = $3, last_sign_in_at = $4 WHERE id = $1 AND password_hash = $2`;
const endSessionsOf = 'DELETE FROM sessions WHERE member_id = $1';

export function prepareSessions(reads: Pool, writes: Pool): Sessions {
  const { read, change, write } = prepareTransactions(reads, writes);

  return {
    createSession: (memberId, session, { passwordHash, rehashed = passwordHash }, audit) =>
      write(
        async (connection) => {
          const values = [memberId, passwordHash, rehashed, session.createdAtMs];
          if ((await connection.change(replaceHash, values)) === 0) return false;
          await beginSession(connection, memberId, session);
          return true;
        },
        { audit, isDone: hasBegun(session) },
      ),

    async findSession(hash) {
      const [row] = await read<SessionRow>(findSession, [hash]);
      if (row === undefined) return undefined;
      const { sessionCreatedAtMs: createdAtMs, expiresAtMs, lastSeenAtMs } = row;
      return { createdAtMs, expiresAtMs, lastSeenAtMs, ...toPerson(row) };
    },
    noteSessionSeen: (hash, seenAtMs) =>
      change('UPDATE sessions SET last_seen_at = $2 WHERE hash = $1 AND last_seen_at < $2', [hash, seenAtMs]),
    endSession: (hash, audit) =>
      write(async (connection) => void (await connection.change('DELETE FROM sessions WHERE hash = $1', [hash])), {
        audit,
      }),
    endSessions: (memberId, audit) =>
      write(async (connection) => void (await connection.change(endSessionsOf, [memberId])), { audit }),

    changePassword: (memberId, { from, to }, session, audit) =>
      write(
        async (connection) => {
          // The member's row is locked by this, so that no session begins by the old password meanwhile.
          if ((await connection.change(replaceHash, [memberId, from, to, session.createdAtMs])) === 0) return false;
          await connection.change(endSessionsOf, [memberId]);
          const links = "DELETE FROM one_time_links WHERE member_id = $1 AND kind = 'passwordReset'";
          await connection.change(links, [memberId]);
          await beginSession(connection, memberId, session);
          return true;
        },
        { audit, isDone: hasBegun(session) },
      ),
  };
}
