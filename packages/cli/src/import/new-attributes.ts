// Attributes for the columns that have none: --create-attributes reads the whole file once to know which types they have.
import {
  type AttributeDefinition,
  ColumnSurvey,
  defineNew,
  keptColumns,
  type NewAttributes,
  type TypeGuess,
} from '@roster/contact-files';
import { limits } from '@roster/contract/limits';
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
  const isTyped = source.format !== 'csv';
  const survey = new ColumnSurvey({ isTyped, isGuarded: !isTyped && !options.raw });
  for await (const { cells } of source.rows) {
    survey.note(cells);
    onRead({ read: text.readBytes, size: text.sizeBytes });
  }
  return { header: source.header, guesses: survey.guessesFor(source.header) };
}

/** For the attributes that --map names, and for each column that nothing takes. */
export function createAttributes(
  { missing, leftOut, unused }: ColumnPlan,
  { header, guesses }: Survey,
  existing: readonly AttributeDefinition[],
): NewAttributes {
  const wanted = { columns: keptColumns(unused, header), named: missing, leftOut };
  const made = defineNew(header, guesses, wanted, existing);
  const total = existing.length + made.definitions.length;
  if (total > limits.attributesPerBot) {
    throw usageError(
      `A bot has at most ${limits.attributesPerBot} attributes, and this import would bring it to ${total}. Skip columns with --map attributes.KEY=, such as --map attributes.${made.definitions.at(-1)?.key}=.`,
    );
  }
  return made;
}
