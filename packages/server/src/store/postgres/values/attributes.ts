// The definitions of attributes, and tags: the steps of attribute-sql.ts under the lock of the bot's state. A bot that is
// deleted has none.

import { isRefused } from '../../account/audit-sql.ts';
import { query, type Steps } from '../../sql-steps.ts';
import { attributeReads, attributeWrites } from '../../values/attribute-sql.ts';
import type {
  AttributeStore,
  DefineOutcome,
  RenameOutcome,
  SegmentOutcome,
  TagDefinition,
} from '../../values/attribute-store.ts';
import type { WriteContext } from '../../write-context.ts';
import { type Change, statements } from '../contacts/statements.ts';
import { PlannedEvents } from '../events/planned-events.ts';
import { runSteps } from '../pool.ts';
import { tokenOfValue } from '../search/filter-tokens.ts';
import type { Transactions } from '../transactions.ts';

/** While its state is locked, with the events of the write that is about it. */
interface LockedBot {
  botId: string;
  events: PlannedEvents;
}

const shared = attributeWrites<LockedBot>({
  column: 'bot_id',
  keyOf: ({ botId }) => botId,
  *takeNumber({ botId }) {
    const [taken] = yield* query<{ number: number }>(statements.takeNumber, botId);
    return (taken as { number: number }).number;
  },
  *countChoice({ botId }, number, choice) {
    const [counted] = yield* query<{ count: number }>(
      statements.countHolders,
      botId,
      tokenOfValue(botId, number, choice),
    );
    return counted?.count ?? 0;
  },
  *note({ events }, type, field) {
    events.note(type, null, () => [field]);
  },
});

const missing = { kind: 'missing' } as const;

export function prepareAttributes({ botReads, readOf, transact }: Transactions) {
  const write = <Outcome>(
    botId: string,
    context: WriteContext,
    withoutBot: Outcome,
    steps: (bot: LockedBot, isRepeated: boolean) => Steps<Outcome>,
  ): Promise<Outcome> =>
    transact(botId, async (connection, isRepeated) => {
      const [state] = await connection.query<{ lastEvent: number }>(statements.lockState, [botId]);
      if (state === undefined) return { outcome: withoutBot, isRefused: true };
      const events = new PlannedEvents(state.lastEvent);
      events.context = context;
      const outcome = await runSteps(connection, steps({ botId, events }, isRepeated));
      const changes: Change[] = events.count === 0 ? [] : [['saveLastEvent', botId, events.last]];
      return { outcome, isRefused: isRefused(outcome), audit: context.audit, changes, events };
    });

  return {
    ...botReads(attributeReads<string>(statements)),
    async listTags(botId, numbers) {
      if (numbers === undefined) return readOf<TagDefinition>(statements.listTags, [botId]);
      return numbers.length === 0 ? [] : readOf<TagDefinition>(statements.listTagsByNumber, [botId, numbers]);
    },

    defineAttribute: (botId, attribute, context) =>
      write<DefineOutcome>(botId, context, missing, (bot) => shared.defineAttribute(bot, attribute)),
    renameTag: (botId, key, tag, context) =>
      write<RenameOutcome>(botId, context, missing, (bot) => shared.renameTag(bot, key, tag)),
    defineSegment: (botId, segment, context) =>
      write<SegmentOutcome>(botId, context, missing, (bot) => shared.defineSegment(bot, segment)),
    deleteSegment: (botId, key, context) =>
      // Repeated, it finds nothing left to delete.
      write<boolean>(botId, context, false, function* (bot, isRepeated) {
        return (yield* shared.deleteSegment(bot, key)) || isRepeated;
      }),
    deleteAttribute: (botId, key, context) =>
      write<boolean>(botId, context, false, (bot) => shared.deleteAttribute(bot, key)),
    deleteTag: (botId, key, context) => write<boolean>(botId, context, false, (bot) => shared.deleteTag(bot, key)),
  } satisfies AttributeStore;
}
