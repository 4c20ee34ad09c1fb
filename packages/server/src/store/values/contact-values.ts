// What contacts have beside their fields, as both engines keep it, and what changing it means: values of attributes and
// tags by number, within their limits, and how many contacts have each. Knows no SQL.
import { limits } from '@roster/contract/limits';
import { fold } from '../../contacts/search-text.ts';
import type { Tag, TagChange, ValueChanges, ValueFault } from './attribute-store.ts';
import { type Attributes, parseAttributes, parseTags, type StoredValues, toJson } from './stored-values.ts';

export interface StoredTag extends Tag {
  number: number;
  contactCount: number;
}

export interface StoredAttribute {
  number: number;
  key: string;
  /** JSON, of the type `choice`. */
  choices?: string | null;
  contactCount: number;
}

/** The definitions of a bot, as they are stored. */
export interface DefinitionSource {
  findAttribute(number: number): StoredAttribute | undefined;
  findTag(number: number): StoredTag | undefined;
  findTagByKey(key: string): StoredTag | undefined;
  countTags(): number;
  /** A number that no attribute and no tag of the bot has had. */
  takeNumber(): number;
}

interface Counted {
  number: number;
  count: number;
  /** As it is stored; 0 for a tag that is not. */
  storedCount: number;
}

interface CountedAttribute extends Counted {
  key: string;
  /** Folded. Undefined: any value. */
  choices: ReadonlySet<string> | undefined;
}

interface CountedTag extends Counted, Tag {
  storedName: string | undefined;
}

/** What a transaction has to write about attributes and tags. */
export interface DefinitionChanges {
  attributeCounts: { number: number; contactCount: number }[];
  newTags: StoredTag[];
  changedTags: StoredTag[];
  /** Numbers of tags that no contact has any more. */
  deletedTags: number[];
}

/**
 * The attributes and tags of one bot during a transaction, with the counts that its writes have changed so far. A tag
 * exists while its count is above 0.
 */
export class BotValues {
  readonly #source: DefinitionSource;
  readonly #attributes = new Map<number, CountedAttribute | undefined>();
  readonly #tags = new Map<number, CountedTag | undefined>();
  readonly #tagsByKey = new Map<string, CountedTag>();
  #tagCount: number | undefined;
  #undo: (() => void)[] = [];

  constructor(source: DefinitionSource) {
    this.#source = source;
  }

  /** To be called before a write: `undo` takes back what was changed since then. */
  begin(): void {
    this.#undo = [];
  }

