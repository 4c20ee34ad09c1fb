// Which column holds which field, attribute or tags: guessed from the header, or as --map says.
import {
  type AttributeDefinition,
  type ColumnSpan,
  excerpt,
  type Field,
  fold,
  guessColumns,
  guessValueColumns,
  keyInTitle,
  type Mapping,
  type ValueColumns,
} from '@roster/contact-files';
import { faultOfAttributeKey } from '@roster/contract/attribute-values';
import { contactFields } from '@roster/contract/names';
import { usageError } from '../failure.ts';
import { safeText } from '../terminal/safe-text.ts';

export interface ColumnPlan {
  mapping: Mapping;
  values: ValueColumns;
  /** Attributes that --map names and the bot does not have. */
  missing: { key: string; columns: number[] }[];
  /** Attributes that --map leaves out: `--map attributes.notes=`. */
  leftOut: ReadonlySet<string>;
  /** Columns that nothing takes. */
  unused: number[];
}

export interface ColumnOptions {
  /** The file's own columns. */
  columns: ColumnSpan;
  /** The attributes of the bot. */
  definitions: readonly AttributeDefinition[];
}

/** `--map name=Vorname --map name=Nachname --map attributes.plan=Tarif --map phone=`: what is given replaces the guess. */
export function mapColumns(
  header: readonly string[],
  given: readonly string[],
  { columns, definitions }: ColumnOptions,
): ColumnPlan {
  const { fields, attributes, tags } = readGiven(header, given);
  const mapping = { ...guessColumns(header), ...Object.fromEntries(fields) };
  if (mapping.email.length === 0) {
    throw usageError(
      `No column looks like an email. Choose one with --map email=COLUMN. The columns are ${listed(header)}.`,
    );
  }
  const own = Array.from(header.keys()).filter((at) => at >= columns.from && at < columns.to);
  const taken = new Set([...Object.values(mapping), ...attributes.values(), tags ?? []].flat());
  const free = own.filter((at) => !taken.has(at));
  const guess = guessValueColumns(
    header,
    free,
    definitions.filter(({ key }) => !attributes.has(key)),
  );
  const named = definitions.flatMap(({ key, type }) => {
    const found = attributes.get(key) ?? [];
    return found.length > 0 ? [{ key, type, columns: found }] : [];
  });
  const values = { attributes: [...named, ...guess.attributes], tags: tags ?? guess.tags };
  for (const at of [...values.tags, ...values.attributes.flatMap((each) => each.columns)]) taken.add(at);
  const isDefined = (key: string) => definitions.some((each) => each.key === key);
  return {
    mapping,
    values,
    missing: Array.from(attributes, ([key, found]) => ({ key, columns: found })).filter(
      (each) => each.columns.length > 0 && !isDefined(each.key),
    ),
    leftOut: new Set([...attributes].filter(([, found]) => found.length === 0).map(([key]) => key)),
    unused: own.filter((at) => !taken.has(at)),
  };
}

interface Given {
  fields: Map<Field, number[]>;
  attributes: Map<string, number[]>;
  tags: number[] | undefined;
}

function readGiven(header: readonly string[], given: readonly string[]): Given {
  const read: Given = { fields: new Map(), attributes: new Map(), tags: undefined };
  for (const each of given) {
    const [, target = '', column = ''] = /^([^=]*)=(.*)$/s.exec(each) ?? [];
    const name = target.trim();
    const found = column.trim() === '' ? [] : [positionOf(header, column)];
    const field = contactFields.find((known) => known === name);
    const key = keyInTitle(name);
    if (field !== undefined) read.fields.set(field, [...(read.fields.get(field) ?? []), ...found]);
    else if (name === 'tags') read.tags = [...(read.tags ?? []), ...found];
    else if (key !== undefined) {
      const fault = faultOfAttributeKey(key);
      if (fault !== undefined) throw usageError(`--map ${each}: an attribute key ${fault}.`);
      read.attributes.set(key, [...(read.attributes.get(key) ?? []), ...found]);
    } else {
      const targets = [...contactFields, 'tags', 'attributes.KEY'].join(', ');
      throw usageError(`--map "${each}" is not valid. Pass FIELD=COLUMN, where FIELD is one of ${targets}.`);
    }
  }
  return read;
}

function positionOf(header: readonly string[], column: string): number {
  const exact = header.indexOf(column);
  const at = exact !== -1 ? exact : header.findIndex((each) => fold(each) === fold(column) && fold(column) !== '');
  if (at === -1) throw usageError(`There is no column "${column}". The columns are ${listed(header)}.`);
  return at;
}

const titlesShown = 30;

export function listed(titles: readonly string[]): string {
  const shown = titles.slice(0, titlesShown).map((each) => `"${safeText(excerpt(each))}"`);
  return titles.length > titlesShown ? `${shown.join(', ')} and ${titles.length - titlesShown} more` : shown.join(', ');
}
