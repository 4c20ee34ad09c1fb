// A run of roster contacts export: all contacts, or those that match, as CSV or NDJSON; to stdout or into a file.
import { extname } from 'node:path';
import type { ContactInclude, ContactSelection, ContactWith, Including, Roster } from '@roster/client';
import type { Command } from 'commander';
import { type FilterFlags, filterOf, type SegmentFlags } from '../contact-filters.ts';
import { connect, outputOf } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CliError } from '../failure.ts';
import { catchInterruption } from '../interruption.ts';
import { invocationOf } from '../invocation.ts';
import { contacts as countContacts } from '../terminal/locale.ts';
import { endWithReader } from '../terminal/output.ts';
import { makeProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';
import { headOf, type LineOptions, linesOf } from './contact-lines.ts';
import { openTarget } from './file-target.ts';
import type { ExportFormat } from './formats.ts';

export interface ExportFlags extends FilterFlags, SegmentFlags {
  query?: string;
  include?: ContactInclude[];
  format?: ExportFormat;
  separator: string;
  raw?: boolean;
  bom?: boolean;
  force?: boolean;
}

const contactsPerWrite = 500;
const maxRetries = 7;

export async function exportContacts(given: string | undefined, flags: ExportFlags, command: Command): Promise<void> {
  const output = outputOf(command);
  // As "contacts import -" means stdin.
  const file = given === '-' ? undefined : given;
  const shape = readOptions(file, flags, output.isJson);
  const { query, segment, include } = flags;
  const selection = { query, filter: filterOf(flags), segment };
  const roster = await connect(command, { maxRetries });
  if (file === undefined) endWithReader(output);
  const target = file === undefined ? undefined : await openTarget(file, flags.force ?? false);
  const interruption = catchInterruption(invocationOf(command));
  // On the terminal the contacts themselves are to be seen.
  const isShown = !output.isJson && (file !== undefined || !output.stdout.isTTY);
  const bar = isShown ? makeProgressBar(output.stderr) : undefined;
  const write = target?.write ?? ((data: string) => output.write(data));
  try {
    const { signal } = interruption;
    const options = { ...shape, values: await valuesOf(roster, include, signal) };
    const { pagination } = await roster.contacts.search({ ...selection, limit: 1 }, { signal });
    bar?.begin('Exporting', pagination.total);
    const contacts = await pour(roster, { ...selection, include }, { ...options, write, bar, signal });
    await target?.complete();
    bar?.end();
    if (output.isJson && file !== undefined) output.json({ contacts, file });
    else if (isShown) output.note(`Exported ${countContacts(contacts)}${file === undefined ? '' : ` to ${file}`}.`);
  } catch (error) {
    await target?.discard();
    if (!interruption.isRequested) throw error;
    throw new CliError(
      exitCodes.interrupted,
      file === undefined ? 'Interrupted.' : 'Interrupted. No file was written.',
    );
  } finally {
    bar?.end();
    interruption.release();
  }
}

/** Attributes have columns, of which a CSV names all before the first contact. */
async function valuesOf(roster: Roster, include: readonly ContactInclude[] = [], signal: AbortSignal) {
  const attributes = include.includes('attributes') ? (await roster.attributes.list({ signal })).data : [];
  return { hasTags: include.includes('tags'), attributeKeys: attributes.map(({ key }) => key) };
}

function readOptions(file: string | undefined, flags: ExportFlags, isJson: boolean): LineOptions {
  const byName: Record<string, ExportFormat> = { '.csv': 'csv', '.ndjson': 'ndjson', '.jsonl': 'ndjson' };
  const format =
    flags.format ?? byName[extname(file ?? '').toLowerCase()] ?? (isJson && file === undefined ? 'ndjson' : 'csv');
  return { format, separator: flags.separator, isRaw: flags.raw ?? false, hasMark: flags.bom ?? false };
}

interface Pouring extends LineOptions {
  write(data: string): Promise<void>;
  bar: ProgressBar | undefined;
  signal: AbortSignal;
}

/** Holds a page of contacts and one write at a time, however many there are. */
async function pour(
  roster: Roster,
  selection: ContactSelection & Including<ContactInclude>,
  options: Pouring,
): Promise<number> {
  const { write, bar, signal } = options;
  let count = 0;
  let gathered: ContactWith<ContactInclude>[] = [];
  const flush = async () => {
    await write(linesOf(gathered, options));
    count += gathered.length;
    bar?.advance(gathered.length);
    gathered = [];
  };
  await write(headOf(options));
  for await (const contact of roster.contacts.exportAll(selection, { signal })) {
    if (gathered.push(contact) === contactsPerWrite) await flush();
  }
  await flush();
  return count;
}
