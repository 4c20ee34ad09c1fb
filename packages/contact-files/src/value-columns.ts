// Which columns hold attributes and tags: guessed from the header, for columns that hold no field.
import type { Attribute } from '@roster/contract';
import { fold, spellings } from './spellings.ts';

export type AttributeDefinition = Pick<Attribute, 'key' | 'type' | 'label'>;

/** Several columns of an attribute are joined by a space; those of tags are taken together. */
export interface ValueColumns {
  attributes: { key: string; type: Attribute['type']; columns: number[] }[];
  tags: number[];
}

/** The title of the column in which an export writes an attribute, and the name of the attribute in `--map`. */
export const attributeTitle = (key: string): string => `attributes.${key}`;

/** The key in a title like `attributes.plan`. */
export function keyInTitle(title: string): string | undefined {
  return /^attributes\.(.+)$/.exec(title.trim())?.[1];
}

/** `free` are the columns that may be taken. An attribute has one column at most. */
export function guessValueColumns(
  header: readonly string[],
  free: Iterable<number>,
  definitions: readonly AttributeDefinition[],
): ValueColumns {
  const left = new Set(free);
  const take = (fits: (title: string) => boolean): number[] => {
    const at = [...left].find((each) => fits(header[each] ?? ''));
    if (at === undefined) return [];
    left.delete(at);
    return [at];
  };
  const tags = take((title) => spellings.tags.includes(fold(title)));
  const found = new Map<string, number[]>();
  // The most exact first, so that no label takes the column of another attribute's key.
  const rounds: ((definition: AttributeDefinition, title: string) => boolean)[] = [
    ({ key }, title) => keyInTitle(title) === key,
    ({ key }, title) => title === key,
    ({ label }, title) => title === label,
    ({ key }, title) => fold(title) === fold(key),
    ({ label }, title) => fold(title) === fold(label) && fold(label) !== '',
  ];
  for (const fits of rounds) {
    for (const definition of definitions) {
      if (!found.has(definition.key)) {
        const columns = take((title) => fits(definition, title));
        if (columns.length > 0) found.set(definition.key, columns);
      }
    }
  }
  const attributes = definitions.flatMap(({ key, type }) => {
    const columns = found.get(key);
    return columns === undefined ? [] : [{ key, type, columns }];
  });
  return { attributes, tags };
}
