// What an import is about to do, for a person to look at: the columns it takes, those it does not, and the first rows.
import {
  attributeTitle,
  excerpt,
  inputOf,
  keptColumns,
  type NewAttributes,
  type Row,
  type RowRules,
  textOfValueCell,
} from '@roster/contact-files';
import { limits } from '@roster/contract/limits';
import { contactFields } from '@roster/contract/names';
import type { Output } from '../terminal/output.ts';
import { safeText } from '../terminal/safe-text.ts';
import type { ColumnPlan } from './columns.ts';
import type { RowSource } from './rows.ts';
import type { TextSource } from './text-source.ts';

export interface Plan {
  text: TextSource;
  source: RowSource;
  columns: ColumnPlan;
  rules: RowRules;
  /** Undefined without --create-attributes. */
  created: NewAttributes | undefined;
  first: readonly Row[];
  /** False when the attributes of the bot could not be read. */
  isKnown: boolean;
}

const unusedShown = 12;
/** Columns of attributes in the preview of rows. All of them are in the table above it. */
const valuesShown = 6;

export async function showPlan(output: Output, plan: Plan): Promise<void> {
  const { text, source, rules, created, first } = plan;
  const doubt = text.isGuess ? ' (a guess, because it is not UTF-8; check the names below, or pass --encoding)' : '';
  output.note(`${text.name}: ${source.description}, ${text.encoding}${doubt}\n`);
  await showColumns(output, plan);
  showUnused(output, plan);
  for (const { key, count } of created?.tooLong ?? []) {
    output.note(
      `\n${count} ${count === 1 ? 'value' : 'values'} of attributes.${key} ${count === 1 ? 'is' : 'are'} longer than ${limits.attributeTextLength} characters, so their rows will be rejected. To import the rows without this attribute, pass --map attributes.${key}=`,
    );
  }
  if (created !== undefined && created.definitions.length > 0) {
    output.note(
      '\nThe type of an attribute is permanent. To choose another type, create the attribute first: roster attribute define KEY --type text',
    );
  }
  if (first.length === 0) output.note('\nThere are no rows below the header.');
  else await showRows(output, first, rules);
}

async function showColumns(
  output: Output,
  { source: { header }, rules: { mapping, values, addedTags }, created }: Plan,
): Promise<void> {
  const titles = (columns: readonly number[]) => columns.map((at) => excerpt(header[at] ?? '')).join(' + ');
  const rows = contactFields.map((field) => [field, titles(mapping[field]) || '(none)']);
  const added = (addedTags ?? []).join(', ');
  const tags = [titles(values?.tags ?? []), added && `(all rows: ${added})`].filter((part) => part !== '');
  if (tags.length > 0) rows.push(['tags', tags.join(' + ')]);
  for (const { key, type, columns } of values?.attributes ?? []) {
    const isNew = created?.definitions.some((definition) => definition.key === key);
    rows.push([attributeTitle(key), titles(columns), isNew ? `${type}, new` : type]);
  }
  const hasTypes = rows.some((row) => row.length > 2);
  await output.notedTable([{ title: 'field' }, { title: 'column' }, ...(hasTypes ? [{ title: 'type' }] : [])], rows);
}

function showUnused(output: Output, { source: { header }, columns, rules, created, isKnown }: Plan): void {
  const used = new Set(Object.values(rules.mapping).flat());
  for (const at of rules.values?.tags ?? []) used.add(at);
  for (const each of rules.values?.attributes ?? []) for (const at of each.columns) used.add(at);
  const unused = header.filter((_, at) => !used.has(at));
  if (unused.length === 0) return;
  const more = unused.length > unusedShown ? ` and ${unused.length - unusedShown} more` : '';
  const shown = unused.slice(0, unusedShown).map((title) => safeText(excerpt(title)));
  output.note(`\nSkipped columns: ${shown.join(', ')}${more}`);
  if (created !== undefined || keptColumns(columns.unused, header).length === 0) return;
  if (!isKnown) output.note("The bot's attributes could not be read, so columns named after them are skipped too.");
  else {
    output.note(
      'To import them as attributes, pass --create-attributes, or --map attributes.KEY=COLUMN for single columns.',
    );
  }
}

async function showRows(output: Output, first: readonly Row[], rules: RowRules): Promise<void> {
  const fields = contactFields.filter((field) => rules.mapping[field].length > 0);
  const { tags = [], attributes = [] } = rules.values ?? {};
  const values = [
    ...(tags.length > 0 ? [{ title: 'tags', columns: tags }] : []),
    ...attributes.map(({ key, columns }) => ({ title: attributeTitle(key), columns })),
  ].slice(0, valuesShown);
  output.note('\nFirst rows:');
  await output.notedTable(
    [...fields, ...values.map(({ title }) => title)].map((title) => ({ title })),
    first.map((row) => {
      const input = inputOf(row, rules);
      const ofValues = values.map(({ columns }) => columns.map((at) => textOf(row.cells[at])).join(' '));
      return [...fields.map((field) => textOf(input[field])), ...ofValues].map(excerpt);
    }),
  );
  output.note('');
}

function textOf(cell: unknown): string {
  return typeof cell === 'string' ? cell : (textOfValueCell(cell) ?? JSON.stringify(cell) ?? '');
}
