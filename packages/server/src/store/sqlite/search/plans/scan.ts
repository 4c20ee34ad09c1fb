// Plan: read the contacts of the bot in order and check each. The fastest for small bots and for frequent short words.
import type { SearchWord } from '../../../../contacts/search-text.ts';
import type { BotState } from '../../bot-states.ts';
import { holdsAll, type Plan } from './plan.ts';

export function scan(bot: BotState, words: readonly SearchWord[], range: [bigint, bigint]): Plan {
  const all = holdsAll(words);
  return {
    hits: [
      {
        sql: `SELECT row_id FROM contacts WHERE row_id BETWEEN ? AND ?${all.sql}`,
        values: [...range, ...all.values],
      },
    ],
    areFew: false,
    effort: bot.contactCount * Math.max(1, words.length),
  };
}
