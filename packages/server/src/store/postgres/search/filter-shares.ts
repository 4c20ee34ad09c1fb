// How many contacts the filters of a search leave, as far as an index on their column or the sample tells it at once.
import { type Filter, idsOf } from '../../../contacts/filters.ts';
import { statements } from '../contacts/statements.ts';
import type { Pool } from '../pool.ts';
import { isFoundByTokens } from './conditions.ts';
import type { BotSample } from './samples.ts';

/** Counted up to here: what leaves more is not looked up by its index. */
const countedMax = 10_000;

export function prepareFilterShares(pool: Pool, broadFrom: number) {
  const count = async (statement: { name: string; text: string }, values: (string | number)[], botId: string) => {
    const [row] = await pool.query<{ count: number }>(statement, [botId, ...values, countedMax], botId);
    return row?.count ?? 0;
  };

  const countOf = (botId: string, filter: Filter): Promise<number> | number => {
    if (filter.kind === 'email') return 1;
    if (filter.kind === 'createdAt') {
      const { above, below } = idsOf(filter);
      return count(statements.countCreatedBetween, [above, below], botId);
    }
    if (filter.kind === 'updatedAt') {
      return count(statements.countUpdatedBetween, [filter.fromMs, filter.toMs], botId);
    }
    return countedMax;
  };

  /** In a bot whose contacts are all read in an instant no filter is counted. */
  return async (botId: string, filters: readonly Filter[], { contactCount, filterShareOf }: BotSample) => {
    const counted = filters.filter(({ kind }) => contactCount > broadFrom || kind === 'email');
    const shares = new Map<Filter, number>();
    for (const filter of filters) {
      if (isFoundByTokens(filter)) shares.set(filter, filterShareOf(filter));
    }
    for (const filter of counted) {
      const found = await countOf(botId, filter);
      if (found < countedMax) shares.set(filter, found / Math.max(1, contactCount));
    }
    return (filter: Filter): number => shares.get(filter) ?? 1;
  };
}
