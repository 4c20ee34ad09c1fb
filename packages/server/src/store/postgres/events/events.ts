// The feeds: how they are read. Events are written by transactions.ts.

import type { Feed } from '../../events/event-store.ts';
import { eventReads } from '../../events/rows.ts';
import type { Store } from '../../store.ts';
import { statements } from '../contacts/statements.ts';
import { askForEach } from '../each-bot.ts';
import type { Pool } from '../pool.ts';
import type { Transactions } from '../transactions.ts';

const findEach = `SELECT bot_id AS "botId", event_history AS history, last_event AS "end" FROM bot_states
  WHERE bot_id = ANY ($1::text[])`;

export function prepareEvents({ botReads }: Transactions, pool: Pool) {
  return {
    ...botReads(eventReads<string>(statements.findOldestEvent, statements.readEvents)),

    async findFeeds(botIds) {
      const { rows } = await askForEach<Feed & { botId: string }>(pool, findEach, botIds);
      return new Map(rows.map(({ botId, ...feed }) => [botId, feed]));
    },
  } satisfies Partial<Store>;
}
