// The rows that were not taken, each with its reason, in the order of the file: to be mended and imported again. Made
// when the first row comes.
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { guardCell, unguardCell } from '../spreadsheet-cell.ts';
import type { Row, RowSource } from './rows.ts';

export interface Rejection {
  /** Position among the rows of the file. */
  at: number;
  row: Row;
  reason: string;
}

/** More are written at once: a file of nothing but bad rows must not gather in memory. */
const heldMax = 10_000;

export class RejectedFile {
  readonly path: string;
  readonly #columns: string[];
  readonly #unit: string;
  readonly #isGuarded: boolean;
  #held: Rejection[] = [];
  #descriptor: number | undefined;

  constructor(path: string, { header, unit }: Pick<RowSource, 'header' | 'unit'>, isGuarded: boolean) {
    this.path = path;
    this.#unit = unit;
    this.#isGuarded = isGuarded;
    // A rejected file that is imported again has these two columns already.
    const isOwn = header.at(-2) === unit && header.at(-1) === 'reason';
    this.#columns = isOwn ? header.slice(0, -2) : [...header];
  }

  /** Keeps the rejection until the rows before it are settled. */
  hold(rejection: Rejection): void {
    this.#held.push(rejection);
    if (this.#held.length > heldMax) this.settle(Number.POSITIVE_INFINITY, []);
  }

  /** Every row up to `at` is settled: what is held of them is written, with those that the server refused. */
  settle(at: number, refused: readonly Rejection[]): void {
    const isDue = (each: Rejection) => each.at <= at;
    const due = [...this.#held.filter(isDue), ...refused].sort((a, b) => a.at - b.at);
    this.#held = this.#held.filter((each) => !isDue(each));
    if (due.length > 0) this.#write(due.map((each) => this.#cellsOf(each)));
  }

  close(): void {
    this.settle(Number.POSITIVE_INFINITY, []);
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  #cellsOf({ row, reason }: Rejection): string[] {
    const cells = this.#columns.map((_, at) => {
      const cell = row.cells[at];
      return typeof cell === 'string' ? cell : cell === undefined || cell === null ? '' : JSON.stringify(cell);
    });
    return [...cells, String(row.line), reason];
  }

  #write(rows: string[][]): void {
    if (this.#descriptor === undefined) {
      // Contacts of others: for this user's eyes only.
      this.#descriptor = openSync(this.path, 'w', 0o600);
      rows = [[...this.#columns, this.#unit, 'reason'], ...rows];
    }
    const isGuarded = this.#isGuarded;
    const guarded = rows.map((cells) => cells.map((cell) => (isGuarded ? guardCell(unguardCell(cell)) : cell)));
    // Unlike a single write, this goes on until all of it is in the file.
    appendFileSync(this.#descriptor, stringify(guarded));
  }
}
