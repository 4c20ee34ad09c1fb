// Tables for a terminal: columns as wide as what they hold, and no line wider than the terminal.
import stringWidth from 'string-width';
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

/** Lines without an end, the titles first. Without a width nothing is shortened. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): string[] {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map((_, at) => safeText(row[at] ?? ''))),
  ];
  const widths = fit(
    columns.map((_, at) => lines.reduce((most, line) => Math.max(most, stringWidth(line[at] ?? '')), 0)),
    columns,
    width,
  );
  return lines.map((line) =>
    widths
      .map((each, at) => pad(shorten(line[at] ?? '', each), each, columns[at]?.isNumber ?? false))
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

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function shorten(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    taken += stringWidth(segment);
    if (taken > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function pad(text: string, width: number, isNumber: boolean): string {
  const spaces = ' '.repeat(Math.max(0, width - stringWidth(text)));
  return isNumber ? spaces + text : text + spaces;
}
