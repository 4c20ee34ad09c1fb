// Members, how their sessions begin, and one-time links, as both engines read and write them. Who may be changed or removed is
// decided by membership-rules.ts in account/, inside the transaction. A write that is refused has changed no row yet, unless
// another server came between: then the engine rolls back.

import {
  change,
  exists,
  isAllowed,
  isFull,
  lock,
  lockInstallation,
  lockOrganization,
  type PortSteps,
  query,
  type Steps,
} from '../sql-steps.ts';
import { revokeTrees } from '../tenants/tenant-sql.ts';
import {
  type AccountStore,
  type FoundLink,
  type FoundSession,
  type Invitation,
  type Joining,
  type JoinOutcome,
  type KnownMember,
  type Member,
  membershipsMax,
  type NewSession,
  type Person,
} from './account-store.ts';
import { judgeRemoval, judgeRoleChange, mayInvite } from './membership-rules.ts';
import { beginSession, endSessionsOf, sessionReads, sessionWrites } from './session-sql.ts';

const memberColumns = `members.id, members.organization_id AS "organizationId", members.name, members.email,
  members.role, members.created_at AS "createdAtMs", members.last_sign_in_at AS "lastSignInAtMs"`;

/** A member and their organization in one row: the columns of the latter begin with `organization`. */
const personColumns = `${memberColumns}, organizations.name AS "organizationName",
  organizations.created_at AS "organizationCreatedAtMs"`;

type PersonRow = Member & { organizationName: string; organizationCreatedAtMs: number };

function toPerson({ organizationName, organizationCreatedAtMs, ...member }: PersonRow): Person {
  const organization = { id: member.organizationId, name: organizationName, createdAtMs: organizationCreatedAtMs };
  return { member, organization };
}

/** Asked for with each request of the console. */
const selectSession = {
  name: 'selectSession',
  text: `SELECT ${personColumns}, sessions.created_at AS "sessionCreatedAtMs", expires_at AS "expiresAtMs",
      last_seen_at AS "lastSeenAtMs", coalesce(confirmed_at, sessions.created_at) AS "confirmedAtMs", hash,
      CASE WHEN previous_hash = $1 THEN previous_until END AS "tokenEndsAtMs"
    FROM sessions JOIN members ON members.id = sessions.member_id
      JOIN organizations ON organizations.id = members.organization_id
    WHERE token_hash = $1 OR previous_hash = $1`,
};

type SessionRow = PersonRow & Omit<FoundSession, keyof Person | 'createdAtMs'> & { sessionCreatedAtMs: number };

function toSession({ sessionCreatedAtMs: createdAtMs, ...row }: SessionRow): FoundSession {
  const { hash, expiresAtMs, lastSeenAtMs, confirmedAtMs, tokenEndsAtMs = undefined, ...person } = row;
  return { hash, createdAtMs, expiresAtMs, lastSeenAtMs, confirmedAtMs, tokenEndsAtMs, ...toPerson(person) };
}

const invitationColumns = `id, organization_id AS "organizationId", email, email_key AS "emailKey", role,
  member_id AS "inviterId", secret_id AS "secretId", invited_by AS "inviterName", created_at AS "createdAtMs", expires_at AS "expiresAtMs"`;

type InvitationRow = Omit<Invitation, 'invitedBy'> & { inviterId?: string; secretId?: string; inviterName?: string };

function toInvitation({ inviterId, secretId, inviterName: name = '', ...row }: InvitationRow): Invitation {
  if (inviterId !== undefined) return { ...row, invitedBy: { kind: 'member', id: inviterId, name } };
  return { ...row, invitedBy: secretId === undefined ? undefined : { kind: 'secret', id: secretId, name } };
}

const selectLink = `SELECT kind, organizations.id AS "organizationId", organizations.name AS "organizationName",
    members.id AS "memberId", members.name AS "memberName",
    coalesce(one_time_links.email, members.email) AS email, expires_at AS "expiresAtMs"
  FROM one_time_links JOIN organizations ON organizations.id = one_time_links.organization_id
    LEFT JOIN members ON members.id = member_id
  WHERE hash = $1 AND expires_at > $2`;

type LinkRow = Omit<FoundLink, 'member'> & { memberId: string; memberName: string };

