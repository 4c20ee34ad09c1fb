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
import { attributeTitle, keyInTitle, type ValueColumns } from './value-columns.ts';

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
  /** Whether to leave out the invalid cells of a row, except for name and email, instead of rejecting the row. */
  dropBadCells?: boolean;
}

/** An error in a field, or in the row as a whole. */
export interface Fault {
  field?: string;
  message: string;
}

export type RowValidation =
  | { kind: 'valid'; contact: ContactUpsert; isNameless: boolean; dropped: readonly Fault[] }
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
  const fields = inputOf(row, rules);
  const { attributes, faults: faultsOfAttributes } = attributesOf(row, rules);
  const input = { ...fields, ...attributes, ...tagsOf(row, rules) };
  const parsed = contactUpsertSchema.safeParse(input);
  if (parsed.success && faultsOfAttributes.length === 0) return valid(parsed.data as ContactUpsert, []);
  const others = (parsed.error?.issues ?? []).map(({ path, message }) => {
    const field = String(path[0]);
    return { field, message: (field === 'wid' && spreadsheetFault(fields.wid)) || message };
  });
  const faults = [...others, ...faultsOfAttributes];
  if (rules.dropBadCells && faults.every(({ field }) => isOptional(field))) {
    const rest = contactUpsertSchema.safeParse(without(input, others, rules));
    if (rest.success) return valid(rest.data as ContactUpsert, faults);
  }
  return { kind: 'invalid', faults };
}

function valid(contact: ContactUpsert, dropped: readonly Fault[]): RowValidation {
  return { kind: 'valid', contact, isNameless: contact.name === undefined, dropped };
}

/** Whether a row can do without the field. All values of attributes together are no field. */
function isOptional(field: string): boolean {
  return ['phone', 'wid', 'mid', 'tags'].includes(field) || keyInTitle(field) !== undefined;
}

/** Invalid values of attributes are not in the input. The tags that every row adds are no cell. */
function without(input: object, faults: readonly Required<Fault>[], { addedTags = [] }: RowRules): object {
  const dropped = new Set(faults.map(({ field }) => field));
  const rest = Object.fromEntries(Object.entries(input).filter(([field]) => !dropped.has(field)));
  return dropped.has('tags') && addedTags.length > 0 ? { ...rest, addTags: addedTags } : rest;
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
  const faults: Required<Fault>[] = [];
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
