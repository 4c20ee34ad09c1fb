// The counters in the rows of bots that the writes of one transaction change. Those writes are mostly for the same few
// bots, so each row is read once and saved once, before the commit.
import type { DatabaseSync } from 'node:sqlite';
import { type NoteChanges, type SearchState, searchStateColumns } from './search/note-changes.ts';

export interface BotState extends SearchState {
  nextContact: number;
  lastCreatedUs: number;
}

export type BotStates = ReturnType<typeof prepareBotStates>;

export function prepareBotStates(db: DatabaseSync, search: NoteChanges) {
  const read = db.prepare(
    `SELECT number, contact_count AS contactCount, next_contact AS nextContact, last_created_us AS lastCreatedUs,
       ${searchStateColumns}
     FROM bots WHERE id = ? AND deleted_at IS NULL`,
  );
  const write = db.prepare(
    `UPDATE bots SET contact_count = ?, next_contact = ?, last_created_us = ?, is_indexed = ?, change_number = ?
     WHERE number = ?`,
  );
  const known = new Map<string, BotState>();
  const changed = new Set<BotState>();

  /** After its end, what was read in a transaction may be out of date. */
  const clear = (): void => {
    known.clear();
    changed.clear();
  };

  return {
    /** Undefined when there is no such bot. */
    find(botId: string): BotState | undefined {
      const state = known.get(botId) ?? (read.get(botId) as BotState | undefined);
      if (state !== undefined) known.set(botId, state);
      return state;
    },

    markChanged(state: BotState): void {
      changed.add(state);
    },

    /** Of a bot that is deleted: later writes of the transaction must not find it. */
    forget(botId: string): void {
      known.delete(botId);
    },

    /** To be called before the transaction is committed. */
    save(): void {
      search.beforeCommit(changed);
      for (const { number, contactCount, nextContact, lastCreatedUs, isIndexed, changeNumber } of changed) {
        write.run(contactCount, nextContact, lastCreatedUs, isIndexed, changeNumber, number);
      }
      clear();
    },

    /** To be called after the transaction was rolled back. */
    reset(): void {
      clear();
      search.afterRollback();
    },
  };
}
