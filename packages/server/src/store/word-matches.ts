// Which contacts a search matches, decided in memory: for totals that are kept and adjusted by each write. Pure.
import { canBeInId, type SearchWord } from '../contacts/search-text.ts';

export type Matcher = (id: string, searchText: string) => boolean;

/** What a write did to the document of one contact. Undefined: it was not there, or is gone. */
export interface DocumentChange {
  id: string;
  before: string | undefined;
  after: string | undefined;
}

/** Which words may be in an id is decided once, and not for every row that is written. */
export function matcherOf(words: readonly SearchWord[]): Matcher {
  const terms = words.map(({ spellings }) => spellings.map((text) => ({ text, canBeInId: canBeInId(text) })));
  return (id, searchText) =>
    terms.every((spellings) =>
      spellings.some(
        (spelling) => searchText.includes(spelling.text) || (spelling.canBeInId && id.includes(spelling.text)),
      ),
    );
}

/** The order of the words does not matter to a search. */
export function keyOf(words: readonly SearchWord[]): string {
  return JSON.stringify(words.map(({ spellings }) => spellings).toSorted());
}

export function matcherOfKey(key: string): Matcher {
  return matcherOf((JSON.parse(key) as string[][]).map((spellings) => ({ spellings })));
}

/** How many more contacts match than before the change. */
export function growthOf(isHit: Matcher, { id, before, after }: DocumentChange): number {
  const hits = (text: string | undefined) => (text !== undefined && isHit(id, text) ? 1 : 0);
  return hits(after) - hits(before);
}
