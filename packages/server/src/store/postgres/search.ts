// The statement of a search: the page and the exact total, from one snapshot.
import { canBeInId, type SearchWord } from '../../contacts/search-text.ts';
import { contactColumns } from '../contact-row.ts';
import type { Search } from '../store.ts';
import { hasTrigram, rarestTrigrams } from '../trigrams.ts';
import type { Value } from './connections.ts';
import type { BotSample } from './samples.ts';
import { isShortPiece, tokensOf } from './search-tokens.ts';
import { botLives, type Statement, statements } from './statements.ts';

/** Searches of more words are not prepared: there would be a statement for each combination of their kinds. */
const preparedWordsMax = 3;

/** Reading and checking more rows than this takes more than an instant. */
const broadFrom = 2000;

export interface AskedStatement {
  statement: Statement | string;
  values: Value[];
  /** It reads many rows, as far as the sample tells. */
  isBroad: boolean;
}

/**
 * How a page is asked for. Each row of the answer is the total and a contact.
 * - `quick`: a page without contacts has no row, and tells no total.
 * - `complete`: takes twice as long to plan, and always has a row; on a page without contacts it is the total alone.
 */
export type PageForm = 'quick' | 'complete';

export interface PageSettings {
  form: PageForm;
  sample: BotSample;
  isSharded: boolean;
}

export function pageStatement(botId: string, search: Search, settings: PageSettings): AskedStatement {
  const { words, offset, limit } = search;
  const { form, sample, isSharded } = settings;
  const values: Value[] = [botId, limit, offset];
  if (words.length === 0) return { statement: statements.listPage, values, isBroad: offset > broadFrom };
  const conditions = words.map((word) => word.spellings.map((spelling) => holds(spelling, values, botId, sample)));
  // The database begins with the word that leaves the fewest rows.
  const shares = conditions.map((spellings) => spellings.reduce((sum, { share }) => sum + share, 0));
  const isBroad = Math.min(...shares) * sample.contactCount > broadFrom;
  const all = conditions.map((spellings) => `(${spellings.map(({ sql }) => sql).join(' OR ')})`).join(' AND ');
  // Tokens belong to one bot. It is compared all the same, since two may share a number; but as an expression, so that
  // no plan reads all rows of the bot instead. A sharded table must be told the bot.
  const isIndexed = conditions.some((spellings) => spellings.every(({ kind }) => kind === 't'));
  const text = pageTexts[form](`bot_id${isIndexed && !isSharded ? " || ''" : ''} = $1 AND ${all}`);
  if (words.length > preparedWordsMax) return { statement: text, values, isBroad };
  const name = conditions.map((spellings) => spellings.map(({ kind }) => kind).join('')).join('_');
  return { statement: { name: `${form}_${name}`, text }, values, isBroad };
}

/** The hits are found once, for the count and the page. Ids ascend with the time of creation, so they give the order. */
const hits = (conditions: string) =>
  `WITH hits AS MATERIALIZED (SELECT id FROM contacts WHERE ${conditions} AND ${botLives})`;

const pageTexts: Record<PageForm, (conditions: string) => string> = {
  quick: (conditions) => `${hits(conditions)} SELECT (SELECT count(*) FROM hits), ${contactColumns} FROM contacts
    WHERE bot_id = $1 AND id = ANY (ARRAY(SELECT id FROM hits ORDER BY id DESC LIMIT $2 OFFSET $3))
    ORDER BY id DESC`,
  complete: (conditions) => `${hits(conditions)} SELECT counted.total, page.*
    FROM (SELECT count(*) AS total FROM hits) AS counted
    LEFT JOIN LATERAL (
      SELECT ${contactColumns} FROM contacts
      WHERE bot_id = $1 AND id = ANY (ARRAY(SELECT id FROM hits ORDER BY id DESC LIMIT $2 OFFSET $3))
    ) AS page ON true ORDER BY page.id DESC`,
};

interface Condition {
  sql: string;
  /** Conditions of the same kind have the same text. */
  kind: string;
  /** How many of the bot's rows must be read for it. */
  share: number;
}

/** Ids are not in the index, and neither are most words of one or two characters: for those the bot's rows are read. */
function holds(
  spelling: SearchWord['spellings'][number],
  values: Value[],
  botId: string,
  sample: BotSample,
): Condition {
  const place = `$${values.push(spelling)}`;
  const isInText = `strpos(search_text, ${place}) > 0`;
  if (canBeInId(spelling)) return { sql: `${isInText} OR strpos(id, ${place}) > 0`, kind: 'i', share: 1 };
  const isShort = isShortPiece(spelling);
  if (!isShort && !hasTrigram(spelling)) return { sql: isInText, kind: 's', share: 1 };
  const pieces = isShort ? [spelling] : rarestTrigrams(spelling, sample, sample.contactCount);
  const share = Math.min(...pieces.map((piece) => sample.shareOf(piece)));
  const tokens = `$${values.push(tokensOf(botId, pieces))}::integer[]`;
  return { sql: `(search_tokens @> ${tokens} AND ${isInText})`, kind: 't', share };
}
