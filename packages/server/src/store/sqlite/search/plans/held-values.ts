// Plan: read the contacts that the index of values has for a filter, and check the rest on their rows. The index is always up
// to date, so pending rows are among them.
import type { Wanted } from '../../../store.ts';
import type { BotState } from '../../tenants/bot-states.ts';
import type { ValueLeader } from '../value-filters.ts';
import { checkAll, effortOfLookup, type Plan } from './plan.ts';

export function heldValues(
  bot: BotState,
  { words, filters = [] }: Wanted,
  range: [bigint, bigint],
  { leader: { filter, entries, count }, fewMax }: { leader: ValueLeader; fewMax: number },
): Plan {
  const others = checkAll({ words, filters: filters.filter((other) => other !== filter) });
  const join = others.sql === '' ? '' : 'CROSS JOIN contacts ON contacts.row_id = held.row_id';
  // A contact may have several of the tags. In the order of row ids, both merge what each part has in it, up to the page.
  const union = filter.kind === 'tagNumber' ? ' UNION ' : ' UNION ALL ';
  const passed = Math.min(count, bot.contactCount);
  return {
    hits: [
      {
        sql: entries
          .map(
            ({ sql }) => `SELECT held.row_id FROM contact_values AS held ${join}
              WHERE ${sql} AND held.row_id BETWEEN ? AND ?${others.sql}`,
          )
          .join(union),
        values: entries.flatMap(({ values }) => [...values, ...range, ...others.values]),
      },
    ],
    areFew: count <= fewMax,
    effort: others.sql === '' ? passed : passed * effortOfLookup,
  };
}
