// What the use cases of the account are given: their parts, and the action. They do not know by which way it came.
import type { AuditAction } from '@roster/contract';
import type { makeIdSource } from '../contacts/ids.ts';
import type { Logger } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { Actor } from './actor.ts';
import type { Passwords } from './passwords.ts';
import type { Quotas } from './quotas.ts';
import type { TenantCache } from './tenant-cache.ts';

export interface AccountDeps {
  store: Store;
  /** Changes go through it, so that they are in force at once in this process. */
  tenantCache: TenantCache;
  /** Milliseconds since 1970. */
  clock: () => number;
  passwords: Passwords;
  nextId: ReturnType<typeof makeIdSource>;
  quotas: Quotas;
  logger: Logger;
  /** Where the console is, for links. */
  publicUrl: string;
}

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
