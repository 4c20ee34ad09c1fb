// The audit log: pages of it on the main thread, entries and their removal on the writer thread.
import type { DatabaseSync } from 'node:sqlite';
import type { AuditRecord } from '../account-store.ts';
import { type AuditRow, auditColumns, toAuditPage, toAuditRow } from '../audit-row.ts';
import { type PortMethods, statementsOf } from './rows.ts';

export function prepareAuditReads(db: DatabaseSync) {
  const page = db.prepare(
    `SELECT ${auditColumns} FROM audit_entries WHERE organization_id = ?1 AND (?2 IS NULL OR id < ?2)
     ORDER BY id DESC LIMIT ?3`,
  );
  page.setReturnArrays(true);

  return {
    listAudit: (organizationId, { before, limit }) =>
      toAuditPage(page.all(organizationId, before ?? null, limit + 1) as unknown as AuditRow[], limit),
  } satisfies PortMethods;
}

const insertEntry = `INSERT INTO audit_entries (${auditColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
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
      if (earlierId === undefined) run(insertEntry, ...toAuditRow(entry));
      else run(addToEntry, entry.atMs, entry.address ?? null, entry.count, earlierId);
    },

    purgeAudit: (before, rows) => run(removeEntries, before, rows) === rows,
  } satisfies PortMethods;
}
