// A contact in a transaction: as the database holds it, and as it is to be. What an index is to learn of its change is here.
import { type ContactRow, documentOfRow, valuesOfRow } from '../../contacts/row.ts';
import { noValues, type StoredValues } from '../../values/stored-values.ts';

export interface StoredContact {
  row: ContactRow;
  emailKey: string;
}

export interface PlannedContact extends StoredContact {
  /** As the database holds it; undefined when the transaction creates it. */
  stored: StoredContact | undefined;
}

/** What happens to its attributes and tags. Undefined: nothing. */
export function valueChangeOf({
  stored,
  row,
}: PlannedContact): { before: StoredValues; after: StoredValues } | undefined {
  const before = stored === undefined ? noValues : valuesOfRow(stored.row);
  const after = valuesOfRow(row);
  return before[0] === after[0] && before[1] === after[1] ? undefined : { before, after };
}

const documents = new WeakMap<ContactRow, string>();

/** The text that searches look through, made once for each row. */
export function documentOf(row: ContactRow): string {
  let text = documents.get(row);
  if (text === undefined) {
    text = documentOfRow(row);
    documents.set(row, text);
  }
  return text;
}
