// A run of roster contacts import: what it asks of the file, what it shows, and what it says in the end.
import { resolve } from 'node:path';
import type { Roster } from '@roster/client';
import {
  attributeTitle,
  ImportRun,
  type NewAttributes,
  type Rejection,
  type Row,
  type RowRules,
  rejectedFileName,
  spanOf,
  withCreated,
} from '@roster/contact-files';
import type { Command } from 'commander';
import { connect, type GlobalFlags, outputOf } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CliError, usageError, withAdvice } from '../failure.ts';
import { catchInterruption } from '../interruption.ts';
import { invocationOf, setExitCode } from '../invocation.ts';
import { hasConnection } from '../settings.ts';
import { canAsk, confirm } from '../terminal/ask.ts';
import { rows } from '../terminal/locale.ts';
import { makeProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';
import { type ColumnPlan, mapColumns } from './columns.ts';
import { readDefinitions } from './definitions.ts';
import { createAttributes, type Survey, surveyColumns } from './new-attributes.ts';
import { type OpenOptions, openRows } from './open-rows.ts';
import { RejectedFile } from './rejected-file.ts';
import type { Format, RowSource } from './rows.ts';
import { showPlan } from './show-plan.ts';
import { summarize } from './summary.ts';

export interface ImportFlags {
  map: string[];
  tag: string[];
  createAttributes?: boolean;
  format?: Format;
  encoding?: string;
  separator?: string;
  header: boolean;
  empty: 'keep' | 'clear';
  raw?: boolean;
  dropBadCells?: boolean;
  dryRun?: boolean;
  rejected?: string;
  yes?: boolean;
}

const rowsShown = 3;
const rejectionsShown = 5;
/** A long import should outlive a restart of the server. */
const maxRetries = 7;
const dryRunTimeoutMs = 10_000;

export async function importContacts(path: string, flags: ImportFlags, command: Command): Promise<void> {
  const output = outputOf(command);
  const invocation = invocationOf(command);
  const isSecretStdin = command.optsWithGlobals<GlobalFlags>().secretStdin ?? false;
  if (path === '-' && isSecretStdin)
    throw usageError('Stdin can be the file or the secret, not both. Save the file first, or set ROSTER_SECRET.');
  if (path === '-' && flags.createAttributes) {
    throw usageError(
      '--create-attributes reads the file twice, so it cannot read stdin. Save the data to a file first.',
    );
  }
  const isDryRun = flags.dryRun ?? false;
  const roster = await connectFor(command, isDryRun);
  const bar = output.isJson ? undefined : makeProgressBar(output.stderr);
  const options = { ...flags, stdin: invocation.stdin };
  const survey = flags.createAttributes ? await surveyWithBar(path, options, bar) : undefined;
  const { text, source } = await openRows(path, { ...options, json: { header: survey?.header } });
  const isRequired = flags.createAttributes === true || flags.map.some((each) => each.startsWith(attributeTitle('')));
  const definitions = await readDefinitions(roster, { isDryRun, isRequired });
  source.addColumns?.((definitions ?? []).map(({ key }) => attributeTitle(key)));
  const span = spanOf(source.header);
  const columns = mapColumns(source.header, flags.map, { columns: span, definitions: definitions ?? [] });
  const created = survey && createAttributes(columns, survey, definitions ?? []);
  if (created === undefined) refuseMissing(columns, definitions !== undefined);
  const rules: RowRules = {
    mapping: columns.mapping,
    values: withCreated(columns.values, created),
    addedTags: flags.tag,
    columns: span,
    empty: flags.empty,
    isGuarded: source.format === 'csv' && !flags.raw,
    dropBadCells: flags.dropBadCells ?? false,
  };
  const first = await take(source.rows, rowsShown);
  if (!output.isJson)
    await showPlan(output, { text, source, columns, rules, created, first, isKnown: definitions !== undefined });
  if (!isDryRun && !output.isJson && !flags.yes && path !== '-' && canAsk(invocation)) {
    if (!(await confirm(invocation, 'Import this file?', true)))
      throw new CliError(exitCodes.interrupted, 'Nothing was imported.');
  }
  const rejected = makeRejectedFile(path, flags, source, rules);
  const target = isDryRun ? undefined : roster;
  if (target !== undefined) await create(target, created);
  const reported: Rejection[] = [];
  const interruption = catchInterruption(
    invocation,
    () => {
      if (!output.isJson) output.note('\nStopping after the rows in flight. Press Ctrl-C again to stop immediately.');
    },
    // It gives the terminal its cursor back.
    () => bar?.end(),
  );
  let shownBytes = 0;
  const run: ImportRun = new ImportRun({
    rows: chain(first, source.rows),
    rules,
    contacts: target?.contacts,
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
    bar?.begin(isDryRun ? 'Checking' : 'Importing', text.sizeBytes, { unit: 'rows', count: () => run.counts.rows });
  }
  try {
    await run.run();
  } catch (error) {
    bar?.end();
    throw withCounts(error, run.counts.imported, !isDryRun);
  } finally {
    rejected?.close();
    bar?.end();
    interruption.release();
  }
  if (run.counts.rejected > 0) setExitCode(command, exitCodes.incomplete);
  if (interruption.isRequested) setExitCode(command, exitCodes.interrupted);
  const keptByNew = new Set(created?.columns.flatMap((each) => each.columns));
  summarize(output, {
    counts: run.counts,
    source,
    rules,
    created: created?.definitions ?? [],
    skipped: columns.unused.filter((at) => !keptByNew.has(at)).map((at) => source.header[at] ?? ''),
    rejectedPath: rejected?.path,
    reported,
    dropped: flags.dropBadCells ? run.dropped.all : undefined,
    isDryRun,
    isInterrupted: interruption.isRequested,
  });
}

/** A dry run does without a server if no secret is set. It asks it for nothing but attributes, and does not wait for it. */
async function connectFor(command: Command, isDryRun: boolean): Promise<Roster | undefined> {
  if (!isDryRun) return connect(command, { maxRetries });
  const flags = command.optsWithGlobals<GlobalFlags>();
  return hasConnection(flags, invocationOf(command).env)
    ? connect(command, { maxRetries: 0, timeoutMs: dryRunTimeoutMs })
    : undefined;
}

async function surveyWithBar(path: string, options: OpenOptions, bar: ProgressBar | undefined): Promise<Survey> {
  let shown: number | undefined;
  try {
    return await surveyColumns(path, options, ({ read, size }) => {
      if (shown === undefined) bar?.begin('Reading', size);
      bar?.advance(read - (shown ?? 0));
      shown = read;
    });
  } finally {
    bar?.end();
  }
}

/** What is not defined, and not to be created, would be dropped. */
function refuseMissing({ missing: [first] }: ColumnPlan, isKnown: boolean): void {
  if (first === undefined) return;
  throw usageError(
    isKnown
      ? `The bot has no attribute "${first.key}". Create it with "roster attribute define ${first.key} --type text", or pass --create-attributes.`
      : 'To check attributes, a dry run has to read them from the bot. Set ROSTER_SECRET and ROSTER_BOT.',
  );
}

async function create(roster: Roster, created: NewAttributes | undefined): Promise<void> {
  for (const { key, type, label } of created?.definitions ?? []) await roster.attributes.define(key, { type, label });
}

/** What was imported stays so, whatever ended the run. */
function withCounts(error: unknown, imported: number, isWriting: boolean): unknown {
  if (!isWriting) return error;
  const were = imported === 1 ? 'was' : 'were';
  return withAdvice(error, `${rows(imported)} ${were} imported before. You can safely run the import again.`);
}

function makeRejectedFile(
  path: string,
  { rejected, dryRun }: ImportFlags,
  { header, unit, format }: RowSource,
  rules: RowRules,
): RejectedFile | undefined {
  if (dryRun && rejected === undefined) return undefined;
  const target = rejected ?? rejectedFileName(path === '-' ? 'stdin' : path);
  if (resolve(target) === resolve(path))
    throw usageError('--rejected is the file being imported. Choose another file.');
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
