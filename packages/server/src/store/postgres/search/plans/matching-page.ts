// The plan of a search with words or filters: a page of the contacts that fulfil all of them, and their exact total, from one
// snapshot.
import type { Filter } from '../../../../contacts/filters.ts';
import { botLives } from '../../contacts/statements.ts';
import { conditionsOf, type DefinedValue, type RowCondition } from '../conditions.ts';
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
  const { words, filters = [] } = search;
  if (!isBroad || !filters.every(isSampled)) return found;
  const walkedFrom = Math.ceil(sample.contactCount * walkedShareMin);
  const beside = (total: string) => pageBeside(total, `$${values.length + 1}`, conditions, bot, form);
  const [first, ...others] = conditions;
  if (first?.holders !== undefined && others.length === 0) {
    const statement = named('holders', conditions, beside(totalOfHolders(first.holders)));
    return { statement, values: [...values, walkedFrom], isBroad };
  }
  const matchShare = sample.matchShareOf({ words, filters });
  const isIndexed = conditions.some((condition) => condition.isIndexed);
  const isFrequent = matchShare >= walkedShareMin;
  // Where all hits are found for the page anyway, a total that is known would save nothing.
  if (isIndexed && !isFrequent) return found;
  const isLookedUp = isIndexed && matchShare <= lookedUpShareMax;
  const counted = isLookedUp ? conditions : conditionsOf(page, search, { isWalk: true });
  return {
    statement: isFrequent
      ? named('counted', counted, countedPage(counted, isLookedUp ? bot : 'bot_id = $1', form))
      : named('found', counted, pageOfHits(counted, bot, form)),
    values: valuesOf(counted),
    isBroad,
    besideTotal: (total) => ({
      statement: named('known', conditions, beside(totalAt(`$${values.length + 2}`))),
      values: [...values, walkedFrom, total],
      isBroad,
    }),
  };
}

/** Fields that are equal to a value, and times with an index, are found by what the database knows of them. */
function isSampled({ kind }: Filter): boolean {
  return !['email', 'phone', 'wid', 'mid', 'createdAt', 'updatedAt'].includes(kind);
}

const allOf = (conditions: readonly RowCondition[]) => conditions.map(({ sql }) => sql).join(' AND ');

/** Ids of a page, read in its order. What is within OFFSET 0 is planned by itself. */
function walkedIds(conditions: readonly RowCondition[], { sortColumn, orderOf }: PageForm): string {
  const checked = [...new Set(['id', 'search_text', ...conditions.flatMap(({ columns }) => columns)])].join();
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

/** The hits are found once, for the count and the page. Each row is the total and a contact. */
function pageOfHits(conditions: readonly RowCondition[], bot: string, form: PageForm): string {
  const found = `SELECT id${form.sortColumn} FROM contacts WHERE ${bot} AND ${allOf(conditions)} AND ${botLives}`;
  return `WITH hits AS MATERIALIZED (${found})
    SELECT counted.total, ${pageColumns(form)} FROM (SELECT count(*) AS total FROM hits) AS counted
    ${joinPage(`ARRAY(SELECT id FROM hits ORDER BY ${form.orderOf('hits')} LIMIT $2 OFFSET $3)`, form)}`;
}

/** The hits are counted without storing their ids, which several processes of the database do together. */
function countedPage(conditions: readonly RowCondition[], bot: string, form: PageForm): string {
  return `WITH counted AS MATERIALIZED (
      SELECT count(*) AS total FROM contacts WHERE ${bot} AND ${allOf(conditions)} AND ${botLives})
    SELECT counted.total, ${pageColumns(form)} FROM counted
    ${joinPage(`CASE WHEN counted.total <= $3 THEN '{}'::text[] ELSE ARRAY(${walkedIds(conditions, form)}) END`, form)}`;
}

/** The total of those who have one attribute or tag. No row when it is not defined. */
function totalOfHolders({ table, where }: DefinedValue): string {
  return `SELECT contact_count AS total FROM ${table} WHERE ${where}`;
}

/** A total that is given. No row when the bot is gone. */
function totalAt(placeholder: string): string {
  return `SELECT ${placeholder}::bigint AS total FROM bot_states WHERE bot_id = $1`;
}

/** The page of a total that need not be counted. Of the arrays, only the one that is chosen is read. */
function pageBeside(
  total: string,
  walkedFrom: string,
  conditions: readonly RowCondition[],
  bot: string,
  form: PageForm,
): string {
  const ids = `CASE WHEN known.total <= $3 THEN '{}'::text[]
    WHEN known.total >= ${walkedFrom} THEN ARRAY(${walkedIds(conditions, form)})
    ELSE ARRAY(${sortedIds(conditions, bot, form)}) END`;
  return `WITH known AS MATERIALIZED (${total})
    SELECT known.total, ${pageColumns(form)} FROM known ${joinPage(ids, form)}`;
}
