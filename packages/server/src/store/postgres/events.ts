// The feeds: how they are read, and events that no transaction on contacts makes.
import { type JoinedEventRow, type NewEvent, packEvents, rangeOf, toEventsRead } from '../event-rows.ts';
import type { EventsRead, Feed, WantedEvents } from '../event-store.ts';
import { change, type Steps } from '../sql-steps.ts';
import type { Store } from '../store.ts';
import { statements } from './contact-statements.ts';
import { askForEach } from './each-bot.ts';
import type { Pool } from './pool.ts';
import type { Transactions } from './transactions.ts';

/** Within a transaction that has locked the state of the bot. */
export function* appendEvents(botId: string, events: readonly NewEvent[]): Steps<void> {
  for (const { id, count, atMs, body } of packEvents(events)) {
    yield* change(statements.insertEvents, botId, count, count, atMs, id, body, null, null);
    yield* change(statements.addEvents, botId, count);
  }
}

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
