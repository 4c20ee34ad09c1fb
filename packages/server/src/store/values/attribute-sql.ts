// The attributes and tags of a bot, as both engines read and write them alike. Writes run under the lock of the bot's
// state, and the caller has found that the bot exists.
import type { EventType } from '@roster/contract';
import { limits } from '@roster/contract/limits';
import { fold } from '../../contacts/search-text.ts';
import { change, exists, isFull, named, query, type Steps } from '../sql-steps.ts';
import type {
  AttributeDefinition,
  DefineOutcome,
  NewAttribute,
  RenameOutcome,
  SegmentOutcome,
  StoredSegment,
  Tag,
  TagDefinition,
} from './attribute-store.ts';

const attributeColumns = 'number, key, type, label, description, choices, contact_count AS "contactCount"';
/** What writes of values need of it. */
export const storedAttributeColumns = 'number, key, choices, contact_count AS "contactCount"';
export const tagColumns = 'number, key, name, contact_count AS "contactCount"';

interface AttributeRow extends Omit<AttributeDefinition, 'choices'> {
  choices?: string | null;
}

function toAttribute({ choices, ...attribute }: AttributeRow): AttributeDefinition {
  return choices == null ? attribute : { ...attribute, choices: JSON.parse(choices) as string[] };
}

const segmentColumns = 'key, label, query, filter, sort';

interface SegmentRow extends Omit<StoredSegment, 'filter'> {
  filter: string;
}

function toSegment(row: SegmentRow): StoredSegment {
  return { ...row, filter: JSON.parse(row.filter) as StoredSegment['filter'] };
}

/** The column by which an engine names a bot in these tables. */
type BotColumn = 'bot' | 'bot_id';

export function attributeStatements(column: BotColumn) {
  return named({
    listAttributes: `SELECT ${attributeColumns} FROM attributes WHERE ${column} = $1 ORDER BY key`,
    listTags: `SELECT ${tagColumns} FROM tags WHERE ${column} = $1 ORDER BY key`,
    listSegments: `SELECT ${segmentColumns} FROM segments WHERE ${column} = $1 ORDER BY key`,
  });
}

export function attributeReads<Key extends string | number>(statements: ReturnType<typeof attributeStatements>) {
  return {
    *listAttributes(bot: Key): Steps<AttributeDefinition[]> {
      return (yield* query<AttributeRow>(statements.listAttributes, bot)).map(toAttribute);
    },
    *listTags(bot: Key): Steps<TagDefinition[]> {
      return yield* query(statements.listTags, bot);
    },
    *listSegments(bot: Key): Steps<StoredSegment[]> {
      return (yield* query<SegmentRow>(statements.listSegments, bot)).map(toSegment);
    },
  };
}

/** How an engine names a bot, and gives numbers. */
export interface AttributeTables<Bot> {
  column: BotColumn;
  keyOf(bot: Bot): string | number;
  takeNumber(bot: Bot): Steps<number>;
  /** How many contacts have this choice of an attribute. It is folded. */
  countChoice(bot: Bot, number: number, choice: string): Steps<number>;
  /** Makes an event about the whole bot. */
  note(bot: Bot, type: EventType, field: string): Steps<void>;
}

