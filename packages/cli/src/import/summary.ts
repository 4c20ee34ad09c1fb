// What an import says in the end: the counts, and where the rejected rows are.
import {
  type AttributeDefinition,
  attributeTitle,
  type FaultGroup,
  type ImportCounts,
  type Rejection,
  type RowRules,
} from '@roster/contact-files';
import { contactFields } from '@roster/contract/names';
import { count, rows } from '../terminal/locale.ts';
import type { Output } from '../terminal/output.ts';
import { safeText } from '../terminal/safe-text.ts';
import type { RowSource } from './rows.ts';

export interface Ending {
  counts: Readonly<ImportCounts>;
  source: RowSource;
  rules: RowRules;
  /** Attributes that were defined, or in a dry run would be. */
  created: readonly AttributeDefinition[];
  /** Columns that nothing took. */
  skipped: readonly string[];
  rejectedPath: string | undefined;
  /** The first rejected rows. */
  reported: readonly Rejection[];
  /** What was wrong with cells that were left out. Undefined when their rows are rejected instead. */
  dropped: readonly FaultGroup[] | undefined;
  isDryRun: boolean;
  isInterrupted: boolean;
}

export function summarize(output: Output, ending: Ending): void {
  const { counts, source, created, rejectedPath, reported, dropped, isDryRun, isInterrupted } = ending;
  const hasRejected = counts.rejected > 0;
  const rejectedFile = hasRejected ? (rejectedPath ?? null) : null;
  if (output.isJson) {
    const { nameless: _, ...shown } = counts;
    // What a dry run cannot know.
    const unknown = isDryRun ? { created: null, updated: null, unchanged: null } : {};
    const { skipped } = ending;
    const columns = { mapping: titlesOf(ending), createdAttributes: created, skipped };
    const droppedCells = dropped?.map(({ field, message, count: cells }) => ({ field, reason: message, count: cells }));
    output.json({
      ...shown,
      ...unknown,
      rejectedFile,
      isDryRun,
      isInterrupted,
      ...columns,
      ...(droppedCells && { droppedCells }),
    });
    return;
  }
  for (const { row, reason } of reported) output.note(`${source.unit} ${row.line}: ${reason}`);
  if (counts.rejected > reported.length) output.note(`… and ${count(counts.rejected - reported.length)} more`);
  const imported = isDryRun
    ? `${count(counts.imported)} valid`
    : `${count(counts.imported)} imported${detailsOf(counts)}`;
  const parts = [imported, `${count(counts.rejected)} rejected`];
  if (counts.blank > 0) parts.push(`${count(counts.blank)} blank`);
  output.print(`${rows(counts.rows)}: ${parts.join(', ')}.`);
  if (created.length > 0) {
    const keys = created.map(({ key }) => key).join(', ');
    output.print(`${isDryRun ? 'Attributes to create' : 'Attributes created'}: ${keys}.`);
  }
  if (counts.merged > 0) {
    const isOne = counts.merged === 1;
    const be = isDryRun ? 'will be' : isOne ? 'was' : 'were';
    const have = isOne ? 'has' : 'have';
    output.print(
      `${rows(counts.merged)} ${have} the email of an earlier row and ${be} merged with it; later values win.`,
    );
  }
  for (const { field, message, count: cells, example } of dropped ?? []) {
    output.print(
      `${count(cells)} ${cells === 1 ? 'cell' : 'cells'} left out: ${field} ${message} (${safeText(example)})`,
    );
  }
  if (rejectedFile !== null) output.print(`Rejected rows and the reasons are in ${rejectedFile}`);
  if (isDryRun && counts.nameless > 0) {
    output.print(
      `${rows(counts.nameless)} without a name can only update existing contacts, and will be rejected if there is no contact with the email.`,
    );
  }
  if (isDryRun) output.print('Dry run: nothing was written.');
  if (isInterrupted)
    output.note('Interrupted. To import the rest, run the same command again. There will be no duplicates.');
}

/** The titles of the columns of each field, of each attribute that has any, and of tags. */
function titlesOf({ source: { header }, rules: { mapping, values } }: Ending): Record<string, (string | undefined)[]> {
  const titles = (columns: readonly number[]) => columns.map((at) => header[at]);
  return {
    ...Object.fromEntries(contactFields.map((field) => [field, titles(mapping[field])])),
    tags: titles(values?.tags ?? []),
    ...Object.fromEntries((values?.attributes ?? []).map(({ key, columns }) => [attributeTitle(key), titles(columns)])),
  };
}

/** " (2 created, 1 merged)", without what is 0. */
function detailsOf(counts: ImportCounts): string {
  const details = (['created', 'updated', 'unchanged', 'merged'] as const).filter((what) => counts[what] > 0);
  return details.length === 0 ? '' : ` (${details.map((what) => `${count(counts[what])} ${what}`).join(', ')})`;
}
