// Members, sessions, attempts to sign in, one-time links and the audit log: the steps that both engines share, each write as a transaction.
// The entry that an action leaves in the audit log is written by audit.ts.
import { accountReads, accountWrites } from '../../account/account-sql.ts';
import { attemptWrites } from '../../account/attempt-sql.ts';
import { auditReads } from '../../account/audit-sql.ts';
import { purgingReads, purgingWrites } from '../../purge-sql.ts';
import type { Store } from '../../store.ts';
import type { Transactions } from '../transactions.ts';

export function prepareAccount({ readMethods, changeRows, write, writeMethods }: Transactions) {
  return {
    ...readMethods({ ...accountReads, ...auditReads }),
    ...readMethods(purgingReads('(extract(epoch FROM clock_timestamp()) * 1000)::bigint')),
    ...writeMethods({ ...accountWrites, ...attemptWrites, ...purgingWrites }),

    recordAudit: ({ audit }) => write(audit, function* () {}),
    async purgeAudit(before, rows) {
      const sql = `DELETE FROM audit_entries WHERE id = ANY (ARRAY(
        SELECT id FROM audit_entries WHERE id < $1 ORDER BY id LIMIT $2))`;
      return (await changeRows(sql, [before, rows])) === rows;
    },
  } satisfies Partial<Store>;
}
