// Which column holds which field: guessed from the header, or as --map says.
import { excerpt, type Field, fold, guessColumns, type Mapping } from '@roster/contact-files';
import { contactFields } from '@roster/contract';
import { usageError } from '../failure.ts';
import { safeText } from '../terminal/safe-text.ts';

/** `--map name=Vorname --map name=Nachname --map phone=`: what is given replaces the guess for that field. */
export function mapColumns(header: readonly string[], given: readonly string[]): Mapping {
  const mapping = guessColumns(header);
  const replaced = new Map<Field, number[]>();
  for (const each of given) {
    const [, name = '', column = ''] = /^([^=]*)=(.*)$/s.exec(each) ?? [];
    const field = contactFields.find((known) => known === name.trim());
    if (field === undefined) {
      throw usageError(
        `--map takes FIELD=COLUMN, and a field is one of ${contactFields.join(', ')}; "${each}" is not.`,
      );
    }
    const columns = replaced.get(field) ?? [];
    if (column.trim() !== '') columns.push(positionOf(header, column));
    replaced.set(field, columns);
  }
  const mapped = { ...mapping, ...Object.fromEntries(replaced) };
  if (mapped.email.length === 0) {
    throw usageError(
      `No column looks like an email. Name it with --map email=COLUMN; the columns are ${listed(header)}.`,
    );
  }
  return mapped;
}

function positionOf(header: readonly string[], column: string): number {
  const exact = header.indexOf(column);
  const at = exact !== -1 ? exact : header.findIndex((each) => fold(each) === fold(column) && fold(column) !== '');
  if (at === -1) throw usageError(`There is no column "${column}". The columns are ${listed(header)}.`);
  return at;
}

const columnsShown = 30;

function listed(header: readonly string[]): string {
  const shown = header.slice(0, columnsShown).map((each) => `"${safeText(excerpt(each))}"`);
  return header.length > columnsShown
    ? `${shown.join(', ')} and ${header.length - columnsShown} more`
    : shown.join(', ');
}
