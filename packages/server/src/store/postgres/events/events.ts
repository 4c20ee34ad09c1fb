// The feeds: how they are read. Events are written by transactions.ts.

import type { EventsRead, Feed, WantedEvents } from '../../events/event-store.ts';
import { type JoinedEventRow, rangeOf, toEventsRead } from '../../events/rows.ts';
import type { Store } from '../../store.ts';
import { statements } from '../contacts/statements.ts';
import { askForEach } from '../each-bot.ts';
import type { Pool } from '../pool.ts';
import type { Transactions } from '../transactions.ts';

const findEach = `SELECT bot_id AS "botId", event_history AS history, last_event AS "end" FROM bot_states
  WHERE bot_id = ANY ($1::text[])`;

export function prepareEvents({ readOf }: Transactions, pool: Pool) {
  const findAfterOldest = async (botId: string) =>
    (await readOf<{ number: number }>(statements.findOldestEvent, [botId]))[0]?.number;

  return {
    async readEvents(botId: string, wanted: WantedEvents): Promise<EventsRead> {
      // A purge between the two statements is a reason to begin again.
      for (;;) {
        const after = wanted.after ?? (await findAfterOldest(botId));
        if (after === undefined) return { kind: 'missing' };
        const { rowsTo } = rangeOf({ ...wanted, after });
        const rows = await readOf<JoinedEventRow>(statements.readEvents, [botId, after, rowsTo]);
        const found = toEventsRead({ ...wanted, after }, rows);
        if (found.kind !== 'expired' || wanted.after !== undefined) return found;
      }
    },

    async findFeeds(botIds) {
      const { rows } = await askForEach<Feed & { botId: string }>(pool, findEach, botIds);
      return new Map(rows.map(({ botId, ...feed }) => [botId, feed]));
    },
  } satisfies Partial<Store>;
}
