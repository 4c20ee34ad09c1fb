// The audit entry of an action, written within the action's transaction. Its id is made before the first try, so that a
// retry finds what an earlier try left: the entry itself, or the entry that it was merged into.
import type { AuditRecord } from '../account-store.ts';
import { insertEntry, valuesOf } from '../audit-sql.ts';
import { lockOrganization } from '../sql-steps.ts';
import { type Connection, runSteps } from './pool.ts';

/** An entry remembers the last records that were merged into it: as many as may be in flight when connections break. */
const mergedIdsMax = 64;

const findEntry = `SELECT id FROM audit_entries WHERE organization_id = $1 AND id >= $2 AND (id = $3 OR $3 = ANY (merged_ids))`;
const mergeIntoEntry = `UPDATE audit_entries SET at = greatest(at, $7), address = $8, count = count + $9,
    merged_ids = (ARRAY[$11::text] || merged_ids)[1:${mergedIdsMax}]
  WHERE id = (
    SELECT id FROM audit_entries
    WHERE organization_id = $1 AND id >= $2 AND action = $3 AND actor_kind = $4
      AND actor_id IS NOT DISTINCT FROM $5 AND object_id IS NOT DISTINCT FROM $6
      AND (address IS NOT DISTINCT FROM $8 OR $10::boolean)
    ORDER BY id DESC LIMIT 1)`;

/** To be called within a transaction. Written once, however often the transaction is tried. */
export async function writeAuditEntry(connection: Connection, audit: AuditRecord): Promise<void> {
  const { entry, merge } = audit;
  if (merge !== undefined) {
    const { id, organizationId, atMs, action, actor, object, address = null, count } = entry;
    // Of two that come at once and are the first of their kind, the second must find the first.
    const [, isRecorded] = await Promise.all([
      runSteps(connection, lockOrganization(organizationId)),
      hasRecorded(connection, audit),
    ]);
    if (isRecorded) return;
    const key = [organizationId, merge.from, action, actor.kind, actor.id ?? null, object.id ?? null];
    const counted = [atMs, address, count, merge.isAcrossAddresses, id];
    const merged = await connection.change(mergeIntoEntry, [...key, ...counted]);
    if (merged > 0) return;
  }
  await connection.change(insertEntry, valuesOf(entry));
}

/** Whether this very record was written before, by a try whose answer was lost. */
export async function hasRecorded(connection: Connection, { entry, merge }: AuditRecord): Promise<boolean> {
  const from = merge !== undefined && merge.from < entry.id ? merge.from : entry.id;
  return (await connection.query(findEntry, [entry.organizationId, from, entry.id])).length > 0;
}
