// Files as rows: whatever the format, a header and then cells with the line they come from.
import type { Row } from '@roster/contact-files';

export interface RowSource {
  format: Format;
  header: string[];
  /** How lines are called: "line 7", "item 7". */
  unit: 'line' | 'item';
  /** For people: "CSV, separated by semicolons". */
  description: string;
  rows: AsyncGenerator<Row>;
}

export const formats = ['csv', 'ndjson', 'json'] as const;
export type Format = (typeof formats)[number];
