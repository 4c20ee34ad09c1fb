// The name of a file of rejected rows, the columns that it has in addition to those of the imported file, and where the
// imported file's own columns are among a row's cells.
import { type Unit, units } from './rows.ts';

/** Has the whole name of the imported file, so that people.csv and people.json do not share one. */
export const rejectedFileName = (imported: string): string => `${imported}.rejected.csv`;

/** The range of a row's cells that have a column: the first one, and the first one after them. */
export interface ColumnSpan {
  from: number;
  to: number;
}

/**
 * The titles of the added columns, by which a file of rejected rows is recognised. They come first, so that a row may
 * have more or fewer cells than the file has columns.
 */
export const rejectionTitles = (unit: Unit): string[] => [`rejected ${unit}`, 'rejected because'];

export function spanOf(header: readonly string[]): ColumnSpan {
  const own = units.map(rejectionTitles).find((titles) => titles.every((title, at) => header[at] === title));
  if (own === undefined) return { from: 0, to: header.length };
  // Every column of rejected rows has a title; a spreadsheet appends empty titles up to the length of the longest row.
  return { from: own.length, to: header.findLastIndex((title) => title !== '') + 1 };
}
