// Plan: read the list of contacts of a rare short n-gram, and check the rest on their rows.
import type { Wanted } from '../../../store.ts';
import type { BotState } from '../../bot-states.ts';
import { rowIdOf, rowRange } from '../../row-ids.ts';
import { checkAll, effortOfLookup, isSettled, type Plan, pendingHits } from './plan.ts';

export interface ShortWord {
  ngram: string;
  contactCount: number;
  isListed: boolean;
}

export function listedNgram(bot: BotState, wanted: Wanted, { ngram, contactCount }: ShortWord): Plan {
  const others = checkAll({ ...wanted, words: wanted.words.filter(({ spellings }) => spellings[0] !== ngram) });
  const join = others.sql === '' ? '' : 'CROSS JOIN contacts ON contacts.row_id = listed.row_id';
  return {
    hits: [
      {
        sql: `SELECT listed.row_id FROM
            (SELECT ? + contact AS row_id FROM ngram_contacts WHERE bot = ? AND ngram = ?) AS listed ${join}
          WHERE listed.row_id ${isSettled}${others.sql}`,
        values: [rowIdOf(bot.number, 0), bot.number, ngram, ...others.values],
      },
      pendingHits(wanted, rowRange(bot.number)),
    ],
    areFew: true,
    effort: others.sql === '' ? contactCount : contactCount * effortOfLookup,
  };
}
