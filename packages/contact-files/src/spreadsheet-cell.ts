// Cells that a spreadsheet would execute. Export puts a ' before them, and import takes off exactly what export put on.

/**
 * What a spreadsheet takes for a formula: = + - @ or their full-width forms, whatever quotes, white space, control or
 * invisible characters come first, and a tab or a carriage return, by which a cell can end early. The quotes are in it
 * so that guarding can be undone: a cell that begins with ' and would be guarded without it is guarded too.
 */
const executable = /^'*(?:[\s\p{C}\p{Z}]*[=+\-@＝＋－＠]|[\s\p{C}\p{Z}]*[\t\r])/u;

/** Where lists are written with semicolons, a spreadsheet ends a cell at each: what follows one is guarded too. */
export function guardCell(cell: string): string {
  return mapPieces(cell, (piece) => (executable.test(piece) ? `'${piece}` : piece));
}

/** For every text, `unguardCell(guardCell(text))` is that text. */
export function unguardCell(cell: string): string {
  return mapPieces(cell, (piece) =>
    piece.startsWith("'") && executable.test(piece.slice(1)) ? piece.slice(1) : piece,
  );
}

function mapPieces(cell: string, change: (piece: string) => string): string {
  return cell.split(';').map(change).join(';');
}
