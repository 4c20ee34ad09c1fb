// Tables for a terminal: columns as wide as what they hold, and no line wider than the terminal.
import { safeText } from './safe-text.ts';

export interface Column {
  title: string;
  /** Never shortened: ids are there to be copied. */
  isWhole?: boolean;
  isNumber?: boolean;
}

const gap = '  ';
/** A column that is shortened further says nothing. */
const narrowest = 8;

/** How many columns of a terminal a text takes. */
type Measure = (text: string) => number;

/** Letters of a European language and ASCII: each takes one. */
export const narrow = /^[\x20-\x7e\u00c0-\u024f]*$/;

/** What knows the width of every script and emoji takes 60 ms to load, a quarter of a search. */
async function measureFor(texts: readonly string[]): Promise<Measure> {
  return texts.every((text) => narrow.test(text)) ? (text) => text.length : (await import('string-width')).default;
}

/** Lines without an end, the titles first. Without a width nothing is shortened. */
export async function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): Promise<string[]> {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map((_, at) => safeText(row[at] ?? ''))),
  ];
  const measure = await measureFor(lines.flat());
  const widths = fit(
    columns.map((_, at) => lines.reduce((most, line) => Math.max(most, measure(line[at] ?? '')), 0)),
    columns,
    width,
  );
  const cell = (text: string, each: number, isNumber = false) => {
    const shown = shorten(text, each, measure);
    return align(shown, each - measure(shown), isNumber);
  };
  return lines.map((line) =>
    widths
      .map((each, at) => cell(line[at] ?? '', each, columns[at]?.isNumber))
      .join(gap)
      .trimEnd(),
  );
}

/** Takes from the widest column, one by one; when nothing can give any more, columns fall off at the right. */
function fit(natural: readonly number[], columns: readonly Column[], width: number | undefined): number[] {
  const widths = [...natural];
  if (width === undefined) return widths;
  const isTooWide = () => widths.reduce((sum, each) => sum + each, 0) + gap.length * (widths.length - 1) > width;
  while (isTooWide()) {
    const givers = widths.map((each, at) => (columns[at]?.isWhole ? 0 : each));
    const widest = Math.max(...givers);
    if (widest > narrowest) widths[givers.indexOf(widest)] = widest - 1;
    else if (widths.length > 1) widths.pop();
    else return widths;
  }
  return widths;
}

let graphemes: Intl.Segmenter | undefined;

function shorten(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let kept = '';
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    taken += measure(segment);
    if (taken > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function align(text: string, missing: number, isNumber: boolean): string {
  const spaces = ' '.repeat(Math.max(0, missing));
  return isNumber ? spaces + text : text + spaces;
}
