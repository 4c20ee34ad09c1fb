// Set-up and members. Who may be changed or removed is decided by account/membership-rules.ts, inside the transaction.
import { judgeRemoval, judgeRoleChange, mayInvite } from '../../account/membership-rules.ts';
import { memberColumns } from '../account-row.ts';
import type { JoinOutcome, KnownMember, Member, MemberOutcome } from '../account-store.ts';
import type { Store } from '../store.ts';
import { lockOrganization } from './audit-entries.ts';
import { join, ownSession } from './member-rows.ts';
import type { Connection } from './pool.ts';
import type { Transactions } from './transactions.ts';

const anyOwner = "SELECT id FROM members WHERE role = 'owner' LIMIT 1";
/** Set-up is done by one caller at a time; the row is there for such questions. */
const lockInstallation = 'SELECT FROM installation FOR UPDATE';

export function prepareMembers({ read, write }: Transactions) {
  return {
    hasOwner: async () => (await read(anyOwner)).length > 0,

    keepSetUpCode: (hash, nowMs) =>
      write({}, async (connection) => {
        await connection.query(lockInstallation);
        if ((await connection.query(anyOwner)).length > 0) return false;
        await connection.change("DELETE FROM one_time_links WHERE kind = 'setUp'");
        const sql = `INSERT INTO one_time_links (hash, kind, created_at) VALUES ($1, 'setUp', $2)`;
        await connection.change(sql, [hash, nowMs]);
        return true;
      }),

    createFirstOwner: ({ codeHash, organizationName, email, emailKey, session, ...joining }, audit) =>
      write<JoinOutcome>({ audit, own: ownSession(session) }, async (connection) => {
        await connection.query(lockInstallation);
        const spend = "DELETE FROM one_time_links WHERE kind = 'setUp' AND hash = $1";
        const [[owner], [organization]] = await Promise.all([
          connection.query(anyOwner),
          connection.query<{ id: string }>('SELECT id FROM organizations ORDER BY id LIMIT 1'),
        ]);
        if (owner !== undefined || organization === undefined) return { kind: 'missing' };
        if ((await connection.change(spend, [codeHash])) === 0) return { kind: 'missing' };
        const organizationId = organization.id;
        const rename = 'UPDATE organizations SET name = $2 WHERE id = $1';
        await connection.change(rename, [organizationId, organizationName]);
        return join(connection, joining, { organizationId, email, emailKey, role: 'owner' }, session);
      }),

    async findMemberByEmail(emailKey) {
      const sql = `SELECT ${memberColumns}, password_hash AS "passwordHash" FROM members WHERE email_key = $1`;
      const [member] = await read<KnownMember>(sql, [emailKey]);
      return member;
    },
    listMembers(organizationId) {
      const sql = `SELECT ${memberColumns} FROM members WHERE $1::text IS NULL OR organization_id = $1 ORDER BY id`;
      return read<Member>(sql, [organizationId ?? null]);
    },

    changeRole: (organizationId, memberId, role, audit) =>
      write<MemberOutcome>({ audit }, async (connection) => {
        const members = await lockMembers(connection, organizationId, memberId);
        const outcome = judgeRoleChange(members, memberId, role);
        if (outcome.kind !== 'done') return outcome;
        await connection.change('UPDATE members SET role = $2 WHERE id = $1', [memberId, role]);
        if (!mayInvite(role)) {
          await connection.change("DELETE FROM one_time_links WHERE member_id = $1 AND kind = 'invitation'", [
            memberId,
          ]);
        }
        return outcome;
      }),

    removeMember: (organizationId, memberId, audit) =>
      write<MemberOutcome>({ audit }, async (connection) => {
        const outcome = judgeRemoval(await lockMembers(connection, organizationId, memberId), memberId);
        if (outcome.kind === 'done') await connection.change('DELETE FROM members WHERE id = $1', [memberId]);
        return outcome;
      }),
  } satisfies Partial<Store>;
}

/** The member in question, if there is one, and all owners. They stay as they are until the transaction ends. */
async function lockMembers(connection: Connection, organizationId: string, memberId: string): Promise<Member[]> {
  await lockOrganization(connection, organizationId);
  const sql = `SELECT ${memberColumns} FROM members WHERE organization_id = $1 AND (id = $2 OR role = 'owner')`;
  return connection.query<Member>(sql, [organizationId, memberId]);
}
