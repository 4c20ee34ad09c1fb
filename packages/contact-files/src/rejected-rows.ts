// The rows that were not taken, each with its reason, in the order of the file: to be mended and imported again. Where
// they are written is the caller's. A row keeps its shape: what has no column stands after the last one, and is refused
// there until somebody has put it where it belongs.
import { type Fault, isEmpty, type RowRules } from './contact-of-row.ts';
import { rejectionTitles } from './rejected-columns.ts';
import type { Cell, Row, Unit } from './rows.ts';
import { guardCell, unguardCell } from './spreadsheet-cell.ts';

export interface Rejection {
  /** Position among the rows of the file. */
  at: number;
  row: Row;
  faults: readonly Fault[];
  /** All faults in a line. */
  reason: string;
}

export interface RejectedRowsOptions {
  header: readonly string[];
  unit: Unit;
  /** By which the rows were judged. */
  rules: RowRules;
  /** Cells that a spreadsheet would execute get a ' before them. */
  isGuarded: boolean;
  /** Told rows of cells; the first of the first call is the header. Not called when no row was rejected. */
  write(rows: string[][]): void;
}

/** More are written at once: a file of nothing but bad rows must not gather in memory. */
const heldMax = 10_000;

export class RejectedRows {
  readonly #options: RejectedRowsOptions;
  readonly #taken: ReadonlySet<number>;
  #held: Rejection[] = [];
  #hasHeader = false;

  constructor(options: RejectedRowsOptions) {
    this.#options = options;
    this.#taken = new Set(Object.values(options.rules.mapping).flat());
  }

  /** Keeps the rejection until the rows before it are settled. */
  hold(rejection: Rejection): void {
    this.#held.push(rejection);
    if (this.#held.length > heldMax) this.finish();
  }

  /** Every row up to `at` is settled: what is held of them is written, with those that the server refused. */
  settle(at: number, refused: readonly Rejection[]): void {
    const isDue = (each: Rejection) => each.at <= at;
    const due = [...this.#held.filter(isDue), ...refused].sort((a, b) => a.at - b.at);
    this.#held = this.#held.filter((each) => !isDue(each));
    if (due.length > 0) this.#write(due.map((each) => this.#cellsOf(each)));
  }

  /** Writes what is still held. */
  finish(): void {
    this.settle(Number.POSITIVE_INFINITY, []);
  }

  #titles(): string[] {
    const { header, unit, rules } = this.#options;
    const { from, to } = rules.columns;
    const named = header.slice(from, to).map((title, at) => title || `column ${at + 1}`);
    return [...rejectionTitles(unit), ...named];
  }

  #cellsOf({ row, reason }: Rejection): string[] {
    const { from, to } = this.#options.rules.columns;
    const text = this.#isLossy(row) ? row.text?.() : undefined;
    // A row that ends early says nothing of the cells that it lacks, and must not say that they are empty.
    const end = text === undefined ? row.cells.findLastIndex((cell) => cell !== undefined) + 1 : to;
    const cells = Array.from({ length: Math.max(end - from, 0) }, (_, at) => {
      const cell = row.cells[from + at];
      return text !== undefined && this.#taken.has(from + at) && !isWritable(cell) ? '' : textOf(cell);
    });
    return [String(row.line), reason, ...cells, ...(text === undefined ? [] : [text])];
  }

  /**
   * Whether the cells alone would be taken for something else when they are read again: a number of JSON for text, which
   * may have lost digits, half a character for a replacement, and a line that cannot be read for a blank one.
   */
  #isLossy({ cells, fault }: Row): boolean {
    return fault !== undefined || [...this.#taken].some((at) => !isWritable(cells[at]));
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
