// How a search finds its hits: by reading the bot's contacts in order, by the trigram index, or by a list of few
// candidates. Every plan finds the same; which one is fastest is judged here.
import type { DatabaseSync } from 'node:sqlite';
import { idKinds } from '@roster/contract/ids';
import { canBeInId, type SearchWord } from '../../contacts/search-text.ts';
import { hasTrigram, rarestTrigrams, type TrigramSample } from '../trigrams.ts';
import { contactNumberMax, numbersOf, rowIdOf, rowRange } from './row-ids.ts';
import { prepareSampling, type SampledBot } from './trigram-sample.ts';

export interface SearchedBot extends SampledBot {
  is_indexed: number;
  counted_through: number;
}

type Parameter = string | number | bigint;

/** A piece of SQL and the values of its placeholders. */
export interface Condition {
  sql: string;
  values: Parameter[];
}

export interface Plan {
  /** Queries for the row ids, in this range of them, of the contacts that hold every word. Each is found by one of them. */
  hits(first: bigint, last: bigint): Condition[];
  /** Whether each contact is read that is passed on the way to a hit. */
  isScan: boolean;
  /** Few enough to find all of them for any page. */
  areFew: boolean;
  /**
   * About how many contacts or index entries are passed to find all hits, as far as the sample tells. Rows that wait to be
   * indexed are not in it.
   */
  effort: number;
  /** How many there are in all, when that is known without counting them. */
  total?: number;
}

export interface PlanSettings {
  /** Up to so many candidates are read and checked; for more, the index is asked for whole words. */
  checkedRowsMax: number;
}

/** To look a contact up costs as much as to pass so many. */
export const effortOfLookup = 10;

/** Of the contacts with the rarest trigram of a search, so small a share may hold the others too. */
const candidatesShareMin = 1 / 20;

