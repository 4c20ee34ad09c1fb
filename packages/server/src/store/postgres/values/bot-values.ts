// The attributes and tags that a transaction on contacts is about, read and written under the bot's lock. What the writes
// name is read in the round trip of the contacts; what these contacts hold besides, in another. Without either nothing is.

import { type ContactRow, valuesOfRow } from '../../contacts/row.ts';
import type { ValueChanges } from '../../values/attribute-store.ts';
import type { DefinitionChanges, DefinitionSource, StoredTag } from '../../values/contact-values.ts';
import { hasValues, toValues } from '../../values/stored-values.ts';
import { type Change, statements } from '../contacts/statements.ts';
import type { Connection } from '../pool.ts';

/** What a write names of a bot's attributes and tags. */
export interface FieldsNamed {
  hasAttributes?: boolean;
  /** Left out: it changes no tags. */
  tagKeys?: readonly string[];
  /** It is about all that its contacts hold. */
  isOfHeld?: boolean;
}

/** What changes of contacts name. Undefined: nothing. */
export function fieldsNamedIn(all: readonly ValueChanges[]): FieldsNamed | undefined {
  const changes = all.filter(hasValues);
  if (changes.length === 0) return undefined;
  const tags = changes.flatMap((change) => change.tags ?? []);
  const keys = tags.flatMap((change) =>
    'set' in change ? change.set.map(({ key }) => key) : [...change.add.map(({ key }) => key), ...change.remove],
  );
  return {
    hasAttributes: changes.some(({ attributes }) => attributes !== undefined),
    ...(tags.length > 0 && { tagKeys: keys }),
  };
}

export class ReadFields implements DefinitionSource {
  /** Of the next attribute or tag. */
  nextNumber = 0;
  #attributes: ReadonlyMap<number, { key: string; contactCount: number }> | undefined;
  /** Those that were asked for; undefined: there is no such tag. */
  readonly #tags = new Map<number, StoredTag | undefined>();
  readonly #tagsByKey = new Map<string, StoredTag | undefined>();
  #tagCount: number | undefined;

  /** Numbers of all attributes, and of the tags that were asked for. */
  get defined(): ReadonlySet<number> {
    const tags = [...this.#tags.values()].flatMap((tag) => tag?.number ?? []);
    return new Set([...(this.#attributes?.keys() ?? []), ...tags]);
  }

  /** Sent at once, so that it shares a round trip. */
  async readNamed(connection: Connection, botId: string, named: readonly FieldsNamed[]): Promise<void> {
    const keys = [...new Set(named.flatMap(({ tagKeys }) => tagKeys ?? []))];
    const readTags = async () => {
      const [tags, [counted]] = await Promise.all([
        connection.query<StoredTag>(statements.readTagsByKey, [botId, keys]),
        connection.query<{ nextField: number; tagCount: number }>(statements.countTags, [botId]),
      ]);
      for (const key of keys) this.#tagsByKey.set(key, undefined);
      this.#remember(tags);
      this.nextNumber = counted?.nextField ?? 0;
      this.#tagCount = counted?.tagCount;
    };
    await Promise.all([
      named.some(({ hasAttributes }) => hasAttributes) && this.#readAttributes(connection, botId),
      keys.length > 0 && readTags(),
    ]);
  }

  /** What these contacts hold, as far as the writes are about it and it was not read before. */
  async readHeld(connection: Connection, botId: string, named: readonly FieldsNamed[], rows: readonly ContactRow[]) {
    const isOfHeld = named.some((each) => each.isOfHeld);
    const isOfTags = isOfHeld || named.some(({ tagKeys }) => tagKeys !== undefined);
    const values = rows.map(valuesOfRow);
    const held = isOfTags ? values.flatMap(([, tags]) => toValues(null, tags).tags) : [];
    const numbers = [...new Set(held)].filter((number) => !this.#tags.has(number));
    const readTags = async () => {
      const tags = await connection.query<StoredTag>(statements.listTagsByNumber, [botId, numbers]);
      for (const number of numbers) this.#tags.set(number, undefined);
      this.#remember(tags);
    };
    const needsAttributes = this.#attributes === undefined && values.some(([attributes]) => attributes !== null);
    await Promise.all([
      numbers.length > 0 && readTags(),
      isOfHeld && needsAttributes && this.#readAttributes(connection, botId),
    ]);
  }

  countOfAttribute(number: number): number | undefined {
    return read(this.#attributes).get(number)?.contactCount;
  }

  keyOfAttribute(number: number): string | undefined {
    return read(this.#attributes).get(number)?.key;
  }

  findTag(number: number): StoredTag | undefined {
    if (!this.#tags.has(number)) throw notRead();
    return this.#tags.get(number);
  }

  findTagByKey(key: string): StoredTag | undefined {
    if (!this.#tagsByKey.has(key)) throw notRead();
    return this.#tagsByKey.get(key);
  }

  countTags(): number {
    return read(this.#tagCount);
  }

  takeNumber(): number {
    return this.nextNumber++;
  }

  async #readAttributes(connection: Connection, botId: string): Promise<void> {
    const rows = await connection.query<{ number: number; key: string; contactCount: number }>(
      statements.readAttributes,
      [botId],
    );
    this.#attributes = new Map(rows.map(({ number, ...attribute }) => [number, attribute]));
  }

  #remember(tags: readonly StoredTag[]): void {
    for (const tag of tags) {
      this.#tags.set(tag.number, tag);
      this.#tagsByKey.set(tag.key, tag);
    }
  }
}

function read<Value>(value: Value | undefined): Value {
  if (value === undefined) throw notRead();
  return value;
}

/** To pass for undefined would take it from a contact. */
function notRead(): Error {
  return new Error('an attribute or a tag was not read');
}

/** Deletions first: the key of a tag can be taken again. */
export function changesOfFields(botId: string, changes: DefinitionChanges | undefined, nextField: number): Change[] {
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
    all.push(['saveNextField', botId, nextField]);
  }
  return all;
}

const numbersOf = (fields: readonly { number: number }[]) => fields.map(({ number }) => number);
const countsOf = (fields: readonly { contactCount: number }[]) => fields.map(({ contactCount }) => contactCount);
const namesOf = (tags: readonly StoredTag[]) => tags.map(({ name }) => name);
