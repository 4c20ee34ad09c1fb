// Plan: check a few candidate rows, among which are all hits that the indexes hold.
import type { Wanted } from '../../../store.ts';
import { rowRange } from '../../contacts/row-ids.ts';
import type { BotState } from '../../tenants/bot-states.ts';
import { checkAll, effortOfLookup, isSettled, type Plan, pendingHits } from './plan.ts';

export function candidates(bot: BotState, wanted: Wanted, rowIds: readonly string[]): Plan {
  const all = checkAll(wanted);
  return {
    hits: [
      {
        sql: `SELECT contacts.row_id FROM json_each(?) AS candidate
            CROSS JOIN contacts ON contacts.row_id = candidate.value
          WHERE candidate.value ${isSettled}${all.sql}`,
        values: [`[${rowIds.join()}]`, ...all.values],
      },
      pendingHits(wanted, rowRange(bot.number)),
    ],
    areFew: true,
    effort: rowIds.length * effortOfLookup,
  };
}
