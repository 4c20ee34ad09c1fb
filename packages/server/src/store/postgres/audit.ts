// The audit entry of an action, written within the action's transaction. Its id is made before the first try, so that a
// retry finds what an earlier try left: the entry itself, or the entry that it was merged into.
import type { AuditRecord } from '../account-store.ts';
import { insertEntry, mergeEntry, valuesOf } from '../audit-sql.ts';
import { lockOrganization } from '../sql-steps.ts';
import { type Connection, runSteps } from './pool.ts';

/** An entry remembers the last records that were merged into it: as many as may be in flight when connections break. */
const mergedIdsMax = 64;

const findEntry = `SELECT id FROM audit_entries WHERE organization_id = $1 AND id >= $2 AND (id = $3 OR $3 = ANY (merged_ids))`;
/** A slice that is assigned as it is crashes the coordinator of Citus 13.2: within `coalesce` it does not. */
const addToEntry = `UPDATE audit_entries SET at = greatest(at, $2), count = count + $3,
    merged_ids = coalesce((ARRAY[$4::text] || merged_ids)[1:${mergedIdsMax}], '{}')
  WHERE id = $1`;

/** To be called within a transaction. Written once, however often the transaction is tried. */
export async function writeAuditEntry(connection: Connection, audit: AuditRecord): Promise<void> {
  if (audit.merge !== undefined) {
    // Of two that come at once and are the first of their kind, the second must find the first.
    const [, isRecorded] = await Promise.all([
      runSteps(connection, lockOrganization(audit.entry.organizationId)),
      hasRecorded(connection, audit),
    ]);
    if (isRecorded) return;
  }
  const { earlierId, entry } = await runSteps(connection, mergeEntry(audit));
  if (earlierId === undefined) await connection.change(insertEntry, valuesOf(entry));
  else await connection.change(addToEntry, [earlierId, entry.atMs, entry.count, entry.id]);
}

/** Whether this very record was written before, by a try whose answer was lost. */
export async function hasRecorded(connection: Connection, { entry, merge }: AuditRecord): Promise<boolean> {
  const from = merge !== undefined && merge.from < entry.id ? merge.from : entry.id;
  return (await connection.query(findEntry, [entry.organizationId, from, entry.id])).length > 0;
}
