// The feeds: events are gathered by the writes of a transaction and written before its commit, on the writer thread; read on
// a reader thread.
import type { DatabaseSync } from 'node:sqlite';
import type { EventType } from '@roster/contract';
import type { Feed } from '../../events/event-store.ts';
import { eventReads, type NewEvent, packEvents } from '../../events/rows.ts';
import { eventOriginOf, type WriteContext } from '../../write-context.ts';
import { byBotId, type PortMethods, prepareSteps, statementsOf } from '../contacts/rows.ts';
import { prepareBotNumber } from '../tenants/bot-numbers.ts';
import type { BotState, BotStates } from '../tenants/bot-states.ts';

export type EventWrites = ReturnType<typeof prepareEventWrites>;

export function prepareEventWrites(db: DatabaseSync, states: BotStates) {
  const insert = db.prepare('INSERT INTO events (bot, last, count, at, id, body) VALUES (?, ?, ?, ?, ?, ?)');
  const pending = new Map<BotState, NewEvent[]>();
  let current: WriteContext | undefined;

  return {
    /** To be called before each write. */
    begin(context: WriteContext | undefined): void {
      current = context;
    },

    /** `atMs`: when, if not at the time of the write. */
    note(
      bot: BotState,
      type: EventType,
      contactId: string | null,
      fields?: () => readonly string[],
      atMs?: number,
    ): void {
      const { actor, atMs: nowMs } = eventOriginOf(current);
      const events = pending.get(bot);
      const event = { type, contactId, fields: fields?.(), actor, atMs: atMs ?? nowMs };
      if (events === undefined) pending.set(bot, [event]);
      else events.push(event);
    },

    /** To be called before the transaction is committed, and the states of bots are saved. */
    save(): void {
      for (const [bot, events] of pending) {
        for (const { id, count, atMs, body } of packEvents(events)) {
          bot.lastEvent += count;
          insert.run(bot.number, bot.lastEvent, count, atMs, id, body);
        }
        states.changed.add(bot);
      }
      pending.clear();
    },

    /** To be called after a rollback. */
    clear: () => pending.clear(),
  };
}

/** The number before the oldest event that is kept. */
export const selectAfterOldest = `SELECT coalesce(
    (SELECT last - count FROM events WHERE bot = bots.number ORDER BY last LIMIT 1), last_event) AS number
  FROM bots WHERE bots.number = $1 AND deleted_at IS NULL`;
const selectEvents = `SELECT event_history AS history, last_event AS "end", last, count, events.id, body
  FROM bots LEFT JOIN events ON bot = number AND last > $2 AND last <= $3
  WHERE number = $1 AND deleted_at IS NULL ORDER BY last`;

export function prepareEventReads(db: DatabaseSync) {
  const reads = prepareSteps(db)(eventReads<number>(selectAfterOldest, selectEvents));
  return byBotId(prepareBotNumber(db), { kind: 'missing' } as const, reads);
}

export function prepareFeeds(db: DatabaseSync) {
  const { find } = statementsOf(db);
  const sql = 'SELECT event_history AS history, last_event AS "end" FROM bots WHERE id = ? AND deleted_at IS NULL';
  return {
    findFeeds: (botIds) =>
      new Map(
        botIds.flatMap((botId) => {
          const feed = find<Feed>(sql, botId);
          return feed === undefined ? [] : [[botId, { ...feed }]];
        }),
      ),
  } satisfies PortMethods;
}
