// Removes the numbers of deleted attributes and tags from contacts, a slice of a bot at a time, on the writer thread. Until
// then they mean nothing, but take space, and the search finds their text.
import type { DatabaseSync } from 'node:sqlite';
import { type SearchableFields, searchTextOf } from '../../../contacts/search-text.ts';
import { type StoredValues, textsOf, withoutRemoved } from '../../values/stored-values.ts';
import { contactNumberMax, numbersOf, rowIdOf } from '../contacts/row-ids.ts';
import { statementsOf } from '../contacts/rows.ts';
import type { NoteChanges } from '../search/note-changes.ts';
import type { ValueIndex } from '../search/value-index.ts';
import type { BotState, BotStates } from '../tenants/bot-states.ts';
import type { ChangedValues } from './bot-values.ts';

interface SliceRow extends SearchableFields {
  rowId: bigint;
  searchText: string;
  attributes: string | null;
  tags: string | null;
}

export function prepareRemovedValues(
  db: DatabaseSync,
  states: BotStates,
  botValues: ChangedValues,
  search: NoteChanges,
  valueIndex: ValueIndex,
) {
  const { find, list, run } = statementsOf(db);
  const slice = db.prepare(
    `SELECT row_id AS rowId, name, email, phone, mid, wid, search_text AS searchText, attributes, tags
     FROM contacts WHERE row_id BETWEEN ? AND ? ORDER BY row_id LIMIT ?`,
  );
  slice.setReadBigInts(true);
  const rewrite = db.prepare('UPDATE contacts SET attributes = ?, tags = ?, search_text = ? WHERE row_id = ?');

  const strip = (bot: BotState, contact: SliceRow, defined: ReadonlySet<number>): void => {
    const { rowId, searchText } = contact;
    const old: StoredValues = [contact.attributes, contact.tags];
    const values = withoutRemoved(old, defined);
    if (values === old) return;
    const text = searchTextOf(contact, textsOf(values[0]));
    rewrite.run(...values, text, rowId);
    valueIndex.note(rowId, old, values);
    search.note(bot, { rowId, before: searchText, after: text });
  };

  return (botNumber: number, rows: number): void => {
    const next = find<{ botId: string; position: number }>(
      `SELECT bots.id AS botId, removed.position FROM removed_fields AS removed CROSS JOIN bots ON bots.number = removed.bot
       WHERE removed.bot = ? ORDER BY removed.position LIMIT 1`,
      botNumber,
    );
    const bot = next && states.find(next.botId);
    if (next === undefined || bot === undefined) return;
    botValues.flush(bot);
    const selectNumbers =
      'SELECT number FROM attributes WHERE bot = ?1 UNION ALL SELECT number FROM tags WHERE bot = ?1';
    const defined = new Set(list<{ number: number }>(selectNumbers, bot.number).map(({ number }) => number));
    const first = rowIdOf(bot.number, next.position + 1);
    const contacts = slice.all(first, rowIdOf(bot.number, contactNumberMax), rows) as unknown as SliceRow[];
    for (const contact of contacts) strip(bot, contact, defined);
    const last = contacts.at(-1);
    if (last === undefined || contacts.length < rows) {
      run('DELETE FROM removed_fields WHERE bot = ?', bot.number);
    } else {
      // For all removed numbers: the contacts up to here have lost every one of them.
      const advance = 'UPDATE removed_fields SET position = ?2 WHERE bot = ?1 AND position < ?2';
      run(advance, bot.number, numbersOf(last.rowId).contact);
    }
  };
}
