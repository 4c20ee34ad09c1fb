// An entry of the audit log, and how the store is given one.
import type { AuditAction } from '@roster/contract';

export interface AuditEntry {
  id: string;
  organizationId: string;
  atMs: number;
  action: AuditAction;
  actor: { kind: 'member' | 'secret' | 'operator' | 'nobody'; id: string | undefined; name: string };
  object: { id: string | undefined; name: string };
  /** Undefined: the operator, who has none, or several addresses of which none is kept. */
  address: string | undefined;
  count: number;
  /** Of contacts that were read: the names of its parameters, separated by commas. Never a value. */
  filter?: string | undefined;
}

/** What an action leaves in the audit log. Its id is made before the first try, so that a retry is known by it. */
export interface AuditRecord {
  entry: AuditEntry;
  /** Left out: an entry of its own. */
  merge?: AuditMerge | undefined;
}

/** An earlier entry of the same organization, action, actor, object, address and filter counts this one and takes its time. */
export interface AuditMerge {
  /** The lowest id that the earlier entry may have. */
  from: string;
  /**
   * Of so many addresses there are entries; all further ones share an entry without an address. Left out: however many
   * there are.
   */
  addressesMax?: number | undefined;
}
