// roster contacts import: what it asks of the file, what it shows, and what it says in the end.
import { resolve } from 'node:path';
import {
  type ImportCounts,
  ImportRun,
  type Mapping,
  type Rejection,
  type Row,
  type RowRules,
  rejectedFileName,
  spanOf,
} from '@roster/contact-files';
import { contactFields } from '@roster/contract';
import { type Command, Option } from 'commander';
import { connect, examples, outputOf } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CliError, explain, usageError } from '../failure.ts';
import { mapColumns } from '../import/columns.ts';
import { openRows } from '../import/open-rows.ts';
import { RejectedFile } from '../import/rejected-file.ts';
import { type Format, formats, type RowSource } from '../import/rows.ts';
import { showPlan } from '../import/show-plan.ts';
import { catchInterruption } from '../interruption.ts';
import { readSeparator } from '../separator.ts';
import { canAsk, confirm } from '../terminal/ask.ts';
import type { Output } from '../terminal/output.ts';
import { makeProgressBar } from '../terminal/progress-bar.ts';

interface ImportFlags {
  map: string[];
  format?: Format;
  encoding?: string;
  separator?: string;
  header: boolean;
  empty: 'keep' | 'clear';
  raw?: boolean;
  dryRun?: boolean;
  rejected?: string;
  yes?: boolean;
  tokenStdin?: boolean;
}

const rowsShown = 3;
const rejectionsShown = 5;
/** A long import should outlive a restart of the server. */
const maxRetries = 7;

export function addContactsImport(contacts: Command): void {
  contacts
    .command('import')
    .description('create or update contacts from a CSV, NDJSON or JSON file, matched by email')
    .argument('<file>', 'the file; - for stdin')
    .option(
      '--map <field=column>',
      'which column holds a field; repeat it to join columns; FIELD= for none',
      collect,
      [],
    )
    .option('--dry-run', 'check every row, and write nothing')
    .addOption(
      new Option('--empty <what>', 'what an empty cell does to a contact that exists')
        .choices(['keep', 'clear'])
        .default('keep'),
    )
    .option('--rejected <file>', 'where rejected rows go (default: beside the file, as FILE.rejected.csv)')
    .addOption(new Option('--format <name>', 'if the name of the file does not tell').choices([...formats]))
    .option('--encoding <name>', 'if it is not found out: latin1, utf-16le, …')
    .option('--separator <sign>', 'of a CSV, if it is not found out', readSeparator)
    .option('--no-header', 'the first row of a CSV is a contact; the columns are "column 1", "column 2", …')
    .option('--raw', "take cells as they are: leave a ' before = + - @ where it is")
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      `${examples(
        'roster contacts import people.csv --dry-run',
        'roster contacts import people.csv',
        'roster contacts import crm.csv --map name="First name" --map name=Surname --map phone=Mobile',
        'gunzip -c people.ndjson.gz | roster contacts import - --format ndjson',
      )}
Broken off, it can be run again: contacts are matched by email, so none comes twice.
`,
    )
    .action(importContacts);
}

const collect = (value: string, before: string[]) => [...before, value];

async function importContacts(path: string, flags: ImportFlags, command: Command): Promise<void> {
  const output = outputOf(command);
  if (path === '-' && command.optsWithGlobals<ImportFlags>().tokenStdin) {
    throw usageError('Stdin can hold the file or the secret, not both.');
  }
  const roster = flags.dryRun ? undefined : await connect(command, { maxRetries });
  const { text, source } = await openRows(path, flags);
  const mapping = mapColumns(source.header, flags.map);
  const isGuarded = source.format === 'csv' && !flags.raw;
  const rules: RowRules = { mapping, columns: spanOf(source.header), empty: flags.empty, isGuarded };
  const first = await take(source.rows, rowsShown);
  if (!output.isJson) showPlan(output, { text, source, rules, first });
  if (roster !== undefined && !output.isJson && !flags.yes && path !== '-' && canAsk()) {
    if (!(await confirm('Import it so?', true))) throw new CliError(exitCodes.interrupted, 'Nothing was imported.');
  }
  const rejected = makeRejectedFile(path, flags, source, rules);
  const reported: Rejection[] = [];
  const bar = output.isJson ? undefined : makeProgressBar(process.stderr);
  const interruption = catchInterruption(
    () => {
      if (!output.isJson) output.note('\nStopping: rows in flight are finished. Again to end at once.');
    },
    // It gives the terminal its cursor back.
    () => bar?.end(),
  );
  let shownBytes = 0;
  const run: ImportRun = new ImportRun({
    rows: chain(first, source.rows),
    rules,
    contacts: roster?.contacts,
    rejected: rejected?.rows,
    onRejection(rejection) {
      if (reported.length < rejectionsShown) reported.push(rejection);
    },
    onProgress() {
      bar?.advance(text.readBytes - shownBytes);
      shownBytes = text.readBytes;
    },
    isStopped: () => interruption.isRequested,
  });
  if (text.sizeBytes !== undefined) {
    bar?.begin(roster === undefined ? 'Checking' : 'Importing', text.sizeBytes, {
      unit: 'rows',
      count: () => run.counts.rows,
    });
  }
  try {
    await run.run();
  } catch (error) {
    bar?.end();
    throw withCounts(error, run.counts.imported, roster !== undefined);
  } finally {
    rejected?.close();
    bar?.end();
    interruption.release();
  }
  const isInterrupted = interruption.isRequested;
  summarize(output, { run, source, mapping, rejected, reported, isDryRun: roster === undefined, isInterrupted });
}

