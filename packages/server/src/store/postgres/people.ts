// Members as rows, and what members and links have in common: somebody joins, and a session begins.
import type { Role } from '@roster/contract';
import type { Joining, JoinOutcome, Member, NewSession, Person } from '../account-store.ts';
import type { Connection, Row } from './connections.ts';
import { Undone } from './small-tables.ts';

export const memberColumns = `members.id, members.organization_id, members.name, members.email, members.role,
  members.created_at, members.last_sign_in_at`;
export const personColumns = `${memberColumns}, organizations.name, organizations.created_at`;

export function toMember([id, organizationId, name, email, role, createdAtMs, lastSignInAtMs]: Row): Member {
  return { id, organizationId, name, email, role, createdAtMs, lastSignInAtMs: lastSignInAtMs ?? undefined };
}

export function toPerson(row: Row): Person {
  const [organizationName, createdAtMs] = row.slice(7);
  const member = toMember(row);
  return { member, organization: { id: member.organizationId, name: organizationName, createdAtMs } };
}

export async function findPerson(connection: Connection, memberId: string): Promise<Person> {
  const sql = `SELECT ${personColumns} FROM members JOIN organizations ON organizations.id = organization_id
    WHERE members.id = $1`;
  const [row] = await connection.query(sql, [memberId]);
  return toPerson(row as Row);
}

export async function beginSession(connection: Connection, memberId: string, session: NewSession): Promise<void> {
  const { hash, createdAtMs, expiresAtMs } = session;
  const sql = `INSERT INTO sessions (hash, member_id, created_at, expires_at, last_seen_at) VALUES ($1, $2, $3, $4, $3)`;
  await connection.change(sql, [hash, memberId, createdAtMs, expiresAtMs]);
}

/** Whom the session belongs to, if it has begun: then a try whose answer was lost did all that it should. */
export async function findBegun(connection: Connection, session: NewSession): Promise<Person | undefined> {
  const [row] = await connection.query('SELECT member_id FROM sessions WHERE hash = $1', [session.hash]);
  return row && findPerson(connection, row[0]);
}

export interface Place {
  organizationId: string;
  email: string;
  emailKey: string;
  role: Role;
}

/** Within a transaction, which is undone when the email is taken. Who joins is signed in. */
export async function join(
  connection: Connection,
  { id, name, passwordHash }: Joining,
  { organizationId, email, emailKey, role }: Place,
  session: NewSession,
): Promise<JoinOutcome> {
  const sql = `INSERT INTO members (id, organization_id, name, email, email_key, role, password_hash, created_at, last_sign_in_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT (email_key) DO NOTHING`;
  const values = [id, organizationId, name, email, emailKey, role, passwordHash, session.createdAtMs];
  if ((await connection.change(sql, values)) === 0) throw new Undone<JoinOutcome>({ kind: 'email_taken' });
  await beginSession(connection, id, session);
  return { kind: 'joined', ...(await findPerson(connection, id)) };
}

/** Members and invitations of an organization change one after the other: whoever counts owners counts all of them. */
export async function lockOrganization(connection: Connection, organizationId: string): Promise<void> {
  await connection.query('SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE', [organizationId]);
}
