// Removes what is past its time, a slice of rows at a time: the rows of deleted bots, and expired tokens, sessions and
// links. Then deleted attributes and tags, in removed-values.ts, old deliveries, in webhooks.ts, and old events, in events.ts.
import type { DatabaseSync } from 'node:sqlite';
import { limits } from '@roster/contract/limits';
import { dayMs } from '../tokens/rows.ts';
import { rowRange } from './contacts/row-ids.ts';
import { type PortMethods, statementsOf } from './contacts/rows.ts';
import type { NoteChanges } from './search/note-changes.ts';

const removeEvents = `DELETE FROM events
  WHERE bot = ?1 AND last IN (SELECT last FROM events WHERE bot = ?1 ORDER BY last LIMIT ?2)`;
const removeDeliveries = `DELETE FROM deliveries WHERE bot = ?1 AND (webhook_id, number) IN (
  SELECT webhook_id, number FROM deliveries WHERE bot = ?1 ORDER BY webhook_id, number LIMIT ?2)`;
/** Of each bot so few rows that they are removed at once. */
const smallTables = [
  ...['attributes', 'tags', 'removed_fields', 'segments'],
  ...['contacts_by_day', 'webhooks', 'removed_webhooks'],
];
const removeExpired = [
  'DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE expires_at <= ? LIMIT ?)',
  'DELETE FROM one_time_links WHERE hash IN (SELECT hash FROM one_time_links WHERE expires_at <= ? LIMIT ?)',
  'DELETE FROM contact_tokens WHERE (bot, hash) IN (SELECT bot, hash FROM contact_tokens WHERE expires_at <= ? LIMIT ?)',
];

export function preparePurge(
  db: DatabaseSync,
  search: NoteChanges,
  /** Each is false when there is nothing to remove. */
  purges: {
    values(rows: number): boolean;
    deliveries(beforeMs: number, rows: number): boolean;
    events(beforeMs: number, rows: number): boolean;
  },
) {
  const { find, run } = statementsOf(db);
  const firstRows = db.prepare('SELECT row_id AS rowId FROM contacts WHERE row_id BETWEEN ? AND ? LIMIT ?');
  firstRows.setReadBigInts(true);

  return {
    purge(rows, eventsBeforeMs, { nowMs }) {
      const isMoreExpired = removeExpired.some((sql) => run(sql, nowMs, rows) === rows);
      if (isMoreExpired) return true;
      const deleted = find<{ number: number }>('SELECT number FROM bots WHERE deleted_at IS NOT NULL LIMIT 1');
      if (deleted === undefined) {
        return (
          purges.values(rows) ||
          purges.deliveries(nowMs - limits.deliveryDays * dayMs, rows) ||
          purges.events(eventsBeforeMs, rows)
        );
      }
      const contacts = firstRows.all(...rowRange(deleted.number), rows) as { rowId: bigint }[];
      for (const { rowId } of contacts) {
        run('DELETE FROM contacts WHERE row_id = ?', rowId);
        run('DELETE FROM contact_tokens WHERE contact = ?', rowId);
        search.purgeContact(rowId);
      }
      const left = rows - contacts.length;
      const isLast =
        left > 0 &&
        run(removeEvents, deleted.number, left) < left &&
        run(removeDeliveries, deleted.number, left) < left &&
        search.purgeBot(deleted.number, left) < left;
      if (isLast) {
        for (const table of smallTables) run(`DELETE FROM ${table} WHERE bot = ?`, deleted.number);
        run('DELETE FROM bots WHERE number = ?', deleted.number);
      }
      return true;
    },
  } satisfies PortMethods;
}
