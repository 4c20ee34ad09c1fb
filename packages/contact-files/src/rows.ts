// A row of a file in any format: its cells and its line.

/** A cell as it is in the file, of any type in JSON. Undefined when the row ends before it or the object lacks it. */
export type Cell = unknown;

export interface Row {
  /** The line of the file on which the row begins, counted from 1; in a JSON array its position. */
  line: number;
  cells: Cell[];
  /** Why the row cannot be read at all. */
  fault?: string;
  /** The row as JSON, where its cells lose something. In a JSON array, long numbers may have lost digits already. */
  text?(): string;
}

/** What a row's number counts: "line 7" of a file, or "item 7" of a JSON array. */
export const units = ['line', 'item'] as const;
export type Unit = (typeof units)[number];

/** A larger row is a quote that was never closed, or not a file of contacts. */
export const rowSizeMax = 4 * 1024 * 1024;