function toLink({ memberId, memberName, ...link }: LinkRow): FoundLink {
  return { ...link, member: link.kind === 'passwordReset' ? { id: memberId, name: memberName } : undefined };
}

const setUpCode = "SELECT hash FROM one_time_links WHERE kind = 'setUp' AND hash = $1";
const anyOwner = "SELECT id FROM members WHERE role = 'owner' LIMIT 1";
const memberOfEmail = 'SELECT id FROM members WHERE email_key = $1 AND organization_id = $2';
const replaceHash = 'UPDATE members SET password_hash = $3, last_sign_in_at = $4 WHERE id = $1 AND password_hash = $2';
const removeSetUpCode = "DELETE FROM one_time_links WHERE kind = 'setUp'";
const removeLinksOf = 'DELETE FROM one_time_links WHERE member_id = $1 AND kind = $2';
const removeOldestSessions = `DELETE FROM sessions WHERE hash IN (SELECT hash FROM (
  SELECT hash, row_number() OVER (ORDER BY created_at DESC, hash DESC) AS age FROM sessions WHERE member_id = $1
) AS aged WHERE age > $2)`;

export const accountReads = {
  ...sessionReads,
  *hasOwner() {
    return yield* exists(anyOwner);
  },
  *isSetUpCode(hash) {
    return (yield* exists(setUpCode, hash)) && !(yield* exists(anyOwner));
  },
  *findMembersByEmail(emailKey, organizationId) {
    const sql = `SELECT ${memberColumns}, password_hash AS "passwordHash", organizations.name AS "organizationName"
      FROM members JOIN organizations ON organizations.id = organization_id
      WHERE email_key = $1 AND (CAST($2 AS text) IS NULL OR organization_id = $2)
      ORDER BY coalesce(last_sign_in_at, 0) DESC, members.id DESC LIMIT ${membershipsMax}`;
    return yield* query<KnownMember>(sql, emailKey, organizationId ?? null);
  },
  *listMembers(organizationId) {
    const sql = `SELECT ${memberColumns} FROM members WHERE CAST($1 AS text) IS NULL OR organization_id = $1 ORDER BY id`;
    return yield* query<Member>(sql, organizationId ?? null);
  },
  *findSession(hash) {
    return (yield* query<SessionRow>(selectSession, hash)).map(toSession)[0];
  },
  *listInvitations(organizationId, nowMs) {
    const sql = `SELECT ${invitationColumns} FROM one_time_links
      WHERE organization_id = $1 AND kind = 'invitation' AND expires_at > $2 ORDER BY id`;
    return (yield* query<InvitationRow>(sql, organizationId, nowMs)).map(toInvitation);
  },
  *findLink(hash, nowMs) {
    return (yield* query<LinkRow>(selectLink, hash, nowMs)).map(toLink)[0];
  },
} satisfies PortSteps<AccountStore>;

