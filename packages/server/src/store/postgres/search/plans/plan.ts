// What a search plan is: a statement for the page and the exact total, from one snapshot. And what plans share.
import { contactColumns } from '../../../contact-row.ts';
import type { Statement } from '../../../sql-steps.ts';
import type { Search } from '../../../store.ts';
import { botLives } from '../../contact-statements.ts';
import type { Value } from '../../pool.ts';
import type { SearchedBot, WordCondition } from '../conditions.ts';

export interface AskedPage extends SearchedBot {
  search: Search;
  isSharded: boolean;
}

export interface Plan {
  statement: Statement;
  values: Value[];
  /** It reads many rows, as far as the sample tells. */
  isBroad: boolean;
}

/** Reading and checking more rows than this takes more than an instant. */
export const broadFrom = 2000;

/** Searches of more words are not prepared: there would be a statement for each combination of their kinds. */
const preparedWordsMax = 3;

/**
 * A page of the contacts that hold every word. `bot` is the condition that restricts the hits to the bot. Each row is the
 * total and a contact; a page without contacts is one row with the total alone.
 */
export function matchingPage({ botId, search, sample }: AskedPage, words: readonly WordCondition[], bot: string): Plan {
  // The hits are found once, for the count and the page. Ids ascend with the time of creation, so they give the order.
  const text = `WITH hits AS MATERIALIZED (
      SELECT id FROM contacts WHERE ${bot} AND ${words.map(({ sql }) => sql).join(' AND ')} AND ${botLives})
    SELECT counted.total, page.* FROM (SELECT count(*) AS total FROM hits) AS counted
    LEFT JOIN LATERAL (
      SELECT ${contactColumns} FROM contacts
      WHERE bot_id = $1 AND id = ANY (ARRAY(SELECT id FROM hits ORDER BY id DESC LIMIT $2 OFFSET $3))
    ) AS page ON true ORDER BY page.id DESC`;
  const name = `search_${words.map(({ kind }) => kind).join('_')}`;
  // The database begins with the word that leaves the fewest rows.
  const rowsRead = Math.min(...words.map(({ share }) => share)) * sample.contactCount;
  return {
    statement: words.length > preparedWordsMax ? text : { name, text },
    values: [botId, search.limit, search.offset, ...words.flatMap(({ values }) => values)],
    isBroad: rowsRead > broadFrom,
  };
}
