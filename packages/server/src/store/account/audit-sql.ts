// The audit log as both engines store and read it, and when an action leaves an entry.

import { type PortSteps, query, type SqlValue, type Steps } from '../sql-steps.ts';
import type { AccountStore, AuditEntry, AuditRecord } from './account-store.ts';

export const auditColumns =
  'id, organization_id, at, action, actor_kind, actor_id, actor_name, object_id, object_name, address, count, filter';

export const insertEntry = `INSERT INTO audit_entries (${auditColumns})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (id) DO NOTHING`;

/** In the order of the columns. */
export function valuesOf(entry: AuditEntry): SqlValue[] {
  const { id, organizationId, atMs, action, actor, object, address = null, count, filter = null } = entry;
  const who = [actor.kind, actor.id ?? null, actor.name];
  return [id, organizationId, atMs, action, ...who, object.id ?? null, object.name, address, count, filter];
}

/** Entries since an id about the same action of the same actor on the same object. */
const ofSameKind = `organization_id = $1 AND id >= $2 AND action = $3 AND actor_kind = $4
  AND actor_id IS NOT DISTINCT FROM $5 AND object_id IS NOT DISTINCT FROM $6`;
const selectMergeable = `SELECT id FROM audit_entries
  WHERE ${ofSameKind} AND address IS NOT DISTINCT FROM $7 AND filter IS NOT DISTINCT FROM $8 ORDER BY id DESC LIMIT 1`;
const countAddresses = `SELECT count(*) AS addresses FROM audit_entries WHERE ${ofSameKind} AND address IS NOT NULL`;

/** The earlier entry that counts this one, if there is any. If not, the entry to insert. */
export function* mergeEntry({
  entry,
  merge,
}: AuditRecord): Steps<{ earlierId: string | undefined; entry: AuditEntry }> {
  if (merge === undefined) return { earlierId: undefined, entry };
  const { organizationId, action, actor, object, address = null, filter = null } = entry;
  const kind = [organizationId, merge.from, action, actor.kind, actor.id ?? null, object.id ?? null];
  const [same] = yield* query<{ id: string }>(selectMergeable, ...kind, address, filter);
  if (same !== undefined || merge.addressesMax === undefined) return { earlierId: same?.id, entry };
  const [counted] = yield* query<{ addresses: number }>(countAddresses, ...kind);
  if ((counted?.addresses ?? 0) < merge.addressesMax) return { earlierId: undefined, entry };
  const [shared] = yield* query<{ id: string }>(selectMergeable, ...kind, null, filter);
  return { earlierId: shared?.id, entry: { ...entry, address: undefined } };
}

const selectEntries = `SELECT id, organization_id AS "organizationId", at AS "atMs", action, actor_kind AS "actorKind",
    actor_id AS "actorId", actor_name AS "actorName", object_id AS "objectId", object_name AS "objectName", address, count, filter
  FROM audit_entries WHERE organization_id = $1 AND (CAST($2 AS text) IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`;

type EntryRow = Omit<AuditEntry, 'actor' | 'object'> & {
  actorKind: AuditEntry['actor']['kind'];
  actorId: string | undefined;
  actorName: string;
  objectId: string | undefined;
  objectName: string;
};

function toEntry({ actorKind, actorId, actorName, objectId, objectName, ...row }: EntryRow): AuditEntry {
  const actor = { kind: actorKind, id: actorId, name: actorName };
  return { ...row, actor, object: { id: objectId, name: objectName } };
}

export const auditReads = {
  *listAudit(organizationId, { before = null, limit }) {
    // One row more than asked for shows whether there is a next page.
    const rows = yield* query<EntryRow>(selectEntries, organizationId, before, limit + 1);
    const entries = rows.slice(0, limit).map(toEntry);
    return { entries, next: rows.length > limit ? entries.at(-1)?.id : undefined };
  },
} satisfies PortSteps<AccountStore>;

const refusedKinds: ReadonlySet<string> = new Set([
  'missing',
  'limit_reached',
  'email_taken',
  'last_owner',
  'invalid_values',
  'invalid_items',
  'attribute_type_fixed',
  'tag_taken',
  'throttled',
  'not_allowed',
  'refused',
]);

/**
 * Whether a write's outcome says that nothing was done, so that it leaves no audit entry. Undefined is the outcome of
 * a write that is never refused; an engine whose own writes use undefined for a miss turns it into `false` first.
 */
export function isRefused(outcome: unknown): boolean {
  if (Array.isArray(outcome)) return !outcome.includes(true);
  if (typeof outcome !== 'object' || outcome === null) return outcome === false;
  return 'kind' in outcome && refusedKinds.has(outcome.kind as string);
}

/** What a write leaves in the audit log by its outcome, if anything. Of many it counts those that were done. */
export function recordOf(audit: AuditRecord | undefined, outcome: unknown): AuditRecord | undefined {
  if (audit === undefined || isRefused(outcome)) return undefined;
  if (!Array.isArray(outcome)) return audit;
  return { ...audit, entry: { ...audit.entry, count: outcome.filter((isDone) => isDone).length } };
}
