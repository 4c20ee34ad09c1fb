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

/** Statements of more words are not prepared: there would be one for each combination of their kinds. */
const preparedWordsMax = 3;

export function namedBy(prefix: string, words: readonly WordCondition[], text: string): Statement {
  if (words.length > preparedWordsMax) return text;
  return { name: `${prefix}_${words.map(({ kind }) => kind).join('_')}`, text };
}

/**
 * Restricts what is looked up by tokens to the bot. Tokens belong to one bot. It is compared all the same, since two tokens
 * may share a number; but as an expression, so that no plan reads all rows of the bot instead. A sharded table needs the
 * bot itself, to find its shard.
 */
export function botOf({ isSharded }: Pick<AskedPage, 'isSharded'>): string {
  return isSharded ? 'bot_id = $1' : "bot_id || '' = $1";
}

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
  // The database begins with the word that leaves the fewest rows.
  const rowsRead = Math.min(...words.map(({ share }) => share)) * sample.contactCount;
  return {
    statement: namedBy('search', words, text),
    values: [botId, search.limit, search.offset, ...words.flatMap(({ values }) => values)],
    isBroad: rowsRead > broadFrom,
  };
}
