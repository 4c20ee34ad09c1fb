// The rejected rows of an import, each with its reason, in the order of the file: a user can correct and import them
// again. A row keeps its shape: cells without a column follow the last column, and are rejected again until they are
// moved. Does not know where the rows are written to.
import { columnTitle } from './header.ts';
import { rejectionTitles } from './rejected-columns.ts';
import { type Fault, isEmpty, type RowRules } from './row-validation.ts';
import type { Cell, Row, Unit } from './rows.ts';
import { guardCell, unguardCell } from './spreadsheet-cell.ts';
import { textOfValueCell } from './value-cells.ts';

export interface Rejection {
  /** Position among the rows of the file. */
  at: number;
  row: Row;
  faults: readonly Fault[];
  /** All faults as one text. */
  reason: string;
}

export interface RejectedRowsOptions {
  header: readonly string[];
  unit: Unit;
  /** The rules by which the rows were validated. */
  rules: RowRules;
  /** Whether cells that a spreadsheet would execute get a leading '. */
  isGuarded: boolean;
  /** Receives rows of cells; the first row of the first call is the header. Not called when no row was rejected. */
  write(rows: string[][]): void;
}

/** Beyond this number they are written out of order, so that a file of invalid rows does not accumulate in memory. */
const heldMax = 10_000;

export class RejectedRows {
  readonly #options: RejectedRowsOptions;
  /** The columns of fields, and those of attributes and tags. */
  readonly #fields: ReadonlySet<number>;
  readonly #values: ReadonlySet<number>;
  #held: Rejection[] = [];
  #hasHeader = false;

  constructor(options: RejectedRowsOptions) {
    this.#options = options;
    const { mapping, values } = options.rules;
    this.#fields = new Set(Object.values(mapping).flat());
    this.#values = new Set(values && [...values.tags, ...values.attributes.flatMap(({ columns }) => columns)]);
  }

  /** Keeps the rejection until the rows before it are settled. */
  hold(rejection: Rejection): void {
    this.#held.push(rejection);
    if (this.#held.length > heldMax) this.finish();
  }

  /** Every row up to `at` is settled: writes the held rejections among them, merged with those of the server. */
  settle(at: number, refused: readonly Rejection[]): void {
    const isDue = (each: Rejection) => each.at <= at;
    const due = [...this.#held.filter(isDue), ...refused].sort((a, b) => a.at - b.at);
    this.#held = this.#held.filter((each) => !isDue(each));
    if (due.length > 0) this.#write(due.map((each) => this.#cellsOf(each)));
  }

  /** Writes all held rejections. */
  finish(): void {
    this.settle(Number.POSITIVE_INFINITY, []);
  }

  #titles(): string[] {
    const { header, unit, rules } = this.#options;
    const { from, to } = rules.columns;
    const named = header.slice(from, to).map((title, at) => title || columnTitle(at));
    return [...rejectionTitles(unit), ...named];
  }

  #cellsOf({ row, reason }: Rejection): string[] {
    const { from, to } = this.#options.rules.columns;
    const text = this.#isLossy(row) ? row.text?.() : undefined;
    // A row that ends early stays short: a missing cell keeps the contact's value, and an empty one may clear it.
    const end = text === undefined ? row.cells.findLastIndex((cell) => cell !== undefined) + 1 : to;
    const cells = Array.from({ length: Math.max(end - from, 0) }, (_, at) => {
      const cell = this.#written(row.cells, from + at);
      const isTaken = this.#fields.has(from + at) || this.#values.has(from + at);
      return text !== undefined && isTaken && !isWritable(cell) ? '' : textOf(cell);
    });
    return [String(row.line), reason, ...cells, ...(text === undefined ? [] : [text])];
  }

  /**
   * Whether the cells alone would be read back as something else: a JSON number as text, perhaps without all its
   * digits, half a surrogate pair as a replacement character, and an unreadable line as a blank one.
   */
  #isLossy({ cells, fault }: Row): boolean {
    const isLost = (at: number) => !isWritable(this.#written(cells, at));
    return fault !== undefined || [...this.#fields, ...this.#values].some(isLost);
  }

  /** A number in the column of an attribute, and a list in that of tags, are text that an import reads as the same. */
  #written(cells: readonly Cell[], at: number): Cell {
    const cell = cells[at];
    return (this.#values.has(at) ? textOfValueCell(cell) : undefined) ?? cell;
  }

  #write(rows: string[][]): void {
    const { rules, isGuarded, write } = this.#options;
    const all = this.#hasHeader ? rows : [this.#titles(), ...rows];
    this.#hasHeader = true;
    const bare = (cell: string) => (rules.isGuarded ? unguardCell(cell) : cell);
    write(all.map((cells) => cells.map((cell) => (isGuarded ? guardCell(bare(cell)) : cell))));
  }
}

function isWritable(cell: Cell): boolean {
  return isEmpty(cell) || (typeof cell === 'string' && cell.isWellFormed() && !cell.includes('\0'));
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : isEmpty(cell) ? '' : JSON.stringify(cell);
}
