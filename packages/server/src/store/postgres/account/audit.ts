// The audit entry of an action, written within the action's transaction. Its id is made before the first try, so that a
// retry finds what an earlier try left: the entry itself, or the entry that it was merged into.
import type { AuditRecord } from '../../account/account-store.ts';
import { addedBy, insertEntry, mergeEntry, valuesOf } from '../../account/audit-sql.ts';
import { lockOrganization } from '../../sql-steps.ts';
import { type Connection, runSteps } from '../pool.ts';

/** An entry remembers the last records that were merged into it: as many as may be in flight when connections break. */
const mergedIdsMax = 64;

const findMerged = `SELECT id FROM audit_entries WHERE organization_id = $1 AND id >= $2 AND (id = $3 OR $3 = ANY (merged_ids))`;
/** A slice that is assigned as it is crashes the coordinator of Citus 13.2: within `coalesce` it does not. */
const addToEntry = `UPDATE audit_entries
  SET at = greatest(at, $1), count = count + $2, created = created + $3, updated = updated + $4,
    merged_ids = coalesce((ARRAY[$6::text] || merged_ids)[1:${mergedIdsMax}], '{}')
  WHERE id = $5`;

/**
 * To be called within a transaction. False, and nothing is written, when an earlier try of it has written the entry. One that
 * is still being committed is waited for, by the id of the entry or the lock of the organization.
 */
export async function writeAuditEntry(connection: Connection, audit: AuditRecord): Promise<boolean> {
  const { entry, merge } = audit;
  if (merge === undefined) return (await connection.change(insertEntry, valuesOf(entry))) > 0;
  const from = merge.from < entry.id ? merge.from : entry.id;
  // Of two that come at once and are the first of their kind, the second must find the first.
  const [, written] = await Promise.all([
    runSteps(connection, lockOrganization(entry.organizationId)),
    connection.query(findMerged, [entry.organizationId, from, entry.id]),
  ]);
  if (written.length > 0) return false;
  const { earlierId, entry: merged } = await runSteps(connection, mergeEntry(audit));
  if (earlierId === undefined) await connection.change(insertEntry, valuesOf(merged));
  else await connection.change(addToEntry, [...addedBy(merged), earlierId, merged.id]);
  return true;
}
