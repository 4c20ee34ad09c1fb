// A column that is added to a schema and not to the move would be lost without a word. Here it fails.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { columnsOf, tableNames } from '../../src/store/archive.ts';
import { query } from '../postgres/databases.ts';
import { makeSides } from './sides.ts';

const carried = tableNames.flatMap((table) => columnsOf(table).map((column) => `${table}.${column}`));

/** Columns that hold what the move carries, in another form or place, or that are made anew from it. */
const apart = {
  sqlite: {
    carriedAs: {
      'attributes.bot': 'attributes.bot_id',
      'tags.bot': 'tags.bot_id',
      'removed_fields.bot': 'removed_fields.bot_id',
      'segments.bot': 'segments.bot_id',
      'contacts_by_day.bot': 'contacts_by_day.bot_id',
      'webhooks.bot': 'webhooks.bot_id',
      'contacts.bot': 'contacts.bot_id',
      'contact_tokens.bot': 'contact_tokens.bot_id',
      'contact_tokens.contact': 'contact_tokens.contact_id',
    } as Record<string, string>,
    madeAnew:
      /^(bots\.(number|deleted_at|contact_count|next_contact|is_indexed|last_event|event_history)|contacts\.(row_id|search_text)|removed_fields\.position|webhooks\.(position|version|owner|leased_until))$/,
    // Positions in a feed do not outlast a move, so neither events nor their deliveries are moved.
    otherTables:
      /^(events$|deliveries$|removed_webhooks$|installation$|search_|contact_values$|sqlite_|sessions$|one_time_links$|sign_in_attempts$)/,
  },
  postgres: {
    carriedAs: {
      'bot_states.last_created_us': 'bots.last_created_us',
      'bot_states.next_field': 'bots.next_field',
      'bot_states.created_last_day': 'bots.created_last_day',
      'bot_states.widget_loaded_at': 'bots.widget_loaded_at',
      'bot_states.visitor_recognized_at': 'bots.visitor_recognized_at',
    } as Record<string, string>,
    madeAnew:
      /^(bots\.deleted_at|audit_entries\.merged_ids|contacts\.(search_text|search_tokens|filter_tokens)|bot_states\.(bot_id|contact_count|last_event|event_history)|removed_fields\.position|webhooks\.(position|version|owner|leased_until))$/,
    otherTables:
      /^(events|deliveries|removed_webhooks|bots_with_webhooks|installation|sessions|one_time_links|sign_in_attempts)$/,
  },
};

function check(engine: keyof typeof apart, columns: { table: string; column: string }[]): void {
  const { carriedAs, madeAnew, otherTables } = apart[engine];
  const names = columns
    .filter(({ table }) => !otherTables.test(table))
    .map(({ table, column }) => `${table}.${column}`)
    .filter((name) => !madeAnew.test(name))
    .map((name) => carriedAs[name] ?? name);
  assert.deepEqual(names.toSorted(), carried.toSorted(), `add the column to src/store/archive.ts`);
}

test('the move carries every column of SQLite', async (t) => {
  const { openSqlite, folderOf } = await makeSides(t);
  await (await openSqlite('new')).close();
  const db = new DatabaseSync(join(folderOf('new'), 'roster.db'), { readOnly: true });
  const columns = db
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list t JOIN pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type IN ('table', 'virtual', 'shadow')`,
    )
    .all() as { table: string; column: string }[];
  db.close();
  check('sqlite', columns);
});

test('the move carries every column of PostgreSQL', async (t) => {
  const { url } = await makeSides(t);
  const sql = `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
    WHERE table_schema = 'public'`;
  check('postgres', await query(url, sql));
});
