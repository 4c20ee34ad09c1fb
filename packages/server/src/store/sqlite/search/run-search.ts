// Runs a search: finds its page in one snapshot, and counts all that match in the same one unless the total is known, on a
// connection that only reads. And reads a page of an export of what a search finds.
import type { DatabaseSync } from 'node:sqlite';
import {
  digitsOf,
  type Filter,
  idsOf,
  matchesNothing,
  newestFirst,
  withWordsOfFilters,
} from '../../../contacts/filters.ts';
import { fold } from '../../../contacts/search-text.ts';
import { type ContactRow, columnsOf } from '../../contacts/row.ts';
import type { CountedPage, KnownTotal } from '../../contacts/search-totals.ts';
import type { ExportPage, Search, Wanted } from '../../store.ts';
import { contactNumberMax, rowIdOf, rowRange } from '../contacts/row-ids.ts';
import { statementsOf } from '../contacts/rows.ts';
import type { EngineSettings } from '../settings.ts';
import { type BotState, selectBotState } from '../tenants/bot-states.ts';
import { prepareChoice, walkedShareMin } from './choose-plan.ts';
import { hasIndex, pageByCreation, pageByIndex, pageBySorting } from './order.ts';
import { type Condition, effortOfLookup, type Plan } from './plans/plan.ts';
import { prepareValueFilters } from './value-filters.ts';

export type FoundPage = CountedPage<ContactRow>;

export interface AskedSearch extends Search {
  known?: KnownTotal | undefined;
}

type SearchSettings = Pick<EngineSettings, 'checkedRowsMax' | 'quickEffortMax'>;

const nothing: FoundPage = { rows: [], total: 0, tookMs: 0 };

interface SearchTime {
  /** Whether a search that takes long is run. Otherwise the answer is undefined, which is found out at once. */
  mayTakeLong: boolean;
}

