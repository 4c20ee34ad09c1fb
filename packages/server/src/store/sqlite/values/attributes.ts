// The definitions of attributes, and tags: read on the main thread, written on the writer thread. The steps of
// attribute-sql.ts, keyed by the bot's number.
import type { DatabaseSync } from 'node:sqlite';
import { query } from '../../sql-steps.ts';
import { attributeReads, attributeStatements, attributeWrites } from '../../values/attribute-sql.ts';
import type { TagDefinition } from '../../values/attribute-store.ts';
import { byBotId, type PortMethods, prepareSteps } from '../contacts/rows.ts';
import type { EventWrites } from '../events/events.ts';
import { fieldOf, indexed } from '../search/value-index.ts';
import type { BotNumbers } from '../tenants/bot-numbers.ts';
import type { BotState, BotStates } from '../tenants/bot-states.ts';
import { type ChangedValues, prepareDefinitionSource } from './bot-values.ts';

export function prepareAttributeReads(db: DatabaseSync, numbers: BotNumbers) {
  const { listTags, ...reads } = prepareSteps(db)(attributeReads<number>(attributeStatements('bot')));
  const sourceOf = prepareDefinitionSource(db);

  return byBotId(numbers.find, [], {
    ...reads,
    listTags(bot: number, wanted?: readonly number[]): TagDefinition[] {
      if (wanted === undefined) return listTags(bot);
      const { findTag } = sourceOf(bot);
      const found = wanted.map((number) => findTag(number)).filter((tag) => tag !== undefined);
      return found.map((tag) => ({ ...tag })).sort(byKey);
    },
  }) satisfies PortMethods;
}

/** By the bytes of UTF-8, as SQLite sorts: JavaScript compares UTF-16, in which characters beyond it come earlier. */
function byKey(one: TagDefinition, other: TagDefinition): number {
  return Buffer.compare(Buffer.from(one.key), Buffer.from(other.key));
}

export function prepareAttributeWrites(
  db: DatabaseSync,
  states: BotStates,
  botValues: ChangedValues,
  events: EventWrites,
) {
  const { defineAttribute, renameTag, defineSegment, deleteAttribute, deleteTag, deleteSegment } = prepareSteps(db)(
    attributeWrites<BotState>({
      column: 'bot',
      keyOf: ({ number }) => number,
      // biome-ignore lint/correctness/useYield: here it takes no statement.
      *takeNumber(bot) {
        return states.takeNumber(bot);
      },
      *countChoice({ number: bot }, number, choice) {
        const sql = 'SELECT count(*) AS count FROM contact_values WHERE field = $1 AND value = $2';
        const [counted] = yield* query<{ count: number }>(sql, fieldOf(bot, number), indexed(choice));
        return counted?.count ?? 0;
      },
      *note(bot, type, field) {
        events.note(bot, type, null, () => [field]);
      },
    }),
  );

  /** What the transaction has not written yet is written first. */
  const find = (botId: string): BotState | undefined => {
    const bot = states.find(botId);
    if (bot !== undefined) botValues.flush(bot);
    return bot;
  };

  return {
    ...byBotId(find, { kind: 'missing' } as const, { defineAttribute, renameTag, defineSegment }),
    ...byBotId(find, false, { deleteAttribute, deleteTag, deleteSegment }),
  } satisfies PortMethods;
}
