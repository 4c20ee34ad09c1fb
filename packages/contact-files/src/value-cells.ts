// Cells of attributes and tags: read by the type of the attribute, and written so that they are read back as they were.
import { type AttributeValue, readAttributeValue } from '@roster/contract/attribute-values';
import type { AttributeType } from '@roster/contract/names';
import type { Cell } from './rows.ts';

/** A value as it is sent, or what is wrong with the cell. */
export type ReadCell = { value: AttributeValue } | { fault: string };

export const numberForm = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i;

/** In several languages, as people and spreadsheets write them. A single letter means too much. */
const trueWords =
  'true yes wahr ja waar vrai oui verdadero sí si vero sì verdadeiro sim prawda tak pravda ano истина да doğru evet tosi kyllä はい 是 예';
const falseWords =
  'false no falsch nein onwaar nee faux non falso não nao fałsz nie nepravda ne ложь нет yanlış hayır hayir epätosi ei nej nei いいえ 否 아니요';

export const booleanWords: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(trueWords.split(' ').map((word) => [word, true])),
  ...Object.fromEntries(falseWords.split(' ').map((word) => [word, false])),
  1: true,
  0: false,
};

/** For a cell that is not empty. What is not text comes from JSON. */
export function readValueCell(type: AttributeType, cell: Cell): ReadCell {
  const value = convert(type, cell);
  const read = readAttributeValue(type, value);
  if (!('fault' in read)) return { value: value as AttributeValue };
  return { fault: type === 'boolean' ? 'must be true, false, yes, no, 1 or 0' : read.fault };
}

/** What cannot be converted is passed on, to be rejected. */
function convert(type: AttributeType, cell: Cell): Cell {
  if (type === 'text') return isExactNumber(cell) || typeof cell === 'boolean' ? String(cell) : cell;
  if (type === 'boolean' && cell === 1) return true;
  if (type === 'boolean' && cell === 0) return false;
  if (typeof cell !== 'string') return cell;
  if (type === 'number' && numberForm.test(cell)) return Number(cell);
  const word = cell.toLowerCase();
  return type === 'boolean' && Object.hasOwn(booleanWords, word) ? booleanWords[word] : cell;
}

/** A number of JSON beyond these may have lost digits. */
function isExactNumber(cell: Cell): cell is number {
  return typeof cell === 'number' && Math.abs(cell) <= Number.MAX_SAFE_INTEGER;
}

/** Separated by semicolons or commas, which no tag contains. A semicolon in a tag is written as `\;`, a backslash as `\\`. */
export function splitTags(cell: string): string[] {
  const tags = [''];
  for (const [part] of cell.matchAll(/\\[;\\]|./gsu)) {
    if (part === ';' || part === ',') tags.push('');
    else tags[tags.length - 1] += part.length === 2 && part.startsWith('\\') ? part.slice(1) : part;
  }
  return tags.map((tag) => tag.trim()).filter((tag) => tag !== '');
}

/** For every list of tags, `splitTags(joinTags(tags))` is that list. */
export function joinTags(tags: readonly string[]): string {
  return tags.map((tag) => tag.replaceAll(/[;\\]/g, String.raw`\$&`)).join(';');
}

/** The text from which a cell of JSON, of an attribute or of tags, is read back. Undefined when there is none. */
export function textOfValueCell(cell: Cell): string | undefined {
  if (isExactNumber(cell) || typeof cell === 'boolean') return String(cell);
  const isTags = Array.isArray(cell) && cell.every((tag) => typeof tag === 'string' && tag.isWellFormed());
  return isTags ? joinTags(cell) : undefined;
}
