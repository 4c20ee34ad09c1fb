// Plan: ask the trigram index for the words as phrases, which walks the list of every trigram to its end. Filters, and words
// that the index cannot find, are checked on the rows.
import type { Wanted } from '../../../store.ts';
import { isIndexable } from '../word-kinds.ts';
import { checkAll, effortOfLookup, isSettled, type Plan, pendingHits, quote } from './plan.ts';

/**
 * `entries`: about how many the rarest word has. Leaving out outdated entries costs half as much again, so it is done
 * only when there are any.
 */
export function phrases(
  wanted: Wanted,
  range: [bigint, bigint],
  { entries, hasOutdatedEntries }: { entries: number; hasOutdatedEntries: boolean },
): Plan {
  const { words } = wanted;
  const expression = words
    .filter(isIndexable)
    .map(({ spellings }) => `(${spellings.map(quote).join(' OR ')})`)
    .join(' AND ');
  const others = checkAll({ ...wanted, words: words.filter((word) => !isIndexable(word)) });
  const join = others.sql === '' ? '' : 'CROSS JOIN contacts ON contacts.row_id = search_index.rowid';
  const isCurrent = hasOutdatedEntries ? ` AND search_index.rowid ${isSettled}` : '';
  return {
    hits: [
      {
        sql: `SELECT search_index.rowid AS row_id FROM search_index ${join}
          WHERE search_index MATCH ? AND search_index.rowid BETWEEN ? AND ?${isCurrent}${others.sql}`,
        values: [expression, ...range, ...others.values],
      },
      pendingHits(wanted, range),
    ],
    areFew: false,
    effort: others.sql === '' ? entries : entries * effortOfLookup,
  };
}
