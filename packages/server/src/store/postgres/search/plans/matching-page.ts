// The plan of a search with words or filters: a page of the contacts that fulfil all of them, and their exact total, from one
// snapshot.
import type { ValueFilter } from '../../../../contacts/filters.ts';
import { decidedSearchOf, keyOf } from '../../../matcher.ts';
import { botLives } from '../../contact-statements.ts';
import { conditionsOf, isDefined, type RowCondition } from '../conditions.ts';
import { formOf, joinPage, type PageForm, pageColumns } from '../order.ts';
import { type AskedPage, namedBy, type Plan } from './plan.ts';

/** Where at least one contact in so many matches, reading them newest first fills a page sooner than finding all matches. */
const walkedShareMin = 1 / 50;

/** Where more match, reading all rows of the bot takes less than looking the matches up. */
const lookedUpShareMax = 1 / 10;

/** A page of the contacts that fulfil every condition. `bot` is the condition that restricts the hits to the bot. */
export function matchingPage(page: AskedPage, conditions: readonly RowCondition[], bot: string): Plan {
  const { botId, search, sample, broadFrom } = page;
  const valuesOf = (bound: readonly RowCondition[]) => [
    botId,
    search.limit,
    search.offset,
    ...bound.flatMap(({ values }) => values),
  ];
  const values = valuesOf(conditions);
  // The database begins with the condition that leaves the fewest rows.
  const rowsRead = Math.min(...conditions.map(({ share }) => share)) * sample.contactCount;
  const isBroad = rowsRead > broadFrom;
  const form = formOf(search);
  const named = (prefix: string, bound: readonly RowCondition[], text: string) =>
    namedBy(`${prefix}${form.name}`, bound, text);
  const found = { statement: named('search', conditions, pageOfHits(conditions, bot, form)), values, isBroad };
  const decided = decidedSearchOf(search);
  if (!isBroad || decided === undefined) return found;
  const walkedFrom = Math.ceil(sample.contactCount * walkedShareMin);
  const [only] = decided.filters;
  if (decided.words.length === 0 && decided.filters.length === 1 && isOfHolders(only as ValueFilter)) {
    const statement = named('holders', conditions, holdersPage(conditions, bot, form, values.length));
    return { statement, values: [...values, walkedFrom], isBroad };
  }
  const matchShare = sample.matchShareOf(decided);
  const isIndexed = conditions.some((condition) => condition.isIndexed);
  const isFrequent = matchShare >= walkedShareMin;
  // Where all hits are found for the page anyway, a cached total would save nothing.
  if (isIndexed && !isFrequent) return found;
  const key = keyOf(decided);
  const isLookedUp = isIndexed && matchShare <= lookedUpShareMax;
  const counted = isLookedUp ? conditions : conditionsOf(page, search, { isWalk: true });
  const countedValues = [...valuesOf(counted), key];
  const beside = besideCount(countedValues.length);
  const count = isFrequent
    ? named('counted', counted, countedPage(counted, isLookedUp ? bot : 'bot_id = $1', form, beside))
    : named('found', counted, pageOfHits(counted, bot, form, beside));
  return {
    statement: named('cached', conditions, cachedPage(conditions, bot, form, values.length)),
    values: [...values, key, walkedFrom],
    isBroad,
    uncached: { key, count: { statement: count, values: countedValues } },
  };
}

/** Whether it asks for those who have an attribute or a tag, whom its definition counts. */
function isOfHolders(filter: ValueFilter): boolean {
  return filter.kind === 'tagNumber' || (filter.kind === 'hasAttribute' && filter.isWanted);
}

const allOf = (conditions: readonly RowCondition[]) => conditions.map(({ sql }) => sql).join(' AND ');

/** Ids of a page, read in its order. What is within OFFSET 0 is planned by itself. */
function walkedIds(conditions: readonly RowCondition[], { sortColumn, orderOf }: PageForm): string {
  const checked = `id, search_text${conditions.some(({ field }) => field) ? ', attributes, filter_tokens' : ''}`;
  return `SELECT id FROM (
    SELECT * FROM (SELECT ${checked}${sortColumn} FROM contacts WHERE bot_id = $1) AS listed
    ORDER BY ${orderOf('listed')} OFFSET 0
  ) AS walked WHERE ${conditions.map(({ sqlOfRow }) => sqlOfRow).join(' AND ')} LIMIT $2 OFFSET $3`;
}

