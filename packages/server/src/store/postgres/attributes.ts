// The definitions of attributes, and tags: the steps of attribute-sql.ts under the lock of the bot's state, and what makes
// them happen once. A bot that is deleted has none.
import { attributeWrites, type SegmentRow, toSegment } from '../attribute-sql.ts';
import type {
  AttributeDefinition,
  AttributeStore,
  DefineOutcome,
  RenameOutcome,
  SegmentOutcome,
  TagDefinition,
} from '../attribute-store.ts';
import { exists, prove, query, type Steps } from '../sql-steps.ts';
import { eventOriginOf, type WriteContext } from '../write-context.ts';
import { statements } from './contact-statements.ts';
import { appendEvents } from './events.ts';
import type { Transactions } from './transactions.ts';

/** With the context of the write that is about it. */
interface WrittenBot {
  botId: string;
  context: WriteContext;
}

const shared = attributeWrites<WrittenBot>({
  column: 'bot_id',
  keyOf: ({ botId }) => botId,
  *takeNumber({ botId }) {
    const [taken] = yield* query<{ number: number }>(statements.takeNumber, botId);
    return (taken as { number: number }).number;
  },
  *note({ botId, context }, type, field) {
    yield* appendEvents(botId, [{ type, contactId: null, fields: [field], ...eventOriginOf(context) }]);
  },
});

/** Whether there is such a bot: then no other transaction writes to it until this one ends. */
const lockBot = (botId: string) => exists(statements.lockState, botId);

/** Its number, or false when there is none. What an earlier try may have deleted is deleted, though another has its key now. */
function* remove(kind: 'attributes' | 'tags', bot: WrittenBot, key: string, unanswered?: number | false) {
  const { botId } = bot;
  if (!(yield* lockBot(botId))) return false;
  const sql = `SELECT number FROM ${kind} WHERE bot_id = $1 AND key = $2`;
  const [found] = yield* query<{ number: number }>(sql, botId, key);
  if (found === undefined || (unanswered !== undefined && unanswered !== found.number)) return false;
  yield* kind === 'attributes' ? shared.deleteAttribute(bot, key) : shared.deleteTag(bot, key);
  return found.number;
}

export function prepareAttributes({ readOf, write }: Transactions) {
  const removeOnce = async (kind: 'attributes' | 'tags', bot: WrittenBot, key: string) =>
    (await write<number | false>(bot.context.audit, (unanswered) => remove(kind, bot, key, unanswered), bot.botId)) !==
    false;

  return {
    listAttributes: (botId) => readOf<AttributeDefinition>(statements.listAttributes, [botId]),
    async listTags(botId, numbers) {
      if (numbers === undefined) return readOf<TagDefinition>(statements.listTags, [botId]);
      return numbers.length === 0 ? [] : readOf<TagDefinition>(statements.listTagsByNumber, [botId, numbers]);
    },

    defineAttribute(botId, attribute, context) {
      const { key, type } = attribute;
      const steps = function* (unanswered?: DefineOutcome): Steps<DefineOutcome> {
        if (!(yield* lockBot(botId))) return { kind: 'missing' };
        const outcome = yield* shared.defineAttribute({ botId, context }, attribute);
        if (outcome.kind !== 'defined' && outcome.kind !== 'changed') return outcome;
        const { number } = outcome.attribute;
        const proof = 'SELECT number FROM attributes WHERE bot_id = $1 AND number = $2 AND key = $3 AND type = $4';
        yield* prove(proof, botId, number, key, type);
        // It has the key and the number that the earlier try gave it, so that try was committed.
        const isOwn = unanswered?.kind === 'defined' && unanswered.attribute.number === number;
        return isOwn ? { ...outcome, kind: 'defined' } : outcome;
      };
      return write(context.audit, steps, botId);
    },
    renameTag(botId, key, tag, context) {
      const steps = function* (): Steps<RenameOutcome> {
        if (!(yield* lockBot(botId))) return { kind: 'missing' };
        const outcome = yield* shared.renameTag({ botId, context }, key, tag);
        if (outcome.kind !== 'renamed') return outcome;
        const proof = 'SELECT number FROM tags WHERE bot_id = $1 AND number = $2 AND key = $3 AND name = $4';
        yield* prove(proof, botId, outcome.tag.number, tag.key, tag.name);
        return outcome;
      };
      return write(context.audit, steps, botId);
    },
    listSegments: async (botId) => (await readOf<SegmentRow>(statements.listSegments, [botId])).map(toSegment),
    defineSegment(botId, segment, context) {
      const steps = function* (unanswered?: SegmentOutcome): Steps<SegmentOutcome> {
        if (!(yield* lockBot(botId))) return { kind: 'missing' };
        const outcome = yield* shared.defineSegment({ botId, context }, segment);
        if (outcome.kind === 'limit_reached') return outcome;
        const { key, label, query, filter, sort } = segment;
        const proof = `SELECT key FROM segments
          WHERE bot_id = $1 AND key = $2 AND label = $3 AND query = $4 AND filter = $5 AND sort = $6`;
        yield* prove(proof, botId, key, label, query, JSON.stringify(filter), sort);
        return unanswered?.kind === 'defined' ? unanswered : outcome;
      };
      return write(context.audit, steps, botId);
    },
    deleteSegment(botId, key, context) {
      const steps = function* (): Steps<boolean> {
        return (yield* lockBot(botId)) && (yield* shared.deleteSegment({ botId, context }, key));
      };
      return write(context.audit, steps, botId);
    },
    deleteAttribute: (botId, key, context) => removeOnce('attributes', { botId, context }, key),
    deleteTag: (botId, key, context) => removeOnce('tags', { botId, context }, key),
  } satisfies AttributeStore;
}
