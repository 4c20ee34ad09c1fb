// Filters on attributes and tags, on a connection that only reads: what they mean by the definitions of its snapshot, and how
// many contacts the index of values has for each.
import type { DatabaseSync } from 'node:sqlite';
import type { Filter } from '../../../contacts/filters.ts';
import { statementsOf } from '../contacts/rows.ts';
import type { BotState } from '../tenants/bot-states.ts';
import { type Condition, comparisons } from './plans/plan.ts';
import { fieldOf, indexed, valueOfTag } from './value-index.ts';

/** Counted up to here: which of several filters leaves the fewest is worth no more time. */
const countedMax = 20_000;

export interface ValueLeader {
  filter: Filter;
  /** Which entries of the index, `held`, it means. */
  entries: Condition;
  /** Whether they come in the order of row ids: they are all of one value. */
  isInOrder: boolean;
  /** How many these are. Infinity: more than are counted. */
  count: number;
}

export type FieldFilters = ReturnType<typeof prepareFieldFilters>;

export function prepareFieldFilters(db: DatabaseSync) {
  const { find } = statementsOf(db);

  /** The number of the tag, or that of the attribute if it is defined. */
  const numberOf = (bot: BotState, filter: Filter): number | undefined => {
    const [sql, key] =
      filter.kind === 'tag'
        ? ['SELECT number FROM tags WHERE bot = ? AND key = ?', filter.key]
        : ['SELECT number FROM attributes WHERE bot = ? AND number = ?', 'number' in filter ? filter.number : 0];
    return find<{ number: number }>(sql, bot.number, key)?.number;
  };

  const countOf = ({ sql, values }: Condition): number => {
    const limited = `SELECT count(*) AS count FROM (SELECT 1 FROM contact_values AS held WHERE ${sql} LIMIT ${countedMax})`;
    const count = find<{ count: number }>(limited, ...values)?.count ?? 0;
    return count < countedMax ? count : Number.POSITIVE_INFINITY;
  };

  return {
    /** With numbers in place of tags. Undefined: a tag or an attribute is not there, so that nothing is found. */
    resolve(bot: BotState, filters: readonly Filter[]): Filter[] | undefined {
      const resolved: Filter[] = [];
      for (const filter of filters) {
        if (filter.kind !== 'tag' && !('number' in filter)) {
          resolved.push(filter);
          continue;
        }
        const number = numberOf(bot, filter);
        const isMissingWanted = filter.kind === 'hasAttribute' && !filter.isWanted;
        if (number === undefined && !isMissingWanted) return undefined;
        if (number === undefined) continue;
        resolved.push(filter.kind === 'tag' ? { kind: 'tagNumber', number } : filter);
      }
      return resolved;
    },

    /** How many contacts have the tag or the attribute that the filter asks for. Undefined: it asks for something else. */
    countHolders(bot: BotState, filter: Filter): number | undefined {
      const isTag = filter.kind === 'tagNumber';
      if (!isTag && !(filter.kind === 'hasAttribute' && filter.isWanted)) return undefined;
      const sql = `SELECT contact_count AS count FROM ${isTag ? 'tags' : 'attributes'} WHERE bot = ? AND number = ?`;
      return find<{ count: number }>(sql, bot.number, filter.number)?.count;
    },

    /** The one whose entries in the index are fewest. */
    leaderOf(bot: BotState, filters: readonly Filter[]): ValueLeader | undefined {
      const leaders = filters.flatMap((filter): ValueLeader[] => {
        const entries = entriesOf(bot, filter);
        const isInOrder = filter.kind === 'tagNumber' || (filter.kind === 'attribute' && filter.values.length === 1);
        return entries === undefined ? [] : [{ filter, entries, isInOrder, count: countOf(entries) }];
      });
      return leaders.sort((one, other) => one.count - other.count)[0];
    },
  };
}

function entriesOf(bot: BotState, filter: Filter): Condition | undefined {
  if (!('number' in filter) || (filter.kind === 'hasAttribute' && !filter.isWanted)) return undefined;
  const field = fieldOf(bot.number, filter.number);
  if (filter.kind === 'hasAttribute') return { sql: 'held.field = ?', values: [field] };
  // With the value, the entries come in the order of row ids.
  if (filter.kind === 'tagNumber') return { sql: 'held.field = ? AND held.value = ?', values: [field, valueOfTag] };
  if (filter.kind === 'attribute') {
    const values = filter.values.map(indexed);
    return { sql: `held.field = ? AND held.value IN (${values.map(() => '?')})`, values: [field, ...values] };
  }
  const bounds = Object.entries(filter.range) as [keyof typeof comparisons, number][];
  const conditions = bounds.map(([operator]) => ` AND held.value ${comparisons[operator]} ?`);
  return { sql: `held.field = ?${conditions.join('')}`, values: [field, ...bounds.map(([, bound]) => bound)] };
}
