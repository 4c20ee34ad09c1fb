// Attributes for the columns that have none: --create-attributes reads the whole file once to know which types they have.
import {
  type AttributeDefinition,
  defineForColumn,
  keyForColumn,
  labelForColumn,
  TypeGuess,
  type ValueColumns,
} from '@roster/contact-files';
import { limits, readOnlyContactFields } from '@roster/contract';
import { usageError } from '../failure.ts';
import type { ColumnPlan } from './columns.ts';
import { type OpenOptions, openRows } from './open-rows.ts';

/** What the whole file showed: its columns, and for each the type that all its values fit. */
export interface Survey {
  header: string[];
  guesses: TypeGuess[];
}

export async function surveyColumns(
  path: string,
  options: OpenOptions & { raw?: boolean | undefined },
  onRead: (bytes: { read: number; size: number | undefined }) => void,
): Promise<Survey> {
  const { text, source } = await openRows(path, { ...options, json: { ...options.json, isGrowing: true } });
  const guesses: TypeGuess[] = [];
  const isTyped = source.format !== 'csv';
  const how = { isTyped, isGuarded: !isTyped && !options.raw };
  for await (const { cells } of source.rows) {
    for (const [at, cell] of cells.entries()) {
      guesses[at] ??= new TypeGuess();
      guesses[at].note(cell, how);
    }
    onRead({ read: text.readBytes, size: text.sizeBytes });
  }
  return { header: source.header, guesses: source.header.map((_, at) => guesses[at] ?? new TypeGuess()) };
}

export interface NewAttributes {
  definitions: AttributeDefinition[];
  columns: ValueColumns['attributes'];
  /** Titles of columns with values that are too long for an attribute, and how many there are. */
  tooLong: { key: string; count: number }[];
}

/** Columns without a value, and with objects or lists of JSON, get no attribute. */
export function defineNew(
  plan: ColumnPlan,
  { header, guesses }: Survey,
  existing: readonly AttributeDefinition[],
): NewAttributes {
  const made: NewAttributes = { definitions: [], columns: [], tooLong: [] };
  const taken = new Set([...existing, ...plan.missing].map(({ key }) => key));
  const add = (definition: AttributeDefinition, columns: number[]) => {
    taken.add(definition.key);
    made.definitions.push(definition);
    made.columns.push({ key: definition.key, type: definition.type, columns });
    const count = columns.reduce((sum, at) => sum + (guesses[at]?.tooLong ?? 0), 0);
    if (definition.type === 'text' && count > 0) made.tooLong.push({ key: definition.key, count });
  };
  for (const { key, columns } of plan.missing) {
    const [only = 0, ...others] = columns;
    const type = others.length > 0 ? 'text' : (guesses[only]?.type ?? 'text');
    add({ key, type, label: labelForColumn(header[only] ?? '', only) }, columns);
  }
  for (const at of keptColumns(plan, header)) {
    const [title = '', type] = [header[at], guesses[at]?.type];
    if (type !== undefined && !plan.leftOut.has(keyForColumn(title, at))) {
      add(
        defineForColumn(title, at, type, (key) => taken.has(key)),
        [at],
      );
    }
  }
  const total = existing.length + made.definitions.length;
  if (total > limits.attributesPerBot) {
    throw usageError(
      `A bot has at most ${limits.attributesPerBot} attributes, and this import would bring it to ${total}. Skip columns with --map attributes.KEY=, such as --map attributes.${made.definitions.at(-1)?.key}=.`,
    );
  }
  return made;
}

/** An export's own id and times are the service's to give: those of another system are kept. */
export function keptColumns({ unused }: ColumnPlan, header: readonly string[]): number[] {
  const isExport = readOnlyContactFields.every((column) => header.includes(column));
  const isOwn = (title: string | undefined) => isExport && readOnlyContactFields.some((each) => each === title);
  return unused.filter((at) => !isOwn(header[at]));
}