interface Ending {
  run: ImportRun;
  source: RowSource;
  mapping: Mapping;
  rejected: RejectedFile | undefined;
  reported: readonly Rejection[];
  isDryRun: boolean;
  isInterrupted: boolean;
}

function summarize(output: Output, ending: Ending): void {
  const { run, source, mapping, rejected, reported, isDryRun, isInterrupted } = ending;
  const { counts } = run;
  const hasRejected = counts.rejected > 0;
  const rejectedFile = hasRejected ? (rejected?.path ?? null) : null;
  if (hasRejected) process.exitCode = exitCodes.incomplete;
  if (isInterrupted) process.exitCode = exitCodes.interrupted;
  if (output.isJson) {
    const columns = Object.fromEntries(
      contactFields.map((field) => [field, mapping[field].map((at) => source.header[at])]),
    );
    const { nameless: _, ...shown } = counts;
    // What a dry run cannot know.
    const unknown = isDryRun ? { created: null, updated: null, unchanged: null } : {};
    output.json({ ...shown, ...unknown, rejectedFile, isDryRun, isInterrupted, mapping: columns });
    return;
  }
  for (const { row, reason } of reported) output.note(`${source.unit} ${row.line}: ${reason}`);
  if (counts.rejected > reported.length) output.note(`and ${count(counts.rejected - reported.length)} more`);
  const imported = isDryRun
    ? `${count(counts.imported)} valid`
    : `${count(counts.imported)} imported${detailsOf(counts)}`;
  const parts = [imported, `${count(counts.rejected)} rejected`];
  if (counts.blank > 0) parts.push(`${count(counts.blank)} blank`);
  output.print(`${rows(counts.rows)}: ${parts.join(', ')}.`);
  if (counts.merged > 0) {
    const isOne = counts.merged === 1;
    const be = isDryRun ? 'will be' : isOne ? 'was' : 'were';
    const have = isOne ? 'has' : 'have';
    output.print(
      `${rows(counts.merged)} ${have} the email of an earlier row and ${be} merged with it; later values win.`,
    );
  }
  if (rejectedFile !== null) output.print(`Rejected rows and their reasons: ${rejectedFile}`);
  if (isDryRun && counts.nameless > 0) {
    output.print(`${rows(counts.nameless)} without a name can only update: a contact with the email must exist.`);
  }
  if (isDryRun) output.print('Dry run: nothing was written.');
  if (isInterrupted) output.note('Interrupted. Run the same command again to import the rest; no contact comes twice.');
}

/** " (2 created, 1 merged)", without what is 0. */
function detailsOf(counts: ImportCounts): string {
  const details = (['created', 'updated', 'unchanged', 'merged'] as const).filter((what) => counts[what] > 0);
  return details.length === 0 ? '' : ` (${details.map((what) => `${count(counts[what])} ${what}`).join(', ')})`;
}

const count = (value: number): string => value.toLocaleString('en');
const rows = (value: number): string => `${count(value)} ${value === 1 ? 'row' : 'rows'}`;

/** What was imported stays so, whatever ended the run. */
function withCounts(error: unknown, imported: number, isWriting: boolean): unknown {
  const explained = explain(error);
  if (explained === undefined || !isWriting) return error;
  const { exitCode, code, message } = explained;
  const text = `${message} ${count(imported)} rows were imported before that; running the import again is safe.`;
  return new CliError(exitCode, text, { code, cause: error });
}

function makeRejectedFile(
  path: string,
  { rejected, dryRun }: ImportFlags,
  { header, unit, format }: RowSource,
  rules: RowRules,
): RejectedFile | undefined {
  if (dryRun && rejected === undefined) return undefined;
  const target = rejected ?? rejectedFileName(path === '-' ? 'stdin' : path);
  if (resolve(target) === resolve(path)) throw usageError('--rejected names the file that is being imported.');
  return new RejectedFile(target, { header, unit, rules, isGuarded: rules.isGuarded || format !== 'csv' });
}

async function take(rows: AsyncGenerator<Row>, count: number): Promise<Row[]> {
  const taken: Row[] = [];
  while (taken.length < count) {
    const next = await rows.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

async function* chain(first: readonly Row[], rest: AsyncGenerator<Row>): AsyncGenerator<Row> {
  yield* first;
  yield* rest;
}
