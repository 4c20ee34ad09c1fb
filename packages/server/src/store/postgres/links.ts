// One-time links: invitations and password resets. Whoever deletes a link's row has spent it, and no other call can.
import {
  type InvitationRow,
  invitationColumns,
  type LinkRow,
  selectLinks,
  toInvitation,
  toLink,
} from '../account-row.ts';
import type { Invitation, JoinOutcome, Person } from '../account-store.ts';
import type { Store } from '../store.ts';
import { lockOrganization } from './audit-entries.ts';
import { beginSession, findPerson, join, ownSession } from './member-rows.ts';
import type { Transactions } from './transactions.ts';

export function prepareLinks({ read, write }: Transactions) {
  return {
    createInvitation(invitation, hash, audit) {
      const { id, organizationId, email, emailKey, role, invitedBy, createdAtMs, expiresAtMs } = invitation;
      const { id: inviter = null, name = null } = invitedBy ?? {};
      return write({ audit }, async (connection) => {
        await lockOrganization(connection, organizationId);
        const [member] = await connection.query('SELECT id FROM members WHERE email_key = $1', [emailKey]);
        if (member !== undefined) return false;
        const earlier = `DELETE FROM one_time_links
          WHERE organization_id = $1 AND email_key = $2 AND kind = 'invitation'`;
        await connection.change(earlier, [organizationId, emailKey]);
        const sql = `INSERT INTO one_time_links (id, organization_id, email, email_key, role, member_id, invited_by,
            created_at, expires_at, kind, hash)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'invitation', $10)`;
        const values = [id, organizationId, email, emailKey, role, inviter, name, createdAtMs, expiresAtMs, hash];
        await connection.change(sql, values);
        return true;
      });
    },

    async listInvitations(organizationId, nowMs) {
      const sql = `SELECT ${invitationColumns} FROM one_time_links
        WHERE organization_id = $1 AND kind = 'invitation' AND expires_at > $2 ORDER BY id`;
      return (await read<InvitationRow>(sql, [organizationId, nowMs])).map(toInvitation);
    },

    async revokeInvitation(organizationId, invitationId, nowMs, audit) {
      const sql = `DELETE FROM one_time_links WHERE organization_id = $1 AND id = $2 AND expires_at > $3
        RETURNING ${invitationColumns}`;
      const revoked = await write<Invitation | false>({ audit }, async (connection) => {
        const [row] = await connection.query<InvitationRow>(sql, [organizationId, invitationId, nowMs]);
        return row !== undefined && toInvitation(row);
      });
      return revoked || undefined;
    },

    createPasswordReset: (memberId, { hash, createdAtMs, expiresAtMs }, audit) =>
      write({ audit }, async (connection) => {
        const lock = 'SELECT organization_id AS "organizationId" FROM members WHERE id = $1 FOR NO KEY UPDATE';
        const [member] = await connection.query<{ organizationId: string }>(lock, [memberId]);
        if (member === undefined) return false;
        const earlier = "DELETE FROM one_time_links WHERE member_id = $1 AND kind = 'passwordReset'";
        await connection.change(earlier, [memberId]);
        const sql = `INSERT INTO one_time_links (hash, kind, organization_id, member_id, created_at, expires_at)
          VALUES ($1, 'passwordReset', $2, $3, $4, $5)`;
        await connection.change(sql, [hash, member.organizationId, memberId, createdAtMs, expiresAtMs]);
        return true;
      }),

    async findLink(hash, nowMs) {
      const [row] = await read<LinkRow>(`${selectLinks} WHERE hash = $1 AND expires_at > $2`, [hash, nowMs]);
      return row && toLink(row);
    },

    acceptInvitation: (hash, joining, session, audit) =>
      write<JoinOutcome>({ audit, own: ownSession(session) }, async (connection) => {
        const spend = `DELETE FROM one_time_links WHERE hash = $1 AND kind = 'invitation' AND expires_at > $2
          RETURNING ${invitationColumns}`;
        const [row] = await connection.query<InvitationRow>(spend, [hash, session.createdAtMs]);
        return row === undefined ? { kind: 'missing' } : join(connection, joining, toInvitation(row), session);
      }),

    async resetPassword(hash, passwordHash, session, audit) {
      const reset = await write<Person | false>({ audit, own: ownSession(session) }, async (connection) => {
        const spend = `DELETE FROM one_time_links WHERE hash = $1 AND kind = 'passwordReset' AND expires_at > $2
          RETURNING member_id AS "memberId"`;
        const [link] = await connection.query<{ memberId: string }>(spend, [hash, session.createdAtMs]);
        if (link === undefined) return false;
        const { memberId } = link;
        // The member's row is locked by this, so that no session begins by the old password meanwhile.
        const sql = 'UPDATE members SET password_hash = $2, last_sign_in_at = $3 WHERE id = $1';
        await connection.change(sql, [memberId, passwordHash, session.createdAtMs]);
        await connection.change('DELETE FROM sessions WHERE member_id = $1', [memberId]);
        await beginSession(connection, memberId, session);
        return findPerson(connection, memberId);
      });
      return reset || undefined;
    },
  } satisfies Partial<Store>;
}
