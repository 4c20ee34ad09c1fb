// Files as rows: whatever the format, a header and then cells with the line they come from.
import type { Row, Unit } from '@roster/contact-files';

export interface RowSource {
  format: Format;
  header: string[];
  unit: Unit;
  /** For the user: "CSV, separated by semicolons". */
  description: string;
  rows: AsyncGenerator<Row>;
  /** Columns to look for in every row, before the first is read. Not for a CSV, whose header names all. */
  addColumns?(titles: readonly string[]): void;
}

export const formats = ['csv', 'ndjson', 'json'] as const;
export type Format = (typeof formats)[number];
