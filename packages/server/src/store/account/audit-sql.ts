// The audit log as both engines store and read it, and when an action leaves an entry.

import type { ContactOutcome } from '@roster/contract';
import type { UpsertOutcome } from '../contacts/changes.ts';
import { type PortSteps, query, type SqlValue, type Steps } from '../sql-steps.ts';
import type { AccountStore, AuditEntry, AuditRecord, AuditTask } from './account-store.ts';

export const auditColumns =
  'id, organization_id, at, action, actor_kind, actor_id, actor_name, object_id, object_name, address, count, filter, task, created, updated';

export const insertEntry = `INSERT INTO audit_entries (${auditColumns})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (id) DO NOTHING`;

/** In the order of the columns. */
export function valuesOf(entry: AuditEntry): SqlValue[] {
  const { id, organizationId, atMs, action, actor, object, address = null, count, filter = null, task } = entry;
  const who = [actor.kind, actor.id ?? null, actor.name];
  const what = [object.id ?? null, object.name, address, count, filter];
  const done = [jsonOf(task), task?.created ?? null, task?.updated ?? null];
  return [id, organizationId, atMs, action, ...who, ...what, ...done];
}

/** The same in all entries of a task. */
const jsonOf = (task: AuditTask | undefined) => (task === undefined ? null : JSON.stringify([task.id, task.name]));

/** Entries since an id about the same action of the same actor on the same object. */
const ofSameKind = `organization_id = $1 AND id >= $2 AND action = $3 AND actor_kind = $4
  AND actor_id IS NOT DISTINCT FROM $5 AND object_id IS NOT DISTINCT FROM $6`;
const selectMergeable = `SELECT id FROM audit_entries
  WHERE ${ofSameKind} AND (task IS NOT NULL OR address IS NOT DISTINCT FROM $7) AND filter IS NOT DISTINCT FROM $8
    AND task IS NOT DISTINCT FROM $9 ORDER BY id DESC LIMIT 1`;
const countAddresses = `SELECT count(*) AS addresses FROM audit_entries WHERE ${ofSameKind} AND address IS NOT NULL`;

/** What an entry adds to an earlier one. */
export const addedBy = ({ atMs, count, task }: AuditEntry) => [atMs, count, task?.created ?? 0, task?.updated ?? 0];

/** The earlier entry that counts this one, if there is any. If not, the entry to insert. */
export function* mergeEntry({
  entry,
  merge,
}: AuditRecord): Steps<{ earlierId: string | undefined; entry: AuditEntry }> {
  if (merge === undefined) return { earlierId: undefined, entry };
  const { organizationId, action, actor, object, address = null, filter = null, task } = entry;
  const kind = [organizationId, merge.from, action, actor.kind, actor.id ?? null, object.id ?? null];
  const [same] = yield* query<{ id: string }>(selectMergeable, ...kind, address, filter, jsonOf(task));
  if (same !== undefined || merge.addressesMax === undefined) return { earlierId: same?.id, entry };
  const [counted] = yield* query<{ addresses: number }>(countAddresses, ...kind);
  if ((counted?.addresses ?? 0) < merge.addressesMax) return { earlierId: undefined, entry };
  const [shared] = yield* query<{ id: string }>(selectMergeable, ...kind, null, filter, null);
  return { earlierId: shared?.id, entry: { ...entry, address: undefined } };
}

const selectEntries = `SELECT id, organization_id AS "organizationId", at AS "atMs", action, actor_kind AS "actorKind",
    actor_id AS "actorId", actor_name AS "actorName", object_id AS "objectId", object_name AS "objectName", address, count, filter,
    task, created, updated
  FROM audit_entries WHERE organization_id = $1 AND at BETWEEN $2 AND $3 AND (at < $4 OR id < $5)
    AND (CAST($6 AS text) IS NULL OR $6 IN (actor_id, actor_kind))
    AND (CAST($7 AS text) IS NULL OR $7 LIKE '%,' || action || ',%')
  ORDER BY at DESC, id DESC LIMIT $8`;

type EntryRow = Omit<AuditEntry, 'actor' | 'object' | 'task'> & {
  /** JSON. */
  task: string | undefined;
  created: number | undefined;
  updated: number | undefined;
  actorKind: AuditEntry['actor']['kind'];
  actorId: string | undefined;
  actorName: string;
  objectId: string | undefined;
  objectName: string;
};

function toEntry({ actorKind, actorId, actorName, objectId, objectName, ...rest }: EntryRow): AuditEntry {
  const { task: json, created = 0, updated = 0, ...row } = rest;
  const actor = { kind: actorKind, id: actorId, name: actorName };
  const [id, name] = json === undefined ? [] : JSON.parse(json);
  const task = json === undefined ? undefined : { id, name, created, updated };
  return { ...row, actor, object: { id: objectId, name: objectName }, task };
}

export const auditReads = {
  *listAudit(organizationId, { before, limit, actor = null, actions, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER }) {
    // Not the entry itself, which moves when it counts again.
    const [lastMs = Number.MAX_SAFE_INTEGER, lastId = ''] = before?.split('-') ?? [];
    const actionList = actions === undefined ? null : `,${actions.join()},`;
    const range = [fromMs, Math.min(toMs, Number(lastMs)), Number(lastMs), lastId];
    // One row more than asked for shows whether there is a next page.
    const rows = yield* query<EntryRow>(selectEntries, organizationId, ...range, actor, actionList, limit + 1);
    const entries = rows.slice(0, limit).map(toEntry);
    const last = entries.at(-1);
    return { entries, next: last && rows.length > limit ? `${last.atMs}-${last.id}` : undefined };
  },
} satisfies PortSteps<AccountStore>;

const refusedKinds: ReadonlySet<string> = new Set([
  'missing',
  'limit_reached',
  'email_taken',
  'precondition_failed',
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
 * a write that is never refused; one that finds nothing says `false`.
 */
export function isRefused(outcome: unknown): boolean {
  if (Array.isArray(outcome)) return !outcome.includes(true);
  if (typeof outcome !== 'object' || outcome === null) return outcome === false;
  return 'kind' in outcome && refusedKinds.has(outcome.kind as string);
}

/** What a write leaves in the audit log by its outcome, if anything. Of many it counts those that were done. */
export function recordOf(audit: AuditRecord | undefined, outcome: unknown): AuditRecord | undefined {
  if (audit === undefined || isRefused(outcome)) return undefined;
  const { entry } = audit;
  const { task } = entry;
  const withEntry = (changes: Partial<AuditEntry>) => ({ ...audit, entry: { ...entry, ...changes } });
  if (Array.isArray(outcome)) return withEntry({ count: outcome.filter((isDone) => isDone).length });
  const { ids, outcomes, count } = (outcome ?? {}) as Partial<UpsertOutcome & { kind: 'upserted'; count: number }>;
  if (count !== undefined) return count > 0 ? withEntry({ count }) : undefined;
  if (task === undefined || ids === undefined) return audit;
  // Rows of the same contact have the same outcome.
  const all = [...new Map(ids.map((id, at) => [id, outcomes?.[at]])).values()];
  const numberOf = (kind: ContactOutcome) => all.filter((each) => each === kind).length;
  return withEntry({ task: { ...task, created: numberOf('created'), updated: numberOf('updated') } });
}
