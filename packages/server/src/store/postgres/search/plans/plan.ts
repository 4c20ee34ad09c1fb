// What a search plan is: a statement for the page and the exact total, from one snapshot. And what plans share.
import type { Statement } from '../../../sql-steps.ts';
import type { Search } from '../../../store.ts';
import type { Value } from '../../pool.ts';
import type { RowCondition, SearchedBot } from '../conditions.ts';

export interface SearchOptions {
  /** Whether the tables by bot are spread over partitions or nodes. */
  isSharded: boolean;
  /** A search that reads and checks more rows than this takes more than an instant. */
  broadFrom: number;
}

export interface AskedPage extends SearchedBot, SearchOptions {
  search: Search;
}

export interface Plan {
  statement: Statement;
  values: Value[];
  /** It reads many rows, as far as the sample tells. */
  isBroad: boolean;
  /** Of one that counts many rows: its page beside a total that is known, and higher than the offset. */
  besideTotal?: (total: number) => Plan;
}

/**
 * A statement is prepared on each connection, which keeps it. Those of more conditions are not prepared: there would be one for
 * each combination of their kinds, and again for each order.
 */
const preparedConditionsMax = { words: 3, filters: 2, orders: 1 };

export function namedBy(prefix: string, conditions: readonly RowCondition[], text: string): Statement {
  const kinds = prefix.includes('_') ? 'orders' : conditions.some(({ isFilter }) => isFilter) ? 'filters' : 'words';
  if (conditions.length > preparedConditionsMax[kinds]) return text;
  return { name: `${prefix}_${conditions.map(({ kind }) => kind).join('_')}`, text };
}

/** Of the statement that reads besides what contacts have beside their fields. */
export function nameOf(prefix: string, withValues: boolean | undefined): string {
  return withValues ? `${prefix}WithValues` : prefix;
}

/**
 * Restricts what is looked up by tokens to the bot. Tokens belong to one bot. It is compared all the same, since two tokens
 * may share a number; but as an expression, so that no plan reads all rows of the bot instead. A sharded table needs the
 * bot itself, to find its shard.
 */
export function botOf({ isSharded }: Pick<AskedPage, 'isSharded'>): string {
  return isSharded ? 'bot_id = $1' : "bot_id || '' = $1";
}
