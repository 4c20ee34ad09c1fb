// The statement of a search: the page and the exact total, from one snapshot.
import { canBeInId, type SearchWord } from '../../search-text.ts';
import { contactColumns } from '../contact-row.ts';
import type { Search } from '../store.ts';
import { hasTrigram, rarestTrigrams } from '../trigrams.ts';
import type { Value } from './connections.ts';
import type { BotSample } from './samples.ts';
import { tokensOf } from './search-tokens.ts';
import { botLives, type Statement } from './statements.ts';

/** Searches of more words are not prepared: there would be a statement for each combination of their kinds. */
const preparedWordsMax = 3;

const pageColumns = contactColumns.replaceAll(/\w+/g, 'contacts.$&');

/** Each row of the answer is the total and a contact; a page without contacts is one row with the total alone. */
export function searchStatement(
  botId: string,
  { words, offset, limit }: Search,
  sample: BotSample,
): { statement: Statement | string; values: Value[] } {
  const values: Value[] = [botId, limit, offset];
  if (words.length === 0) return { statement: { name: 'list', text: listText }, values };
  const conditions = words.map((word) => word.spellings.map((spelling) => holds(spelling, values, botId, sample)));
  const text = searchText(conditions.map((spellings) => `(${spellings.map(({ sql }) => sql).join(' OR ')})`));
  if (words.length > preparedWordsMax) return { statement: text, values };
  const name = conditions.map((spellings) => spellings.map(({ kind }) => kind).join('')).join('_');
  return { statement: { name: `search_${name}`, text }, values };
}

/** The hits are found once, for the count and the page. Ids ascend with the time of creation, so they give the order. */
function searchText(conditions: string[]): string {
  return `WITH hits AS MATERIALIZED (
      SELECT id FROM contacts WHERE bot_id = $1 AND ${conditions.join(' AND ')} AND ${botLives})
    SELECT counted.total, page.* FROM (SELECT count(*) AS total FROM hits) AS counted
    LEFT JOIN LATERAL (
      SELECT ${pageColumns} FROM (SELECT id FROM hits ORDER BY id DESC LIMIT $2 OFFSET $3) AS hit
      JOIN contacts ON contacts.bot_id = $1 AND contacts.id = hit.id
    ) AS page ON true ORDER BY page.id DESC`;
}

/** All contacts: how many there are is kept in the bot's state. */
const listText = `SELECT state.contact_count, page.* FROM (SELECT contact_count FROM bot_states WHERE bot_id = $1) AS state
  LEFT JOIN LATERAL (
    SELECT ${pageColumns}
    FROM (SELECT id FROM contacts WHERE bot_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3) AS hit
    JOIN contacts ON contacts.bot_id = $1 AND contacts.id = hit.id
  ) AS page ON true ORDER BY page.id DESC`;

interface Condition {
  sql: string;
  /** Conditions of the same kind have the same text. */
  kind: string;
}

/** Ids are not in the index, and neither are words of one or two characters: for those the bot's rows are read. */
function holds(
  spelling: SearchWord['spellings'][number],
  values: Value[],
  botId: string,
  sample: BotSample,
): Condition {
  const place = `$${values.push(spelling)}`;
  const isInText = `strpos(search_text, ${place}) > 0`;
  if (canBeInId(spelling)) return { sql: `${isInText} OR strpos(id, ${place}) > 0`, kind: 'i' };
  if (!hasTrigram(spelling)) return { sql: isInText, kind: 's' };
  const tokens = tokensOf(botId, rarestTrigrams(spelling, sample, sample.contactCount));
  return { sql: `(search_tokens @> $${values.push(tokens)}::integer[] AND ${isInText})`, kind: 't' };
}
