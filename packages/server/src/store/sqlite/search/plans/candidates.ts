// Plan: check a few candidate rows, among which are all hits that the indexes hold.
import type { SearchWord } from '../../../../contacts/search-text.ts';
import type { BotState } from '../../bot-states.ts';
import { rowRange } from '../../row-ids.ts';
import { effortOfLookup, holdsAll, isSettled, type Plan, pendingHits } from './plan.ts';

export function candidates(bot: BotState, words: readonly SearchWord[], rowIds: readonly string[]): Plan {
  const all = holdsAll(words);
  return {
    hits: [
      {
        sql: `SELECT contacts.row_id FROM json_each(?) AS candidate
            CROSS JOIN contacts ON contacts.row_id = candidate.value
          WHERE candidate.value ${isSettled}${all.sql}`,
        values: [`[${rowIds.join()}]`, ...all.values],
      },
      pendingHits(words, rowRange(bot.number)),
    ],
    areFew: true,
    effort: rowIds.length * effortOfLookup,
  };
}
