// The attributes and tags that writes of contacts change, with their counts. Each is read when it is first needed, and saved
// once, before the commit. A write without values of a contact without any never gets here.
import type { DatabaseSync } from 'node:sqlite';
import { tagColumns } from '../attribute-sql.ts';
import { BotFields, type StoredTag } from '../contact-values.ts';
import type { BotState, BotStates } from './bot-states.ts';
import { statementsOf } from './rows.ts';

export type ChangedFields = ReturnType<typeof prepareBotFields>;

export function prepareBotFields(db: DatabaseSync, takeNumber: BotStates['takeNumber']) {
  const { run } = statementsOf(db);
  const sourceOf = prepareFieldSource(db);
  const known = new Map<BotState, BotFields>();

  const save = (bot: BotState, fields: BotFields): void => {
    const { attributeCounts, newTags, changedTags, deletedTags } = fields.changes;
    for (const { number, contactCount } of attributeCounts) {
      run('UPDATE attributes SET contact_count = ? WHERE bot = ? AND number = ?', contactCount, bot.number, number);
    }
    for (const number of deletedTags) run('DELETE FROM tags WHERE bot = ? AND number = ?', bot.number, number);
    for (const { number, name, contactCount } of changedTags) {
      const sql = 'UPDATE tags SET name = ?, contact_count = ? WHERE bot = ? AND number = ?';
      run(sql, name, contactCount, bot.number, number);
    }
    for (const { number, key, name, contactCount } of newTags) {
      const sql = 'INSERT INTO tags (bot, number, key, name, contact_count) VALUES (?, ?, ?, ?, ?)';
      run(sql, bot.number, number, key, name, contactCount);
    }
  };

  return {
    /** As the transaction has changed them so far. */
    of(bot: BotState): BotFields {
      const fields = known.get(bot) ?? new BotFields({ ...sourceOf(bot.number), takeNumber: () => takeNumber(bot) });
      known.set(bot, fields);
      return fields;
    },

    /** Before the tables are read or written otherwise. */
    flush(bot: BotState): void {
      const fields = known.get(bot);
      if (fields !== undefined) save(bot, fields);
      known.delete(bot);
    },

    /** To be called before the transaction is committed. */
    saveAll(): void {
      for (const [bot, fields] of known) save(bot, fields);
      known.clear();
    },

    /** To be called after a rollback. */
    clear: () => known.clear(),
  };
}

/** The definitions of a bot as the connection sees them. */
export function prepareFieldSource(db: DatabaseSync) {
  const { find } = statementsOf(db);
  const selectAttribute = 'SELECT key, contact_count AS count FROM attributes WHERE bot = ? AND number = ?';
  return (bot: number) => ({
    countOfAttribute: (number: number) => find<{ count: number }>(selectAttribute, bot, number)?.count,
    keyOfAttribute: (number: number) => find<{ key: string }>(selectAttribute, bot, number)?.key,
    findTag: (number: number) =>
      find<StoredTag>(`SELECT ${tagColumns} FROM tags WHERE bot = ? AND number = ?`, bot, number),
    findTagByKey: (key: string) =>
      find<StoredTag>(`SELECT ${tagColumns} FROM tags WHERE bot = ? AND key = ?`, bot, key),
    countTags: () => find<{ count: number }>('SELECT count(*) AS count FROM tags WHERE bot = ?', bot)?.count ?? 0,
  });
}
