// Notes the changes that writes make to the texts of contacts, inside their transaction, so that searches stay exact: rows whose
// index entries are missing or outdated become pending. Runs on the writer thread. Contact writes call this and know
// nothing of what is behind it.
import type { DatabaseSync } from 'node:sqlite';
import { rowRange } from '../contacts/row-ids.ts';
import { statementsOf } from '../contacts/rows.ts';
import type { EngineSettings } from '../settings.ts';
import type { BotState } from '../tenants/bot-states.ts';

/** Undefined: the contact was not there, or is gone. */
interface TextChange {
  rowId: bigint;
  before: string | undefined;
  after: string | undefined;
}

const addAllUnindexed = `INSERT INTO search_pending (row_id, has_entry)
  SELECT row_id, 0 FROM contacts WHERE row_id BETWEEN ? AND ?`;
const removeValues = `DELETE FROM contact_values WHERE (field, value, row_id) IN (
  SELECT field, value, row_id FROM contact_values WHERE field BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295 LIMIT ?2)`;

export type NoteChanges = ReturnType<typeof prepareNoteChanges>;

export function prepareNoteChanges(db: DatabaseSync, { indexThreshold }: Pick<EngineSettings, 'indexThreshold'>) {
  const { run } = statementsOf(db);

  return {
    note(bot: BotState, { rowId, before, after }: TextChange): void {
      if (!bot.isIndexed || before === after) return;
      if (before === undefined) {
        run('INSERT INTO search_pending (row_id, has_entry) VALUES (?, 0)', rowId);
        return;
      }
      // A deleted row that never got an entry needs none removed.
      const removeUnindexed = 'DELETE FROM search_pending WHERE row_id = ? AND has_entry = 0';
      if (after === undefined && run(removeUnindexed, rowId) > 0) return;
      run('INSERT INTO search_pending (row_id, has_entry) VALUES (?, 1) ON CONFLICT DO NOTHING', rowId);
    },

    /** For a contact of a deleted bot, which nothing searches any more. */
    purgeContact(rowId: bigint): void {
      run('DELETE FROM search_index WHERE rowid = ?', rowId);
      run('DELETE FROM search_pending WHERE row_id = ?', rowId);
    },

    /** Removes up to `rows` values of a deleted bot that has no contacts left; returns how many. */
    purgeBot: (bot: number, rows: number): number => run(removeValues, bot, rows),

    /** To be called before a commit, with the bots whose state is about to be saved. */
    beforeCommit(bots: Iterable<BotState>): void {
      for (const bot of bots) {
        if (bot.isIndexed || bot.contactCount <= indexThreshold) continue;
        run(addAllUnindexed, ...rowRange(bot.number));
        bot.isIndexed = 1;
      }
    },
  };
}
