// The columns that rejected rows add to those of the file they come from, and where the file's own columns stand among
// a row's cells.
import { type Unit, units } from './rows.ts';

/** Which cells of a row stand in columns of their own: the first of them, and the first after them. */
export interface ColumnSpan {
  from: number;
  to: number;
}

/**
 * The columns that rejected rows begin with. They come first, so that a row can have more cells than there are columns,
 * and fewer. No other file has columns of these names.
 */
export const rejectionTitles = (unit: Unit): string[] => [`rejected ${unit}`, 'rejected because'];

export function spanOf(header: readonly string[]): ColumnSpan {
  const own = units.map(rejectionTitles).find((titles) => titles.every((title, at) => header[at] === title));
  if (own === undefined) return { from: 0, to: header.length };
  // Every column of rejected rows has a name. A spreadsheet makes the header as long as the longest row.
  return { from: own.length, to: header.findLastIndex((title) => title !== '') + 1 };
}