/** The same for few hits: all of them are found, and sorted. */
function sortedIds(conditions: readonly RowCondition[], bot: string, { sortColumn, orderOf }: PageForm): string {
  const hits = `SELECT id${sortColumn} FROM contacts WHERE ${bot} AND ${allOf(conditions)}`;
  return `SELECT id FROM (${hits}) AS hits ORDER BY ${orderOf('hits')} LIMIT $2 OFFSET $3`;
}

const besideNothing = { besides: '', join: '' };

/** Of a search whose total is to be cached: when it was added, and what has changed since then. NULL if it was not. */
const besideCount = (keyPlaceholder: number) => ({
  besides: 'added.added_us, added.change,',
  join: `LEFT JOIN (
      SELECT added_us, count_changes[position] AS change FROM cached_counts JOIN bot_states ON bot_states.bot_id = $1
      WHERE cached_counts.bot_id = $1 AND words = $${keyPlaceholder}) AS added ON true`,
});

/**
 * The hits are found once, for the count and the page. Each row is the total, what is beside it, and a contact.
 */
function pageOfHits(
  conditions: readonly RowCondition[],
  bot: string,
  form: PageForm,
  { besides, join } = besideNothing,
): string {
  const found = `SELECT id${form.sortColumn} FROM contacts WHERE ${bot} AND ${allOf(conditions)} AND ${botLives}`;
  return `WITH hits AS MATERIALIZED (${found})
    SELECT counted.total, ${besides} ${pageColumns(form)} FROM (SELECT count(*) AS total FROM hits) AS counted ${join}
    ${joinPage(`ARRAY(SELECT id FROM hits ORDER BY ${form.orderOf('hits')} LIMIT $2 OFFSET $3)`, form)}`;
}

/** The page of a total that is known, of the table `known`. Of the arrays, only the one that is chosen is read. */
function pageOfTotal(conditions: readonly RowCondition[], bot: string, form: PageForm, walkedFrom: string): string {
  const ids = `CASE WHEN known.total <= $3 THEN '{}'::text[]
    WHEN known.total >= ${walkedFrom} THEN ARRAY(${walkedIds(conditions, form)})
    ELSE ARRAY(${sortedIds(conditions, bot, form)}) END`;
  return joinPage(ids, form);
}

/** No row when the total is not cached. Otherwise each is the total, when it was added, NULL, and a contact. */
function cachedPage(conditions: readonly RowCondition[], bot: string, form: PageForm, placeholders: number): string {
  const [key, walkedFrom] = [`$${placeholders + 1}`, `$${placeholders + 2}`];
  // Writes do not adjust it when an attribute or a tag is deleted.
  const areDefined = conditions.flatMap(({ field }) => (field ? ` AND ${isDefined(field)}` : [])).join('');
  return `WITH known AS MATERIALIZED (
      SELECT base + count_changes[position] AS total, added_us
      FROM cached_counts JOIN bot_states ON bot_states.bot_id = $1
      WHERE cached_counts.bot_id = $1 AND words = ${key} AND base + count_changes[position] IS NOT NULL${areDefined})
    SELECT known.total, known.added_us, NULL, ${pageColumns(form)} FROM known
    ${pageOfTotal(conditions, bot, form, walkedFrom)}`;
}

/** Those who have one attribute or tag. No row when it is not defined. */
function holdersPage(conditions: readonly RowCondition[], bot: string, form: PageForm, placeholders: number): string {
  const [field] = conditions.flatMap((condition) => condition.field ?? []);
  return `WITH known AS MATERIALIZED (SELECT contact_count AS total FROM ${field?.table} WHERE ${field?.where})
    SELECT known.total, ${pageColumns(form)} FROM known ${pageOfTotal(conditions, bot, form, `$${placeholders + 1}`)}`;
}

/** The hits are counted without storing their ids, which several processes of the database do together. */
function countedPage(
  conditions: readonly RowCondition[],
  bot: string,
  form: PageForm,
  { besides, join }: typeof besideNothing,
): string {
  return `WITH counted AS MATERIALIZED (
      SELECT count(*) AS total FROM contacts WHERE ${bot} AND ${allOf(conditions)} AND ${botLives})
    SELECT counted.total, ${besides} ${pageColumns(form)} FROM counted ${join}
    ${joinPage(`CASE WHEN counted.total <= $3 THEN '{}'::text[] ELSE ARRAY(${walkedIds(conditions, form)}) END`, form)}`;
}
