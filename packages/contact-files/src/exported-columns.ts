// The columns of an export.
import { type Contact, contactFields } from '@roster/contract';
import { guardCell } from './spreadsheet-cell.ts';

/** The fields that an import reads come first. The others are informative, and an import ignores them. */
export const exportedColumns = [...contactFields, 'id', 'createdAt', 'updatedAt'] as const;

/** The cells of a contact. Raw cells are unchanged, even those that a spreadsheet would execute. */
export function exportedCells(contact: Contact, { isRaw = false } = {}): string[] {
  return exportedColumns.map((column) => (isRaw ? contact[column] : guardCell(contact[column])));
}
