// roster contacts export: its options.
import type { ContactInclude } from '@roster/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { segmentOption, withFilters } from '../contact-filters.ts';
import { examples } from '../context.ts';
import type { ExportFlags } from '../export/export-contacts.ts';
import { exportFormats } from '../export/formats.ts';
import { readSeparator } from '../separator.ts';

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
    // Loaded only when it runs: the other commands need none of it.
    .action(async (file: string | undefined, flags: ExportFlags, command: Command) => {
      const { exportContacts } = await import('../export/export-contacts.ts');
      await exportContacts(file, flags, command);
    });
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
