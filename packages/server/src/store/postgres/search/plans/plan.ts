// What a search plan is: a statement for the page and the exact total, from one snapshot. And what plans share.
import { contactColumns } from '../../../contact-row.ts';
import type { Search } from '../../../store.ts';
import { botLives } from '../../contact-statements.ts';
import type { Statement, Value } from '../../pool.ts';
import type { SearchedBot, WordCondition } from '../conditions.ts';

export interface AskedPage extends SearchedBot {
  search: Search;
  isSharded: boolean;
  form: PageForm;
}

/**
 * How a page is asked for. Each row of the answer is the total and a contact.
 * - `quick`: a page without contacts has no row, and so no total.
 * - `complete`: takes twice as long to plan, and always has a row; on a page without contacts it is the total alone.
 */
export type PageForm = 'quick' | 'complete';

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

/** A page of the contacts that hold every word. `bot` is the condition that restricts the hits to the bot. */
export function matchingPage(page: AskedPage, words: readonly WordCondition[], bot: string): Plan {
  const { botId, search, sample, form } = page;
  // The hits are found once, for the count and the page. Ids ascend with the time of creation, so they give the order.
  const hits = `WITH hits AS MATERIALIZED (
    SELECT id FROM contacts WHERE ${bot} AND ${words.map(({ sql }) => sql).join(' AND ')} AND ${botLives})`;
  const text = pageTexts[form](hits);
  const name = `${form}_${words.map(({ kind }) => kind).join('_')}`;
  // The database begins with the word that leaves the fewest rows.
  const rowsRead = Math.min(...words.map(({ share }) => share)) * sample.contactCount;
  return {
    statement: words.length > preparedWordsMax ? text : { name, text },
    values: [botId, search.limit, search.offset, ...words.flatMap(({ values }) => values)],
    isBroad: rowsRead > broadFrom,
  };
}

const pageTexts: Record<PageForm, (hits: string) => string> = {
  quick: (hits) => `${hits} SELECT (SELECT count(*) FROM hits), ${contactColumns} FROM contacts
    WHERE bot_id = $1 AND id = ANY (ARRAY(SELECT id FROM hits ORDER BY id DESC LIMIT $2 OFFSET $3))
    ORDER BY id DESC`,
  complete: (hits) => `${hits} SELECT counted.total, page.*
    FROM (SELECT count(*) AS total FROM hits) AS counted
    LEFT JOIN LATERAL (
      SELECT ${contactColumns} FROM contacts
      WHERE bot_id = $1 AND id = ANY (ARRAY(SELECT id FROM hits ORDER BY id DESC LIMIT $2 OFFSET $3))
    ) AS page ON true ORDER BY page.id DESC`,
};
