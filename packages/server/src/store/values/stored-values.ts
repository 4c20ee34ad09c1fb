// The values of attributes and tags in a contact's row, by number, as both engines keep them. Knows no SQL.
import type { AttributeValue } from '@roster/contract';
import type { ContactValues, ValueChanges } from './attribute-store.ts';

/** Two columns of a contact's row: a JSON object by number, and a JSON array of numbers. Null: none. */
export type StoredValues = readonly [attributes: string | null, tags: string | null];

export const noValues: StoredValues = [null, null];

export type Attributes = Record<number, AttributeValue>;

const noContactValues: ContactValues = { attributes: {}, tags: [] };

export function toValues(attributes: string | null | undefined, tags: string | null | undefined): ContactValues {
  if (attributes == null && tags == null) return noContactValues;
  return { attributes: parseAttributes(attributes), tags: parseTags(tags) };
}

/** Whether they are about values at all. */
export function hasValues({ attributes, tags }: ValueChanges): boolean {
  return attributes !== undefined || tags !== undefined;
}

/** The text values, which searches look through, in the order of the attributes' numbers. */
export function textsOf(attributes: string | null | undefined): string[] {
  if (attributes == null) return [];
  return Object.values(parseAttributes(attributes)).filter((value) => typeof value === 'string');
}

/** JavaScript keeps members with integer names in ascending order, so equal values have equal JSON. */
export function parseAttributes(json: string | null | undefined): Attributes {
  return json == null ? {} : (JSON.parse(json) as Attributes);
}

export function parseTags(json: string | null | undefined): number[] {
  return json == null ? [] : (JSON.parse(json) as number[]);
}

export function toJson(values: Attributes | number[]): string | null {
  const json = JSON.stringify(values);
  return json === '{}' || json === '[]' ? null : json;
}

/** Without values whose number no definition has; the same object when there are none. */
export function withoutRemoved(values: StoredValues, defined: ReadonlySet<number>): StoredValues {
  const attributes = parseAttributes(values[0]);
  const tags = parseTags(values[1]);
  const kept = Object.entries(attributes).filter(([number]) => defined.has(Number(number)));
  const keptTags = tags.filter((number) => defined.has(number));
  if (kept.length === Object.keys(attributes).length && keptTags.length === tags.length) return values;
  return [toJson(Object.fromEntries(kept)), toJson(keptTags)];
}
