// Files as rows: whatever the format, a header and then cells with the line they come from.

/** A cell as the file has it. Undefined: the row ends before it, or the object lacks it. JSON may hold anything. */
export type Cell = unknown;

export interface Row {
  /** The line of the file on which the row ends, counted from 1; in a JSON array its position. */
  line: number;
  cells: Cell[];
  /** Why the row cannot be read at all. */
  fault?: string;
}

export interface RowSource {
  format: 'csv' | 'ndjson' | 'json';
  header: string[];
  /** How lines are called: "line 7", "item 7". */
  unit: 'line' | 'item';
  /** For people: "CSV, separated by semicolons". */
  description: string;
  rows: AsyncGenerator<Row>;
}

/** A row this large is a quote that was never closed, or not the file that somebody meant. */
export const rowSizeMax = 4 * 1024 * 1024;

export const formats = ['csv', 'ndjson', 'json'] as const;
export type Format = (typeof formats)[number];
