// Finds the page and the exact total of a search, in one snapshot, on a connection that only reads. What took long
// to find out it hands back to be kept, so that the same search need not find it out again.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isImpossible, type SearchWord } from '../../contacts/search-text.ts';
import { type ContactRow, contactColumns } from '../contact-row.ts';
import type { ExportPage, Search } from '../store.ts';
import { type CountedSearch, keyOf, type Mark, type Stretch } from './cached-counts.ts';
import { contactNumberMax, rowIdOf, rowRange } from './row-ids.ts';
import {
  type Condition,
  effortOfLookup,
  type Plan,
  type PlanSettings,
  preparePlanning,
  type SearchedBot,
} from './search-plan.ts';

export interface FoundPage {
  rows: ContactRow[];
  total: number;
  /** To be kept by the writer. */
  counted?: CountedSearch;
  /** CPU time. */
  tookMs: number;
}

export interface SearchSettings extends PlanSettings {
  /** A total that took so much CPU time to count is kept. */
  keptFromMs: number;
  /** A search that passes more contacts or index entries than this takes longer than an instant. */
  quickEffortMax: number;
  /** After so many hits, or contacts that were read in vain, a search leaves a mark to go on from. */
  markEvery: number;
}

export interface SearchTime {
  /** Whether a search that takes long is carried out. Otherwise it is undefined, which is found out at once. */
  mayTakeLong: boolean;
}

interface FoundRow {
  row: ContactRow;
  contact: number;
}

/** A mark for every so small a share of a bot's contacts is enough. */
const markShareMin = 1 / 256;

export const exportStatement = `SELECT ${contactColumns} FROM contacts WHERE bot = ? AND id > ? ORDER BY id LIMIT ?`;

