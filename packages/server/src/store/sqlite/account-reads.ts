// Reads of members, sessions and one-time links, on the main thread: each is a few rows by an index. Also what their rows
// look like.
import type { DatabaseSync } from 'node:sqlite';
import type { FoundLink, FoundSession, Invitation, KnownMember, Member, Person } from '../account-store.ts';
import { findRow, listRows, type PortMethods } from './rows.ts';

export const memberColumns = `members.id, members.organization_id AS organizationId, members.name, members.email,
  members.role, members.created_at AS createdAtMs, members.last_sign_in_at AS lastSignInAtMs`;

/** A member and their organization in one row: the columns of the latter begin with `organization`. */
export const personColumns = `${memberColumns}, organizations.name AS organizationName,
  organizations.created_at AS organizationCreatedAtMs`;

export type PersonRow = Member & { organizationName: string; organizationCreatedAtMs: number };

export function toPerson({ organizationName, organizationCreatedAtMs, ...member }: PersonRow): Person {
  const organization = { id: member.organizationId, name: organizationName, createdAtMs: organizationCreatedAtMs };
  return { member, organization };
}

type SessionRow = PersonRow & { sessionCreatedAtMs: number; expiresAtMs: number; lastSeenAtMs: number };

function toSession({ sessionCreatedAtMs, expiresAtMs, lastSeenAtMs, ...person }: SessionRow): FoundSession {
  return { createdAtMs: sessionCreatedAtMs, expiresAtMs, lastSeenAtMs, ...toPerson(person) };
}

export const invitationColumns = `id, organization_id AS organizationId, email, email_key AS emailKey, role,
  member_id AS inviterId, invited_by AS inviterName, created_at AS createdAtMs, expires_at AS expiresAtMs`;

export type InvitationRow = Omit<Invitation, 'invitedBy'> & { inviterId?: string; inviterName?: string };

export function toInvitation({ inviterId, inviterName = '', ...row }: InvitationRow): Invitation {
  return { ...row, invitedBy: inviterId === undefined ? undefined : { id: inviterId, name: inviterName } };
}

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