export const accountWrites = {
  ...sessionWrites,

  *keepSetUpCode(hash, { nowMs }) {
    yield* lockInstallation();
    if (yield* exists(anyOwner)) return false;
    yield* change(removeSetUpCode);
    yield* change("INSERT INTO one_time_links (hash, kind, created_at) VALUES ($1, 'setUp', $2)", hash, nowMs);
    return true;
  },

  *createFirstOwner({ codeHash, organizationName, email, emailKey, session, ...joining }) {
    yield* lockInstallation();
    const [organization] = yield* query<{ id: string }>('SELECT id FROM organizations ORDER BY id LIMIT 1');
    const isCode = yield* exists(setUpCode, codeHash);
    if (organization === undefined || !isCode || (yield* exists(anyOwner))) return { kind: 'missing' };
    const organizationId = organization.id;
    if (yield* exists(memberOfEmail, emailKey, organizationId)) return { kind: 'email_taken' };
    yield* change(removeSetUpCode);
    yield* change('UPDATE organizations SET name = $2 WHERE id = $1', organizationId, organizationName);
    return yield* join(joining, { organizationId, email, emailKey, role: 'owner' }, session);
  },

  *changeRole(organizationId, memberId, { role, by }) {
    const members = yield* lockMembers(organizationId, memberId);
    if (!(yield* isAllowed(organizationId, by))) return { kind: 'not_allowed' };
    const outcome = judgeRoleChange(members, memberId, role);
    if (outcome.kind !== 'done') return outcome;
    yield* change('UPDATE members SET role = $2 WHERE id = $1', memberId, role);
    if (!mayInvite(role)) yield* change(removeLinksOf, memberId, 'invitation');
    return outcome;
  },

  *removeMember(organizationId, memberId, { revokeSecretsAtMs, by }) {
    const members = yield* lockMembers(organizationId, memberId);
    if (!(yield* isAllowed(organizationId, by))) return { kind: 'not_allowed' };
    const outcome = judgeRemoval(members, memberId);
    if (outcome.kind !== 'done') return outcome;
    yield* change('DELETE FROM members WHERE id = $1', memberId);
    if (revokeSecretsAtMs !== undefined) yield* revokeTrees('creator_id = $1', memberId, revokeSecretsAtMs);
    return outcome;
  },

  *createSession(memberId, session, { passwordHash, rehashed = passwordHash, sessionsMax }) {
    const replaced = yield* change(replaceHash, memberId, passwordHash, rehashed, session.createdAtMs);
    if (replaced === 0) return false;
    yield* beginSession(memberId, session);
    if (sessionsMax !== undefined) yield* change(removeOldestSessions, memberId, sessionsMax);
    return true;
  },

  *updateMember(memberId, { name, email, emailKey, passwordHash, rehashed = passwordHash }) {
    // As in acceptInvitation: an email is unique within the organization.
    yield* lockInstallation();
    const taken = `SELECT id FROM members WHERE email_key = $1 AND id <> $2
      AND organization_id = (SELECT organization_id FROM members WHERE id = $2)`;
    if (yield* exists(taken, emailKey, memberId)) return { kind: 'email_taken' };
    const isSameEmail = yield* exists('SELECT id FROM members WHERE id = $1 AND email_key = $2', memberId, emailKey);
    if (!isSameEmail) yield* change(removeLinksOf, memberId, 'passwordReset');
    const sql = `UPDATE members SET name = $2, email = $3, email_key = $4, password_hash = $5
      WHERE id = $1 AND password_hash = $6`;
    const values = [name, email, emailKey, rehashed, passwordHash];
    if ((yield* change(sql, memberId, ...values)) === 0) return { kind: 'missing' };
    return { kind: 'done', member: (yield* findPerson(memberId)).member };
  },

  *changePassword(memberId, { from, to }, session) {
    // The member's row is locked by this, so that no session begins by the old password meanwhile.
    if ((yield* change(replaceHash, memberId, from, to, session.createdAtMs)) === 0) return false;
    yield* endSessionsOf(memberId);
    yield* change(removeLinksOf, memberId, 'passwordReset');
    yield* beginSession(memberId, session);
    return true;
  },

  *createInvitation(invitation, hash, max: number | undefined) {
    const { id, organizationId, email, emailKey, role, invitedBy, createdAtMs, expiresAtMs } = invitation;
    yield* lockOrganization(organizationId);
    if (!(yield* isAllowed(organizationId, invitedBy))) return { kind: 'not_allowed' };
    if (yield* exists(memberOfEmail, emailKey, organizationId)) return false;
    const open = `SELECT count(*) AS count FROM one_time_links
      WHERE organization_id = $1 AND kind = 'invitation' AND expires_at > $2 AND email_key <> $3`;
    if (yield* isFull(max, open, organizationId, createdAtMs, emailKey)) return { kind: 'limit_reached' };
    const earlier = "DELETE FROM one_time_links WHERE organization_id = $1 AND email_key = $2 AND kind = 'invitation'";
    yield* change(earlier, organizationId, emailKey);
    const sql = `INSERT INTO one_time_links (id, organization_id, email, email_key, role, member_id, secret_id,
        invited_by, created_at, expires_at, kind, hash)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'invitation', $11)`;
    const idOf = (kind: 'member' | 'secret') => (invitedBy?.kind === kind ? invitedBy.id : null);
    const inviter = [idOf('member'), idOf('secret'), invitedBy?.name ?? null];
    yield* change(sql, id, organizationId, email, emailKey, role, ...inviter, createdAtMs, expiresAtMs, hash);
    return true;
  },

  *revokeInvitation(organizationId, invitationId, { nowMs }) {
    const sql = `DELETE FROM one_time_links WHERE organization_id = $1 AND id = $2 AND expires_at > $3
      RETURNING ${invitationColumns}`;
    const [row] = yield* query<InvitationRow>(sql, organizationId, invitationId, nowMs);
    return row !== undefined && toInvitation(row);
  },

  *createPasswordReset(memberId, { hash, createdAtMs, expiresAtMs }) {
    yield* lock('SELECT FROM members WHERE id = $1 FOR NO KEY UPDATE', memberId);
    const find = 'SELECT organization_id AS "organizationId" FROM members WHERE id = $1';
    const [member] = yield* query<{ organizationId: string }>(find, memberId);
    if (member === undefined) return false;
    yield* change(removeLinksOf, memberId, 'passwordReset');
    const sql = `INSERT INTO one_time_links (hash, kind, organization_id, member_id, created_at, expires_at)
      VALUES ($1, 'passwordReset', $2, $3, $4, $5)`;
    yield* change(sql, hash, member.organizationId, memberId, createdAtMs, expiresAtMs);
    return true;
  },

  *acceptInvitation(hash, joining, session) {
    // Whoever else takes this email, by joining or by a change of theirs, waits until it is decided.
    yield* lockInstallation();
    // Of several callers the others wait here for the one that joins, and then find no link.
    yield* lock('SELECT FROM one_time_links WHERE hash = $1 FOR UPDATE', hash);
    const find = `SELECT ${invitationColumns} FROM one_time_links
      WHERE hash = $1 AND kind = 'invitation' AND expires_at > $2`;
    const [invitation] = yield* query<InvitationRow>(find, hash, session.createdAtMs);
    if (invitation === undefined) return { kind: 'missing' };
    const { emailKey, organizationId } = invitation;
    if (yield* exists(memberOfEmail, emailKey, organizationId)) return { kind: 'email_taken' };
    yield* change('DELETE FROM one_time_links WHERE hash = $1', hash);
    return yield* join(joining, invitation, session);
  },

  *resetPassword(hash, passwordHash, session) {
    const spend = `DELETE FROM one_time_links WHERE hash = $1 AND kind = 'passwordReset' AND expires_at > $2
      RETURNING member_id AS "memberId"`;
    const [link] = yield* query<{ memberId: string }>(spend, hash, session.createdAtMs);
    if (link === undefined) return false;
    const { memberId } = link;
    // The member's row is locked by this, so that no session begins by the old password meanwhile.
    const sql = 'UPDATE members SET password_hash = $2, last_sign_in_at = $3 WHERE id = $1';
    yield* change(sql, memberId, passwordHash, session.createdAtMs);
    yield* endSessionsOf(memberId);
    yield* beginSession(memberId, session);
    return yield* findPerson(memberId);
  },
} satisfies PortSteps<AccountStore>;

