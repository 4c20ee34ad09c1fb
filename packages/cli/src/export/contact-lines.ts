// Contacts as lines of a file: CSV that a spreadsheet can open without harm, or NDJSON.
import type { Contact } from '@roster/client';
import { type ExportedValues, exportedCells, exportedTitles } from '@roster/contact-files';
import { stringify } from 'csv-stringify/sync';
import { safeJson } from '../terminal/safe-text.ts';
import type { ExportFormat } from './formats.ts';

export interface LineOptions {
  format: ExportFormat;
  separator: string;
  /** Leaves cells that a spreadsheet would execute as they are. */
  isRaw: boolean;
  /** For spreadsheets that take UTF-8 for something else without it. */
  hasMark: boolean;
  /** The columns of attributes and tags; none if left out. */
  values?: ExportedValues;
}

const noValues: ExportedValues = { hasTags: false, attributeKeys: [] };

export function headOf({ format, separator, hasMark, values = noValues }: LineOptions): string {
  return format === 'csv'
    ? (hasMark ? '\ufeff' : '') + stringify([exportedTitles(values)], { delimiter: separator })
    : '';
}

export function linesOf(contacts: readonly Contact[], { format, separator, isRaw, values }: LineOptions): string {
  if (format === 'ndjson') return contacts.map((contact) => `${safeJson(contact)}\n`).join('');
  return stringify(
    contacts.map((contact) => exportedCells(contact, { isRaw, ...values })),
    { delimiter: separator },
  );
}
