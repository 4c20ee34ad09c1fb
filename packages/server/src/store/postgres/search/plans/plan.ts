// What a search plan is: a statement for the page and the exact total, from one snapshot. And what plans share.
import { contactColumns } from '../../../contact-row.ts';
import type { Statement } from '../../../sql-steps.ts';
import type { Search } from '../../../store.ts';
import { keyOf } from '../../../word-matches.ts';
import { botLives } from '../../contact-statements.ts';
import type { Value } from '../../pool.ts';
import type { SearchedBot, WordCondition } from '../conditions.ts';

export interface SearchOptions {
  /** Whether the tables by bot are spread over partitions or nodes. */
  isSharded: boolean;
  /** A search that reads and checks more rows than this takes more than an instant. */
  broadFrom: number;
}

export interface AskedPage extends SearchedBot, SearchOptions {
  search: Search;
}

export interface Plan {
  statement: Statement;
  values: Value[];
  /** It reads many rows, as far as the sample tells. */
  isBroad: boolean;
  /** Of its cached count, when it has one. */
  cacheKey?: string;
}

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

/** A page of the contacts that hold every word. `bot` is the condition that restricts the hits to the bot. */
export function matchingPage(page: AskedPage, words: readonly WordCondition[], bot: string): Plan {
  // The database begins with the word that leaves the fewest rows.
  const rowsRead = Math.min(...words.map(({ share }) => share)) * page.sample.contactCount;
  return rowsRead > page.broadFrom ? broadPage(page, words, bot) : quickPage(page, words, bot);
}

/**
 * The hits are found once, for the count and the page. Ids ascend with the time of creation, so they give the order. Each row
 * is the total and a contact; a page without contacts is one row with the total alone.
 */
function quickPage({ botId, search }: AskedPage, words: readonly WordCondition[], bot: string): Plan {
  const text = `WITH hits AS MATERIALIZED (
      SELECT id FROM contacts WHERE ${bot} AND ${words.map(({ sql }) => sql).join(' AND ')} AND ${botLives})
    SELECT counted.total, page.* FROM (SELECT count(*) AS total FROM hits) AS counted
    LEFT JOIN LATERAL (
      SELECT ${contactColumns} FROM contacts
      WHERE bot_id = $1 AND id = ANY (ARRAY(SELECT id FROM hits ORDER BY id DESC LIMIT $2 OFFSET $3))
    ) AS page ON true ORDER BY page.id DESC`;
  return {
    statement: namedBy('search', words, text),
    values: [botId, search.limit, search.offset, ...words.flatMap(({ values }) => values)],
    isBroad: false,
  };
}

/** Where at least one contact in so many matches, reading them newest first fills a page sooner than finding all matches. */
const walkedShareMin = 1 / 50;

/**
 * The total is the cached count, if there is one. The page is read newest first where matches are frequent. Each row is the
 * total, what there is of a cached count, and a contact.
 */
function broadPage({ botId, search, sample }: AskedPage, words: readonly WordCondition[], bot: string): Plan {
  const values = words.flatMap((word) => word.values);
  const [key, walkedFrom] = [`$${4 + values.length}`, `$${5 + values.length}`];
  const hits = `SELECT id FROM contacts WHERE ${bot} AND ${words.map(({ sql }) => sql).join(' AND ')} AND ${botLives}`;
  const holdsAll = words.map(({ sqlOfRow }) => sqlOfRow).join(' AND ');
  // What is within OFFSET 0 is planned by itself. Of the arrays, only the one that is chosen is read.
  const text = `WITH cached AS MATERIALIZED (
      SELECT base, added_us, count_changes[position] AS change FROM cached_counts JOIN bot_states ON bot_states.bot_id = $1
      WHERE cached_counts.bot_id = $1 AND words = ${key}),
    hits AS MATERIALIZED (${hits} AND (SELECT base FROM cached) IS NULL),
    counted AS MATERIALIZED (
      SELECT coalesce((SELECT base + change FROM cached), (SELECT count(*) FROM hits)) AS total)
    SELECT counted.total, cached.added_us, cached.base IS NOT NULL, cached.change, page.*
    FROM counted LEFT JOIN cached ON true LEFT JOIN LATERAL (
      SELECT ${contactColumns} FROM contacts WHERE bot_id = $1 AND id = ANY (CASE
        WHEN counted.total <= $3 THEN '{}'::text[]
        WHEN cached.base IS NULL THEN ARRAY(SELECT id FROM hits ORDER BY id DESC LIMIT $2 OFFSET $3)
        WHEN counted.total >= ${walkedFrom} THEN ARRAY(SELECT id FROM (
          SELECT id, search_text FROM contacts WHERE bot_id = $1 ORDER BY id DESC OFFSET 0
        ) AS walked WHERE ${holdsAll} LIMIT $2 OFFSET $3)
        ELSE ARRAY(${hits} ORDER BY id DESC LIMIT $2 OFFSET $3) END)
    ) AS page ON true ORDER BY page.id DESC`;
  const cacheKey = keyOf(search.words);
  const walkedMin = Math.ceil(sample.contactCount * walkedShareMin);
  return {
    statement: namedBy('broad', words, text),
    values: [botId, search.limit, search.offset, ...values, cacheKey, walkedMin],
    isBroad: true,
    cacheKey,
  };
}
