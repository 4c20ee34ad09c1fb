// The audit log as the port shows it. Entries of actions are written by audit-entries.ts, with the action.
import type { AccountStore } from '../account-store.ts';
import { type AuditRow, auditColumns, toAuditPage } from '../audit-row.ts';
import type { Pool } from './pool.ts';
import { readRetryMs, retrying, writeRetryMs } from './retries.ts';
import { prepareTransactions } from './transactions.ts';

export function prepareAudit(
  reads: Pool,
  writes: Pool,
): Pick<AccountStore, 'recordAudit' | 'listAudit' | 'purgeAudit'> {
  const { write } = prepareTransactions(reads, writes);

  return {
    recordAudit: (audit) => write(async () => {}, { audit }),

    async listAudit(organizationId, { before, limit }) {
      const sql = `SELECT ${auditColumns} FROM audit_entries WHERE organization_id = $1 AND ($2::text IS NULL OR id < $2)
        ORDER BY id DESC LIMIT $3`;
      const values = [organizationId, before ?? null, limit + 1];
      const read = () => reads.use((connection) => connection.tuples<AuditRow>(sql, values));
      return toAuditPage(await retrying(readRetryMs, read), limit);
    },

    async purgeAudit(before, rows) {
      const sql = `DELETE FROM audit_entries WHERE id = ANY (ARRAY(
        SELECT id FROM audit_entries WHERE id < $1 ORDER BY id LIMIT $2))`;
      return (await retrying(writeRetryMs, () => writes.change(sql, [before, rows]))) === rows;
    },
  };
}
