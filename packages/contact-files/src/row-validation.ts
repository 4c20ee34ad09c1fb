// Converts a row to a contact and validates it by the contract's own schema, so that the service accepts what is valid
// here.
import type { ContactUpsert } from '@roster/client';
import { contactUpsertSchema } from '@roster/contract/contact';
import { contactFields } from '@roster/contract/names';
import type { Field, Mapping } from './columns.ts';
import type { ColumnSpan } from './rejected-columns.ts';
import type { Cell, Row } from './rows.ts';
import { unguardCell } from './spreadsheet-cell.ts';
import { spreadsheetFault } from './spreadsheet-number.ts';
import { readValueCell, splitTags } from './value-cells.ts';
import { attributeTitle, type ValueColumns } from './value-columns.ts';

export interface RowRules {
  mapping: Mapping;
  /** The columns of attributes and tags. Left out: none. */
  values?: ValueColumns;
  /** Tags that every row adds. */
  addedTags?: readonly string[];
  columns: ColumnSpan;
  /** Whether an empty cell keeps the contact's value or clears it. */
  empty: 'keep' | 'clear';
  /** Whether to remove the ' that protects a cell from being executed by a spreadsheet. */
  isGuarded: boolean;
}

/** An error in a field, or in the row as a whole. */
export interface Fault {
  field?: string;
  message: string;
}

export type RowValidation =
  | { kind: 'valid'; contact: ContactUpsert; isNameless: boolean }
  | { kind: 'blank' }
  | { kind: 'invalid'; faults: Fault[] };

/** All faults as one text: "name must not be empty; email is required". */
export function reasonOf(faults: readonly Fault[]): string {
  return faults.map(({ field, message }) => (field === undefined ? message : `${field} ${message}`)).join('; ');
}

export function validateRow(row: Row, rules: RowRules): RowValidation {
  if (row.fault !== undefined) return { kind: 'invalid', faults: [{ message: row.fault }] };
  const { from, to } = rules.columns;
  if (row.cells.slice(from).every(isEmpty)) return { kind: 'blank' };
  if (!row.cells.slice(to).every(isEmpty)) {
    const message =
      from > 0
        ? 'still has something after the last column; move it into the column where it belongs'
        : `has ${row.cells.length} cells, but the header has ${to}; put quotes around cells that contain a separator`;
    return { kind: 'invalid', faults: [{ message }] };
  }
  const input = inputOf(row, rules);
  const { attributes, faults } = attributesOf(row, rules);
  const parsed = contactUpsertSchema.safeParse({ ...input, ...attributes, ...tagsOf(row, rules) });
  if (parsed.success && faults.length === 0) {
    return { kind: 'valid', contact: parsed.data as ContactUpsert, isNameless: parsed.data.name === undefined };
  }
  const others = (parsed.error?.issues ?? []).map(({ path, message }) => {
    const field = String(path[0]);
    return { field, message: (field === 'wid' && spreadsheetFault(input.wid)) || message };
  });
  return { kind: 'invalid', faults: [...others, ...faults] };
}

/** The fields as they would be sent, before validation. */
export function inputOf({ cells }: Row, { mapping, empty, isGuarded }: RowRules): Partial<Record<Field, unknown>> {
  const input: Partial<Record<Field, unknown>> = {};
  for (const field of contactFields) {
    const given = mapping[field].map((at) => cells[at]).filter((cell) => cell !== undefined);
    if (given.length === 0) continue;
    const value = join(given, isGuarded);
    if (value !== '') input[field] = value;
    // A name cannot be cleared, so an empty cell always keeps it. An empty email is passed on, for the schema to
    // reject.
    else if (field === 'email' || (empty === 'clear' && field !== 'name')) input[field] = '';
  }
  return input;
}

/** By the types of the attributes, and what is wrong. */
function attributesOf({ cells }: Row, { values, empty, isGuarded }: RowRules) {
  const read: NonNullable<ContactUpsert['attributes']> = {};
  const faults: Fault[] = [];
  for (const { key, type, columns } of values?.attributes ?? []) {
    const given = columns.map((at) => cells[at]).filter((cell) => cell !== undefined);
    const cell = join(given, isGuarded);
    if (cell !== '') {
      const result = readValueCell(type, cell);
      if ('fault' in result) faults.push({ field: attributeTitle(key), message: result.fault });
      else read[key] = result.value;
    } else if (empty === 'clear' && given.length > 0) read[key] = null;
  }
  return { attributes: Object.keys(read).length > 0 ? { attributes: read } : {}, faults };
}

/** A cell with tags holds all tags of the contact, as one with a name holds the whole name. */
function tagsOf({ cells }: Row, rules: RowRules): { tags?: unknown[]; addTags?: readonly string[] } {
  const { values, addedTags = [], empty, isGuarded } = rules;
  const given = (values?.tags ?? []).map((at) => cells[at]).filter((cell) => cell !== undefined);
  const tags = given.flatMap((cell) => {
    if (cell === null) return [];
    return typeof cell === 'string' ? splitTags(isGuarded ? unguardCell(cell) : cell) : (cell as unknown[]);
  });
  if (tags.length > 0 || (empty === 'clear' && given.length > 0)) return { tags: [...tags, ...addedTags] };
  return addedTags.length > 0 ? { addTags: addedTags } : {};
}

/** A cell of JSON may be something else than text: it is passed on unchanged, for the schema to reject. */
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
