// Who does something to an account. Use cases take an action and do not know by which way it came.
import type { AuditAction } from '@roster/contract';
import type { Member } from '../store/account-store.ts';

/** A member and a secret reach what their organization has; the operator reaches everything. */
export type Actor =
  | { kind: 'member'; id: string; name: string; organizationId: string }
  | { kind: 'secret'; id: string; organizationId: string }
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

export function memberActor({ id, name, organizationId }: Pick<Member, 'id' | 'name' | 'organizationId'>): Actor {
  return { kind: 'member', id, name, organizationId };
}

/** The organization that the actor is limited to. Undefined: none. */
export function scopeOf(actor: Actor): string | undefined {
  return 'organizationId' in actor ? actor.organizationId : undefined;
}