/** The member in question, if there is one, and all owners. They stay as they are until the transaction ends. */
function* lockMembers(organizationId: string, memberId: string): Steps<Member[]> {
  yield* lockOrganization(organizationId);
  const sql = `SELECT ${memberColumns} FROM members WHERE organization_id = $1 AND (id = $2 OR role = 'owner')`;
  return yield* query<Member>(sql, organizationId, memberId);
}

function* findPerson(memberId: string): Steps<Person> {
  const sql = `SELECT ${personColumns} FROM members JOIN organizations ON organizations.id = organization_id
    WHERE members.id = $1`;
  const [row] = yield* query<PersonRow>(sql, memberId);
  return toPerson(row as PersonRow);
}

/** The new member is signed in by it. */
function* join(
  { id, name, passwordHash }: Joining,
  { organizationId, email, emailKey, role }: Pick<Invitation, 'organizationId' | 'email' | 'emailKey' | 'role'>,
  session: NewSession,
): Steps<JoinOutcome> {
  const sql = `INSERT INTO members (id, organization_id, name, email, email_key, role, password_hash, created_at, last_sign_in_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT (email_key, organization_id) DO NOTHING`;
  const values = [id, organizationId, name, email, emailKey, role, passwordHash, session.createdAtMs];
  if ((yield* change(sql, ...values)) === 0) return { kind: 'email_taken' };
  yield* beginSession(id, session);
  return { kind: 'joined', ...(yield* findPerson(id)) };
}
