// A row of a file, whatever the format: cells, with the line they come from.

/** A cell as the file has it. Undefined: the row ends before it, or the object lacks it. JSON may hold anything. */
export type Cell = unknown;

export interface Row {
  /** The line of the file on which the row ends, counted from 1; in a JSON array its position. */
  line: number;
  cells: Cell[];
  /** Why the row cannot be read at all. */
  fault?: string;
  /** The row as JSON, where cells cannot tell all of it. In an array numbers have been read: long ones may lack digits. */
  text?(): string;
}

/** How rows are counted, and the places of rows are called: "line 7", "item 7". */
export const units = ['line', 'item'] as const;
export type Unit = (typeof units)[number];

/** A row this large is a quote that was never closed, or not the file that somebody meant. */
export const rowSizeMax = 4 * 1024 * 1024;
