// The model of what contacts have beside their fields: attributes by number, tags by key. In plain code, never fast.
import { type AttributeType, type AttributeValue, limits } from '@roster/contract';
import { fold } from '../src/contacts/search-text.ts';
import type {
  AttributeDefinition,
  DefineOutcome,
  NewAttribute,
  Tag,
  ValueChanges,
  ValueFault,
} from '../src/store/values/attribute-store.ts';

/** Tags by their keys. */
export interface ModelValues {
  attributes: Map<number, AttributeValue>;
  tags: Set<string>;
}

/** What the port answers, with tags by name instead of by number, which is the engine's to choose. */
export interface NamedValues {
  attributes: Record<number, AttributeValue>;
  tags: string[];
}

interface ModelAttribute {
  number: number;
  type: AttributeType;
  label: string;
  description: string;
  choices?: readonly string[];
}

export class ModelFields {
  readonly attributes = new Map<string, ModelAttribute>();
  readonly #tagNames = new Map<string, string>();
  /** Of all contacts of the bot. */
  readonly #all: () => ModelValues[];

  constructor(all: () => ModelValues[]) {
    this.#all = all;
  }

  /** For trying something out: nothing of it is seen here. */
  copy(all: () => ModelValues[]): ModelFields {
    const copied = new ModelFields(all);
    for (const [key, attribute] of this.attributes) copied.attributes.set(key, { ...attribute });
    for (const [key, name] of this.#tagNames) copied.#tagNames.set(key, name);
    return copied;
  }

  /** `number` is what the engine chose. */
  define({ key, type, label, description, choices }: NewAttribute, number: number): DefineOutcome {
    const known = this.attributes.get(key);
    if (known !== undefined && known.type !== type) return { kind: 'attribute_type_fixed', type: known.type };
    if (known === undefined && this.attributes.size >= limits.attributesPerBot) return { kind: 'limit_reached' };
    const inUse = this.#choicesInUse(known, choices ?? []);
    if (inUse.length > 0) return { kind: 'choices_in_use', choices: inUse };
    const definition = { type, label, description, ...(choices && { choices }) };
    this.attributes.set(key, { number: known?.number ?? number, ...definition });
    const attribute = this.list().find((each) => each.key === key) as AttributeDefinition;
    return { kind: known === undefined ? 'defined' : 'changed', attribute };
  }

  #choicesInUse(known: ModelAttribute | undefined, kept: readonly string[]) {
    const removed = (known?.choices ?? []).filter((choice) => !kept.some((each) => fold(each) === fold(choice)));
    return removed
      .map((choice) => {
        const held = this.#all().filter(({ attributes }) => attributes.get(known?.number as number) === fold(choice));
        return { choice, contactCount: held.length };
      })
      .filter(({ contactCount }) => contactCount > 0);
  }

  delete(key: string): boolean {
    const known = this.attributes.get(key);
    if (known === undefined) return false;
    for (const { attributes } of this.#all()) attributes.delete(known.number);
    return this.attributes.delete(key);
  }

  list(): AttributeDefinition[] {
    const keys = [...this.attributes.keys()].sort();
    return keys.map((key) => {
      const { number, ...attribute } = this.attributes.get(key) as ModelAttribute;
      const contactCount = this.#all().filter(({ attributes }) => attributes.has(number)).length;
      return { number, key, ...attribute, contactCount };
    });
  }

  listTags(): { key: string; name: string; contactCount: number }[] {
    return sorted(this.#tagNames.keys()).map((key) => ({
      key,
      name: this.#tagNames.get(key) as string,
      contactCount: this.#all().filter(({ tags }) => tags.has(key)).length,
    }));
  }

  renameTag(key: string, tag: Tag): 'renamed' | 'tag_taken' | 'missing' {
    if (!this.#tagNames.has(key)) return 'missing';
    if (tag.key !== key && this.#tagNames.has(tag.key)) return 'tag_taken';
    this.#tagNames.delete(key);
    this.#tagNames.set(tag.key, tag.name);
    for (const { tags } of this.#all()) if (tags.delete(key)) tags.add(tag.key);
    return 'renamed';
  }

  deleteTag(key: string): boolean {
    for (const { tags } of this.#all()) tags.delete(key);
    return this.#tagNames.delete(key);
  }

  /** Changes the values, or says why not. */
  change(values: ModelValues, changes: ValueChanges): ValueFault | undefined {
    const attributes = new Map(values.attributes);
    for (const [number, value] of Object.entries(changes.attributes ?? {})) {
      const definition = [...this.attributes.values()].find((each) => each.number === Number(number));
      const isChoice = definition?.type !== 'choice' || definition.choices?.some((each) => fold(each) === value);
      if (definition === undefined || (value !== null && !isChoice)) return 'undefined_attribute';
      if (value === null) attributes.delete(Number(number));
      else attributes.set(Number(number), value);
    }
    const text = textsIn(attributes).join('');
    if (changes.attributes !== undefined && [...text].length > limits.attributeTextsLength) return 'too_much_text';
    const given = changes.tags ?? { add: [], remove: [] };
    const added = 'set' in given ? given.set : given.add;
    const tags = new Set([...('set' in given ? [] : values.tags), ...added.map(({ key }) => key)]);
    for (const key of 'set' in given ? [] : given.remove) tags.delete(key);
    if (tags.size > limits.tagsPerContact) return 'too_many_tags';
    const others = this.#all().filter((each) => each !== values);
    const all = new Set([...tags, ...others.flatMap((each) => [...each.tags])]);
    if (all.size > Math.max(limits.tagsPerBot, this.#tagNames.size)) return 'too_many_tags_in_bot';
    values.attributes = attributes;
    values.tags = tags;
    for (const { key, name } of added) if (tags.has(key) && !this.#tagNames.has(key)) this.#tagNames.set(key, name);
    this.forgetUnused();
    return undefined;
  }

  /** A tag exists while a contact has it. */
  forgetUnused(): void {
    const used = new Set(this.#all().flatMap(({ tags }) => [...tags]));
    for (const key of this.#tagNames.keys()) if (!used.has(key)) this.#tagNames.delete(key);
  }

  named({ attributes, tags }: ModelValues): NamedValues {
    return {
      attributes: Object.fromEntries(attributes),
      tags: sorted(tags).map((key) => this.#tagNames.get(key) as string),
    };
  }
}

/** What searches look through. */
export function textsIn(attributes: ReadonlyMap<number, AttributeValue>): string[] {
  return [...attributes.values()].filter((value) => typeof value === 'string');
}

/** By the bytes of UTF-8. */
function sorted(keys: Iterable<string>): string[] {
  return [...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}
