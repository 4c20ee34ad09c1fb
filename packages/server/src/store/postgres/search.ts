// The statement of a search: the page and the exact total, from one snapshot.
import { canBeInId, type SearchWord } from '../../search-text.ts';
import { contactColumns } from '../contact-row.ts';
import type { Search } from '../store.ts';
import { botLives, type Statement } from './statements.ts';

/** Searches of more words are not prepared: there would be a statement for each combination of their kinds. */
const preparedWordsMax = 3;

/** Each row of the answer is the total and a contact; a page without contacts is one row with the total alone. */
export function searchStatement(
  botId: string,
  { words, offset, limit }: Search,
): {
  statement: Statement | string;
  values: (string | number)[];
} {
  const values: (string | number)[] = [botId, limit, offset];
  const conditions = words.map((word) => ` AND (${holds(word, values)})`).join('');
  const shape = words.map(({ spellings }) => spellings.map((one) => (canBeInId(one) ? 'i' : 't')).join('')).join('_');
  const text = words.length === 0 ? listText : searchText(conditions);
  const statement = words.length <= preparedWordsMax ? { name: `search_${shape}`, text } : text;
  return { statement, values };
}

/** The hits are found once, for the count and the page. Ids ascend with the time of creation, so they give the order. */
function searchText(conditions: string): string {
  return `WITH hits AS MATERIALIZED (SELECT id FROM contacts WHERE bot_id = $1${conditions} AND ${botLives})
    SELECT counted.total, page.* FROM (SELECT count(*) AS total FROM hits) AS counted
    LEFT JOIN LATERAL (
      SELECT ${columnsOfContact} FROM (SELECT id FROM hits ORDER BY id DESC LIMIT $2 OFFSET $3) AS hit
      JOIN contacts ON contacts.bot_id = $1 AND contacts.id = hit.id
    ) AS page ON true ORDER BY page.id DESC`;
}

/** All contacts: the total is kept in the bot's state. */
const columnsOfContact = contactColumns.replaceAll(/\w+/g, 'contacts.$&');
const listText = `SELECT counted.total, page.* FROM (SELECT contact_count AS total FROM bot_states WHERE bot_id = $1) AS counted
  LEFT JOIN LATERAL (
    SELECT ${columnsOfContact} FROM
      (SELECT id FROM contacts WHERE bot_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3) AS hit
    JOIN contacts ON contacts.bot_id = $1 AND contacts.id = hit.id
  ) AS page ON true ORDER BY page.id DESC`;

function holds({ spellings }: SearchWord, values: (string | number)[]): string {
  return spellings
    .map((spelling) => {
      const pattern = `$${values.push(`%${spelling.replaceAll(/[\\%_]/g, '\\$&')}%`)}`;
      const inText = `search_text LIKE ${pattern}`;
      return canBeInId(spelling) ? `${inText} OR id LIKE ${pattern}` : inText;
    })
    .join(' OR ');
}
