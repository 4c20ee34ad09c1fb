// Reads of members, sessions and one-time links, on the main thread: each is a few rows by an index.
import type { DatabaseSync } from 'node:sqlite';
import type { FoundLink, KnownMember, Member } from '../account-store.ts';
import {
  type InvitationRow,
  invitationColumns,
  memberColumns,
  personColumns,
  type SessionRow,
  toInvitation,
  toSession,
} from './account-rows.ts';
import { findRow, listRows, type PortMethods } from './rows.ts';

export function prepareAccountReads(db: DatabaseSync) {
  const anyOwner = db.prepare("SELECT 1 FROM members WHERE role = 'owner' LIMIT 1");
  const memberByEmail = db.prepare(
    `SELECT ${memberColumns}, password_hash AS passwordHash FROM members WHERE email_key = ?`,
  );
  const members = db.prepare(
    `SELECT ${memberColumns} FROM members WHERE ?1 IS NULL OR organization_id = ?1 ORDER BY id`,
  );
  const sessionByHash = db.prepare(
    `SELECT ${personColumns}, sessions.created_at AS sessionCreatedAtMs, expires_at AS expiresAtMs,
       last_seen_at AS lastSeenAtMs
     FROM sessions JOIN members ON members.id = sessions.member_id
       JOIN organizations ON organizations.id = members.organization_id
     WHERE hash = ?`,
  );
  const invitations = db.prepare(
    `SELECT ${invitationColumns} FROM one_time_links
     WHERE organization_id = ? AND kind = 'invitation' AND expires_at > ? ORDER BY id`,
  );
  const linkByHash = db.prepare(
    `SELECT kind, organizations.id AS organizationId, organizations.name AS organizationName,
       members.id AS memberId, members.name AS memberName, coalesce(one_time_links.email, members.email) AS email,
       expires_at AS expiresAtMs
     FROM one_time_links JOIN organizations ON organizations.id = one_time_links.organization_id
       LEFT JOIN members ON members.id = member_id
     WHERE hash = ? AND expires_at > ?`,
  );

  return {
    hasOwner: () => anyOwner.get() !== undefined,
    findMemberByEmail: (emailKey) => findRow<KnownMember>(memberByEmail, emailKey),
    listMembers: (organizationId) => listRows<Member>(members, organizationId ?? null),
    findSession(hash) {
      const row = findRow<SessionRow>(sessionByHash, hash);
      return row && toSession(row);
    },
    listInvitations: (organizationId, nowMs) =>
      listRows<InvitationRow>(invitations, organizationId, nowMs).map(toInvitation),
    findLink(hash, nowMs) {
      const row = findRow<Omit<FoundLink, 'member'> & { memberId: string; memberName: string }>(
        linkByHash,
        hash,
        nowMs,
      );
      if (row === undefined) return undefined;
      const { memberId, memberName, ...link } = row;
      return { ...link, member: link.kind === 'passwordReset' ? { id: memberId, name: memberName } : undefined };
    },
  } satisfies PortMethods;
}
