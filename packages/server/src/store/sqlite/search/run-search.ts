// Runs a search: finds its page and its exact total in one snapshot, on a connection that only reads. A total that took
// long to count is handed back to be cached. And reads a page of an export of what a search finds.
import type { DatabaseSync } from 'node:sqlite';
import { isImpossible } from '../../../contacts/search-text.ts';
import { type ContactRow, contactColumns } from '../../contact-row.ts';
import type { ExportPage, Search } from '../../store.ts';
import { keyOf } from '../../word-matches.ts';
import { type BotState, selectBotState } from '../bot-states.ts';
import { contactNumberMax, rowIdOf, rowRange } from '../row-ids.ts';
import { statementsOf } from '../rows.ts';
import type { EngineSettings } from '../settings.ts';
import type { CountedSearch } from './cached-counts.ts';
import { prepareChoice } from './choose-plan.ts';
import { type Condition, effortOfLookup, type Plan } from './plans/plan.ts';

export interface FoundPage {
  rows: ContactRow[];
  total: number;
  /** To be cached by the writer. */
  counted?: CountedSearch;
  /** CPU time. */
  tookMs: number;
}

type SearchSettings = Pick<EngineSettings, 'checkedRowsMax' | 'cachedFromMs' | 'quickEffortMax'>;

interface SearchTime {
  /** Whether a search that takes long is run. Otherwise the answer is undefined, which is found out at once. */
  mayTakeLong: boolean;
}

