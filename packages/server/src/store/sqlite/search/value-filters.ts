// Filters on attributes and tags, on a connection that only reads: what they mean by the definitions of its snapshot, and how
// many contacts the index of values has for each.
import type { DatabaseSync } from 'node:sqlite';
import { type Filter, resolveFilters } from '../../../contacts/filters.ts';
import { statementsOf } from '../contacts/rows.ts';
import type { BotState } from '../tenants/bot-states.ts';
import { type Condition, comparisons } from './plans/plan.ts';
import { fieldOf, indexed, valueOfTag } from './value-index.ts';

/** Counted up to here: which of several filters leaves the fewest is worth no more time. */
const countedMax = 20_000;

export interface ValueLeader {
  filter: Filter;
  /** Which entries of the index, `held`, it means: any of these. */
  entries: Condition[];
  /** Whether each of them comes in the order of row ids: it is of one value. */
  isInOrder: boolean;
  /** How many these are. Infinity: more than are counted. */
  count: number;
}

export type ValueFilters = ReturnType<typeof prepareValueFilters>;

export function prepareValueFilters(db: DatabaseSync) {
  const { find } = statementsOf(db);

  const countOf = (entries: readonly Condition[]): number => {
    const each = entries.map(({ sql }) => `SELECT 1 FROM contact_values AS held WHERE ${sql}`);
    const limited = `SELECT count(*) AS count FROM (${each.join(' UNION ALL ')} LIMIT ${countedMax})`;
    const count = find<{ count: number }>(limited, ...entries.flatMap(({ values }) => values))?.count ?? 0;
    return count < countedMax ? count : Number.POSITIVE_INFINITY;
  };

  return {
    /** By the definitions of the snapshot. Undefined: nothing is found. */
    resolve(bot: BotState, filters: readonly Filter[]): Filter[] | undefined {
      return resolveFilters(filters, {
        tagNumber: (key) =>
          find<{ number: number }>('SELECT number FROM tags WHERE bot = ? AND key = ?', bot.number, key)?.number,
        isAttribute: (number) =>
          find('SELECT number FROM attributes WHERE bot = ? AND number = ?', bot.number, number) !== undefined,
      });
    },

    /** How many contacts have the tag or the attribute that the filter asks for, or lack it. Undefined: it asks for something else. */
    countHolders(bot: BotState, filter: Filter): number | undefined {
      if (filter.kind === 'not') {
        const holders = this.countHolders(bot, filter.filter);
        return holders === undefined ? undefined : bot.contactCount - holders;
      }
      const [table, number, ...others] =
        filter.kind === 'tagNumber'
          ? (['tags', ...filter.numbers] as const)
          : (['attributes', filter.kind === 'hasAttribute' ? filter.number : undefined] as const);
      if (number === undefined || others.length > 0) return undefined;
      const sql = `SELECT contact_count AS count FROM ${table} WHERE bot = ? AND number = ?`;
      return find<{ count: number }>(sql, bot.number, number)?.count;
    },

    /** The one whose entries in the index are fewest. */
    leaderOf(bot: BotState, filters: readonly Filter[]): ValueLeader | undefined {
      const leaders = filters.flatMap((filter): ValueLeader[] => {
        const entries = entriesOf(bot, filter);
        const isInOrder = filter.kind === 'tagNumber' || filter.kind === 'attribute';
        return entries === undefined ? [] : [{ filter, entries, isInOrder, count: countOf(entries) }];
      });
      return leaders.sort((one, other) => one.count - other.count)[0];
    },
  };
}

function entriesOf(bot: BotState, filter: Filter): Condition[] | undefined {
  const ofValue = (number: number, value: number | bigint) => ({
    sql: 'held.field = ? AND held.value = ?',
    values: [fieldOf(bot.number, number), value],
  });
  switch (filter.kind) {
    case 'tagNumber':
      return filter.numbers.map((number) => ofValue(number, valueOfTag));
    case 'hasAttribute':
      return [{ sql: 'held.field = ?', values: [fieldOf(bot.number, filter.number)] }];
    case 'attribute':
      return [...new Set(filter.values.map(indexed))].map((value) => ofValue(filter.number, value));
    case 'attributeRange': {
      const bounds = Object.entries(filter.range) as [keyof typeof comparisons, number][];
      const conditions = bounds.map(([operator]) => ` AND held.value ${comparisons[operator]} ?`);
      const values = [fieldOf(bot.number, filter.number), ...bounds.map(([, bound]) => bound)];
      return [{ sql: `held.field = ?${conditions.join('')}`, values }];
    }
    default:
      return undefined;
  }
}
