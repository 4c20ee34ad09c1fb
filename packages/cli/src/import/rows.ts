// Files as rows: whatever the format, a header and then cells with the line they come from.
import type { Row, Unit } from '@roster/contact-files';

export interface RowSource {
  format: Format;
  header: string[];
  unit: Unit;
  /** For the user: "CSV, separated by semicolons". */
  description: string;
  rows: AsyncGenerator<Row>;
}

export const formats = ['csv', 'ndjson', 'json'] as const;
export type Format = (typeof formats)[number];