export function prepareSearch(db: DatabaseSync, settings: SearchSettings) {
  const findBot = db.prepare(
    `SELECT number, contact_count, next_contact, is_indexed, counted_through, change_number
     FROM bots WHERE id = ? AND deleted_at IS NULL`,
  );
  const findKept = db.prepare(
    `SELECT first_contact AS first, contact_count AS hits FROM kept_totals WHERE bot = ? AND words = ?
     ORDER BY first_contact DESC`,
  );
  const countPending = db.prepare(
    'SELECT count(*) AS count FROM (SELECT 1 FROM search_pending WHERE row_id BETWEEN ? AND ? LIMIT ?)',
  );
  const planSearch = preparePlanning(db, settings);
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

  const readRow = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE row_id = ?`);
  readRow.setReturnArrays(true);

  /** Finds all hits at once, and so needs not find them again to count them. */
  const readFew = (bot: SearchedBot, plan: Plan, { offset, limit }: Search) => {
    const found = unionOf(plan.hits(...rowRange(bot.number)));
    const hits = prepare(`SELECT row_id & ${contactNumberMax} FROM (${found.sql})`).all(...found.values);
    const contacts = (hits as unknown as [number][]).map(([contact]) => contact).sort((a, b) => b - a);
    const page = contacts.slice(offset, offset + limit);
    const rows = page.map((contact) => readRow.get(rowIdOf(bot.number, contact)) as unknown as ContactRow);
    return { rows, total: contacts.length, marks: [] };
  };

  const readHits = (plan: Plan, range: [bigint, bigint], limit: number, offset: number): FoundRow[] => {
    const found = unionOf(plan.hits(...range));
    const sql = `SELECT ${contactColumns}, contacts.row_id & ${contactNumberMax} FROM
      (SELECT row_id FROM (${found.sql}) ORDER BY row_id DESC LIMIT ? OFFSET ?) AS hit
      CROSS JOIN contacts ON contacts.row_id = hit.row_id ORDER BY hit.row_id DESC`;
    const rows = prepare(sql).all(...found.values, limit, offset) as unknown as [...ContactRow, contact: number][];
    return rows.map((row) => ({ contact: row.pop() as number, row: row as unknown as ContactRow }));
  };

  /** Passes over the stretches before the page, and reads only those that it is in. */
  const readStretches = (bot: SearchedBot, plan: Plan, stretches: readonly Stretch[], wanted: Search) => {
    const found: FoundRow[] = [];
    const marks: Mark[] = [];
    let { offset } = wanted;
    let end = bot.next_contact - 1;
    for (const { first, hits } of stretches) {
      if (found.length === wanted.limit) break;
      const limit = Math.min(wanted.limit - found.length, hits - offset);
      if (limit > 0) {
        const read = readHits(plan, [rowIdOf(bot.number, first), rowIdOf(bot.number, end)], limit, offset);
        marks.push(...marksOf(read, { bot, plan, end, skipped: offset, before: wanted.offset + found.length }));
        found.push(...read);
      }
      offset = Math.max(0, offset - hits);
      end = first - 1;
    }
    return { rows: found.map(({ row }) => row), marks };
  };

  /** Where the next search should begin instead of where this one did. */
  const marksOf = (
    found: readonly FoundRow[],
    { bot, plan, end, skipped, before }: { bot: SearchedBot; plan: Plan; end: number; skipped: number; before: number },
  ): Mark[] => {
    if (!bot.is_indexed) return [];
    const contactsMin = Math.max(settings.markEvery, bot.next_contact * markShareMin);
    return found.flatMap(({ contact }, index) => {
      const passed = (found[index - 1]?.contact ?? end) - contact;
      const isFar = plan.isScan ? passed > contactsMin : index === 0 && skipped > settings.markEvery;
      return isFar ? [{ contact: contact + 1, hits: before + index }] : [];
    });
  };

  const countHits = (bot: SearchedBot, plan: Plan): number => {
    // Each by itself: counting their union costs a fifth more.
    const counts = plan.hits(...rowRange(bot.number)).map(({ sql, values }) => {
      const [count] = prepare(`SELECT count(*) FROM (${sql})`).get(...values) as unknown as [number];
      return count;
    });
    return counts.reduce((sum, count) => sum + count, 0);
  };

  const keptOf = (bot: SearchedBot, words: readonly SearchWord[]): Stretch[] =>
    bot.is_indexed ? (findKept.all(bot.number, keyOf(words)) as unknown as Stretch[]) : [];

  /** A search for words, and even its plan, looks at all rows that wait to be indexed: after a large import they are many. */
  const hasManyPending = (bot: SearchedBot): boolean => {
    const quickRows = Math.max(0, settings.quickEffortMax / effortOfLookup);
    const { count } = countPending.get(...rowRange(bot.number), quickRows + 1) as { count: number };
    return count > quickRows;
  };

  const readPage = (bot: SearchedBot, wanted: Search, { mayTakeLong }: SearchTime) => {
    const { words, offset, limit } = wanted;
    if (!mayTakeLong && words.length > 0 && bot.is_indexed && hasManyPending(bot)) return undefined;
    const kept = keptOf(bot, words);
    const keptTotal = kept.length === 0 ? undefined : totalOf(kept);
    const plan = planSearch(bot, words, keptTotal);
    const knownTotal = words.length === 0 ? bot.contact_count : (keptTotal ?? plan.total);
    const stretches = kept.length > 0 ? kept : [{ first: 0, hits: knownTotal ?? Number.POSITIVE_INFINITY }];
    const effort = plan.effort * (plan.areFew ? 1 : shareToRead(stretches, wanted));
    if (effort > settings.quickEffortMax && !mayTakeLong) return undefined;
    // Few are read and counted at once: keeping their total would save nothing.
    if (plan.areFew) return { ...readFew(bot, plan, wanted), isKnown: true };
    const { rows, marks } = readStretches(bot, plan, stretches, wanted);
    // A page that is not full, and not past the end, is the last one: no need to count.
    const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
    const total = knownTotal ?? (isLast ? offset + rows.length : countHits(bot, plan));
    return { rows, marks, total, isKnown: knownTotal !== undefined };
  };

  const search = (botId: string, wanted: Search, time: SearchTime): FoundPage | undefined => {
    const { words } = wanted;
    const bot = findBot.get(botId) as (SearchedBot & { change_number: number }) | undefined;
    if (bot === undefined || words.some(isImpossible)) return { rows: [], total: 0, tookMs: 0 };
    const startedAt = process.threadCpuUsage();
    const found = readPage(bot, wanted, time);
    if (found === undefined) return undefined;
    const { rows, marks, total, isKnown } = found;
    const { user, system } = process.threadCpuUsage(startedAt);
    const tookMs = (user + system) / 1000;
    const isToBeKept = bot.is_indexed === 1 && !isKnown && tookMs > settings.keptFromMs;
    if (!isToBeKept && marks.length === 0) return { rows, total, tookMs };
    return { rows, total, tookMs, counted: { words, total, marks, changeNumber: bot.change_number } };
  };

  const exportPage = (botId: string, { after, limit }: ExportPage): ContactRow[] => {
    const bot = findBot.get(botId) as { number: number } | undefined;
    if (bot === undefined) return [];
    return prepare(exportStatement).all(bot.number, after ?? '', limit) as unknown as ContactRow[];
  };

  return {
    search: (botId: string, wanted: Search, time: SearchTime) => snapshot(() => search(botId, wanted, time)),
    exportPage,
  };
}

function totalOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { hits }) => sum + hits, 0);
}

/** How much of all hits must be passed to read a page. */
function shareToRead(stretches: readonly Stretch[], { offset, limit }: Search): number {
  const total = totalOf(stretches);
  // They must be counted.
  if (total === Number.POSITIVE_INFINITY) return 1;
  let skipped = offset;
  for (const { hits } of stretches) {
    if (hits > skipped) return Math.min(1, (skipped + limit) / total);
    skipped -= hits;
  }
  return 0;
}

function unionOf(queries: readonly Condition[]): Condition {
  return {
    sql: queries.map(({ sql }) => sql).join(' UNION ALL '),
    values: queries.flatMap(({ values }) => values),
  };
}
