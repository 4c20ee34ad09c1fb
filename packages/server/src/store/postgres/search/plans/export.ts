// The plans of an export: a page of all contacts, or of those that are wanted, oldest first and from a position on.
import { columnsOf } from '../../../contacts/row.ts';
import type { ExportPage, Wanted } from '../../../store.ts';
import { botLives, statements } from '../../contacts/statements.ts';
import { leadsByFilter } from '../choose-plan.ts';
import { conditionsOf, type RowCondition } from '../conditions.ts';
import { type AskedPage, botOf, namedBy, nameOf, type Plan } from './plan.ts';

/** Contacts with the tokens of a word are looked up anew for each page, unless they are more than this. */
const lookedUpMax = 20_000;

type ExportedBot = Omit<AskedPage, 'search'>;

export function exportAll(botId: string, { after = '', limit, withValues }: ExportPage): Plan {
  const statement = withValues ? statements.exportPageWithValues : statements.exportPage;
  return { statement, values: [botId, after, limit], isBroad: false };
}

export function exportMatches(bot: ExportedBot, wanted: Wanted, page: ExportPage): Plan {
  const { after = '', limit, withValues } = page;
  const columns = columnsOf(withValues);
  const { botId, sample, broadFrom } = bot;
  const byIndex = conditionsOf(bot, wanted);
  const byRow = conditionsOf(bot, wanted, { isWalk: true });
  const rowsLookedUp = Math.min(1, ...byIndex.map(({ share }) => share)) * sample.contactCount;
  const isFilterFirst = leadsByFilter(byIndex);
  const isLookedUp = rowsLookedUp <= lookedUpMax && (isFilterFirst || byIndex.some(({ isIndexed }) => isIndexed));
  const conditions = isLookedUp && !isFilterFirst ? byIndex : byRow;
  const values = [botId, after, limit, ...conditions.flatMap((condition) => condition.values)];
  if (!isLookedUp) {
    return {
      statement: namedBy(nameOf('walk', withValues), conditions, walk(conditions, columns)),
      values,
      isBroad: sample.contactCount > broadFrom,
    };
  }
  const text = lookUp(isFilterFirst ? 'bot_id = $1' : botOf(bot), conditions, columns);
  const name = nameOf(isFilterFirst ? 'exportFiltered' : 'export', withValues);
  return { statement: namedBy(name, conditions, text), values, isBroad: rowsLookedUp > broadFrom };
}

const allOf = (conditions: readonly RowCondition[]) => conditions.map(({ sql }) => sql).join(' AND ');

/** A rare word, or a filter that leaves few: what an index has of it is found, and those behind the position are read. */
function lookUp(bot: string, conditions: readonly RowCondition[], columns: string): string {
  return `WITH hits AS MATERIALIZED (SELECT id FROM contacts WHERE ${bot} AND ${allOf(conditions)} AND ${botLives})
    SELECT ${columns} FROM contacts
    WHERE bot_id = $1 AND id = ANY (ARRAY(SELECT id FROM hits WHERE id > $2 ORDER BY id LIMIT $3)) ORDER BY id`;
}

/**
 * Frequent matches: contacts are read in the order of ids until the page is full, so that all pages together read each
 * contact once. What is within OFFSET is planned by itself: the database does not sort all that match instead. A time of
 * creation bounds what is read.
 */
function walk(conditions: readonly RowCondition[], columns: string): string {
  const isBound = ({ kind }: RowCondition) => kind === 'createdAt';
  const bounds = conditions.filter(isBound).map(({ sql }) => ` AND ${sql}`);
  const checks = allOf(conditions.filter((condition) => !isBound(condition))) || 'true';
  // Filters look at other columns too.
  const read = conditions.some(({ isFilter }) => isFilter) ? '*' : `${columns}, search_text`;
  return `SELECT ${columns} FROM (
      SELECT ${read} FROM contacts
      WHERE bot_id = $1 AND id > $2${bounds.join('')} AND ${botLives} ORDER BY id OFFSET 0
    ) AS walked WHERE ${checks} LIMIT $3`;
}
