// The separators of cells in a CSV.

/** With their display names. In order of preference when the header is ambiguous. */
export const separators = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };
export type Separator = keyof typeof separators;

/** The most frequent separator in the header, outside quotes. */
export function guessSeparator(start: string): Separator {
  const [header = ''] = start.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const count = (separator: string) => header.split(separator).length;
  const [best] = (Object.keys(separators) as Separator[]).sort((a, b) => count(b) - count(a));
  return best as Separator;
}

/** The first line by which spreadsheets declare the separator. */
export const separatorLine = /^sep=(.)\n/i;
