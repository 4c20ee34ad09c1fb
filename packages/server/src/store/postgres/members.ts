// Set-up, members and their sessions.
import type { AccountStore, JoinOutcome, MemberOutcome } from '../account-store.ts';
import { lockOrganization } from './audit-entries.ts';
import type { Connection, Pool, Row } from './connections.ts';
import { beginSession, hasBegun, join, memberColumns, personColumns, toMember, toPerson } from './people.ts';
import { prepareTransactions } from './transactions.ts';

type Members = Pick<
  AccountStore,
  | 'hasOwner'
  | 'keepSetUpCode'
  | 'createFirstOwner'
  | 'findMemberByEmail'
  | 'listMembers'
  | 'changeRole'
  | 'removeMember'
  | 'createSession'
  | 'findSession'
  | 'noteSessionSeen'
  | 'endSession'
  | 'endSessions'
  | 'changePassword'
>;

const findSession = {
  name: 'findSession',
  text: `SELECT ${personColumns}, sessions.created_at, expires_at, last_seen_at
    FROM sessions JOIN members ON members.id = sessions.member_id
      JOIN organizations ON organizations.id = members.organization_id
    WHERE hash = $1`,
};
const anyOwner = "SELECT id FROM members WHERE role = 'owner' LIMIT 1";
/** Set-up is done by one caller at a time; the row is there for such questions. */
const lockInstallation = 'SELECT FROM installation FOR UPDATE';
const replaceHash = `UPDATE members SET password_hash = $3, last_sign_in_at = $4 WHERE id = $1 AND password_hash = $2`;
const endSessionsOf = 'DELETE FROM sessions WHERE member_id = $1';

export function prepareMembers(reads: Pool, writes: Pool): Members {
  const { read, change, write } = prepareTransactions(reads, writes);

  return {
    async hasOwner() {
      return (await read(anyOwner)).length > 0;
    },

    keepSetUpCode: (hash, nowMs) =>
      write(async (connection) => {
        await connection.query(lockInstallation);
        if ((await connection.query(anyOwner)).length > 0) return false;
        await connection.change("DELETE FROM one_time_links WHERE kind = 'setUp'");
        const sql = `INSERT INTO one_time_links (hash, kind, created_at) VALUES ($1, 'setUp', $2)`;
        await connection.change(sql, [hash, nowMs]);
        return true;
      }),

    createFirstOwner: ({ codeHash, organizationName, email, emailKey, session, ...joining }, audit) =>
      write<JoinOutcome>(
        async (connection) => {
          await connection.query(lockInstallation);
          const spend = "DELETE FROM one_time_links WHERE kind = 'setUp' AND hash = $1";
          const [[owner], [organization]] = await Promise.all([
            connection.query(anyOwner),
            connection.query('SELECT id FROM organizations ORDER BY id LIMIT 1'),
          ]);
          if (owner !== undefined || organization === undefined) return { kind: 'missing' };
          if ((await connection.change(spend, [codeHash])) === 0) return { kind: 'missing' };
          const [organizationId] = organization;
          const rename = 'UPDATE organizations SET name = $2 WHERE id = $1';
          await connection.change(rename, [organizationId, organizationName]);
          return join(connection, joining, { organizationId, email, emailKey, role: 'owner' }, session);
        },
        { audit, isDone: hasBegun(session) },
      ),

    async findMemberByEmail(emailKey) {
      const sql = `SELECT ${memberColumns}, password_hash FROM members WHERE email_key = $1`;
      const [row] = await read(sql, [emailKey]);
      return row && { ...toMember(row), passwordHash: row[7] };
    },
    async listMembers(organizationId) {
      const sql = `SELECT ${memberColumns} FROM members WHERE $1::text IS NULL OR organization_id = $1 ORDER BY id`;
      return (await read(sql, [organizationId ?? null])).map(toMember);
    },

    changeRole: (organizationId, memberId, role, audit) =>
      write<MemberOutcome>(
        async (connection) => {
          const outcome = await findRemovable(connection, organizationId, memberId);
          if (role === 'owner' ? outcome.kind === 'missing' : outcome.kind !== 'done') return outcome;
          const sql = `UPDATE members SET role = $2 WHERE id = $1 RETURNING ${memberColumns}`;
          const [row] = await connection.query(sql, [memberId, role]);
          if (role !== 'owner') {
            const links = "DELETE FROM one_time_links WHERE member_id = $1 AND kind = 'invitation'";
            await connection.change(links, [memberId]);
          }
          return { kind: 'done', member: toMember(row as Row) };
        },
        { audit },
      ),

    removeMember: (organizationId, memberId, audit) =>
      write<MemberOutcome>(
        async (connection) => {
          const outcome = await findRemovable(connection, organizationId, memberId);
          if (outcome.kind === 'done') await connection.change('DELETE FROM members WHERE id = $1', [memberId]);
          return outcome;
        },
        { audit },
      ),

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
      const [row] = await read(findSession, [hash]);
      if (row === undefined) return undefined;
      const [createdAtMs, expiresAtMs, lastSeenAtMs] = row.slice(9);
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

/** A member of this organization, unless it would be left without an owner. */
async function findRemovable(connection: Connection, organizationId: string, memberId: string): Promise<MemberOutcome> {
  await lockOrganization(connection, organizationId);
  const sql = `SELECT ${memberColumns} FROM members WHERE organization_id = $1 AND (id = $2 OR role = 'owner')`;
  const members = (await connection.query(sql, [organizationId, memberId])).map(toMember);
  const member = members.find(({ id }) => id === memberId);
  if (member === undefined) return { kind: 'missing' };
  const isLastOwner = member.role === 'owner' && members.length === 1;
  return isLastOwner ? { kind: 'last_owner' } : { kind: 'done', member };
}
