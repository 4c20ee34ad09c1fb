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
  /** Whether there is a column of when each was last seen, which only members may read. */
  hasLastSeen?: boolean;
  hasTags: boolean;
  /** The keys of the attributes that have a column. */
  attributeKeys: readonly string[];
}

export function exportedTitles({ hasLastSeen = false, hasTags, attributeKeys }: ExportedValues): string[] {
  return [
    ...exportedColumns,
    ...(hasLastSeen ? ['lastSeenAt'] : []),
    ...(hasTags ? ['tags'] : []),
    ...attributeKeys.map(attributeTitle),
  ];
}

/** The cells of a contact. Raw cells are unchanged, even those that a spreadsheet would execute. */
export function exportedCells(
  contact: Contact & Pick<IncludingContact, 'attributes' | 'tags' | 'lastSeenAt'>,
  {
    isRaw = false,
    hasLastSeen = false,
    hasTags = false,
    attributeKeys = [],
  }: Partial<ExportedValues> & { isRaw?: boolean } = {},
): string[] {
  const { attributes = {}, tags = [], lastSeenAt } = contact;
  const cells = [
    ...exportedColumns.map((column) => contact[column]),
    ...(hasLastSeen ? [lastSeenAt ?? ''] : []),
    ...(hasTags ? [joinTags(tags)] : []),
    ...attributeKeys.map((key) => String(attributes[key] ?? '')),
  ];
  return isRaw ? cells : cells.map(guardCell);
}
