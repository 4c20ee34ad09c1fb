// Members, sessions and one-time links as both engines read them: the columns of their rows, and what is made of these.
import type { FoundLink, FoundSession, Invitation, Member, Person } from './account-store.ts';

export const memberColumns = `members.id, members.organization_id AS "organizationId", members.name, members.email,
  members.role, members.created_at AS "createdAtMs", members.last_sign_in_at AS "lastSignInAtMs"`;

/** A member and their organization in one row: the columns of the latter begin with `organization`. */
export const personColumns = `${memberColumns}, organizations.name AS "organizationName",
  organizations.created_at AS "organizationCreatedAtMs"`;

export type PersonRow = Member & { organizationName: string; organizationCreatedAtMs: number };

export function toPerson({ organizationName, organizationCreatedAtMs, ...member }: PersonRow): Person {
  const organization = { id: member.organizationId, name: organizationName, createdAtMs: organizationCreatedAtMs };
  return { member, organization };
}

export const selectSessions = `SELECT ${personColumns}, sessions.created_at AS "sessionCreatedAtMs",
    expires_at AS "expiresAtMs", last_seen_at AS "lastSeenAtMs"
  FROM sessions JOIN members ON members.id = sessions.member_id
    JOIN organizations ON organizations.id = members.organization_id`;

export type SessionRow = PersonRow & { sessionCreatedAtMs: number; expiresAtMs: number; lastSeenAtMs: number };

export function toSession({ sessionCreatedAtMs, expiresAtMs, lastSeenAtMs, ...person }: SessionRow): FoundSession {
  return { createdAtMs: sessionCreatedAtMs, expiresAtMs, lastSeenAtMs, ...toPerson(person) };
}

export const invitationColumns = `id, organization_id AS "organizationId", email, email_key AS "emailKey", role,
  member_id AS "inviterId", invited_by AS "inviterName", created_at AS "createdAtMs", expires_at AS "expiresAtMs"`;

export type InvitationRow = Omit<Invitation, 'invitedBy'> & { inviterId?: string; inviterName?: string };

export function toInvitation({ inviterId, inviterName = '', ...row }: InvitationRow): Invitation {
  return { ...row, invitedBy: inviterId === undefined ? undefined : { id: inviterId, name: inviterName } };
}

export const selectLinks = `SELECT kind, organizations.id AS "organizationId", organizations.name AS "organizationName",
    members.id AS "memberId", members.name AS "memberName",
    coalesce(one_time_links.email, members.email) AS email, expires_at AS "expiresAtMs"
  FROM one_time_links JOIN organizations ON organizations.id = one_time_links.organization_id
    LEFT JOIN members ON members.id = member_id`;

export type LinkRow = Omit<FoundLink, 'member'> & { memberId: string; memberName: string };

export function toLink({ memberId, memberName, ...link }: LinkRow): FoundLink {
  return { ...link, member: link.kind === 'passwordReset' ? { id: memberId, name: memberName } : undefined };
}
