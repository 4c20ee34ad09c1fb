// Protects cells that a spreadsheet would execute as formulas: an export prepends a ', and an import removes exactly
// that.

/**
 * What a spreadsheet may execute: = + - @ or their full-width forms, after any quotes, white space, control or
 * invisible characters; and a tab or a carriage return, at which a cell may end early. Leading quotes are included so
 * that guarding is reversible: a cell that begins with ' and would be guarded without it is guarded too.
 */
const executable = /^'*(?:[\s\p{C}\p{Z}]*[=+\-@＝＋－＠]|[\s\p{C}\p{Z}]*[\t\r])/u;

/** In locales whose list separator is the semicolon, a spreadsheet starts a new cell after each, so each is guarded. */
export function guardCell(cell: string): string {
  return mapSegments(cell, (segment) => (executable.test(segment) ? `'${segment}` : segment));
}

/** For every text, `unguardCell(guardCell(text))` is that text. */
export function unguardCell(cell: string): string {
  return mapSegments(cell, (segment) =>
    segment.startsWith("'") && executable.test(segment.slice(1)) ? segment.slice(1) : segment,
  );
}

function mapSegments(cell: string, change: (segment: string) => string): string {
  return cell.split(';').map(change).join(';');
}