export function attributeWrites<Bot>({ column, keyOf, takeNumber, countChoice, note }: AttributeTables<Bot>) {
  const withKey = `${column} = $1 AND key = $2`;
  const withNumber = `${column} = $1 AND number = $2`;

  /** Deletes the definition. If contacts hold its number, the purge takes it from them, in slices. */
  function* remove(table: 'attributes' | 'tags', bot: Bot, key: string): Steps<boolean> {
    const sql = `SELECT number, contact_count AS "contactCount" FROM ${table} WHERE ${withKey}`;
    const [found] = yield* query<{ number: number; contactCount: number }>(sql, keyOf(bot), key);
    if (found === undefined) return false;
    const { number, contactCount } = found;
    yield* change(`DELETE FROM ${table} WHERE ${withNumber}`, keyOf(bot), number);
    if (table === 'attributes') yield* note(bot, 'attribute.deleted', `attributes.${key}`);
    else yield* note(bot, 'tag.deleted', 'tags');
    if (contactCount === 0) return true;
    yield* change(`INSERT INTO removed_fields (${column}, number) VALUES ($1, $2)`, keyOf(bot), number);
    return true;
  }

  /** Those that contacts have, and that would not be choices any more. */
  function* choicesInUse(
    bot: Bot,
    { number, choices: before = [] }: AttributeDefinition,
    after: readonly string[] = [],
  ) {
    const kept = new Set(after.map(fold));
    const inUse: { choice: string; contactCount: number }[] = [];
    for (const choice of before) {
      const contactCount: number = kept.has(fold(choice)) ? 0 : yield* countChoice(bot, number, fold(choice));
      if (contactCount > 0) inUse.push({ choice, contactCount });
    }
    return inUse;
  }

  return {
    *defineAttribute(bot: Bot, attribute: NewAttribute): Steps<DefineOutcome> {
      const { key, type, label, description, choices } = attribute;
      const stored = choices === undefined ? null : JSON.stringify(choices);
      const find = `SELECT ${attributeColumns} FROM attributes WHERE ${withKey}`;
      const [row] = yield* query<AttributeRow>(find, keyOf(bot), key);
      const known = row && toAttribute(row);
      if (known !== undefined) {
        if (known.type !== type) return { kind: 'attribute_type_fixed', type: known.type };
        const inUse = yield* choicesInUse(bot, known, choices);
        if (inUse.length > 0) return { kind: 'choices_in_use', choices: inUse };
        const update = `UPDATE attributes SET label = $3, description = $4, choices = $5 WHERE ${withNumber}`;
        yield* change(update, keyOf(bot), known.number, label, description, stored);
        return { kind: 'changed', attribute: { ...known, ...attribute } };
      }
      const count = `SELECT count(*) AS count FROM attributes WHERE ${column} = $1`;
      if (yield* isFull(limits.attributesPerBot, count, keyOf(bot))) return { kind: 'limit_reached' };
      const number = yield* takeNumber(bot);
      const insert = `INSERT INTO attributes (${column}, number, key, type, label, description, choices, contact_count)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 0)`;
      yield* change(insert, keyOf(bot), number, key, type, label, description, stored);
      return { kind: 'defined', attribute: { number, ...attribute, contactCount: 0 } };
    },

    *deleteAttribute(bot: Bot, key: string): Steps<boolean> {
      return yield* remove('attributes', bot, key);
    },

    *renameTag(bot: Bot, key: string, renamed: Tag): Steps<RenameOutcome> {
      const [tag] = yield* query<TagDefinition>(`SELECT ${tagColumns} FROM tags WHERE ${withKey}`, keyOf(bot), key);
      if (tag === undefined) return { kind: 'missing' };
      const { key: newKey, name } = renamed;
      const isTaken = newKey !== key && (yield* exists(`SELECT number FROM tags WHERE ${withKey}`, keyOf(bot), newKey));
      if (isTaken) return { kind: 'tag_taken' };
      yield* change(`UPDATE tags SET key = $3, name = $4 WHERE ${withNumber}`, keyOf(bot), tag.number, newKey, name);
      if (tag.name !== name) yield* note(bot, 'tag.renamed', 'tags');
      return { kind: 'renamed', tag: { ...tag, key: newKey, name } };
    },

    *deleteTag(bot: Bot, key: string): Steps<boolean> {
      return yield* remove('tags', bot, key);
    },

    *defineSegment(bot: Bot, { key, label, query, filter, sort }: StoredSegment): Steps<SegmentOutcome> {
      const values = [keyOf(bot), key, label, query, JSON.stringify(filter), sort];
      const update = `UPDATE segments SET label = $3, query = $4, filter = $5, sort = $6 WHERE ${withKey}`;
      if ((yield* change(update, ...values)) > 0) return { kind: 'changed' };
      const count = `SELECT count(*) AS count FROM segments WHERE ${column} = $1`;
      if (yield* isFull(limits.segmentsPerBot, count, keyOf(bot))) return { kind: 'limit_reached' };
      const columns = `${column}, key, label, query, filter, sort`;
      yield* change(`INSERT INTO segments (${columns}) VALUES ($1, $2, $3, $4, $5, $6)`, ...values);
      return { kind: 'defined' };
    },

    *deleteSegment(bot: Bot, key: string): Steps<boolean> {
      return (yield* change(`DELETE FROM segments WHERE ${withKey}`, keyOf(bot), key)) > 0;
    },
  };
}
