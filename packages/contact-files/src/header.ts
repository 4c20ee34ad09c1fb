// The header of a CSV, and the first row of a file that has none.
import { contactUpsertSchema } from '@roster/contract/contact';
import { excerpt } from './excerpt.ts';
import { unguardCell } from './spreadsheet-cell.ts';

const { email, wid } = contactUpsertSchema.shape;

/** Why a first row is not a header but a contact: no column has an email address or a phone number as its title. */
export function headerFault(header: readonly string[]): string | undefined {
  const isValue = (cell: string) => email.safeParse(cell).success || (cell !== '' && wid.safeParse(cell).success);
  const value = header.map(unguardCell).find(isValue);
  return value && `has no header: its first row holds ${excerpt(value)}.`;
}

/** The title of a column that has none. */
export const columnTitle = (at: number): string => `column ${at + 1}`;