export function prepareSearch(db: DatabaseSync, settings: SearchSettings) {
  const { prepare, find } = statementsOf(db);
  const valueFilters = prepareValueFilters(db);
  const choosePlan = prepareChoice(db, valueFilters.leaderOf, settings);
  db.function('digits_of', { deterministic: true }, (text) => digitsOf(text as string));
  db.function('folded', { deterministic: true }, (text) => (typeof text === 'string' ? fold(text) : null));
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');

  /** Finds all hits at once, so that they need not be found again to be counted. */
  const readFew = (bot: BotState, plan: Plan, { sort = newestFirst, offset, limit, withValues }: Search) => {
    const { sql, values } = unionOf(plan.hits);
    const toList = `SELECT group_concat(row_id & ${contactNumberMax}) AS list FROM (${sql})`;
    const list = find<{ list: string | null }>(toList, ...values)?.list;
    const sign = sort.isDescending ? -1 : 1;
    const contacts = (list?.split(',') ?? []).map(Number).sort((a, b) => sign * (a - b));
    const page = contacts.slice(offset, offset + limit);
    const readRow = prepare(`SELECT ${columnsOf(withValues)} FROM contacts WHERE row_id = ?`);
    readRow.setReturnArrays(true);
    const rows = page.map((contact) => readRow.get(rowIdOf(bot.number, contact)) as unknown as ContactRow);
    return { rows, total: contacts.length, tookMs: 0 };
  };

  const readRows = ({ sql, values }: Condition): ContactRow[] => {
    const statement = prepare(sql);
    statement.setReturnArrays(true);
    return statement.all(...values) as unknown as ContactRow[];
  };

  /**
   * Whatever changes which contacts a search finds makes an event, but for times last seen, and for the removal of deleted attributes
   * from the texts, which follows theirs in slices.
   */
  const versionOf = (bot: BotState, { filters = [] }: Wanted): number | undefined => {
    if (filters.some(isAboutLastSeen)) return undefined;
    const isStable = find('SELECT 1 FROM removed_fields WHERE bot = ? LIMIT 1', bot.number) === undefined;
    return isStable ? bot.lastEvent : undefined;
  };

  /** Each query by itself: counting their union costs a fifth more. How long it takes is measured in CPU time. */
  const countHits = (bot: BotState, wanted: Wanted, { hits }: Plan) => {
    const startedAt = process.threadCpuUsage();
    const counts = hits.map(({ sql, values }) => find(`SELECT count(*) AS count FROM (${sql})`, ...values));
    const total = (counts as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
    const { user, system } = process.threadCpuUsage(startedAt);
    return { total, tookMs: (user + system) / 1000, version: versionOf(bot, wanted) };
  };
  const known = (total: number, version: number | undefined) => ({ total, tookMs: 0, version });

  /** Of contacts that writes count: all of them, or those with one attribute or tag. */
  const countedTotal = (bot: BotState, { words, filters = [] }: Wanted): number | undefined => {
    if (words.length === 0 && filters.length === 0) return bot.contactCount;
    if (words.length > 0 || filters.length > 1) return undefined;
    return valueFilters.countHolders(bot, filters[0] as Filter);
  };

  /** A search for words, and even its plan, reads all pending rows of the bot: after a large import they are many. */
  const hasManyPending = (bot: BotState): boolean => {
    const quickRows = Math.max(0, settings.quickEffortMax / effortOfLookup);
    // One row more than that: to count up to it would cost five times as much, with each search.
    const sql = 'SELECT 1 FROM search_pending WHERE row_id BETWEEN ? AND ? LIMIT 1 OFFSET ?';
    return find(sql, ...rowRange(bot.number), Math.floor(quickRows)) !== undefined;
  };

  /** With the numbers of tags, and with the words of filters. Undefined: no contact can be found. */
  const askedOf = <Asked extends Wanted>(bot: BotState, wanted: Asked): Asked | undefined => {
    const { filters = [] } = wanted;
    if (filters.length === 0) return wanted;
    const resolved = valueFilters.resolve(bot, filters);
    return resolved && withWordsOfFilters({ ...wanted, filters: resolved });
  };

  /** Undefined when that takes long, and may not. */
  const findPage = (bot: BotState, wanted: AskedSearch, { mayTakeLong }: SearchTime): FoundPage | undefined => {
    const { words, sort = newestFirst, offset, limit, known: asked } = wanted;
    if (!mayTakeLong && words.length > 0 && bot.isIndexed && hasManyPending(bot)) return undefined;
    const range = rangeOf(bot, wanted);
    if (range === undefined) return nothing;
    const version = asked?.version === undefined ? undefined : versionOf(bot, wanted);
    const isKnown = asked !== undefined && asked.version === version;
    if (isKnown && version !== undefined && offset >= asked.total) return { rows: [], ...known(asked.total, version) };
    const exact = countedTotal(bot, wanted);
    const counted = exact ?? (isKnown ? asked.total : undefined);
    const plan = choosePlan(bot, wanted, { total: counted, range });
    const knownTotal = counted ?? plan.total;
    // Few hits may all be among the oldest contacts: only of a large share some are surely found soon.
    const isSpread = exact !== undefined || (counted ?? 0) >= bot.contactCount * walkedShareMin;
    if (effortOf(plan, isSpread ? knownTotal : plan.total, wanted) > settings.quickEffortMax && !mayTakeLong)
      return undefined;
    if (hasIndex(sort)) {
      const all = knownTotal === undefined ? countHits(bot, wanted, plan) : known(knownTotal, version);
      const isWalk = all.total >= bot.contactCount * walkedShareMin;
      const page = isWalk ? pageByIndex(bot, wanted, sort, wanted) : pageBySorting(unionOf(plan.hits), sort, wanted);
      return { rows: readRows(page), ...all };
    }
    if (plan.areFew) return readFew(bot, plan, wanted);
    const rows = readRows(pageByCreation(unionOf(plan.hits), sort, wanted));
    // A page that is not full, and not past the end, is the last one: no need to count.
    const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
    const total = isLast ? offset + rows.length : knownTotal;
    return { rows, ...(total === undefined ? countHits(bot, wanted, plan) : known(total, version)) };
  };

  const search = (botId: string, wanted: AskedSearch, time: SearchTime): FoundPage | undefined => {
    const bot = find<BotState>(selectBotState, botId);
    if (bot === undefined || matchesNothing(wanted)) return nothing;
    const asked = askedOf(bot, wanted);
    return asked === undefined ? nothing : findPage(bot, asked, time);
  };

  /**
   * The rows of the bot among which all that is wanted lies: behind a position, and of the time of creation that filters
   * name. Undefined: there are none.
   */
  const rangeOf = (bot: BotState, { filters = [] }: Wanted, after = ''): [bigint, bigint] | undefined => {
    const [first, last] = rowRange(bot.number);
    let [above, below] = [after, ''];
    for (const filter of filters) {
      if (filter.kind !== 'createdAt') continue;
      const ids = idsOf(filter);
      if (ids.above > above) above = ids.above;
      if (below === '' || ids.below < below) below = ids.below;
    }
    if (above === '' && below === '') return [first, last];
    const numberOf = (condition: string, direction: string, bound: string) => {
      const sql = `SELECT row_id & ${contactNumberMax} AS contact FROM contacts
        WHERE bot = ? AND id ${condition} ? ORDER BY id ${direction} LIMIT 1`;
      return find<{ contact: number }>(sql, bot.number, bound)?.contact;
    };
    const lowest = above === '' ? 0 : numberOf('>', 'ASC', above);
    const highest = below === '' ? contactNumberMax : numberOf('<', 'DESC', below);
    if (lowest === undefined || highest === undefined) return undefined;
    return lowest > highest ? undefined : [rowIdOf(bot.number, lowest), rowIdOf(bot.number, highest)];
  };

  /** Oldest first, from a position on: what is before it is not passed again. */
  const exportMatches = (
    botId: string,
    { words = [], filters, after, limit, withValues }: ExportPage,
    { mayTakeLong }: SearchTime,
  ): ContactRow[] | undefined => {
    const bot = find<BotState>(selectBotState, botId);
    if (bot === undefined || matchesNothing({ words, filters })) return [];
    const wanted = askedOf(bot, { words, filters });
    const range = wanted && rangeOf(bot, wanted, after);
    if (wanted === undefined || range === undefined) return [];
    if (!mayTakeLong && wanted.words.length > 0 && bot.isIndexed && hasManyPending(bot)) return undefined;
    const total = countedTotal(bot, wanted);
    const plan = choosePlan(bot, wanted, { total, range });
    const effort = plan.effort * (plan.areFew ? 1 : shareToRead(total, { offset: 0, limit }));
    if (effort > settings.quickEffortMax && !mayTakeLong) return undefined;
    const page = { offset: 0, limit, withValues };
    return readRows(pageByCreation(unionOf(plan.hits), { field: 'createdAt', isDescending: false }, page));
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

/** About how many contacts or index entries are passed for the page and its total. */
function effortOf(plan: Plan, total: number | undefined, { words, filters = [], sort = newestFirst, ...page }: Search) {
  if (plan.areFew) return plan.effort;
  if (!hasIndex(sort)) return plan.effort * shareToRead(total, page);
  // A list in an order is read from its index, up to the page.
  if (words.length === 0 && filters.length === 0) return page.offset + page.limit;
  return plan.effort * effortOfLookup;
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

function isAboutLastSeen(filter: Filter): boolean {
  return filter.kind === 'not' ? isAboutLastSeen(filter.filter) : filter.kind === 'lastSeenAt';
}
