// What separates the cells of a CSV.

/** With their names, for people. In order of preference when the header does not tell. */
export const separators = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };
export type Separator = keyof typeof separators;

/** What is most often in the header, outside quotes. */
export function guessSeparator(start: string): Separator {
  const [header = ''] = start.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const count = (separator: string) => header.split(separator).length;
  const [best] = (Object.keys(separators) as Separator[]).sort((a, b) => count(b) - count(a));
  return best as Separator;
}

/** Spreadsheets write and read this line to say what separates the cells. */
export const separatorLine = /^sep=(.)\r?\n/i;
