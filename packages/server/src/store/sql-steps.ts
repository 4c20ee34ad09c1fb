// What both engines do with tables that they have alike is written once, as steps: a generator yields one statement after
// the other, and gets what each came to. SQLite runs them at once, on the thread whose transaction it is; PostgreSQL
// awaits each. Knows no engine.
import type { Authority } from './account/account-store.ts';

export type SqlValue = string | number | bigint | null | Uint8Array;

/** Placeholders are $1, $2 and so on. One with a name is prepared once on each connection. */
export type Statement = string | { name: string; text: string };

/** Each text with its name. */
export function named<Name extends string>(texts: Record<Name, string>) {
  const statements = Object.entries<string>(texts).map(([name, text]) => [name, { name, text }]);
  return Object.fromEntries(statements) as Record<Name, { name: string; text: string }>;
}

export interface Step {
  /** A query comes to its rows, in which a NULL is undefined; a change to the number of rows that it changed. */
  kind: 'query' | 'change' | 'lock';
  statement: Statement;
  values: readonly SqlValue[];
}

export type Steps<Outcome> = Generator<Step, Outcome, unknown>;

export function* query<Row extends object>(statement: Statement, ...values: SqlValue[]): Steps<Row[]> {
  return (yield { kind: 'query', statement, values }) as Row[];
}

export function* exists(statement: Statement, ...values: SqlValue[]): Steps<boolean> {
  return (yield* query(statement, ...values)).length > 0;
}

export function* change(statement: Statement, ...values: SqlValue[]): Steps<number> {
  return (yield { kind: 'change', statement, values }) as number;
}

/** Lets other servers wait until the transaction ends. An engine without other servers leaves it out. */
export function* lock(statement: Statement, ...values: SqlValue[]): Steps<void> {
  yield { kind: 'lock', statement, values };
}

/** One caller at a time decides what concerns the whole installation, such as its first organization or an email: by a lock on one row. */
export function lockInstallation(): Steps<void> {
  return lock('SELECT FROM installation FOR UPDATE');
}

/**
 * Members, invitations and merged audit entries of an organization change one after the other: whoever counts owners
 * counts all of them.
 */
export function lockOrganization(organizationId: string): Steps<void> {
  return lock('SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE', organizationId);
}

/** Whether the authority is still there. Callers hold the organization's lock meanwhile. */
export function* isAllowed(organizationId: string, by: Authority): Steps<boolean> {
  if (by === undefined) return true;
  const owner = "SELECT id FROM members WHERE id = $1 AND organization_id = $2 AND role = 'owner'";
  const secret = 'SELECT id FROM secrets WHERE id = $1 AND organization_id = $2 AND revoked_at IS NULL';
  return yield* exists(by.kind === 'member' ? owner : secret, by.id, organizationId);
}

/** Whether there are `max` already, by a query whose one row is `count`. Left out: never. Callers hold a lock meanwhile. */
export function* isFull(max: number | undefined, statement: Statement, ...values: SqlValue[]): Steps<boolean> {
  if (max === undefined) return false;
  const [row] = yield* query<{ count: number }>(statement, ...values);
  return (row?.count ?? 0) >= max;
}

/** Methods of the port as steps, for `satisfies`. */
export type PortSteps<Port> = {
  [Name in keyof Port]?: Port[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Steps<Answer>
    : never;
};

export type AnyMethod = (...args: never[]) => Steps<unknown>;
export type Methods = Record<string, AnyMethod>;
export type OutcomeOf<Method extends AnyMethod> = ReturnType<Method> extends Steps<infer Outcome> ? Outcome : never;
