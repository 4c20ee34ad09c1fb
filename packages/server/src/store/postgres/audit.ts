// The audit log as the port shows it. Entries of actions are written by audit-entries.ts, with the action.
import { type AuditRow, auditColumns, toAuditPage } from '../audit-row.ts';
import type { Store } from '../store.ts';
import type { Transactions } from './transactions.ts';

export function prepareAudit({ readTuples, changeRows, write }: Transactions) {
  return {
    recordAudit: (audit) => write({ audit }, function* () {}),
    async listAudit(organizationId, { before, limit }) {
      const sql = `SELECT ${auditColumns} FROM audit_entries WHERE organization_id = $1 AND ($2::text IS NULL OR id < $2)
        ORDER BY id DESC LIMIT $3`;
      return toAuditPage(await readTuples<AuditRow>(sql, [organizationId, before ?? null, limit + 1]), limit);
    },
    async purgeAudit(before, rows) {
      const sql = `DELETE FROM audit_entries WHERE id = ANY (ARRAY(
        SELECT id FROM audit_entries WHERE id < $1 ORDER BY id LIMIT $2))`;
      return (await changeRows(sql, [before, rows])) === rows;
    },
  } satisfies Partial<Store>;
}
