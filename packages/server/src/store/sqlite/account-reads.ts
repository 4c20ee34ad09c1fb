// Reads of members, sessions and one-time links, on the main thread: each is a few rows by an index.
import type { DatabaseSync } from 'node:sqlite';
import {
  type InvitationRow,
  invitationColumns,
  type LinkRow,
  memberColumns,
  type SessionRow,
  selectLinks,
  selectSessions,
  toInvitation,
  toLink,
  toSession,
} from '../account-row.ts';
import type { KnownMember, Member } from '../account-store.ts';
import { findRow, listRows, type PortMethods } from './rows.ts';

export function prepareAccountReads(db: DatabaseSync) {
  const anyOwner = db.prepare("SELECT 1 FROM members WHERE role = 'owner' LIMIT 1");
  const memberByEmail = db.prepare(
    `SELECT ${memberColumns}, password_hash AS passwordHash FROM members WHERE email_key = ?`,
  );
  const members = db.prepare(
    `SELECT ${memberColumns} FROM members WHERE ?1 IS NULL OR organization_id = ?1 ORDER BY id`,
  );
  const sessionByHash = db.prepare(`${selectSessions} WHERE hash = ?`);
  const invitations = db.prepare(
    `SELECT ${invitationColumns} FROM one_time_links
     WHERE organization_id = ? AND kind = 'invitation' AND expires_at > ? ORDER BY id`,
  );
  const linkByHash = db.prepare(`${selectLinks} WHERE hash = ? AND expires_at > ?`);

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
      const row = findRow<LinkRow>(linkByHash, hash, nowMs);
      return row && toLink(row);
    },
  } satisfies PortMethods;
}
