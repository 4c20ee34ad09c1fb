// The columns of an export.
import { type Contact, contactFields } from '@roster/contract';
import { guardCell } from './spreadsheet-cell.ts';

/** The fields that import takes come first; the others are for the reader, and import passes them over. */
export const exportedColumns = [...contactFields, 'id', 'createdAt', 'updatedAt'] as const;

/** A contact as the cells of a row. Raw cells are as they are, also those that a spreadsheet would execute. */
export function exportedCells(contact: Contact, { isRaw = false } = {}): string[] {
  return exportedColumns.map((column) => (isRaw ? contact[column] : guardCell(contact[column])));
}
