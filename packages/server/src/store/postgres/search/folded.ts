// Folding in SQL, for texts that are not stored folded. The meaning is that of `fold`; lower() would follow the collation of the
// database, so the letters come from here. Only the decomposition is the database's own: both follow Unicode.
import { fold } from '../../../contacts/search-text.ts';

/** What a letter becomes, once texts are decomposed: one other, or several; accents disappear. */
function tableOf(): { from: string; to: string; several: [letter: string, letters: string][] } {
  const [pairs, dropped, several]: [string[], string[], [string, string][]] = [[], [], []];
  // No letter beyond these has a lower case. Accents, and letters with plain ones, are all below 0x400.
  for (let point = 0x41; point < 0x1_f000; point++) {
    const letter = String.fromCodePoint(point);
    const lower = letter.toLowerCase();
    if ((point >= 0x400 && lower === letter) || letter.normalize('NFKD') !== letter) continue;
    const folded = fold(letter);
    if (folded === letter) continue;
    if (folded === '') dropped.push(letter);
    else if (Array.from(folded).length === 1) pairs.push(letter + folded);
    else if (lower === letter) several.push([letter, folded]);
    else pairs.push(letter + lower);
  }
  const half = (at: 0 | 1) => pairs.map((pair) => Array.from(pair)[at]).join('');
  return { from: half(0) + dropped.join(''), to: half(1), several };
}

let table: ReturnType<typeof tableOf> | undefined;

/** The folded text of an expression. Most texts are ASCII: they have as many bytes as characters. */
export function folded(text: string, bind: (value: string) => string): string {
  table ??= tableOf();
  const { from, to, several } = table;
  const letters = `translate(normalize(${text}, NFKD), ${bind(from)}, ${bind(to)})`;
  const replaced = several.reduce((sql, [one, others]) => `replace(${sql}, '${one}', '${others}')`, letters);
  return `CASE WHEN octet_length(${text}) = char_length(${text}) THEN lower(${text} COLLATE "C")
    ELSE normalize(${replaced}, NFKD) END`;
}
