// An audit entry as both engines store it: the columns of its row in one order, and when an action leaves one.
import type { AuditEntry } from './account-store.ts';

export const auditColumns =
  'id, organization_id, at, action, actor_kind, actor_id, actor_name, object_id, object_name, address, count';

/** In the order of the columns. */
export type AuditRow = [
  id: string,
  organizationId: string,
  atMs: number,
  action: AuditEntry['action'],
  actorKind: AuditEntry['actor']['kind'],
  actorId: string | null,
  actorName: string,
  objectId: string | null,
  objectName: string,
  address: string | null,
  count: number,
];

export function toAuditRow(entry: AuditEntry): AuditRow {
  const { id, organizationId, atMs, action, actor, object, address = null, count } = entry;
  const { kind, id: actorId = null, name } = actor;
  const { id: objectId = null, name: objectName } = object;
  return [id, organizationId, atMs, action, kind, actorId, name, objectId, objectName, address, count];
}

function toAuditEntry(row: AuditRow): AuditEntry {
  const [id, organizationId, atMs, action, kind, actorId, name, objectId, objectName, address, count] = row;
  const actor = { kind, id: actorId ?? undefined, name };
  const object = { id: objectId ?? undefined, name: objectName };
  return { id, organizationId, atMs, action, actor, object, address: address ?? undefined, count };
}

/** One row more than asked for shows whether there is a next page. */
export function toAuditPage(rows: readonly AuditRow[], limit: number) {
  const entries = rows.slice(0, limit).map(toAuditEntry);
  return { entries, next: rows.length > limit ? entries.at(-1)?.id : undefined };
}

const refusedKinds: ReadonlySet<string> = new Set(['missing', 'email_taken', 'last_owner', 'nameless']);

/**
 * Whether a write's outcome says that nothing was done, so that it leaves no audit entry. Undefined is the outcome of
 * a write that is never refused; an engine whose own writes use undefined for a miss turns it into `false` first.
 */
export function isRefused(outcome: unknown): boolean {
  if (typeof outcome !== 'object' || outcome === null) return outcome === false;
  return 'kind' in outcome && refusedKinds.has(outcome.kind as string);
}