  undo(): void {
    for (const undo of this.#undo.reverse()) undo();
    this.#undo = [];
  }

  /**
   * The values after the changes; the same ones when nothing differs. A change also drops values whose number has no definition
   * any more. A fault changes nothing.
   */
  change(before: StoredValues, changes: ValueChanges): StoredValues | ValueFault {
    const attributes = changes.attributes && this.#changeAttributes(before[0], changes.attributes);
    if (typeof attributes === 'string') return attributes;
    const tags = changes.tags && this.#changeTags(before[1], changes.tags);
    if (typeof tags === 'string') return tags;
    for (const value of [...(attributes?.added ?? []), ...(tags?.added ?? [])]) this.#count(value, 1);
    for (const value of [...(attributes?.removed ?? []), ...(tags?.removed ?? [])]) this.#count(value, -1);
    return [attributes === undefined ? before[0] : attributes.json, tags === undefined ? before[1] : tags.json];
  }

  /** Whether a contact has the same values after a write as before it. Numbers without a definition do not count. */
  isSame([attributes, tags]: StoredValues, after: StoredValues): boolean {
    const had = () => Object.entries(parseAttributes(attributes)).filter(([number]) => this.#attribute(Number(number)));
    // Equal texts need no definitions, which an engine may not have read for values that no write was about.
    return (
      (attributes === after[0] || toJson(Object.fromEntries(had())) === after[0]) && this.#hasSameTags(tags, after[1])
    );
  }

  #hasSameTags(before: string | null, after: string | null): boolean {
    if (before === after) return true;
    // A tag that lost its last contact in this transaction still belonged to this contact before.
    return toJson(parseTags(before).filter((number) => this.#tag(number) ?? this.#tags.get(number))) === after;
  }

  /** The names of what differs, as events have them. */
  changedFields(before: StoredValues, after: StoredValues): string[] {
    const fields: string[] = [];
    if (before[0] !== after[0]) {
      const [old, next] = [parseAttributes(before[0]), parseAttributes(after[0])];
      for (const number of Object.keys({ ...old, ...next }).map(Number)) {
        const attribute = this.#attribute(number);
        if (attribute !== undefined && old[number] !== next[number]) fields.push(`attributes.${attribute.key}`);
      }
    }
    if (!this.#hasSameTags(before[1], after[1])) fields.push('tags');
    return fields;
  }

  /** Takes the values of a contact that is deleted from the counts. */
  release([attributes, tags]: StoredValues): void {
    for (const number of Object.keys(parseAttributes(attributes))) {
      const attribute = this.#attribute(Number(number));
      if (attribute !== undefined) this.#count(attribute, -1);
    }
    for (const number of parseTags(tags)) {
      const tag = this.#tag(number);
      if (tag !== undefined) this.#count(tag, -1);
    }
  }

  get changes(): DefinitionChanges {
    const attributes = [...this.#attributes.values()].filter((each) => each !== undefined);
    const tags = [...this.#tags.values()].filter((each) => each !== undefined);
    const toStored = ({ number, key, name, count }: CountedTag) => ({ number, key, name, contactCount: count });
    const isStored = ({ storedCount }: Counted) => storedCount > 0;
    return {
      attributeCounts: attributes
        .filter(({ count, storedCount }) => count !== storedCount)
        .map(({ number, count }) => ({ number, contactCount: count })),
      newTags: tags.filter((tag) => !isStored(tag) && tag.count > 0).map(toStored),
      changedTags: tags
        .filter((tag) => isStored(tag) && tag.count > 0)
        .filter(({ count, storedCount, name, storedName }) => count !== storedCount || name !== storedName)
        .map(toStored),
      deletedTags: tags.filter((tag) => isStored(tag) && tag.count === 0).map(({ number }) => number),
    };
  }

  #changeAttributes(before: string | null, changes: NonNullable<ValueChanges['attributes']>) {
    const old = parseAttributes(before);
    for (const number of Object.keys(old)) if (!this.#attribute(Number(number))) delete old[Number(number)];
    const next = { ...old };
    const added: CountedAttribute[] = [];
    const removed: CountedAttribute[] = [];
    for (const [key, value] of Object.entries(changes)) {
      const number = Number(key);
      const attribute = this.#attribute(number);
      const isChoice = attribute?.choices === undefined || value === null || attribute.choices.has(value as string);
      if (attribute === undefined || !isChoice) return 'undefined_attribute';
      if (value !== null && !(number in old)) added.push(attribute);
      if (value === null && number in old) removed.push(attribute);
      if (value === null) delete next[number];
      else next[number] = value;
    }
    if (textLengthOf(next) > limits.attributeTextsLength) return 'too_much_text';
    const json = toJson(next);
    return { json: json === toJson(old) ? before : json, added, removed };
  }

  #changeTags(before: string | null, change: TagChange) {
    const old = parseTags(before)
      .map((number) => this.#tag(number))
      .filter((tag) => tag !== undefined);
    const next = new Set('set' in change ? [] : old);
    const given = 'set' in change ? change.set : change.add;
    const seen = new Set<string>();
    for (const tag of given) {
      if (!seen.has(tag.key)) next.add(this.#tagFor(tag));
      seen.add(tag.key);
    }
    if ('remove' in change) {
      for (const key of change.remove) {
        const tag = this.#knownTag(key);
        if (tag !== undefined) next.delete(tag);
      }
    }
    if (next.size > limits.tagsPerContact) return 'too_many_tags';
    const added = [...next].filter((tag) => !old.includes(tag));
    const removed = old.filter((tag) => !next.has(tag));
    const growth = added.filter(({ count }) => count === 0).length - removed.filter(({ count }) => count === 1).length;
    if (growth > 0 && this.#countTags() + growth > limits.tagsPerBot) return 'too_many_tags_in_bot';
    const isSame = added.length === 0 && removed.length === 0;
    const numbers = Array.from(next, ({ number }) => number).sort((one, other) => one - other);
    return { json: isSame ? before : toJson(numbers), added, removed };
  }

  #countTags(): number {
    this.#tagCount ??= this.#source.countTags();
    return this.#tagCount;
  }

  #count(value: CountedAttribute | CountedTag, by: 1 | -1): void {
    const add = (change: number) => {
      const wasThere = value.count > 0;
      value.count += change;
      if ('storedName' in value && this.#tagCount !== undefined)
        this.#tagCount += Number(value.count > 0) - Number(wasThere);
    };
    add(by);
    this.#undo.push(() => add(-by));
  }

  #attribute(number: number): CountedAttribute | undefined {
    if (!this.#attributes.has(number)) {
      const stored = this.#source.findAttribute(number);
      this.#attributes.set(number, stored && toCounted(stored));
    }
    return this.#attributes.get(number);
  }

  /** Undefined when it does not exist any more. */
  #tag(number: number): CountedTag | undefined {
    if (!this.#tags.has(number)) this.#remember(this.#source.findTag(number), number);
    const tag = this.#tags.get(number);
    return tag !== undefined && tag.count > 0 ? tag : undefined;
  }

  /** By its key, whether it still exists or not. Undefined: it was never there. */
  #knownTag(key: string): CountedTag | undefined {
    const known = this.#tagsByKey.get(key);
    if (known !== undefined) return known;
    const stored = this.#source.findTagByKey(key);
    return stored && this.#remember(stored, stored.number);
  }

  /** A tag that is to be added. If it does not exist yet, it gets its name by this. */
  #tagFor({ key, name }: Tag): CountedTag {
    const known = this.#knownTag(key);
    if (known === undefined) {
      const number = this.#source.takeNumber();
      return this.#add({ number, key, name, count: 0, storedCount: 0, storedName: undefined });
    }
    if (known.count === 0 && known.name !== name) {
      const earlier = known.name;
      known.name = name;
      this.#undo.push(() => {
        known.name = earlier;
      });
    }
    return known;
  }

  #remember(stored: StoredTag | undefined, number: number): CountedTag | undefined {
    if (stored === undefined) {
      this.#tags.set(number, undefined);
      return undefined;
    }
    const { key, name, contactCount: count } = stored;
    return this.#add({ number, key, name, count, storedCount: count, storedName: name });
  }

  #add(tag: CountedTag): CountedTag {
    this.#tags.set(tag.number, tag);
    this.#tagsByKey.set(tag.key, tag);
    return tag;
  }
}

function toCounted({ number, key, choices, contactCount: count }: StoredAttribute): CountedAttribute {
  const folded = choices == null ? undefined : new Set((JSON.parse(choices) as string[]).map(fold));
  return { number, key, choices: folded, count, storedCount: count };
}

/** In code points. A text has at most as many as UTF-16 units, so only long ones need counting. */
function textLengthOf(attributes: Attributes): number {
  const texts = Object.values(attributes).filter((value) => typeof value === 'string');
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  return units <= limits.attributeTextsLength ? units : texts.reduce((sum, text) => sum + Array.from(text).length, 0);
}
