// Entries of the audit log as a CSV for spreadsheets.
import { guardCell } from '@roster/contact-files';
import type { AuditEntry } from '@roster/contract';
import Papa from 'papaparse';
import { actorOf, addressOf, describeEntry } from './describe-entry.ts';

const titles = ['Time', 'Who', 'What', 'From', 'Action', 'Actor ID', 'Object ID'];

export function csvOf(entries: readonly AuditEntry[]): Blob {
  const rows = entries.map((entry) =>
    [
      ...[entry.at, actorOf(entry) ?? '', describeEntry(entry), addressOf(entry)],
      ...[entry.action, entry.actor.id ?? '', entry.object.id ?? ''],
    ].map(guardCell),
  );
  return new Blob(['\ufeff', Papa.unparse([titles, ...rows], { newline: '\r\n' }), '\r\n'], {
    type: 'text/csv;charset=utf-8',
  });
}
