// What writes change in the row of a bot. The writes of one transaction are mostly for the same few bots, so each row is
// read once and saved once, before the commit.
import type { DatabaseSync } from 'node:sqlite';
import type { CountedDay } from '../../activity/rows.ts';

export interface BotState extends CountedDay {
  number: number;
  contactCount: number;
  nextContact: number;
  /** The number of the next attribute or tag. */
  nextValueNumber: number;
  isIndexed: number;
  /** The number of the last event. */
  lastEvent: number;
}

export const selectBotState = `SELECT number, contact_count AS contactCount, next_contact AS nextContact,
    last_created_us AS lastCreatedUs, created_last_day AS createdLastDay, next_field AS nextValueNumber,
    is_indexed AS isIndexed, last_event AS lastEvent
  FROM bots WHERE id = ? AND deleted_at IS NULL`;

export type BotStates = ReturnType<typeof prepareBotStates>;

export function prepareBotStates(db: DatabaseSync) {
  const read = db.prepare(selectBotState);
  const write = db.prepare(
    `UPDATE bots SET contact_count = ?, next_contact = ?, last_created_us = ?, created_last_day = ?, next_field = ?,
       is_indexed = ?, last_event = ? WHERE number = ?`,
  );
  const known = new Map<string, BotState>();
  const changed = new Set<BotState>();

  /** To be called after a rollback: what was read in the transaction may be out of date. */
  const clear = (): void => {
    known.clear();
    changed.clear();
  };

  return {
    /** A state that was changed must be added, to be saved. */
    changed,

    /** Undefined when there is no such bot. */
    find(botId: string): BotState | undefined {
      const state = known.get(botId) ?? (read.get(botId) as BotState | undefined);
      if (state !== undefined) known.set(botId, state);
      return state;
    },

    /** For an attribute or a tag. */
    takeNumber(bot: BotState): number {
      changed.add(bot);
      return bot.nextValueNumber++;
    },

    /** Of a bot that is deleted: later writes of the transaction must not find it. */
    forget(botId: string): void {
      known.delete(botId);
    },

    /** To be called before the transaction is committed. */
    save(): void {
      for (const bot of changed) {
        const { number, contactCount, nextContact, lastCreatedUs, createdLastDay } = bot;
        const { nextValueNumber, isIndexed, lastEvent } = bot;
        const ofContacts = [contactCount, nextContact, lastCreatedUs, createdLastDay];
        write.run(...ofContacts, nextValueNumber, isIndexed, lastEvent, number);
      }
      clear();
    },

    clear,
  };
}
