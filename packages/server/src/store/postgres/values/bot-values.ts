// The attributes and tags of a bot, which has few: a transaction on contacts that is about any reads all of them, under the bot's
// lock.
import type { DefinitionChanges, DefinitionSource, StoredAttribute, StoredTag } from '../../values/contact-values.ts';
import { type Change, statements } from '../contacts/statements.ts';
import type { Connection } from '../pool.ts';

export type ReadValues = Omit<DefinitionSource, 'takeNumber'> & {
  /** The numbers of all. */
  defined: ReadonlySet<number>;
};

/** Sent at once, so that it shares a round trip. */
export async function readBotValues(connection: Connection, botId: string): Promise<ReadValues> {
  const [attributes, tags] = await Promise.all([
    connection.query<StoredAttribute>(statements.readAttributes, [botId]),
    connection.query<StoredTag>(statements.readTags, [botId]),
  ]);
  const attributesByNumber = new Map(attributes.map((attribute) => [attribute.number, attribute]));
  const tagsByNumber = new Map(tags.map((tag) => [tag.number, tag]));
  const tagsByKey = new Map(tags.map((tag) => [tag.key, tag]));
  return {
    defined: new Set([...attributesByNumber.keys(), ...tagsByNumber.keys()]),
    findAttribute: (number) => attributesByNumber.get(number),
    findTag: (number) => tagsByNumber.get(number),
    findTagByKey: (key) => tagsByKey.get(key),
    countTags: () => tags.length,
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
