// Rows of members, sessions and links, as SQLite gives them and as the port has them.
import type { FoundSession, Invitation, Member, Person } from '../account-store.ts';

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

export type SessionRow = PersonRow & { sessionCreatedAtMs: number; expiresAtMs: number; lastSeenAtMs: number };

export function toSession({ sessionCreatedAtMs, expiresAtMs, lastSeenAtMs, ...person }: SessionRow): FoundSession {
  return { createdAtMs: sessionCreatedAtMs, expiresAtMs, lastSeenAtMs, ...toPerson(person) };
}

export const invitationColumns = `id, organization_id AS organizationId, email, email_key AS emailKey, role,
  member_id AS inviterId, invited_by AS inviterName, created_at AS createdAtMs, expires_at AS expiresAtMs`;

export type InvitationRow = Omit<Invitation, 'invitedBy'> & { inviterId?: string; inviterName?: string };

export function toInvitation({ inviterId, inviterName = '', ...row }: InvitationRow): Invitation {
  return { ...row, invitedBy: inviterId === undefined ? undefined : { id: inviterId, name: inviterName } };
}
