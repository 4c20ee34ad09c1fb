// Rows of members, sessions and links, as SQLite gives them and as the port has them.
import type { FoundSession, Invitation, KnownMember, Member } from '../account-store.ts';
import type { Nullable } from './nullable.ts';

export const memberColumns = `members.id, members.organization_id AS organizationId, members.name, members.email,
  members.role, members.created_at AS createdAtMs, members.last_sign_in_at AS lastSignInAtMs`;

export function toMember({ ...row }: Nullable<Member>): Member {
  return { ...row, lastSignInAtMs: row.lastSignInAtMs ?? undefined };
}

export function toKnownMember(row: Nullable<KnownMember>): KnownMember {
  return toMember(row as Nullable<Member>) as KnownMember;
}

/** A member and their organization in one row: the columns of the latter begin with `organization`. */
export const personColumns = `${memberColumns}, organizations.name AS organizationName,
  organizations.created_at AS organizationCreatedAtMs`;

export type PersonRow = Nullable<Member> & { organizationName: string; organizationCreatedAtMs: number };

export function toPerson({ organizationName, organizationCreatedAtMs, ...member }: PersonRow) {
  const id = member.organizationId;
  const organization = { id, name: organizationName, createdAtMs: organizationCreatedAtMs };
  return { member: toMember(member), organization };
}

export type SessionRow = PersonRow & { sessionCreatedAtMs: number; expiresAtMs: number; lastSeenAtMs: number };

export function toSession({ sessionCreatedAtMs, expiresAtMs, lastSeenAtMs, ...person }: SessionRow): FoundSession {
  return { createdAtMs: sessionCreatedAtMs, expiresAtMs, lastSeenAtMs, ...toPerson(person) };
}

export const invitationColumns = `id, organization_id AS organizationId, email, email_key AS emailKey, role,
  member_id AS inviterId, invited_by AS inviterName, created_at AS createdAtMs, expires_at AS expiresAtMs`;

export type InvitationRow = Omit<Invitation, 'invitedBy'> & { inviterId: string | null; inviterName: string | null };

export function toInvitation({ inviterId, inviterName, ...row }: InvitationRow): Invitation {
  return { ...row, invitedBy: inviterId === null ? undefined : { id: inviterId, name: inviterName ?? '' } };
}
