// The rows that were not taken, each with its reason, in the order of the file: to be mended and imported again. Where
// they are written is the caller's.
import type { Fault } from './contact-of-row.ts';
import type { Row } from './rows.ts';
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
  /** How lines are called: the name of the column that holds them. */
  unit: string;
  /** Cells that a spreadsheet would execute get a ' before them. */
  isGuarded: boolean;
  /** Told rows of cells; the first of the first call is the header. Not called when no row was rejected. */
  write(rows: string[][]): void;
}

/** More are written at once: a file of nothing but bad rows must not gather in memory. */
const heldMax = 10_000;

export class RejectedRows {
  readonly #options: RejectedRowsOptions;
  readonly #columns: string[];
  #held: Rejection[] = [];
  #hasHeader = false;

  constructor(options: RejectedRowsOptions) {
    this.#options = options;
    const { header, unit } = options;
    // Rejected rows that are imported again have these two columns already.
    const isOwn = header.at(-2) === unit && header.at(-1) === 'reason';
    this.#columns = isOwn ? header.slice(0, -2) : [...header];
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

  #cellsOf({ row, reason }: Rejection): string[] {
    const cells = this.#columns.map((_, at) => {
      const cell = row.cells[at];
      return typeof cell === 'string' ? cell : cell === undefined || cell === null ? '' : JSON.stringify(cell);
    });
    return [...cells, String(row.line), reason];
  }

  #write(rows: string[][]): void {
    const { unit, isGuarded, write } = this.#options;
    const all = this.#hasHeader ? rows : [[...this.#columns, unit, 'reason'], ...rows];
    this.#hasHeader = true;
    write(all.map((cells) => cells.map((cell) => (isGuarded ? guardCell(unguardCell(cell)) : cell))));
  }
}
