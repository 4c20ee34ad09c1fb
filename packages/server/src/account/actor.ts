// Who does something to an account. Use cases take an action and do not know by which way it came.
import type { AuditAction } from '@roster/contract';

export type Actor =
  | { kind: 'member'; id: string; name: string }
  | { kind: 'secret'; id: string }
  | { kind: 'operator' }
  /** Before sign-in. */
  | { kind: 'anonymous' };

export interface Action {
  actor: Actor;
  /** The IP address of the actor. Undefined: the operator, who has none. */
  address: string | undefined;
  /** What the operation writes into the audit log. Undefined: nothing. */
  audit: AuditAction | undefined;
  /** What it writes there when a password is wrong. */
  refusalAudit?: AuditAction | undefined;
}

/** On the account of one organization, and on nothing of another. */
export interface AccountAction extends Action {
  organizationId: string;
}