export function preparePlanning(db: DatabaseSync, { checkedRowsMax }: PlanSettings) {
  const sampleOf = prepareSampling(db);
  const findPiece = db.prepare('SELECT contact_count, is_listed FROM piece_counts WHERE bot = ? AND piece = ?');
  const pendingGrowth = db.prepare(
    `SELECT (SELECT count(*) FROM search_pending CROSS JOIN contacts ON contacts.row_id = search_pending.row_id
        WHERE search_pending.row_id BETWEEN ?1 AND ?2
          AND (instr(contacts.search_text, ?3) > 0 OR instr(contacts.id, ?3) > 0))
      - (SELECT count(*) FROM search_pending WHERE row_id BETWEEN ?1 AND ?2 AND instr(counted_document, ?3) > 0)`,
  );
  const matching = db.prepare(
    'SELECT rowid FROM search_index WHERE search_index MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?',
  );
  const idsBetween = db.prepare('SELECT row_id FROM contacts WHERE bot = ? AND id >= ? AND id < ? LIMIT ?');
  const someStale = db.prepare('SELECT 1 FROM search_pending WHERE row_id BETWEEN ? AND ? AND has_entry = 1 LIMIT 1');
  for (const statement of [findPiece, pendingGrowth, matching, idsBetween]) statement.setReturnArrays(true);
  for (const statement of [matching, idsBetween]) statement.setReadBigInts(true);

  /** The rarest of the short words, one with a list if there is any. Undefined also while the pieces are being counted. */
  const rarestPiece = (bot: SearchedBot, words: readonly SearchWord[]) => {
    if (bot.counted_through < contactNumberMax) return undefined;
    const pieces = words.filter(isShort).map(({ spellings: [piece = ''] }) => {
      const found = findPiece.get(bot.number, piece) as unknown as [number, number] | undefined;
      const [contactCount, isListed] = found ?? [0, 1];
      return { piece, contactCount, isListed: isListed === 1 };
    });
    return pieces.sort((a, b) => Number(b.isListed) - Number(a.isListed) || a.contactCount - b.contactCount)[0];
  };

  /** Undefined when there are too many. */
  const candidates = (find: (limit: number) => unknown): bigint[] | undefined => {
    const found = find(checkedRowsMax + 1) as [bigint][];
    return found.length > checkedRowsMax ? undefined : found.map(([rowId]) => rowId);
  };
  const candidatesByIndex = (bot: SearchedBot, expression: string) =>
    candidates((limit) => matching.all(expression, ...rowRange(bot.number), limit));

  const planByIndex = (bot: SearchedBot, words: readonly SearchWord[], total: number | undefined): Plan => {
    const indexed = words.filter(isIndexable);
    const { expression, share } = rarestOf(indexed, sampleOf(bot), bot.contact_count);
    const mayBeFew =
      !indexed.every(isTrigram) &&
      (total ?? 0) <= checkedRowsMax &&
      share * bot.contact_count * candidatesShareMin <= checkedRowsMax;
    const found = mayBeFew ? candidatesByIndex(bot, expression) : undefined;
    if (found !== undefined) return listed(found, words);
    return wholeWords(words, {
      entries: share * bot.contact_count,
      hasStaleEntries: someStale.get(...rowRange(bot.number)) !== undefined,
    });
  };

  /** Ids are in order, if in no index: those that begin with a text are found at once. */
  const planById = (bot: SearchedBot, words: readonly SearchWord[]): Plan | undefined => {
    const [spelling] = words.flatMap(({ spellings }) => (spellings.length === 1 ? spellings : [])).filter(isIdStart);
    if (spelling === undefined) return undefined;
    const start = idKinds.contact.prefix + spelling.slice(spelling.indexOf('_') + 1);
    const byId = candidates((limit) => idsBetween.all(bot.number, start, `${start}~`, limit));
    const byText = byId && candidatesByIndex(bot, quote(spelling));
    return byText && listed(Array.from(new Set([...byId, ...byText])), words);
  };

  /** `total` is that of the hits, if it is known. */
  return (bot: SearchedBot, words: readonly SearchWord[], total: number | undefined): Plan => {
    if (!bot.is_indexed || words.length === 0) return scan(bot, words);
    const rarest = rarestPiece(bot, words);
    const isListShort = rarest?.isListed && rarest.contactCount <= checkedRowsMax;
    if (words.some(isIndexable) && !isListShort) return planByIndex(bot, words, total);
    const plan = rarest?.isListed ? byPiece(bot, rarest, words) : (planById(bot, words) ?? scan(bot, words));
    if (rarest === undefined || words.length > 1) return plan;
    const [growth] = pendingGrowth.get(...rowRange(bot.number), rarest.piece) as unknown as [number];
    return { ...plan, total: rarest.contactCount + growth };
  };
}

function isShort({ spellings }: SearchWord): boolean {
  return spellings.length === 1 && spellings.every((spelling) => !hasTrigram(spelling));
}

/** Trigrams find a word of three code points or more. Ids are not in the index: a word that may be in one is not. */
function isIndexable({ spellings }: SearchWord): boolean {
  return spellings.every((spelling) => hasTrigram(spelling) && !canBeInId(spelling));
}

/** The index knows such a word itself, so there is nothing to check. */
function isTrigram({ spellings }: SearchWord): boolean {
  return spellings.every((spelling) => Array.from(spelling).length === 3);
}

function isIdStart(spelling: string): boolean {
  return hasTrigram(spelling) && spelling.includes('_') && canBeInId(spelling);
}

/** Reads the contacts in order. */
function scan(bot: SearchedBot, words: readonly SearchWord[]): Plan {
  const all = holdsAll(words);
  return {
    hits: (first, last) => [
      {
        sql: `SELECT row_id FROM contacts WHERE row_id BETWEEN ? AND ?${all.sql}`,
        values: [first, last, ...all.values],
      },
    ],
    isScan: true,
    areFew: false,
    effort: bot.contact_count * Math.max(1, words.length),
  };
}

const isSettled = 'NOT IN (SELECT row_id FROM search_pending)';

/** Rows that the indexes do not hold as they are now, checked one by one. */
function pendingHits(words: readonly SearchWord[], first: bigint, last: bigint): Condition {
  const all = holdsAll(words);
  return {
    sql: `SELECT contacts.row_id FROM search_pending CROSS JOIN contacts ON contacts.row_id = search_pending.row_id
      WHERE search_pending.row_id BETWEEN ? AND ?${all.sql}`,
    values: [first, last, ...all.values],
  };
}

