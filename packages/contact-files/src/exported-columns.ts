// The columns of an export.
import type { Contact, IncludingContact } from '@roster/contract/contact';
import { contactFields } from '@roster/contract/names';
import { guardCell } from './spreadsheet-cell.ts';
import { joinTags } from './value-cells.ts';
import { attributeTitle } from './value-columns.ts';

/** The fields that an import reads come first. The others are informative, and an import ignores them. */
export const exportedColumns = [...contactFields, 'id', 'createdAt', 'updatedAt'] as const;

/** What an export has beside them. */
export interface ExportedValues {
  hasTags: boolean;
  /** The keys of the attributes that have a column. */
  attributeKeys: readonly string[];
}

export function exportedTitles({ hasTags, attributeKeys }: ExportedValues): string[] {
  return [...exportedColumns, ...(hasTags ? ['tags'] : []), ...attributeKeys.map(attributeTitle)];
}

/** The cells of a contact. Raw cells are unchanged, even those that a spreadsheet would execute. */
export function exportedCells(
  contact: Contact & Pick<IncludingContact, 'attributes' | 'tags'>,
  { isRaw = false, hasTags = false, attributeKeys = [] }: Partial<ExportedValues> & { isRaw?: boolean } = {},
): string[] {
  const { attributes = {}, tags = [] } = contact;
  const cells = [
    ...exportedColumns.map((column) => contact[column]),
    ...(hasTags ? [joinTags(tags)] : []),
    ...attributeKeys.map((key) => String(attributes[key] ?? '')),
  ];
  return isRaw ? cells : cells.map(guardCell);
}
