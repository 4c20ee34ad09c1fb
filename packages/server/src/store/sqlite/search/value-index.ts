// The index by which filters on attributes and tags find contacts, and how writes keep it. It is up to date at any moment: no
// row of it is ever pending.
import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { AttributeValue } from '@roster/contract';
import { fold } from '../../../contacts/search-text.ts';
import { type StoredValues, toValues } from '../../values/stored-values.ts';
import { numbersOf, rowIdOf } from '../contacts/row-ids.ts';
import { statementsOf } from '../contacts/rows.ts';

/** A value as the index has it. Of text that is folded 64 bits of a hash: two texts that share them are not met with. */
export function indexed(value: AttributeValue): number | bigint {
  if (typeof value === 'string') return hash('sha256', value, 'buffer').readBigInt64LE();
  return Number(value);
}

/** All tags are held alike. */
export const valueOfTag = 0;

/** How the index names an attribute or a tag of a bot. */
export const fieldOf = rowIdOf;

type Entry = [field: bigint, value: number | bigint];

function entriesOf(bot: number, [attributesJson, tagsJson]: StoredValues): Map<string, Entry> {
  const { attributes, tags } = toValues(attributesJson, tagsJson);
  const entries = [
    ...Object.entries(attributes).map(([number, value]): Entry => {
      return [fieldOf(bot, Number(number)), indexed(typeof value === 'string' ? fold(value) : value)];
    }),
    ...tags.map((number): Entry => [fieldOf(bot, number), valueOfTag]),
  ];
  return new Map(entries.map((entry) => [entry.join(), entry]));
}

export type ValueIndex = ReturnType<typeof prepareValueIndex>;

export function prepareValueIndex(db: DatabaseSync) {
  const { run } = statementsOf(db);

  return {
    /** Of a contact whose values were these, and are those now. */
    note(rowId: bigint, before: StoredValues, after: StoredValues): void {
      if (before[0] === after[0] && before[1] === after[1]) return;
      const { bot } = numbersOf(rowId);
      const [old, current] = [entriesOf(bot, before), entriesOf(bot, after)];
      for (const [key, entry] of old) {
        const sql = 'DELETE FROM contact_values WHERE field = ? AND value = ? AND row_id = ?';
        if (!current.has(key)) run(sql, ...entry, rowId);
      }
      for (const [key, entry] of current) {
        if (!old.has(key)) run('INSERT INTO contact_values (field, value, row_id) VALUES (?, ?, ?)', ...entry, rowId);
      }
    },
  };
}
