// The audit log.
import type { AccountStore } from '../account-store.ts';
import { type AuditRow, auditColumns, toAuditPage, toAuditRow } from '../audit-row.ts';
import { type Pool, retrying, writeRetryMs } from './connections.ts';
import { lockOrganization } from './people.ts';
import { inTransaction, smallTables } from './small-tables.ts';

const insertEntry = `INSERT INTO audit_entries (${auditColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  ON CONFLICT (id) DO NOTHING`;
const addToEntry = `UPDATE audit_entries SET at = greatest(at, $7), address = $8, count = count + $9
  WHERE id = (
    SELECT id FROM audit_entries
    WHERE organization_id = $1 AND id >= $2 AND action = $3 AND actor_kind = $4
      AND actor_id IS NOT DISTINCT FROM $5 AND object_id IS NOT DISTINCT FROM $6
      AND (address IS NOT DISTINCT FROM $8 OR $10::boolean)
    ORDER BY id DESC LIMIT 1)`;

export function prepareAudit(
  reads: Pool,
  writes: Pool,
): Pick<AccountStore, 'recordAudit' | 'listAudit' | 'purgeAudit'> {
  const { read, write } = smallTables(reads, writes);

  return {
    async recordAudit({ entry, merge }) {
      const row = toAuditRow(entry);
      if (merge === undefined) {
        await write((connection) => connection.change(insertEntry, row));
        return;
      }
      const [, organizationId, atMs, action, actorKind, actorId, , objectId, , address, count] = row;
      const { from, isAcrossAddresses } = merge;
      const added = [
        organizationId,
        from,
        action,
        actorKind,
        actorId,
        objectId,
        atMs,
        address,
        count,
        isAcrossAddresses,
      ];
      await write((connection) =>
        inTransaction(connection, async () => {
          // Two that come at once must not both find nothing to be counted with.
          await lockOrganization(connection, organizationId);
          if ((await connection.change(addToEntry, added)) === 0) await connection.change(insertEntry, row);
        }),
      );
    },

    async listAudit(organizationId, { before, limit }) {
      const sql = `SELECT ${auditColumns} FROM audit_entries WHERE organization_id = $1 AND ($2::text IS NULL OR id < $2)
        ORDER BY id DESC LIMIT $3`;
      return toAuditPage((await read(sql, [organizationId, before ?? null, limit + 1])) as AuditRow[], limit);
    },

    async purgeAudit(before, rows) {
      const sql = `DELETE FROM audit_entries WHERE id = ANY (ARRAY(
        SELECT id FROM audit_entries WHERE id < $1 ORDER BY id LIMIT $2))`;
      return (await retrying(writeRetryMs, () => writes.change(sql, [before, rows]))) === rows;
    },
  };
}
