// Reads of members, sessions and one-time links, on the main thread: each is a few rows by an index.
import type { DatabaseSync } from 'node:sqlite';
import type { FoundLink, FoundSession, Invitation, KnownMember, Member } from '../account-store.ts';
import {
  type InvitationRow,
  invitationColumns,
  memberColumns,
  personColumns,
  type SessionRow,
  toInvitation,
  toKnownMember,
  toMember,
  toSession,
} from './account-rows.ts';
import type { Nullable } from './nullable.ts';
import type { Snapshot } from './snapshot.ts';

export function prepareAccountReads(db: DatabaseSync, { read }: Snapshot) {
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
    hasOwner: (): boolean =>
      read(() => {
        return anyOwner.get() !== undefined;
      }),

    findMemberByEmail: (emailKey: string): KnownMember | undefined =>
      read(() => {
        const row = memberByEmail.get(emailKey) as Nullable<KnownMember> | undefined;
        return row && toKnownMember(row);
      }),

    listMembers: (organizationId: string | undefined): Member[] =>
      read(() => {
        return (members.all(organizationId ?? null) as unknown as Nullable<Member>[]).map(toMember);
      }),

    findSession: (hash: Uint8Array): FoundSession | undefined =>
      read(() => {
        const row = sessionByHash.get(hash) as SessionRow | undefined;
        return row && toSession(row);
      }),

    listInvitations: (organizationId: string, nowMs: number): Invitation[] =>
      read(() => {
        return (invitations.all(organizationId, nowMs) as unknown as InvitationRow[]).map(toInvitation);
      }),

    findLink: (hash: Uint8Array, nowMs: number): FoundLink | undefined =>
      read(() => {
        const row = linkByHash.get(hash, nowMs) as
          | (Omit<FoundLink, 'member'> & { memberId: string; memberName: string })
          | undefined;
        if (row === undefined) return undefined;
        const { memberId, memberName, ...link } = row;
        return { ...link, member: link.kind === 'passwordReset' ? { id: memberId, name: memberName } : undefined };
      }),
  };
}
