// Notes the changes that writes make to the documents of contacts, inside their transaction, so that searches stay exact:
// rows whose index entries are missing or outdated become pending, and cached counts are adjusted. Runs on the
// writer thread. Contact writes call this and know nothing of what is behind it.
import type { DatabaseSync } from 'node:sqlite';
import type { ContactChange } from '../../matcher.ts';
import type { StoredValues } from '../../stored-values.ts';
import type { BotState } from '../bot-states.ts';
import { rowRange } from '../row-ids.ts';
import { statementsOf } from '../rows.ts';
import type { EngineSettings } from '../settings.ts';
import { prepareCachedCounts } from './cached-counts.ts';
import { documentOf } from './short-ngrams.ts';

interface RowChange extends ContactChange {
  rowId: bigint;
}

const addOutdated = `INSERT INTO search_pending (row_id, has_entry, counted_document) VALUES (?, 1, ?)
  ON CONFLICT DO NOTHING`;
const addAllUnindexed = `INSERT INTO search_pending (row_id, has_entry)
  SELECT row_id, 0 FROM contacts WHERE row_id BETWEEN ? AND ?`;
/** Of a deleted bot. */
const removeEntries = [
  `DELETE FROM contact_values WHERE (field, value, row_id) IN (
     SELECT field, value, row_id FROM contact_values WHERE field BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295 LIMIT ?2)`,
  `DELETE FROM ngram_contacts
   WHERE bot = ?1 AND (ngram, contact) IN (SELECT ngram, contact FROM ngram_contacts WHERE bot = ?1 LIMIT ?2)`,
  'DELETE FROM ngram_counts WHERE bot = ?1 AND ngram IN (SELECT ngram FROM ngram_counts WHERE bot = ?1 LIMIT ?2)',
];

export type NoteChanges = ReturnType<typeof prepareNoteChanges>;

export function prepareNoteChanges(db: DatabaseSync, { indexThreshold }: Pick<EngineSettings, 'indexThreshold'>) {
  const { run } = statementsOf(db);
  const cachedCounts = prepareCachedCounts(db);

  const notePending = ({ rowId, id, before, after }: RowChange): void => {
    if (before === undefined) {
      run('INSERT INTO search_pending (row_id, has_entry) VALUES (?, 0)', rowId);
      return;
    }
    // A deleted row that never got an entry needs none removed.
    const removeUnindexed = 'DELETE FROM search_pending WHERE row_id = ? AND has_entry = 0';
    if (after === undefined && run(removeUnindexed, rowId) > 0) return;
    run(addOutdated, rowId, documentOf(id, before.text));
  };

  return {
    /** True when it changed the bot's state, which must then be saved. */
    note(bot: BotState, change: RowChange): boolean {
      if (!bot.isIndexed) return false;
      const { before, after } = change;
      const isTextSame = before?.text === after?.text;
      if (isTextSame && areSame(before?.values, after?.values)) return false;
      if (!isTextSame) notePending(change);
      cachedCounts.note(bot, change);
      return true;
    },

    cacheCount: cachedCounts.add,
    deleteBot: cachedCounts.removeBot,

    /** For a contact of a deleted bot, which nothing searches any more. */
    purgeContact(rowId: bigint): void {
      run('DELETE FROM search_index WHERE rowid = ?', rowId);
      run('DELETE FROM search_pending WHERE row_id = ?', rowId);
    },

    /** Removes up to `rows` rows of a deleted bot that has no contacts left; returns how many. */
    purgeBot(bot: number, rows: number): number {
      let left = rows;
      for (const sql of removeEntries) if (left > 0) left -= run(sql, bot, left);
      return rows - left;
    },

    /** To be called before a commit, with the bots whose state is about to be saved. */
    beforeCommit(bots: Iterable<BotState>): void {
      for (const bot of bots) {
        if (bot.isIndexed || bot.contactCount <= indexThreshold) continue;
        run(addAllUnindexed, ...rowRange(bot.number));
        bot.isIndexed = 1;
      }
      cachedCounts.save();
    },

    afterRollback: cachedCounts.reload,
  };
}

function areSame(before: StoredValues | undefined, after: StoredValues | undefined): boolean {
  return before?.[0] === after?.[0] && before?.[1] === after?.[1];
}
