// A contact in a transaction: as the database holds it, and as it is to be.
import { type ContactRow, valuesOfRow } from '../../contacts/row.ts';
import { noValues } from '../../values/stored-values.ts';

export interface StoredContact {
  row: ContactRow;
  emailKey: string;
}

export interface PlannedContact extends StoredContact {
  /** As the database holds it; undefined when the transaction creates it. */
  stored: StoredContact | undefined;
}

/** Whether it gains, loses or changes an attribute or a tag. */
export function hasValueChange({ stored, row }: PlannedContact): boolean {
  const before = stored === undefined ? noValues : valuesOfRow(stored.row);
  const after = valuesOfRow(row);
  return before[0] !== after[0] || before[1] !== after[1];
}