export function prepareSearch(db: DatabaseSync, settings: SearchSettings) {
  const { prepare, find } = statementsOf(db);
  const readRow = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE row_id = ?`);
  readRow.setReturnArrays(true);
  const choosePlan = prepareChoice(db, settings);
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');

  /** Finds all hits at once, so that they need not be found again to be counted. */
  const readFew = (bot: BotState, plan: Plan, { offset, limit }: Search) => {
    const { sql, values } = unionOf(plan.hits);
    const toList = `SELECT group_concat(row_id & ${contactNumberMax}) AS list FROM (${sql})`;
    const list = find<{ list: string | null }>(toList, ...values)?.list;
    const contacts = (list?.split(',') ?? []).map(Number).sort((a, b) => b - a);
    const page = contacts.slice(offset, offset + limit);
    const rows = page.map((contact) => readRow.get(rowIdOf(bot.number, contact)) as unknown as ContactRow);
    return { rows, total: contacts.length };
  };

  const readPage = (plan: Plan, { offset, limit }: Search): ContactRow[] => {
    const { sql, values } = unionOf(plan.hits);
    const statement = prepare(
      `SELECT ${contactColumns} FROM (SELECT row_id FROM (${sql}) ORDER BY row_id DESC LIMIT ? OFFSET ?) AS hit
       CROSS JOIN contacts ON contacts.row_id = hit.row_id ORDER BY hit.row_id DESC`,
    );
    statement.setReturnArrays(true);
    return statement.all(...values, limit, offset) as unknown as ContactRow[];
  };

  /** Each query by itself: counting their union costs a fifth more. */
  const countHits = ({ hits }: Plan): number => {
    const counts = hits.map(({ sql, values }) => find(`SELECT count(*) AS count FROM (${sql})`, ...values));
    return (counts as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
  };

  const cachedTotal = (bot: BotState, words: Search['words']): number | undefined => {
    if (words.length === 0) return bot.contactCount;
    if (!bot.isIndexed) return undefined;
    const sql = 'SELECT contact_count AS total FROM cached_counts WHERE bot = ? AND words = ?';
    return find<{ total: number }>(sql, bot.number, keyOf(words))?.total;
  };

  /** A search for words, and even its plan, reads all pending rows of the bot: after a large import they are many. */
  const hasManyPending = (bot: BotState): boolean => {
    const quickRows = Math.max(0, settings.quickEffortMax / effortOfLookup);
    // One row more than that: to count up to it would cost five times as much, with each search.
    const sql = 'SELECT 1 FROM search_pending WHERE row_id BETWEEN ? AND ? LIMIT 1 OFFSET ?';
    return find(sql, ...rowRange(bot.number), Math.floor(quickRows)) !== undefined;
  };

  /** Page and total, and whether the total was counted. Undefined when that takes long, and may not. */
  const findPage = (bot: BotState, wanted: Search, { mayTakeLong }: SearchTime) => {
    const { words, offset, limit } = wanted;
    if (!mayTakeLong && words.length > 0 && bot.isIndexed && hasManyPending(bot)) return undefined;
    const cached = cachedTotal(bot, words);
    const plan = choosePlan(bot, words, { total: cached });
    const knownTotal = cached ?? plan.total;
    const effort = plan.effort * (plan.areFew ? 1 : shareToRead(knownTotal, wanted));
    if (effort > settings.quickEffortMax && !mayTakeLong) return undefined;
    if (plan.areFew) return { ...readFew(bot, plan, wanted), isCounted: false };
    const rows = readPage(plan, wanted);
    // A page that is not full, and not past the end, is the last one: no need to count.
    const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
    const total = knownTotal ?? (isLast ? offset + rows.length : countHits(plan));
    return { rows, total, isCounted: knownTotal === undefined };
  };

  const search = (botId: string, wanted: Search, time: SearchTime): FoundPage | undefined => {
    const { words } = wanted;
    const bot = find<BotState>(selectBotState, botId);
    if (bot === undefined || words.some(isImpossible)) return { rows: [], total: 0, tookMs: 0 };
    const startedAt = process.threadCpuUsage();
    const found = findPage(bot, wanted, time);
    if (found === undefined) return undefined;
    const { rows, total, isCounted } = found;
    const { user, system } = process.threadCpuUsage(startedAt);
    const tookMs = (user + system) / 1000;
    if (!bot.isIndexed || !isCounted || tookMs <= settings.cachedFromMs) return { rows, total, tookMs };
    return { rows, total, tookMs, counted: { words, total, changeNumber: bot.changeNumber } };
  };

  /** The rows of the bot behind a position. Undefined: there are none. */
  const rangeAfter = (bot: BotState, after: string | undefined): [bigint, bigint] | undefined => {
    const [first, last] = rowRange(bot.number);
    if (after === undefined) return [first, last];
    const sql = `SELECT row_id & ${contactNumberMax} AS contact FROM contacts WHERE bot = ? AND id > ? ORDER BY id LIMIT 1`;
    const next = find<{ contact: number }>(sql, bot.number, after);
    return next && [rowIdOf(bot.number, next.contact), last];
  };

  /** Contacts that hold all words, oldest first, from a position on: what is before it is not passed again. */
  const exportMatches = (
    botId: string,
    { words = [], after, limit }: ExportPage,
    { mayTakeLong }: SearchTime,
  ): ContactRow[] | undefined => {
    const bot = find<BotState>(selectBotState, botId);
    if (bot === undefined || words.some(isImpossible)) return [];
    const range = rangeAfter(bot, after);
    if (range === undefined) return [];
    if (!mayTakeLong && bot.isIndexed && hasManyPending(bot)) return undefined;
    const total = cachedTotal(bot, words);
    const plan = choosePlan(bot, words, { total, range });
    const effort = plan.effort * (plan.areFew ? 1 : shareToRead(total, { offset: 0, limit }));
    if (effort > settings.quickEffortMax && !mayTakeLong) return undefined;
    const { sql, values } = unionOf(plan.hits);
    const statement = prepare(
      `SELECT ${contactColumns} FROM (SELECT row_id FROM (${sql}) WHERE row_id >= ? ORDER BY row_id LIMIT ?) AS hit
       CROSS JOIN contacts ON contacts.row_id = hit.row_id ORDER BY hit.row_id`,
    );
    statement.setReturnArrays(true);
    return statement.all(...values, range[0], limit) as unknown as ContactRow[];
  };

  const inSnapshot =
    <Args extends unknown[], Result>(read: (...args: Args) => Result) =>
    (...args: Args): Result => {
      begin.run();
      try {
        return read(...args);
      } finally {
        // A failed read has ended the transaction already.
        if (db.isTransaction) commit.run();
      }
    };
  return { search: inSnapshot(search), exportMatches: inSnapshot(exportMatches) };
}

/** How much of all hits must be passed to read a page. All of them, when they must be counted. */
function shareToRead(total: number | undefined, { offset, limit }: Pick<Search, 'offset' | 'limit'>): number {
  if (total === undefined) return 1;
  return total === 0 ? 0 : Math.min(1, (offset + limit) / total);
}

function unionOf(queries: readonly Condition[]): Condition {
  return {
    sql: queries.map(({ sql }) => sql).join(' UNION ALL '),
    values: queries.flatMap(({ values }) => values),
  };
}
