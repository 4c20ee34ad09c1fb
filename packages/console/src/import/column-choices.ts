// What each column of a file maps to: a field, tags, an attribute, a new attribute, or nothing. Guessed by the rules of the
// command line.
import {
  type AttributeDefinition,
  attributeTitle,
  defineNew,
  type Field,
  guessColumns,
  guessValueColumns,
  keptColumns,
  keyInTitle,
  type Mapping,
  type NewAttributes,
  spanOf,
  type TypeGuess,
  type ValueColumns,
  withCreated,
} from '@roster/contact-files';

/** `email`, `tags`, `attributes.plan`, `new` or `` (skipped). One for each column. */
export type Choices = readonly string[];

export const newAttribute = 'new';
export const skipped = '';

export function guessChoices(header: readonly string[], definitions: readonly AttributeDefinition[]): Choices {
  const choices = header.map(() => skipped);
  const assign = (columns: readonly number[], choice: string) => {
    for (const at of columns) choices[at] = choice;
  };
  for (const [field, columns] of Object.entries(guessColumns(header))) assign(columns, field);
  const free = ownColumns(header).filter((at) => choices[at] === skipped);
  const { tags, attributes } = guessValueColumns(header, free, definitions);
  assign(tags, 'tags');
  for (const { key, columns } of attributes) assign(columns, attributeTitle(key));
  return choices;
}

/** A name may come from two columns, first and last name, and tags from several; anything else has one column. */
export function choose(choices: Choices, column: number, choice: string): Choices {
  const isShared = [skipped, newAttribute, 'name', 'tags'].includes(choice);
  return choices.map((each, at) => (at === column ? choice : !isShared && each === choice ? skipped : each));
}

/** The skipped columns that are worth an attribute. */
export function columnsToKeep(header: readonly string[], choices: Choices): number[] {
  const unused = ownColumns(header).filter((at) => choices[at] === skipped);
  return keptColumns(unused, header);
}

export interface ColumnRules {
  mapping: Mapping;
  values: ValueColumns;
  created: NewAttributes;
}

/** `guesses` are those of a survey of the whole file, which only new attributes need. */
export function readChoices(
  header: readonly string[],
  choices: Choices,
  definitions: readonly AttributeDefinition[],
  guesses: readonly TypeGuess[],
): ColumnRules {
  const columnsOf = (choice: string) => Array.from(choices.keys()).filter((at) => choices[at] === choice);
  const fields: Field[] = ['name', 'email', 'phone', 'wid', 'mid'];
  const mapping = Object.fromEntries(fields.map((field) => [field, columnsOf(field)])) as Mapping;
  const attributes = definitions.flatMap(({ key, type }) => {
    const columns = columnsOf(attributeTitle(key));
    return columns.length > 0 ? [{ key, type, columns }] : [];
  });
  const created = defineNew(header, guesses, { columns: columnsOf(newAttribute) }, definitions);
  return { mapping, values: withCreated({ tags: columnsOf('tags'), attributes }, created), created };
}

/** The label of a field, of tags, or of an attribute, by its name in a fault. */
export function labelOf(name: string, definitions: readonly AttributeDefinition[]): string {
  const key = keyInTitle(name);
  if (key !== undefined) return definitions.find((each) => each.key === key)?.label ?? key;
  return fieldLabels[name as Field] ?? (/^(?:addT|t)ags$/.test(name) ? 'Tags' : name);
}

export const fieldLabels: Record<Field, string> = {
  name: 'Name',
  email: 'Email',
  phone: 'Phone',
  wid: 'WhatsApp',
  mid: 'Messenger ID',
};

/** Without those that a file of rejected rows has in addition. */
function ownColumns(header: readonly string[]): number[] {
  const { from, to } = spanOf(header);
  return Array.from(header.keys()).filter((at) => at >= from && at < to);
}
