// The plan of a search with words: a page of the contacts that hold all of them, and their exact total, from one snapshot.
import { contactColumns } from '../../../contact-row.ts';
import { keyOf } from '../../../word-matches.ts';
import { botLives } from '../../contact-statements.ts';
import { conditionsOf, type WordCondition } from '../conditions.ts';
import { type AskedPage, namedBy, type Plan } from './plan.ts';

/** Where at least one contact in so many matches, reading them newest first fills a page sooner than finding all matches. */
const walkedShareMin = 1 / 50;

/** Where more match, reading all rows of the bot takes less than looking the matches up. */
const lookedUpShareMax = 1 / 10;

/** A page of the contacts that hold every word. `bot` is the condition that restricts the hits to the bot. */
export function matchingPage(page: AskedPage, words: readonly WordCondition[], bot: string): Plan {
  const { botId, search, sample, broadFrom } = page;
  const valuesOf = (conditions: readonly WordCondition[]) => [
    botId,
    search.limit,
    search.offset,
    ...conditions.flatMap(({ values }) => values),
  ];
  const values = valuesOf(words);
  // The database begins with the word that leaves the fewest rows.
  const rowsRead = Math.min(...words.map(({ share }) => share)) * sample.contactCount;
  const isBroad = rowsRead > broadFrom;
  const matchShare = isBroad ? sample.matchShareOf(search.words) : 0;
  const isIndexed = words.some((word) => word.isIndexed);
  const isFrequent = matchShare >= walkedShareMin;
  // Where all hits are found for the page anyway, a cached total would save nothing.
  if (!isBroad || (isIndexed && !isFrequent)) {
    return { statement: namedBy('search', words, pageOfHits(words, bot)), values, isBroad };
  }
  const key = keyOf(search.words);
  const isLookedUp = isIndexed && matchShare <= lookedUpShareMax;
  const counted = isLookedUp ? words : conditionsOf(page, search.words, { isWalk: true });
  const countedValues = [...valuesOf(counted), key];
  const beside = besideCount(countedValues.length);
  const count = isFrequent
    ? namedBy('counted', counted, countedPage(counted, isLookedUp ? bot : 'bot_id = $1', beside))
    : namedBy('found', counted, pageOfHits(counted, bot, beside));
  return {
    statement: namedBy('cached', words, cachedPage(words, bot, values.length)),
    values: [...values, key, Math.ceil(sample.contactCount * walkedShareMin)],
    isBroad,
    uncached: { key, count: { statement: count, values: countedValues } },
  };
}

const allOf = (words: readonly WordCondition[]) => words.map(({ sql }) => sql).join(' AND ');

/** Ids of a page, read newest first. What is within OFFSET 0 is planned by itself. */
const walkedIds = (words: readonly WordCondition[]) => `SELECT id FROM (
    SELECT id, search_text FROM contacts WHERE bot_id = $1 ORDER BY id DESC OFFSET 0
  ) AS walked WHERE ${words.map(({ sqlOfRow }) => sqlOfRow).join(' AND ')} LIMIT $2 OFFSET $3`;

/** The contacts of these ids. A page without any is one row all the same, with what is beside them. */
const joinPage = (ids: string) => `LEFT JOIN LATERAL (
    SELECT ${contactColumns} FROM contacts WHERE bot_id = $1 AND id = ANY (${ids})
  ) AS page ON true ORDER BY page.id DESC`;

const besideNothing = { columns: '', join: '' };

/** Of words whose total is to be cached: when they were added, and what has changed since then. NULL if they were not. */
const besideCount = (keyPlaceholder: number) => ({
  columns: 'added.added_us, added.change,',
  join: `LEFT JOIN (
      SELECT added_us, count_changes[position] AS change FROM cached_counts JOIN bot_states ON bot_states.bot_id = $1
      WHERE cached_counts.bot_id = $1 AND words = $${keyPlaceholder}) AS added ON true`,
});

/**
 * The hits are found once, for the count and the page. Ids ascend with the time of creation, so they give the order. Each row
 * is the total, what is beside it, and a contact.
 */
function pageOfHits(words: readonly WordCondition[], bot: string, { columns, join } = besideNothing): string {
  return `WITH hits AS MATERIALIZED (SELECT id FROM contacts WHERE ${bot} AND ${allOf(words)} AND ${botLives})
    SELECT counted.total, ${columns} page.* FROM (SELECT count(*) AS total FROM hits) AS counted ${join}
    ${joinPage('ARRAY(SELECT id FROM hits ORDER BY id DESC LIMIT $2 OFFSET $3)')}`;
}

/** No row when the total is not cached. Otherwise each is the total, when it was added, NULL, and a contact. */
function cachedPage(words: readonly WordCondition[], bot: string, placeholders: number): string {
  const [key, walkedFrom] = [`$${placeholders + 1}`, `$${placeholders + 2}`];
  // Of the arrays, only the one that is chosen is read.
  return `WITH cached AS MATERIALIZED (
      SELECT base + count_changes[position] AS total, added_us
      FROM cached_counts JOIN bot_states ON bot_states.bot_id = $1
      WHERE cached_counts.bot_id = $1 AND words = ${key} AND base + count_changes[position] IS NOT NULL)
    SELECT cached.total, cached.added_us, NULL, page.* FROM cached
    ${joinPage(`CASE WHEN cached.total <= $3 THEN '{}'::text[]
      WHEN cached.total >= ${walkedFrom} THEN ARRAY(${walkedIds(words)})
      ELSE ARRAY(SELECT id FROM contacts WHERE ${bot} AND ${allOf(words)} ORDER BY id DESC LIMIT $2 OFFSET $3) END`)}`;
}

/** The hits are counted without storing their ids, which several processes of the database do together. */
function countedPage(words: readonly WordCondition[], bot: string, { columns, join }: typeof besideNothing): string {
  return `WITH counted AS MATERIALIZED (
      SELECT count(*) AS total FROM contacts WHERE ${bot} AND ${allOf(words)} AND ${botLives})
    SELECT counted.total, ${columns} page.* FROM counted ${join}
    ${joinPage(`CASE WHEN counted.total <= $3 THEN '{}'::text[] ELSE ARRAY(${walkedIds(words)}) END`)}`;
}
