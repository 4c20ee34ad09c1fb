// Removes what is past its time: what both engines remove alike, by purge-sql.ts, and the contacts of deleted bots. What deleted
// attributes and tags left in contacts goes in removed-values.ts.
import type { DatabaseSync } from 'node:sqlite';
import { purgeSteps, smallTables } from '../purge-sql.ts';
import { rowRange } from './contacts/row-ids.ts';
import { type PortMethods, prepareSteps, statementsOf } from './contacts/rows.ts';
import type { NoteChanges } from './search/note-changes.ts';

export function preparePurge(db: DatabaseSync, search: NoteChanges, purgeValues: (bot: number, rows: number) => void) {
  const { run } = statementsOf(db);
  const shared = prepareSteps(db)(
    purgeSteps<number>({
      ...{ column: 'bot', key: 'number', first: 0 },
      among: (key, select) => `${key} IN (${select})`,
      // Without statistics SQLite would use the primary key, and read all deliveries of a webhook.
      by: (index) => `INDEXED BY ${index}`,
      purgeTokensOfAll: `DELETE FROM contact_tokens
        WHERE (bot, hash) IN (SELECT bot, hash FROM contact_tokens WHERE expires_at <= $1 LIMIT $2)`,
      pauseMs: 0,
    }),
  );
  const firstRows = db.prepare('SELECT row_id AS rowId FROM contacts WHERE row_id BETWEEN ? AND ? LIMIT ?');
  firstRows.setReadBigInts(true);

  const purgeBot = (bot: number, rows: number): void => {
    const contacts = firstRows.all(...rowRange(bot), rows) as { rowId: bigint }[];
    for (const { rowId } of contacts) {
      run('DELETE FROM contacts WHERE row_id = ?', rowId);
      run('DELETE FROM contact_tokens WHERE contact = ?', rowId);
      search.purgeContact(rowId);
    }
    let left = rows - contacts.length;
    left -= shared.purgeDeletedBot(bot, left);
    left -= search.purgeBot(bot, left);
    if (left === 0) return;
    for (const table of smallTables) run(`DELETE FROM ${table} WHERE bot = ?`, bot);
    run('DELETE FROM bots WHERE number = ?', bot);
  };

  return {
    purge(rows, eventsBeforeMs, { nowMs }) {
      const slice = shared.purgeSlice(rows, nowMs, eventsBeforeMs);
      if (typeof slice === 'boolean') return slice;
      if (slice.kind === 'deletedBot') purgeBot(slice.bot, rows);
      else purgeValues(slice.bot, rows);
      return true;
    },
  } satisfies PortMethods;
}
