// What a search finds, best first: what has the words in its title stands before what only mentions them.
import type MiniSearch from 'minisearch';
import type { SearchResult } from 'minisearch';
import type { SearchedSection } from './search-options.ts';

export type Found = SearchResult & SearchedSection;

/** Every word has to occur, also as the beginning of another one. Long words may have a typo. */
export function findSections(index: MiniSearch<SearchedSection>, text: string): Found[] {
  const found = index.search(text, {
    combineWith: 'AND',
    prefix: true,
    fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    boost: { heading: 4, page: 2 },
  }) as Found[];
  const words = wordsOf(text);
  const ranked = found.map((result) => ({ result, rank: rankOf(result, words) }));
  // The sort is stable: within a rank the score decides.
  return ranked.sort((one, other) => one.rank - other.rank).map(({ result }) => result);
}

/** The title of a page that is searched for, page titles with all words, headings with all words, everything else. */
function rankOf({ path, heading }: SearchedSection, words: readonly string[]): number {
  const title = wordsOf(heading);
  if (!words.every((word) => title.some((other) => other.startsWith(word)))) return 3;
  if (path.includes('#')) return 2;
  return title.length === words.length ? 0 : 1;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
