// Contacts as lines of a file: CSV that a spreadsheet can open without harm, or NDJSON.
import type { Contact } from '@roster/client';
import { contactFields } from '@roster/contract';
import { stringify } from 'csv-stringify/sync';
import { guardCell } from '../spreadsheet-cell.ts';
import { safeJson } from '../terminal/safe-text.ts';

export const exportFormats = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface LineOptions {
  format: ExportFormat;
  separator: string;
  /** Leaves cells that a spreadsheet would execute as they are. */
  isRaw: boolean;
  /** For spreadsheets that take UTF-8 for something else without it. */
  hasMark: boolean;
}

/** The fields that import takes come first; the others are for the reader, and import passes them over. */
const columns = [...contactFields, 'id', 'createdAt', 'updatedAt'] as const;

export function headOf({ format, separator, hasMark }: LineOptions): string {
  return format === 'csv' ? (hasMark ? '\ufeff' : '') + stringify([columns], { delimiter: separator }) : '';
}

export function linesOf(contacts: readonly Contact[], { format, separator, isRaw }: LineOptions): string {
  if (format === 'ndjson') return contacts.map((contact) => `${safeJson(contact)}\n`).join('');
  return stringify(
    contacts.map((contact) => columns.map((column) => (isRaw ? contact[column] : guardCell(contact[column])))),
    { delimiter: separator },
  );
}
