// Writes that wait, in a line for each bot or other thing that they change. Writes in one line keep their order. Lines
// take turns, and when all is full the longest gives way: whoever floods waits for itself, and others are let in.
import { StoreUnavailableError } from './store.ts';

export interface WaitingWrite {
  rows: number;
  reject(error: unknown): void;
}

interface Line<Write> {
  writes: Write[];
  rows: number;
}

export class WriteQueue<Write extends WaitingWrite> {
  readonly #rowsMax: number;
  /** The line whose turn is next stands first. */
  readonly #lines = new Map<string, Line<Write>>();
  #waiting = 0;
  #waitingRows = 0;
  #takenRows = 0;

  /** `rowsMax`: that may wait or be under way, of all lines together. */
  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax;
  }

  /** Writes that wait. */
  get length(): number {
    return this.#waiting;
  }

  /** Of those that wait and those that were taken and are not done. */
  get rows(): number {
    return this.#waitingRows + this.#takenRows;
  }

  get takenRows(): number {
    return this.#takenRows;
  }

  /** Rejects the write when there is no room for it. */
  add(name: string, write: Write): void {
    const line = this.#lines.get(name);
    if (!this.#makeRoom(line?.rows ?? 0, write.rows)) {
      write.reject(noRoom());
      return;
    }
    this.#waiting++;
    this.#waitingRows += write.rows;
    if (line === undefined) {
      this.#lines.set(name, { writes: [write], rows: write.rows });
      return;
    }
    line.writes.push(write);
    line.rows += write.rows;
  }

  /** One from each line in turn, up to so many writes, until they have so many rows or more. */
  take(limits: { writes: number; rows: number }): Write[] {
    const taken: Write[] = [];
    let rows = 0;
    for (const [name, line] of this.#lines) {
      if (taken.length === limits.writes || rows >= limits.rows) break;
      const write = this.#takeFirst(line);
      taken.push(write);
      rows += write.rows;
      // To the end, where this walk comes by again.
      this.#lines.delete(name);
      if (line.writes.length > 0) this.#lines.set(name, line);
    }
    return taken;
  }

  /** From one line: those that have up to so many rows together, but one at least. */
  takeFrom(name: string, rowsMax: number): Write[] {
    const line = this.#lines.get(name) ?? { writes: [], rows: 0 };
    const taken: Write[] = [];
    let rows = 0;
    for (let next = line.writes[0]; next !== undefined; next = line.writes[0]) {
      rows += next.rows;
      if (taken.length > 0 && rows > rowsMax) break;
      taken.push(this.#takeFirst(line));
    }
    if (line.writes.length === 0) this.#lines.delete(name);
    return taken;
  }

  /** For those that were taken and not begun: they are the next to be taken from their line. */
  putBack(name: string, taken: readonly Write[]): void {
    if (taken.length === 0) return;
    const line = this.#lines.get(name) ?? { writes: [], rows: 0 };
    const rows = taken.reduce((sum, write) => sum + write.rows, 0);
    this.#lines.set(name, { writes: [...taken, ...line.writes], rows: rows + line.rows });
    this.#waiting += taken.length;
    this.#waitingRows += rows;
    this.#takenRows -= rows;
  }

  /** What was taken is done with. */
  end({ rows }: Write): void {
    this.#takenRows -= rows;
  }

  #takeFirst(line: Line<Write>): Write {
    const write = line.writes.shift() as Write;
    line.rows -= write.rows;
    this.#waiting--;
    this.#waitingRows -= write.rows;
    this.#takenRows += write.rows;
    return write;
  }

  /**
   * The longest of the lines gives way to one that stays shorter, by what came last. What is under way cannot. Nobody is
   * refused for nothing: if there would be no room all the same, all stay.
   */
  #makeRoom(ownRows: number, rows: number): boolean {
    const missing = this.rows + rows - this.#rowsMax;
    if (missing <= 0) return true;
    const lines = Array.from(this.#lines);
    const [name, longest] = lines.reduce((a, b) => (b[1].rows > a[1].rows ? b : a), ['', { writes: [], rows: 0 }]);
    let [leaving, leavingRows] = [0, 0];
    while (leavingRows < missing && leaving < longest.writes.length) {
      leaving++;
      leavingRows += longest.writes.at(-leaving)?.rows ?? 0;
    }
    if (leavingRows < missing || longest.rows - leavingRows < ownRows + rows) return false;
    longest.rows -= leavingRows;
    this.#waiting -= leaving;
    this.#waitingRows -= leavingRows;
    for (const { reject } of longest.writes.splice(-leaving)) reject(noRoom());
    if (longest.writes.length === 0) this.#lines.delete(name);
    return true;
  }
}

function noRoom(): StoreUnavailableError {
  return new StoreUnavailableError('too many writes are waiting');
}
