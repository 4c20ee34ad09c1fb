// Finds the page and the exact total of a search, in one snapshot, on a connection that only reads.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { canBeInId, isImpossible, type SearchWord } from '../../search-text.ts';
import { type ContactRow, contactColumns } from '../contact-row.ts';
import type { ExportPage, Search } from '../store.ts';
import { hasTrigram, rarestTrigrams, type TrigramSample } from '../trigrams.ts';
import { rowRange } from './row-ids.ts';
import { prepareSampling, type SampledBot } from './trigram-sample.ts';

export interface FoundPage {
  rows: ContactRow[];
  total: number;
}

interface SearchedBot extends SampledBot {
  is_indexed: number;
}

type Parameter = string | number | bigint;

/** A piece of SQL and the values of its placeholders. */
interface Condition {
  sql: string;
  values: Parameter[];
}

export interface SearchSettings {
  /** Up to so many candidates are read and checked; for more, the long lists of common trigrams are intersected. */
  checkedRowsMax: number;
}

export function prepareSearch(db: DatabaseSync, settings: SearchSettings) {
  const findBot = db.prepare(
    'SELECT number, contact_count, next_contact, is_indexed FROM bots WHERE id = ? AND deleted_at IS NULL',
  );
  const sampleOf = prepareSampling(db);
  // The text of a statement depends only on the number of words and their kinds, so there are few.
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      if (statements.size >= 64) statements.clear();
      statement = db.prepare(sql);
      statement.setReturnArrays(true);
      statements.set(sql, statement);
    }
    return statement;
  };

  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');
  const snapshot = <Result>(read: () => Result): Result => {
    begin.run();
    try {
      return read();
    } finally {
      // A failed read has ended it already.
      if (db.isTransaction) commit.run();
    }
  };

  const readPage = (found: Hits, { offset, limit }: Search): ContactRow[] => {
    // Few hits are sorted after they are found: read backwards, the lists of the index cost twice as much.
    const order = found.areFew ? '+row_id' : 'row_id';
    const sql = `SELECT ${contactColumns} FROM
      (SELECT row_id FROM (${found.sql}) ORDER BY ${order} DESC LIMIT ? OFFSET ?) AS hit
      CROSS JOIN contacts ON contacts.row_id = hit.row_id ORDER BY hit.row_id DESC`;
    return prepare(sql).all(...found.values, limit, offset) as unknown as ContactRow[];
  };

  const search = (botId: string, wanted: Search): FoundPage => {
    const bot = findBot.get(botId) as SearchedBot | undefined;
    if (bot === undefined || wanted.words.some(isImpossible)) return { rows: [], total: 0 };
    const found = hits(bot, wanted.words, (words) =>
      matchExpression(words, sampleOf(bot), bot.contact_count, settings),
    );
    const rows = readPage(found, wanted);
    if (wanted.words.length === 0) return { rows, total: bot.contact_count };
    // A page that is not full, and not past the end, is the last one: no need to count.
    const isLast = rows.length < wanted.limit && (rows.length > 0 || wanted.offset === 0);
    if (isLast) return { rows, total: wanted.offset + rows.length };
    const [total] = prepare(`SELECT count(*) FROM (${found.sql})`).get(...found.values) as unknown as [number];
    return { rows, total };
  };

  const exportPage = (botId: string, { after, limit }: ExportPage): ContactRow[] => {
    const bot = findBot.get(botId) as { number: number } | undefined;
    if (bot === undefined) return [];
    const sql = `SELECT ${contactColumns} FROM contacts WHERE bot = ? AND id > ? ORDER BY id LIMIT ?`;
    return prepare(sql).all(bot.number, after ?? '', limit) as unknown as ContactRow[];
  };

  return {
    search: (botId: string, wanted: Search) => snapshot(() => search(botId, wanted)),
    exportPage,
  };
}

interface Hits extends Condition {
  areFew: boolean;
}

/** The row ids of the contacts that hold every word, as a query to be ordered or counted. */
function hits(bot: SearchedBot, words: readonly SearchWord[], toMatch: (indexed: SearchWord[]) => Match): Hits {
  const range = rowRange(bot.number);
  const all = holdsAll(words);
  const indexed = bot.is_indexed ? words.filter(isIndexable) : [];
  if (indexed.length === 0) {
    return {
      sql: `SELECT row_id FROM contacts WHERE row_id BETWEEN ? AND ?${all.sql}`,
      values: [...range, ...all.values],
      areFew: false,
    };
  }
  // The index narrows; what it leaves open is checked on the rows. Rows it does not hold yet are checked one by one.
  const { expression, needsCheck } = toMatch(indexed);
  const open = holdsAll(words.filter((word) => needsCheck || !isIndexable(word)));
  const join = open.sql === '' ? '' : 'CROSS JOIN contacts ON contacts.row_id = search_index.rowid';
  return {
    sql: `SELECT search_index.rowid AS row_id FROM search_index ${join}
        WHERE search_index MATCH ? AND search_index.rowid BETWEEN ? AND ?
          AND search_index.rowid NOT IN (SELECT row_id FROM search_pending)${open.sql}
      UNION ALL
      SELECT contacts.row_id FROM search_pending CROSS JOIN contacts ON contacts.row_id = search_pending.row_id
        WHERE search_pending.row_id BETWEEN ? AND ?${all.sql}`,
    values: [expression, ...range, ...open.values, ...range, ...all.values],
    areFew: needsCheck,
  };
}

/** Trigrams find a word of three code points or more. Ids are not in the index: a word that may be in one is not. */
function isIndexable({ spellings }: SearchWord): boolean {
  return spellings.every((spelling) => hasTrigram(spelling) && !canBeInId(spelling));
}

interface Match {
  expression: string;
  /** Rows that match may still lack a word. */
  needsCheck: boolean;
}

/**
 * What to ask the index. With a rare trigram in the query: only the rarest ones, and the rows must be checked, since
 * the trigrams may stand apart. Otherwise: the words as phrases, which need no check but walk every list to its end.
 */
function matchExpression(
  words: readonly SearchWord[],
  sample: TrigramSample,
  contactCount: number,
  { checkedRowsMax }: SearchSettings,
): Match {
  const rarest = words.map(({ spellings }) =>
    spellings.map((spelling) => rarestTrigrams(spelling, sample, contactCount)),
  );
  const shares = rarest.map((spellings) => Math.max(...spellings.map(([first = '']) => sample.shareOf(first))));
  const needsCheck = Math.min(...shares) * contactCount <= checkedRowsMax;
  const expressions = needsCheck
    ? rarest.map((spellings) => spellings.map((trigrams) => trigrams.map(quote).join(' AND ')))
    : words.map(({ spellings }) => spellings.map(quote));
  const expression = expressions.map((spellings) => `(${spellings.map((one) => `(${one})`).join(' OR ')})`);
  return { expression: expression.join(' AND '), needsCheck };
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function holdsAll(words: readonly SearchWord[]): Condition {
  const conditions = words.map(holds);
  return {
    sql: conditions.map(({ sql }) => ` AND (${sql})`).join(''),
    values: conditions.flatMap(({ values }) => values),
  };
}

function holds({ spellings }: SearchWord): Condition {
  const conditions = spellings.flatMap((spelling): Condition[] => [
    { sql: 'instr(contacts.search_text, ?) > 0', values: [spelling] },
    ...(canBeInId(spelling) ? [{ sql: 'instr(contacts.id, ?) > 0', values: [spelling] }] : []),
  ]);
  return {
    sql: conditions.map(({ sql }) => sql).join(' OR '),
    values: conditions.flatMap(({ values }) => values),
  };
}
