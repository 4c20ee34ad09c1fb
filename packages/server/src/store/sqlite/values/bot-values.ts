// The attributes and tags that writes of contacts change, with their counts. Each is read when it is first needed, and saved
// once, before the commit. A write without values of a contact without any never gets here.
import type { DatabaseSync } from 'node:sqlite';
import { storedAttributeColumns, tagColumns } from '../../values/attribute-sql.ts';
import { BotValues, type StoredAttribute, type StoredTag } from '../../values/contact-values.ts';
import { statementsOf } from '../contacts/rows.ts';
import type { BotState, BotStates } from '../tenants/bot-states.ts';

export type ChangedValues = ReturnType<typeof prepareBotValues>;

export function prepareBotValues(db: DatabaseSync, takeNumber: BotStates['takeNumber']) {
  const { run } = statementsOf(db);
  const sourceOf = prepareDefinitionSource(db);
  const known = new Map<BotState, BotValues>();

  const save = (bot: BotState, values: BotValues): void => {
    const { attributeCounts, newTags, changedTags, deletedTags } = values.changes;
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
    of(bot: BotState): BotValues {
      const values = known.get(bot) ?? new BotValues({ ...sourceOf(bot.number), takeNumber: () => takeNumber(bot) });
      known.set(bot, values);
      return values;
    },

    /** Before the tables are read or written otherwise. */
    flush(bot: BotState): void {
      const values = known.get(bot);
      if (values !== undefined) save(bot, values);
      known.delete(bot);
    },

    /** To be called before the transaction is committed. */
    saveAll(): void {
      for (const [bot, values] of known) save(bot, values);
      known.clear();
    },

    /** To be called after a rollback. */
    clear: () => known.clear(),
  };
}

/** The definitions of a bot as the connection sees them. */
export function prepareDefinitionSource(db: DatabaseSync) {
  const { find } = statementsOf(db);
  const selectAttribute = `SELECT ${storedAttributeColumns} FROM attributes WHERE bot = ? AND number = ?`;
  return (bot: number) => ({
    findAttribute: (number: number) => find<StoredAttribute>(selectAttribute, bot, number),
    findTag: (number: number) =>
      find<StoredTag>(`SELECT ${tagColumns} FROM tags WHERE bot = ? AND number = ?`, bot, number),
    findTagByKey: (key: string) =>
      find<StoredTag>(`SELECT ${tagColumns} FROM tags WHERE bot = ? AND key = ?`, bot, key),
    countTags: () => find<{ count: number }>('SELECT count(*) AS count FROM tags WHERE bot = ?', bot)?.count ?? 0,
  });
}
