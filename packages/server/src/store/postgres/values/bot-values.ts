// The attributes and tags of a bot that a transaction on contacts is about, read under the bot's lock: all attributes, of which
// there are few, and of the tags those that its writes name and those that its contacts have.
import type { DefinitionChanges, DefinitionSource, StoredAttribute, StoredTag } from '../../values/contact-values.ts';
import { parseTags, type StoredValues } from '../../values/stored-values.ts';
import { type Change, statements } from '../contacts/statements.ts';
import type { Connection } from '../pool.ts';

export type ReadValues = Omit<DefinitionSource, 'takeNumber'> & {
  /** The numbers of all that were read. */
  defined: ReadonlySet<number>;
  /** Reads the tags of contacts that have not been read yet. */
  readTagsOf(values: readonly StoredValues[]): Promise<void>;
};

/** Sent at once, so that it shares a round trip. */
export async function readBotValues(
  connection: Connection,
  botId: string,
  tagKeys: readonly string[],
): Promise<ReadValues> {
  const defined = new Set<number>();
  const tagsByNumber = new Map<number, StoredTag>();
  const tagsByKey = new Map<string, StoredTag>();
  const remember = (tags: readonly StoredTag[]) => {
    for (const tag of tags) {
      defined.add(tag.number);
      tagsByNumber.set(tag.number, tag);
      tagsByKey.set(tag.key, tag);
    }
  };
  const [attributes, named, [counted]] = await Promise.all([
    connection.query<StoredAttribute>(statements.readAttributes, [botId]),
    tagKeys.length === 0 ? [] : connection.query<StoredTag>(statements.readTagsByKey, [botId, tagKeys]),
    tagKeys.length === 0 ? [] : connection.query<{ count: number }>(statements.countTags, [botId]),
  ]);
  const attributesByNumber = new Map(attributes.map((attribute) => [attribute.number, attribute]));
  for (const { number } of attributes) defined.add(number);
  remember(named);
  return {
    defined,
    findAttribute: (number) => attributesByNumber.get(number),
    findTag: (number) => tagsByNumber.get(number),
    findTagByKey: (key) => tagsByKey.get(key),
    countTags: () => counted?.count ?? 0,
    async readTagsOf(values) {
      const held = new Set(values.flatMap(([, tags]) => parseTags(tags)));
      const numbers = [...held].filter((number) => !defined.has(number));
      if (numbers.length > 0) remember(await connection.query(statements.listTagsByNumber, [botId, numbers]));
    },
  };
}

/** Deletions first: the key of a tag can be taken again. */
export function changesOfValues(
  botId: string,
  changes: DefinitionChanges | undefined,
  nextValueNumber: number,
): Change[] {
  if (changes === undefined) return [];
  const { attributeCounts, newTags, changedTags, deletedTags } = changes;
  const all: Change[] = [];
  if (attributeCounts.length > 0) {
    all.push(['saveAttributeCounts', botId, numbersOf(attributeCounts), countsOf(attributeCounts)]);
  }
  if (deletedTags.length > 0) all.push(['deleteTags', botId, deletedTags]);
  if (changedTags.length > 0) {
    all.push(['updateTags', botId, numbersOf(changedTags), namesOf(changedTags), countsOf(changedTags)]);
  }
  if (newTags.length > 0) {
    const keys = newTags.map(({ key }) => key);
    all.push(['insertTags', botId, numbersOf(newTags), keys, namesOf(newTags), countsOf(newTags)]);
    all.push(['saveNextValueNumber', botId, nextValueNumber]);
  }
  return all;
}

const numbersOf = (values: readonly { number: number }[]) => values.map(({ number }) => number);
const countsOf = (values: readonly { contactCount: number }[]) => values.map(({ contactCount }) => contactCount);
const namesOf = (tags: readonly StoredTag[]) => tags.map(({ name }) => name);
