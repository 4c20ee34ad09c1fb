// The audit log, on the writer thread: entries and their removal. Pages of it are read by audit-sql.ts.
import type { DatabaseSync } from 'node:sqlite';
import { insertEntry, mergeEntry, valuesOf } from '../audit-sql.ts';
import { type PortMethods, prepareSteps, statementsOf } from './rows.ts';

const addToEntry = 'UPDATE audit_entries SET at = max(at, ?), count = count + ? WHERE id = ?';
const removeEntries = `DELETE FROM audit_entries
  WHERE id IN (SELECT id FROM audit_entries WHERE id < ? ORDER BY id LIMIT ?)`;

export function prepareAuditWrites(db: DatabaseSync) {
  const { run } = statementsOf(db);
  const { merge } = prepareSteps(db)({ merge: mergeEntry });

  return {
    recordAudit(record) {
      const { earlierId, entry } = merge(record);
      if (earlierId === undefined) run(insertEntry, ...valuesOf(entry));
      else run(addToEntry, entry.atMs, entry.count, earlierId);
    },

    purgeAudit: (before, rows) => run(removeEntries, before, rows) === rows,
  } satisfies PortMethods;
}
