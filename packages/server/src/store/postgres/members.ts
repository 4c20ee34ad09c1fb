// Set-up, members and their sessions.
import type { AccountStore, JoinOutcome, Member, MemberOutcome } from '../account-store.ts';
import type { Connection, Pool, Row } from './connections.ts';
import {
  beginSession,
  findBegun,
  join,
  lockOrganization,
  memberColumns,
  personColumns,
  toMember,
  toPerson,
} from './people.ts';
import { inTransaction, smallTables } from './small-tables.ts';

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
  const { read, write } = smallTables(reads, writes);

  return {
    async hasOwner() {
      return (await read(anyOwner)).length > 0;
    },

    keepSetUpCode: (hash, nowMs) =>
      write((connection) =>
        inTransaction(connection, async () => {
          await connection.query(lockInstallation);
          if ((await connection.query(anyOwner)).length > 0) return false;
          await connection.change("DELETE FROM one_time_links WHERE kind = 'setUp'");
          const sql = `INSERT INTO one_time_links (hash, kind, created_at) VALUES ($1, 'setUp', $2)`;
          await connection.change(sql, [hash, nowMs]);
          return true;
        }),
      ),

    createFirstOwner: ({ codeHash, organizationName, email, emailKey, session, ...joining }) =>
      write((connection, isRetry) =>
        inTransaction<JoinOutcome>(connection, async () => {
          await connection.query(lockInstallation);
          const begun = isRetry ? await findBegun(connection, session) : undefined;
          if (begun !== undefined) return { kind: 'joined', ...begun };
          const spend = "DELETE FROM one_time_links WHERE kind = 'setUp' AND hash = $1";
          const [[owner], [organization]] = await Promise.all([
            connection.query(anyOwner),
            connection.query('SELECT id FROM organizations ORDER BY id LIMIT 1'),
          ]);
          if (owner !== undefined || organization === undefined) return { kind: 'missing' };
          if ((await connection.change(spend, [codeHash])) === 0) return { kind: 'missing' };
          const [organizationId] = organization;
          await connection.change('UPDATE organizations SET name = $2 WHERE id = $1', [
            organizationId,
            organizationName,
          ]);
          return join(connection, joining, { organizationId, email, emailKey, role: 'owner' }, session);
        }),
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

    changeRole: (organizationId, memberId, role) =>
      write((connection) =>
        inTransaction<MemberOutcome>(connection, async () => {
          const outcome = await findRemovable(connection, organizationId, memberId);
          if (role === 'owner' ? outcome.kind === 'missing' : outcome.kind !== 'done') return outcome;
          const sql = `UPDATE members SET role = $2 WHERE id = $1 RETURNING ${memberColumns}`;
          const [row] = await connection.query(sql, [memberId, role]);
          if (role !== 'owner') {
            const links = "DELETE FROM one_time_links WHERE member_id = $1 AND kind = 'invitation'";
            await connection.change(links, [memberId]);
          }
          return { kind: 'done', member: toMember(row as Row) };
        }),
      ),

    removeMember(organizationId, memberId) {
      let removed: Member | undefined;
      return write((connection, isRetry) =>
        inTransaction<MemberOutcome>(connection, async () => {
          const outcome = await findRemovable(connection, organizationId, memberId);
          if (outcome.kind === 'done') {
            await connection.change('DELETE FROM members WHERE id = $1', [memberId]);
            removed = outcome.member;
          } else if (outcome.kind === 'missing' && isRetry && removed !== undefined) {
            // The try before was committed, though its connection broke before it could say so.
            return { kind: 'done', member: removed };
          }
          return outcome;
        }),
      );
    },

    createSession: (memberId, session, { passwordHash, rehashed = passwordHash }) =>
      write((connection, isRetry) =>
        inTransaction(connection, async () => {
          if (isRetry && (await findBegun(connection, session)) !== undefined) return true;
          const values = [memberId, passwordHash, rehashed, session.createdAtMs];
          if ((await connection.change(replaceHash, values)) === 0) return false;
          await beginSession(connection, memberId, session);
          return true;
        }),
      ),

    async findSession(hash) {
      const [row] = await read(findSession, [hash]);
      if (row === undefined) return undefined;
      const [createdAtMs, expiresAtMs, lastSeenAtMs] = row.slice(9);
      return { createdAtMs, expiresAtMs, lastSeenAtMs, ...toPerson(row) };
    },
    async noteSessionSeen(hash, seenAtMs) {
      const sql = 'UPDATE sessions SET last_seen_at = $2 WHERE hash = $1 AND last_seen_at < $2';
      await write((connection) => connection.change(sql, [hash, seenAtMs]));
    },
    async endSession(hash) {
      await write((connection) => connection.change('DELETE FROM sessions WHERE hash = $1', [hash]));
    },
    async endSessions(memberId) {
      await write((connection) => connection.change(endSessionsOf, [memberId]));
    },

    changePassword: (memberId, { from, to }, session) =>
      write((connection, isRetry) =>
        inTransaction(connection, async () => {
          if (isRetry && (await findBegun(connection, session)) !== undefined) return true;
          // The member's row is locked by this, so that no session begins by the old password meanwhile.
          if ((await connection.change(replaceHash, [memberId, from, to, session.createdAtMs])) === 0) return false;
          await connection.change(endSessionsOf, [memberId]);
          const links = "DELETE FROM one_time_links WHERE member_id = $1 AND kind = 'passwordReset'";
          await connection.change(links, [memberId]);
          await beginSession(connection, memberId, session);
          return true;
        }),
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
