// Which index can find a word: the trigrams, the order of ids, or none of them.
import { canBeInId, type SearchWord } from '../../../contacts/search-text.ts';
import { hasTrigram } from '../../contacts/trigrams.ts';

/** Trigrams find a word of three code points or more. Ids are not in the index, nor can a word that may be in one be. */
export function isIndexable({ spellings }: SearchWord): boolean {
  return spellings.every((spelling) => hasTrigram(spelling) && !canBeInId(spelling));
}

/** The index finds exactly such a word, so there is nothing to check on the rows. */
export function isTrigram({ spellings }: SearchWord): boolean {
  return spellings.every((spelling) => Array.from(spelling).length === 3);
}

/** The beginning of an id, with its prefix. */
export function isIdStart(spelling: string): boolean {
  return hasTrigram(spelling) && spelling.includes('_') && canBeInId(spelling);
}
