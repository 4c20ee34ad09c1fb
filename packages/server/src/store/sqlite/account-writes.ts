// Writes of members, sessions and one-time links, on the writer thread. Whether a write may happen is decided before a
// row is changed; that nothing else writes meanwhile makes it atomic.
import type { DatabaseSync } from 'node:sqlite';
import type { Role } from '@roster/contract';
import { judgeRemoval, judgeRoleChange, mayInvite } from '../../account/membership-rules.ts';
import {
  type InvitationRow,
  invitationColumns,
  memberColumns,
  type PersonRow,
  personColumns,
  toInvitation,
  toPerson,
} from '../account-row.ts';
import type { Joining, JoinOutcome, Member, NewSession, Person } from '../account-store.ts';
import { findRow, listRows, type PortMethods } from './rows.ts';

export function prepareAccountWrites(db: DatabaseSync) {
  const anyOwner = db.prepare("SELECT 1 FROM members WHERE role = 'owner' LIMIT 1");
  const memberAndOwners = db.prepare(
    `SELECT ${memberColumns} FROM members WHERE organization_id = ? AND (id = ? OR role = 'owner')`,
  );
  const emailHolder = db.prepare('SELECT 1 FROM members WHERE email_key = ?');
  const person = db.prepare(
    `SELECT ${personColumns} FROM members JOIN organizations ON organizations.id = organization_id WHERE members.id = ?`,
  );
  const firstOrganization = db.prepare('SELECT id FROM organizations ORDER BY id LIMIT 1');
  const changeOrganizationName = db.prepare('UPDATE organizations SET name = ? WHERE id = ?');
  const insertMember = db.prepare(
    `INSERT INTO members (id, organization_id, name, email, email_key, role, password_hash, created_at, last_sign_in_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const changeMemberRole = db.prepare('UPDATE members SET role = ? WHERE id = ?');
  const removeMember = db.prepare('DELETE FROM members WHERE id = ?');
  const replaceHash = db.prepare(
    'UPDATE members SET password_hash = ?3, last_sign_in_at = ?4 WHERE id = ?1 AND password_hash = ?2',
  );
  const setHash = db.prepare('UPDATE members SET password_hash = ?, last_sign_in_at = ? WHERE id = ?');

  const insertSession = db.prepare(
    'INSERT INTO sessions (hash, member_id, created_at, expires_at, last_seen_at) VALUES (?, ?, ?, ?, ?)',
  );
  const noteSeen = db.prepare('UPDATE sessions SET last_seen_at = ?2 WHERE hash = ?1 AND last_seen_at < ?2');
  const removeSession = db.prepare('DELETE FROM sessions WHERE hash = ?');
  const removeSessionsOf = db.prepare('DELETE FROM sessions WHERE member_id = ?');

  const insertLink = db.prepare(
    `INSERT INTO one_time_links
       (hash, kind, id, organization_id, member_id, email, email_key, role, invited_by, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const setUpCode = db.prepare("SELECT 1 FROM one_time_links WHERE hash = ? AND kind = 'setUp'");
  const removeSetUpCodes = db.prepare("DELETE FROM one_time_links WHERE kind = 'setUp'");
  const invitationByHash = db.prepare(
    `SELECT ${invitationColumns} FROM one_time_links WHERE hash = ? AND kind = 'invitation' AND expires_at > ?`,
  );
  const invitationById = db.prepare(
    `SELECT ${invitationColumns} FROM one_time_links WHERE organization_id = ? AND id = ? AND expires_at > ?`,
  );
  const resetByHash = db.prepare(
    "SELECT member_id AS memberId FROM one_time_links WHERE hash = ? AND kind = 'passwordReset' AND expires_at > ?",
  );
  const removeLink = db.prepare('DELETE FROM one_time_links WHERE hash = ?');
  const removeInvitation = db.prepare('DELETE FROM one_time_links WHERE id = ?');
  const removeInvitationsTo = db.prepare(
    "DELETE FROM one_time_links WHERE organization_id = ? AND email_key = ? AND kind = 'invitation'",
  );
  const removeLinksOf = db.prepare('DELETE FROM one_time_links WHERE member_id = ? AND kind = ?');

  const findPerson = (memberId: string): Person | undefined => {
    const row = findRow<PersonRow>(person, memberId);
    return row && toPerson(row);
  };

  const begin = (memberId: string, { hash, createdAtMs, expiresAtMs }: NewSession): void => {
    insertSession.run(hash, memberId, createdAtMs, expiresAtMs, createdAtMs);
  };

  /** Who joins is signed in. */
  const join = (
    { id, name, passwordHash }: Joining,
    where: { organizationId: string; email: string; emailKey: string; role: Role },
    session: NewSession,
  ): JoinOutcome => {
    const { organizationId, email, emailKey, role } = where;
    const { createdAtMs } = session;
    insertMember.run(id, organizationId, name, email, emailKey, role, passwordHash, createdAtMs, createdAtMs);
    begin(id, session);
    return { kind: 'joined', ...(findPerson(id) as Person) };
  };

  /** What the rules about members are judged by. */
  const findMembers = (organizationId: string, memberId: string) =>
    listRows<Member>(memberAndOwners, organizationId, memberId);

  return {
    keepSetUpCode(hash, nowMs) {
      if (anyOwner.get() !== undefined) return false;
      removeSetUpCodes.run();
      insertLink.run(hash, 'setUp', null, null, null, null, null, null, null, nowMs, null);
      return true;
    },

    createFirstOwner({ codeHash, organizationName, email, emailKey, session, ...joining }) {
      const organization = firstOrganization.get() as { id: string } | undefined;
      const isAllowed = setUpCode.get(codeHash) !== undefined && anyOwner.get() === undefined;
      if (organization === undefined || !isAllowed) return { kind: 'missing' };
      if (emailHolder.get(emailKey) !== undefined) return { kind: 'email_taken' };
      removeSetUpCodes.run();
      changeOrganizationName.run(organizationName, organization.id);
      return join(joining, { organizationId: organization.id, email, emailKey, role: 'owner' }, session);
    },

    changeRole(organizationId, memberId, role) {
      const outcome = judgeRoleChange(findMembers(organizationId, memberId), memberId, role);
      if (outcome.kind !== 'done') return outcome;
      changeMemberRole.run(role, memberId);
      if (!mayInvite(role)) removeLinksOf.run(memberId, 'invitation');
      return outcome;
    },

    removeMember(organizationId, memberId) {
      const outcome = judgeRemoval(findMembers(organizationId, memberId), memberId);
      if (outcome.kind === 'done') removeMember.run(memberId);
      return outcome;
    },

    createSession(memberId, session, { passwordHash, rehashed = passwordHash }) {
      if (replaceHash.run(memberId, passwordHash, rehashed, session.createdAtMs).changes === 0) return false;
      begin(memberId, session);
      return true;
    },

    noteSessionSeen: (hash, seenAtMs) => void noteSeen.run(hash, seenAtMs),

    endSession: (hash) => void removeSession.run(hash),

    endSessions: (memberId) => void removeSessionsOf.run(memberId),

    changePassword(memberId, { from, to }, session) {
      if (replaceHash.run(memberId, from, to, session.createdAtMs).changes === 0) return false;
      removeSessionsOf.run(memberId);
      removeLinksOf.run(memberId, 'passwordReset');
      begin(memberId, session);
      return true;
    },

    createInvitation(invitation, hash) {
      const { id, organizationId, email, emailKey, role, invitedBy, createdAtMs, expiresAtMs } = invitation;
      if (emailHolder.get(emailKey) !== undefined) return false;
      removeInvitationsTo.run(organizationId, emailKey);
      const { id: inviter = null, name = null } = invitedBy ?? {};
      const values = [organizationId, inviter, email, emailKey, role, name, createdAtMs, expiresAtMs];
      insertLink.run(hash, 'invitation', id, ...values);
      return true;
    },

    revokeInvitation(organizationId, invitationId, nowMs) {
      const row = findRow<InvitationRow>(invitationById, organizationId, invitationId, nowMs);
      if (row === undefined) return false;
      removeInvitation.run(invitationId);
      return toInvitation(row);
    },

    createPasswordReset(memberId, { hash, createdAtMs, expiresAtMs }) {
      const found = findPerson(memberId);
      if (found === undefined) return false;
      removeLinksOf.run(memberId, 'passwordReset');
      const values = [found.organization.id, memberId, null, null, null, null, createdAtMs, expiresAtMs];
      insertLink.run(hash, 'passwordReset', null, ...values);
      return true;
    },

    acceptInvitation(hash, joining, session) {
      const invitation = findRow<InvitationRow>(invitationByHash, hash, session.createdAtMs);
      if (invitation === undefined) return { kind: 'missing' };
      if (emailHolder.get(invitation.emailKey) !== undefined) return { kind: 'email_taken' };
      removeLink.run(hash);
      return join(joining, invitation, session);
    },

    resetPassword(hash, passwordHash, session) {
      const link = findRow<{ memberId: string }>(resetByHash, hash, session.createdAtMs);
      if (link === undefined) return false;
      const { memberId } = link;
      removeLink.run(hash);
      removeSessionsOf.run(memberId);
      setHash.run(passwordHash, session.createdAtMs, memberId);
      begin(memberId, session);
      return findPerson(memberId) as Person;
    },
  } satisfies PortMethods;
}
