// The audit log, on the writer thread: entries and their removal. Pages of it are read by audit-sql.ts.
import type { DatabaseSync } from 'node:sqlite';
import type { AuditRecord } from '../../account/account-store.ts';
import { addedBy, insertEntry, mergeEntry, valuesOf } from '../../account/audit-sql.ts';
import { type PortMethods, prepareSteps, statementsOf } from '../contacts/rows.ts';

const addToEntry = `UPDATE audit_entries
  SET at = max(at, ?), count = count + ?, created = created + ?, updated = updated + ? WHERE id = ?`;
const removeEntries = `DELETE FROM audit_entries
  WHERE id IN (SELECT id FROM audit_entries WHERE id < ? ORDER BY id LIMIT ?)`;

export function prepareAuditWrites(db: DatabaseSync) {
  const { run } = statementsOf(db);
  const { merge } = prepareSteps(db)({ merge: mergeEntry });

  const writes = {
    /** The entry is in its context, and written like that of any other write. */
    recordAudit() {},

    purgeAudit: (before, rows) => run(removeEntries, before, rows) === rows,
  } satisfies PortMethods;

  return {
    writes,
    record(record: AuditRecord): void {
      const { earlierId, entry } = merge(record);
      if (earlierId === undefined) run(insertEntry, ...valuesOf(entry));
      else run(addToEntry, ...addedBy(entry), earlierId);
    },
  };
}