/**
 * Asks the index for the words as phrases, which walks every list to its end. Other words are checked on the rows.
 * Leaving out entries that are no longer true costs half as much again, so it is done only when there are any.
 */
function wholeWords(
  words: readonly SearchWord[],
  { entries, hasStaleEntries }: { entries: number; hasStaleEntries: boolean },
): Plan {
  const phrases = words.filter(isIndexable).map(({ spellings }) => `(${spellings.map(quote).join(' OR ')})`);
  const open = holdsAll(words.filter((word) => !isIndexable(word)));
  const join = open.sql === '' ? '' : 'CROSS JOIN contacts ON contacts.row_id = search_index.rowid';
  const isTrue = hasStaleEntries ? ` AND search_index.rowid ${isSettled}` : '';
  const settled = (first: bigint, last: bigint): Condition => ({
    sql: `SELECT search_index.rowid AS row_id FROM search_index ${join}
      WHERE search_index MATCH ? AND search_index.rowid BETWEEN ? AND ?${isTrue}${open.sql}`,
    values: [phrases.join(' AND '), first, last, ...open.values],
  });
  return {
    hits: (first, last) => [settled(first, last), pendingHits(words, first, last)],
    isScan: false,
    areFew: false,
    effort: open.sql === '' ? entries : entries * effortOfLookup,
  };
}

/** Checks these rows, among which are all hits that the index holds. */
function listed(candidates: readonly bigint[], words: readonly SearchWord[]): Plan {
  const all = holdsAll(words);
  const settled = (first: bigint, last: bigint): Condition => ({
    sql: `SELECT contacts.row_id FROM json_each(?) AS candidate CROSS JOIN contacts ON contacts.row_id = candidate.value
      WHERE candidate.value BETWEEN ? AND ? AND candidate.value ${isSettled}${all.sql}`,
    values: [`[${candidates.join()}]`, first, last, ...all.values],
  });
  return {
    hits: (first, last) => [settled(first, last), pendingHits(words, first, last)],
    isScan: false,
    areFew: true,
    effort: candidates.length * effortOfLookup,
  };
}

/** Goes by the list of a rare piece. The other words are checked on the rows. */
function byPiece(
  bot: SearchedBot,
  { piece, contactCount }: { piece: string; contactCount: number },
  words: readonly SearchWord[],
): Plan {
  const open = holdsAll(words.filter(({ spellings }) => spellings[0] !== piece));
  const join = open.sql === '' ? '' : 'CROSS JOIN contacts ON contacts.row_id = listed.row_id';
  const settled = (first: bigint, last: bigint): Condition => ({
    sql: `SELECT listed.row_id FROM (SELECT ? + contact AS row_id FROM piece_contacts
        WHERE bot = ? AND piece = ? AND contact BETWEEN ? AND ?) AS listed ${join}
      WHERE listed.row_id ${isSettled}${open.sql}`,
    values: [
      rowIdOf(bot.number, 0),
      bot.number,
      piece,
      numbersOf(first).contact,
      numbersOf(last).contact,
      ...open.values,
    ],
  });
  return {
    hits: (first, last) => [settled(first, last), pendingHits(words, first, last)],
    isScan: false,
    areFew: true,
    effort: open.sql === '' ? contactCount : contactCount * effortOfLookup,
  };
}

/** The rarest trigrams of each word, which may stand apart in what they find. */
function rarestOf(words: readonly SearchWord[], sample: TrigramSample, contactCount: number) {
  const rarest = words.map(({ spellings }) =>
    spellings.map((spelling) => rarestTrigrams(spelling, sample, contactCount)),
  );
  const shares = rarest.map((spellings) => Math.max(...spellings.map(([first = '']) => sample.shareOf(first))));
  const expressions = rarest.map((spellings) => {
    const alternatives = spellings.map((trigrams) => `(${trigrams.map(quote).join(' AND ')})`);
    return `(${alternatives.join(' OR ')})`;
  });
  return { expression: expressions.join(' AND '), share: Math.min(...shares) };
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
