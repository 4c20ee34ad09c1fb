// roster contacts import: its options.
import { type Command, Option } from 'commander';
import { collectTag } from '../contact-filters.ts';
import { examples } from '../context.ts';
import type { ImportFlags } from '../import/import-contacts.ts';
import { formats } from '../import/rows.ts';
import { readSeparator } from '../separator.ts';

export function addContactsImport(contacts: Command): void {
  contacts
    .command('import')
    .description('import contacts from a CSV, NDJSON or JSON file; existing contacts are matched by email')
    .argument('<file>', 'file to import; - for stdin')
    .option(
      '--map <field=column>',
      'column to import into a field, tags or attributes.KEY; repeat to join columns; FIELD= to skip the field',
      collect,
      [],
    )
    .option('--create-attributes', 'create an attribute for each other column, with a type that fits its values')
    .option('--tag <name>', 'add this tag to every imported contact; can be repeated', collectTag, [])
    .option('--dry-run', 'check every row without importing anything')
    .addOption(
      new Option('--empty <what>', 'whether empty cells keep or clear the values of existing contacts')
        .choices(['keep', 'clear'])
        .default('keep'),
    )
    .option('--drop-bad-cells', 'leave out invalid cells instead of rejecting their rows; never names and emails')
    .option('--rejected <file>', 'file for rejected rows (default: FILE.rejected.csv, next to the imported file)')
    .addOption(new Option('--format <name>', 'format, if the file name does not tell').choices([...formats]))
    .option('--encoding <name>', 'encoding, if it is not detected: latin1, utf-16le, …')
    .option('--separator <sign>', 'CSV separator, if it is not detected', readSeparator)
    .option('--no-header', 'the CSV has no header row; its columns are named "column 1", "column 2", …')
    .option('--raw', "import cells as they are: keep a ' before = + - @")
    .option('-y, --yes', 'skip the confirmation')
    .addHelpText(
      'after',
      `${examples(
        'roster contacts import people.csv --dry-run',
        'roster contacts import people.csv',
        'roster contacts import crm.csv --map name="First name" --map name=Surname --map phone=Mobile',
        'roster contacts import crm.csv --map attributes.plan="Current plan" --map tags=Groups --tag imported',
        'roster contacts import crm.csv --create-attributes --dry-run',
        'gunzip -c people.ndjson.gz | roster contacts import - --format ndjson',
      )}
If an import is interrupted, run it again: contacts are matched by email, so there are no duplicates.
`,
    )
    // Loaded only when it runs: the other commands need none of it.
    .action(async (path: string, flags: ImportFlags, command: Command) => {
      const { importContacts } = await import('../import/import-contacts.ts');
      await importContacts(path, flags, command);
    });
}

const collect = (value: string, before: string[]) => [...before, value];
