// The audit log, on the writer thread: entries and their removal. Pages of it are read by audit-sql.ts.
import type { DatabaseSync } from 'node:sqlite';
import type { AuditRecord } from '../account-store.ts';
import { insertEntry, valuesOf } from '../audit-sql.ts';
import { type PortMethods, statementsOf } from './rows.ts';

const selectMergeable = `SELECT id FROM audit_entries
  WHERE organization_id = ? AND id >= ? AND action = ? AND actor_kind = ? AND actor_id IS ? AND object_id IS ?
    AND (address IS ? OR ?)
  ORDER BY id DESC LIMIT 1`;
const addToEntry = 'UPDATE audit_entries SET at = max(at, ?), address = ?, count = count + ? WHERE id = ?';
const removeEntries = `DELETE FROM audit_entries
  WHERE id IN (SELECT id FROM audit_entries WHERE id < ? ORDER BY id LIMIT ?)`;

export function prepareAuditWrites(db: DatabaseSync) {
  const { find, run } = statementsOf(db);

  const findMergeable = ({ entry, merge }: AuditRecord): string | undefined => {
    if (merge === undefined) return undefined;
    const { organizationId, action, actor, object, address = null } = entry;
    const same = [organizationId, merge.from, action, actor.kind, actor.id ?? null, object.id ?? null, address];
    return find<{ id: string }>(selectMergeable, ...same, merge.isAcrossAddresses ? 1 : 0)?.id;
  };

  return {
    recordAudit(record) {
      const { entry } = record;
      const earlierId = findMergeable(record);
      if (earlierId === undefined) run(insertEntry, ...valuesOf(entry));
      else run(addToEntry, entry.atMs, entry.address ?? null, entry.count, earlierId);
    },

    purgeAudit: (before, rows) => run(removeEntries, before, rows) === rows,
  } satisfies PortMethods;
}
