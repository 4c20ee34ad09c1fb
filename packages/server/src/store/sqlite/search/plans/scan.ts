// Plan: read the contacts of the bot in order and check each. The fastest for small bots, and the only one for words that no
// index finds.
import type { Filter } from '../../../../contacts/filters.ts';
import type { Wanted } from '../../../store.ts';
import { rowsIn } from '../../contacts/row-ids.ts';
import type { BotState } from '../../tenants/bot-states.ts';
import { checkAll, type Plan } from './plan.ts';

/** To look for a word in a row costs as much as to pass so many entries of an index. */
const effortOfWord = 5;

/** Filters that take texts or JSON apart, or look each row up in an index. */
const slowFilters: readonly Filter['kind'][] = ['contains', 'attributeContains', 'hasTag', 'not'];

export function scan(bot: BotState, wanted: Wanted, range: [bigint, bigint]): Plan {
  const all = checkAll(wanted);
  const checks = wanted.words.length + (wanted.filters ?? []).filter(({ kind }) => slowFilters.includes(kind)).length;
  return {
    hits: [
      {
        sql: `SELECT row_id FROM contacts WHERE row_id BETWEEN ? AND ?${all.sql}`,
        values: [...range, ...all.values],
      },
    ],
    areFew: false,
    effort: Math.min(bot.contactCount, rowsIn(range)) * Math.max(1, checks * effortOfWord),
  };
}
