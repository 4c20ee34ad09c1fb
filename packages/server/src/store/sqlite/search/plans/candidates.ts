// Plan: check a few candidate rows, among which are all hits that the indexes hold.
import type { Wanted } from '../../../store.ts';
import { checkAll, effortOfLookup, isSettled, type Plan, pendingHits } from './plan.ts';

export function candidates(wanted: Wanted, range: [bigint, bigint], rowIds: readonly string[]): Plan {
  const all = checkAll(wanted);
  return {
    hits: [
      {
        sql: `SELECT contacts.row_id FROM json_each(?) AS candidate
            CROSS JOIN contacts ON contacts.row_id = candidate.value
          WHERE candidate.value BETWEEN ? AND ? AND candidate.value ${isSettled}${all.sql}`,
        values: [`[${rowIds.join()}]`, ...range, ...all.values],
      },
      pendingHits(wanted, range),
    ],
    areFew: true,
    effort: rowIds.length * effortOfLookup,
  };
}
