// Attributes and tags as requests and answers name them, and as the store keeps them: by number. What is wrong with those
// of a request is found out by the definitions of the bot.
import {
  type AttributeType,
  type AttributeValue,
  type FieldError,
  limits,
  type ReadValue,
  readAttributeValue,
  toAttributeAnswer,
} from '@roster/contract';
import { fold } from './search-text.ts';

/** What is needed of the definition of an attribute to read and name its values. */
export interface Definition {
  number: number;
  key: string;
  type: AttributeType;
  /** Of the type `choice`: as they are shown. */
  choices?: readonly string[] | undefined;
}

/** A choice is kept folded, so that it is shown as it is spelt now. */
export function readChoice(given: string, choices: readonly string[] = []): { value: string } | { fault: string } {
  const value = fold(given);
  const isChoice = choices.some((choice) => fold(choice) === value);
  return isChoice ? { value } : { fault: 'must be one of the choices of this attribute' };
}

interface Tag {
  key: string;
  name: string;
}

/** Two spellings of a tag have the same key. */
export function toTag(name: string): Tag {
  return { key: fold(name), name };
}

/** A tag whose name is nothing but accents could not be told from another. */
export function isTag(name: string): boolean {
  return fold(name).trim() !== '';
}

/** By number; null removes the value. */
export function readAttributes(given: object, definitions: ReadonlyMap<string, Definition>) {
  const attributes: Record<number, AttributeValue | null> = {};
  const errors: FieldError[] = [];
  const entries = Object.entries(given);
  if (entries.length > limits.attributesPerBot) {
    errors.push({ field: 'attributes', message: `must have at most ${limits.attributesPerBot} members` });
    return { attributes, errors };
  }
  for (const [key, input] of entries) {
    const definition = definitions.get(key);
    if (definition === undefined) {
      errors.push({ field: fieldOf(key), message: 'is not an attribute of this bot' });
      continue;
    }
    const read = readValue(definition, input);
    if ('fault' in read) errors.push({ field: fieldOf(key), message: read.fault });
    else attributes[definition.number] = read.value;
  }
  return { attributes, errors };
}

function readValue({ type, choices }: Definition, input: unknown): ReadValue {
  const read = readAttributeValue(type, input);
  return type === 'choice' && 'value' in read && read.value !== null ? readChoice(read.value as string, choices) : read;
}

/** An error repeats only keys of this form: any other text of the caller may be long and contain anything. */
const plainKey = new RegExp(`^\\w{1,${limits.attributeKeyLength}}$`);

function fieldOf(key: string): string {
  return plainKey.test(key) ? `attributes.${key}` : 'attributes';
}

interface GivenTags {
  tags?: readonly string[] | undefined;
  addTags?: readonly string[] | undefined;
  removeTags?: readonly string[] | undefined;
}

/** Of tags that are well formed by themselves. `tags` is undefined when none are given. */
export function readTags({ tags, addTags, removeTags }: GivenTags) {
  const errors: FieldError[] = [];
  for (const [field, names = []] of Object.entries({ tags, addTags, removeTags })) {
    if (!names.every(isTag)) errors.push({ field, message: 'must not contain a tag that consists only of accents' });
  }
  const added = distinct(tags ?? addTags ?? []);
  const removed = distinct(removeTags ?? []);
  if (added.length > limits.tagsPerContact) {
    const field = tags === undefined ? 'addTags' : 'tags';
    errors.push({ field, message: `must be at most ${limits.tagsPerContact} different tags` });
  }
  if (tags !== undefined) {
    const isAlone = addTags === undefined && removeTags === undefined;
    if (!isAlone) errors.push({ field: 'tags', message: 'cannot be combined with addTags or removeTags' });
    return { tags: { set: added }, errors };
  }
  if (addTags === undefined && removeTags === undefined) return { tags: undefined, errors };
  const remove = removed.map(({ key }) => key);
  if (added.some(({ key }) => remove.includes(key))) {
    errors.push({ field: 'removeTags', message: 'must not contain a tag that is also in addTags' });
  }
  return { tags: { add: added, remove }, errors };
}

/** The first spelling of each. */
function distinct(names: readonly string[]): Tag[] {
  const byKey = new Map<string, Tag>();
  for (const tag of names.map(toTag)) if (!byKey.has(tag.key)) byKey.set(tag.key, tag);
  return [...byKey.values()];
}

/** By key, in the order of the keys. A number without a definition is not there any more. */
export function nameAttributes(
  values: Readonly<Record<number, AttributeValue>>,
  definitions: readonly Definition[],
): Record<string, AttributeValue> {
  const named: Record<string, AttributeValue> = {};
  for (const { number, key, type, choices } of definitions) {
    const value = values[number];
    const spelling = type === 'choice' ? choices?.find((choice) => fold(choice) === value) : undefined;
    if (value !== undefined) named[key] = spelling ?? toAttributeAnswer(type, value);
  }
  return named;
}
