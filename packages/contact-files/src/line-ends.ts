// Line ends: a file may have those of any system, also mixed, within cells too. Rows are read with one kind.

/** The text with \n as line ends, so that each line counts once, wherever it ends. */
export async function* withLineFeeds(text: AsyncIterable<string>): AsyncGenerator<string> {
  let held = '';
  for await (const chunk of text) {
    const whole = held + chunk;
    // The \n of a \r\n may be in the next chunk.
    held = whole.endsWith('\r') ? '\r' : '';
    yield whole.slice(0, whole.length - held.length).replaceAll(/\r\n?/g, '\n');
  }
  if (held !== '') yield '\n';
}

/** How many lines a row has: one more than there are line ends in its cells. */
export function lineCountOf(cells: readonly string[]): number {
  return cells.reduce((lines, cell) => lines + cell.split('\n').length - 1, 1);
}
