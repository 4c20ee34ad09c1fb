// The audit log as the port shows it. Entries of actions are written by audit-entries.ts, with the action.
import { auditReads } from '../audit-sql.ts';
import type { Store } from '../store.ts';
import type { Transactions } from './transactions.ts';

export function prepareAudit({ readMethods, changeRows, write }: Transactions) {
  return {
    ...readMethods(auditReads),
    recordAudit: (audit) => write(audit, function* () {}),
    async purgeAudit(before, rows) {
      const sql = `DELETE FROM audit_entries WHERE id = ANY (ARRAY(
        SELECT id FROM audit_entries WHERE id < $1 ORDER BY id LIMIT $2))`;
      return (await changeRows(sql, [before, rows])) === rows;
    },
  } satisfies Partial<Store>;
}
