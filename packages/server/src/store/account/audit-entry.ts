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
  task?: AuditTask | undefined;
}

/** An import, or an action on many contacts, whose requests share an entry. */
export interface AuditTask {
  id: string;
  /** Of the file, or the key of the attribute. */
  name: string | null;
  /** Contacts that were created and changed. The store counts them. */
  created: number;
  updated: number;
}

/** What an action leaves in the audit log. Its id is made before the first try, so that a retry is known by it. */
export interface AuditRecord {
  entry: AuditEntry;
  /** Left out: an entry of its own. */
  merge?: AuditMerge | undefined;
}

/**
 * An earlier entry of the same organization, action, actor, object, address, filter and task counts this one and takes its time. Those
 * of one task may have different addresses.
 */
export interface AuditMerge {
  /** The lowest id that the earlier entry may have. */
  from: string;
  /**
   * Of so many addresses there are entries; all further ones share an entry without an address. Left out: however many
   * there are.
   */
  addressesMax?: number | undefined;
}
