// Members as rows, and what members and links have in common: somebody joins, and a session begins.
import { type PersonRow, personColumns, toPerson } from '../account-row.ts';
import type { Invitation, Joining, JoinOutcome, NewSession, Person } from '../account-store.ts';
import type { Connection } from './pool.ts';

export async function findPerson(connection: Connection, memberId: string): Promise<Person> {
  const sql = `SELECT ${personColumns} FROM members JOIN organizations ON organizations.id = organization_id
    WHERE members.id = $1`;
  const [row] = await connection.query<PersonRow>(sql, [memberId]);
  return toPerson(row as PersonRow);
}

export async function beginSession(connection: Connection, memberId: string, session: NewSession): Promise<void> {
  const { hash, createdAtMs, expiresAtMs } = session;
  const sql = `INSERT INTO sessions (hash, member_id, created_at, expires_at, last_seen_at) VALUES ($1, $2, $3, $4, $3)
    ON CONFLICT (hash) DO NOTHING`;
  await connection.change(sql, [hash, memberId, createdAtMs, expiresAtMs]);
}

/** No two calls share a session: one that is there was begun by an earlier try of the same call. */
export function ownSession({ hash }: NewSession) {
  return { sql: 'SELECT member_id FROM sessions WHERE hash = $1', values: [hash] };
}

/** To be called within a transaction, which is rolled back when the email is taken. Who joins is signed in. */
export async function join(
  connection: Connection,
  { id, name, passwordHash }: Joining,
  { organizationId, email, emailKey, role }: Pick<Invitation, 'organizationId' | 'email' | 'emailKey' | 'role'>,
  session: NewSession,
): Promise<JoinOutcome> {
  const sql = `INSERT INTO members (id, organization_id, name, email, email_key, role, password_hash, created_at, last_sign_in_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT (email_key) DO NOTHING`;
  const values = [id, organizationId, name, email, emailKey, role, passwordHash, session.createdAtMs];
  if ((await connection.change(sql, values)) === 0) return { kind: 'email_taken' };
  await beginSession(connection, id, session);
  return { kind: 'joined', ...(await findPerson(connection, id)) };
}
