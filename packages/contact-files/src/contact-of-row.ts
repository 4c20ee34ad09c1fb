// A row as the contact it stands for, judged by the contract's own schema: what passes here, the service takes.
import type { ContactUpsert } from '@roster/client';
import { contactFields, contactUpsertSchema } from '@roster/contract';
import type { Field, Mapping } from './columns.ts';
import type { ColumnSpan } from './rejected-columns.ts';
import type { Cell, Row } from './rows.ts';
import { unguardCell } from './spreadsheet-cell.ts';

export interface RowRules {
  mapping: Mapping;
  columns: ColumnSpan;
  /** An empty cell keeps what the contact has, or clears it. */
  empty: 'keep' | 'clear';
  /** Whether a ' that guards a cell from spreadsheets is taken off. */
  isGuarded: boolean;
}

/** What is wrong with a field, or with the row as a whole. */
export interface Fault {
  field?: string;
  message: string;
}

export type Verdict =
  | { kind: 'valid'; contact: ContactUpsert; isNameless: boolean }
  | { kind: 'blank' }
  | { kind: 'invalid'; faults: Fault[] };

/** All of them in a line: "name must not be empty; email is required". */
export function reasonOf(faults: readonly Fault[]): string {
  return faults.map(({ field, message }) => (field === undefined ? message : `${field} ${message}`)).join('; ');
}

export function judgeRow(row: Row, rules: RowRules): Verdict {
  if (row.fault !== undefined) return { kind: 'invalid', faults: [{ message: row.fault }] };
  const { from, to } = rules.columns;
  if (row.cells.slice(from).every(isEmpty)) return { kind: 'blank' };
  if (!row.cells.slice(to).every(isEmpty)) {
    const message =
      from > 0
        ? 'still has something after the last column: put it into the column where it belongs, and leave nothing there'
        : `has ${row.cells.length} cells, but the header has ${to}: is a separator in a cell without quotes?`;
    return { kind: 'invalid', faults: [{ message }] };
  }
  const parsed = contactUpsertSchema.safeParse(inputOf(row, rules));
  if (parsed.success) {
    return { kind: 'valid', contact: parsed.data as ContactUpsert, isNameless: parsed.data.name === undefined };
  }
  return {
    kind: 'invalid',
    faults: parsed.error.issues.map(({ path, message }) => ({ field: String(path[0]), message })),
  };
}

/** What would be sent, before anything is checked. */
export function inputOf({ cells }: Row, { mapping, empty, isGuarded }: RowRules): Partial<Record<Field, unknown>> {
  const input: Partial<Record<Field, unknown>> = {};
  for (const field of contactFields) {
    const given = mapping[field].map((at) => cells[at]).filter((cell) => cell !== undefined);
    if (given.length === 0) continue;
    const value = join(given, isGuarded);
    if (value !== '') input[field] = value;
    // Names cannot be cleared, so an empty one always keeps what there is. An email must be there.
    else if (field === 'email' || (empty === 'clear' && field !== 'name')) input[field] = '';
  }
  return input;
}

/** JSON may hold what is no text: that goes to the schema as it is, which refuses it. */
function join(cells: readonly Cell[], isGuarded: boolean): unknown {
  const other = cells.find((cell) => typeof cell !== 'string' && cell !== null);
  if (other !== undefined) return other;
  return cells
    .map((cell) => (cell === null ? '' : isGuarded ? unguardCell(cell as string) : (cell as string)).trim())
    .filter((text) => text !== '')
    .join(' ');
}

export function isEmpty(cell: Cell): boolean {
  return cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === '');
}
