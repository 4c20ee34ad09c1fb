// roster contacts export: all contacts, or those that match, as CSV or NDJSON; to stdout or into a file.
import { extname } from 'node:path';
import type { ContactInclude, ContactSelection, ContactWith, Including, Roster } from '@roster/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type FilterFlags, filterOf, type SegmentFlags, segmentOption, withFilters } from '../contact-filters.ts';
import { connect, examples, outputOf } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { type ExportFormat, exportFormats, headOf, type LineOptions, linesOf } from '../export/contact-lines.ts';
import { openTarget } from '../export/file-target.ts';
import { CliError } from '../failure.ts';
import { catchInterruption } from '../interruption.ts';
import { readSeparator } from '../separator.ts';
import { contacts as countContacts } from '../terminal/locale.ts';
import { endWithReader } from '../terminal/output.ts';
import { makeProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';

interface ExportFlags extends FilterFlags, SegmentFlags {
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

export function addContactsExport(contacts: Command): void {
  const exporting = contacts
    .command('export')
    .description('export all or matching contacts as CSV or NDJSON, oldest first')
    .argument('[file]', 'file to write (default: stdout, also -)')
    .option('--query <words>', 'only contacts that match these words')
    .addOption(segmentOption())
    .option('--include <what>', 'add attributes, tags or both: attributes,tags', readInclude)
    .addOption(
      new Option(
        '--format <name>',
        'format, if the file name does not tell (default: csv, or ndjson with --json)',
      ).choices([...exportFormats]),
    )
    .option('--separator <sign>', 'CSV separator; use ";" for spreadsheets with decimal commas', readSeparator, ',')
    .option('--bom', 'start with a byte order mark, for spreadsheets that need it')
    .option('--raw', "do not add a ' before cells that a spreadsheet would execute")
    .option('--force', 'replace the file if it exists');
  withFilters(exporting)
    .addHelpText(
      'after',
      `${examples(
        'roster contacts export people.csv',
        'roster contacts export --query @example.com example.ndjson',
        'roster contacts export --updated-since 7d changes.csv',
        'roster contacts export --include attributes,tags everything.csv',
        'roster contacts export --tag vip --where plan=pro vip.csv',
        'roster contacts export --format ndjson | gzip > people.ndjson.gz',
      )}
Cells that start with = + - @ get a ' in front, so that no spreadsheet executes what a visitor typed.
"roster contacts import" removes it again.
`,
    )
    .action(exportContacts);
}

const includable: readonly ContactInclude[] = ['attributes', 'tags'];

function readInclude(text: string): ContactInclude[] {
  return text.split(',').map((each) => {
    const name = includable.find((known) => known === each.trim());
    if (name === undefined)
      throw new InvalidArgumentError(`Pass ${includable.join(', ')}, or both separated by a comma.`);
    return name;
  });
}

async function exportContacts(given: string | undefined, flags: ExportFlags, command: Command): Promise<void> {
  const output = outputOf(command);
  // As "contacts import -" means stdin.
  const file = given === '-' ? undefined : given;
  const shape = readOptions(file, flags, output.isJson);
  const { query, segment, include } = flags;
  const selection = { query, filter: filterOf(flags), segment };
  const roster = await connect(command, { maxRetries });
  if (file === undefined) endWithReader();
  const target = file === undefined ? undefined : await openTarget(file, flags.force ?? false);
  const interruption = catchInterruption();
  // On the terminal the contacts themselves are to be seen.
  const isShown = !output.isJson && (file !== undefined || !process.stdout.isTTY);
  const bar = isShown ? makeProgressBar(process.stderr) : undefined;
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
