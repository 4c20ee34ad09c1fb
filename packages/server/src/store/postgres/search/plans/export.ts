// The plans of an export: a page of all contacts, or of those that hold every word, oldest first and from a position on.
import type { SearchWord } from '../../../../contacts/search-text.ts';
import { contactColumns } from '../../../contact-row.ts';
import type { ExportPage } from '../../../store.ts';
import { botLives, statements } from '../../contact-statements.ts';
import { conditionsOf } from '../conditions.ts';
import { type AskedPage, botOf, namedBy, type Plan } from './plan.ts';

/** Contacts with the tokens of a word are looked up anew for each page, unless they are more than this. */
const lookedUpMax = 20_000;

type ExportedBot = Omit<AskedPage, 'search'>;

export function exportAll(botId: string, { after = '', limit }: ExportPage): Plan {
  return { statement: statements.exportPage, values: [botId, after, limit], isBroad: false };
}

export function exportMatches(bot: ExportedBot, words: readonly SearchWord[], { after = '', limit }: ExportPage): Plan {
  const { botId, sample, broadFrom } = bot;
  const conditions = conditionsOf(bot, words);
  const shares = conditions.flatMap(({ isIndexed, share }) => (isIndexed ? [share] : []));
  const rowsLookedUp = Math.min(...shares) * sample.contactCount;
  const isWalk = !(rowsLookedUp <= lookedUpMax);
  const checked = isWalk ? conditionsOf(bot, words, { isWalk }) : conditions;
  const holdsAll = checked.map(({ sql }) => sql).join(' AND ');
  return {
    statement: namedBy(isWalk ? 'walk' : 'export', checked, isWalk ? walk(holdsAll) : lookUp(botOf(bot), holdsAll)),
    values: [botId, after, limit, ...checked.flatMap(({ values }) => values)],
    isBroad: (isWalk ? sample.contactCount : rowsLookedUp) > broadFrom,
  };
}

/** A rare word: the contacts with its tokens are found by the index, and those behind the position are read. */
function lookUp(bot: string, holdsAll: string): string {
  return `WITH hits AS MATERIALIZED (SELECT id FROM contacts WHERE ${bot} AND ${holdsAll} AND ${botLives})
    SELECT ${contactColumns} FROM contacts
    WHERE bot_id = $1 AND id = ANY (ARRAY(SELECT id FROM hits WHERE id > $2 ORDER BY id LIMIT $3)) ORDER BY id`;
}

/**
 * Frequent words: contacts are read in the order of ids until the page is full, so that all pages together read each
 * contact once. What is within OFFSET is planned by itself: the database does not sort all that match instead.
 */
function walk(holdsAll: string): string {
  return `SELECT ${contactColumns} FROM (
      SELECT ${contactColumns}, search_text FROM contacts WHERE bot_id = $1 AND id > $2 AND ${botLives} ORDER BY id OFFSET 0
    ) AS walked WHERE ${holdsAll} LIMIT $3`;
}
