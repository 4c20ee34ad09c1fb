// Single contacts: search, get, create, update, delete.
import type {
  Contact,
  ContactCreate,
  ContactInclude,
  ContactSelection,
  ContactUpdate,
  IfMatch,
  Roster,
} from '@roster/client';
import { joinTags } from '@roster/contact-files/value-cells';
import { attributeTitle } from '@roster/contact-files/value-columns';
import { limits } from '@roster/contract/limits';
import { contactFields } from '@roster/contract/names';
import type { Command } from 'commander';
import {
  type FilterFlags,
  filterOf,
  type SegmentFlags,
  type SortFlags,
  segmentOption,
  sortOption,
  withFilters,
} from '../contact-filters.ts';
import { readValues, type ValueFlags, withValues } from '../contact-values.ts';
import { connect, examples, outputOf } from '../context.ts';
import { usageError } from '../failure.ts';
import { findContact, findContactId, type ShownContact, withAll } from '../find-contact.ts';
import { count } from '../terminal/locale.ts';
import { endWithReader, type Output } from '../terminal/output.ts';
import type { Column } from '../terminal/table.ts';
import { wholeNumber } from '../whole-number.ts';

type FieldFlags = Partial<Record<(typeof contactFields)[number], string>>;

export function addContactCommands(contacts: Command): void {
  const searching = contacts
    .command('search')
    .description('search contacts by words and filters, newest first')
    .argument(
      '[words...]',
      'each must occur in the id, name, email, phone, wid, mid or a text attribute, ignoring case and accents',
    )
    .option('--page <number>', 'page to show', wholeNumber(1), 1)
    .option(
      '--limit <number>',
      `contacts per page, up to ${limits.pageSizeMax}`,
      wholeNumber(1, limits.pageSizeMax),
      20,
    )
    .option('--all', 'all matching contacts; with --json, one per line')
    .addOption(sortOption())
    .addOption(segmentOption());
  withFilters(searching)
    .addHelpText(
      'after',
      examples(
        'roster contacts search jane',
        'roster contacts search doe @example.com --limit 100',
        "roster contacts search --json jane | jq -r '.data[].email'",
        'roster contacts search --all --json gmail.com > gmail.ndjson',
        'roster contacts search --wid +15550100123',
        'roster contacts search --created-since 7d --sort name',
        'roster contacts search --tag vip --where plan=pro --where "seats>=10"',
        'roster contacts search --segment trial_users',
      ),
    )
    .action(search);

  contacts
    .command('get')
    .description('show a contact with its attributes and tags')
    .argument('<contact>', 'id or email of the contact')
    .addHelpText('after', examples('roster contacts get con_…', 'roster contacts get jane@example.com --json'))
    .action(async (contact: string, _: unknown, command: Command) => {
      const roster = await connect(command);
      showContact(outputOf(command), await findContact(roster, contact));
    });

  withValues(withFields(contacts.command('create').description('create a contact')), { isUpdate: false })
    .addHelpText(
      'after',
      examples(
        'roster contacts create --name "Jane Doe" --email jane@example.com --phone "+1 555 0100"',
        'roster contacts create --name "Ann Lee" --email ann@example.com --attribute plan=pro --tag vip',
      ),
    )
    .action(async ({ attribute, tag, ...fields }: FieldFlags & ValueFlags, command: Command) => {
      if (fields.name === undefined || fields.email === undefined)
        throw usageError('Pass --name and --email. Every contact needs both.');
      const roster = await connect(command);
      const { attributes, addTags: tags } = await readValues(roster, { attribute, tag });
      const contact = { ...fields, ...(attributes && { attributes }), ...(tags && { tags }) };
      const { data } = await roster.contacts.create(contact as ContactCreate, showing(attributes ?? tags));
      showContact(outputOf(command), data);
    });

  withValues(
    withFields(
      contacts.command('update').description('change a contact').argument('<contact>', 'id or email of the contact'),
    ),
    { isUpdate: true },
  )
    .option(...ifMatchOption)
    .addHelpText(
      'after',
      examples(
        'roster contacts update jane@example.com --name "Jane Roe"',
        'roster contacts update con_… --phone ""   # removes the phone',
        'roster contacts update jane@example.com --attribute seats=12 --tag vip --untag trial',
        'roster contacts update con_… --if-match 2026-11-14T09:30:00.123Z --name "Jane Roe"',
      ),
    )
    .action(async (contact: string, { ifMatch, ...flags }: FieldFlags & ValueFlags & IfMatch, command: Command) => {
      if (Object.keys(flags).length === 0) {
        const names = [...contactFields, 'attribute', 'tag', 'untag'].map((name) => `--${name}`).join(', ');
        throw usageError(`Nothing to update. Pass at least one of ${names}.`);
      }
      const { attribute, tag, untag, ...fields } = flags;
      const roster = await connect(command);
      const values = await readValues(roster, { attribute, tag, untag });
      const id = await findContactId(roster, contact);
      const changes = { ...fields, ...values } as ContactUpdate;
      const options = { ...showing(attribute ?? tag ?? untag), ifMatch };
      const { data } = await roster.contacts.update(id, changes, options);
      showContact(outputOf(command), data);
    });

  contacts
    .command('delete')
    .description('delete contacts and their tokens')
    .argument('<contacts...>', 'ids or emails')
    .option(...ifMatchOption)
    .addHelpText('after', examples('roster contacts delete con_…', 'roster contacts delete jane@example.com'))
    .action(async (given: string[], { ifMatch }: IfMatch, command: Command) => {
      if (ifMatch !== undefined && given.length > 1) throw usageError('Pass one contact with --if-match.');
      const roster = await connect(command);
      const output = outputOf(command);
      const deleted: string[] = [];
      try {
        for (const contact of given) {
          const id = await findContactId(roster, contact);
          await roster.contacts.delete(id, { ifMatch });
          deleted.push(id);
          if (!output.isJson) output.print(`Deleted ${id}.`);
        }
      } finally {
        // Those before one that failed are gone all the same.
        if (output.isJson && deleted.length > 0) output.json({ deleted });
      }
    });
}

const ifMatchOption = [
  '--if-match <updatedAt>',
  'only if the contact was last updated then, as "contacts get" shows it; or an ETag',
  (text: string): IfMatch['ifMatch'] => (/^[0-9]{4}-/.test(text) ? { updatedAt: text } : text),
] as const;

function withFields(command: Command): Command {
  return command
    .option('--name <text>', `up to ${limits.nameLength} characters`)
    .option('--email <address>', 'unique within the bot')
    .option('--phone <number>', 'any format; "" removes it')
    .option('--wid <number>', 'WhatsApp ID, in international format: +15550100123; "" removes it')
    .option('--mid <id>', 'Messenger ID; "" removes it');
}

const columns: Column[] = [
  { title: 'id', isWhole: true },
  { title: 'name' },
  { title: 'email' },
  { title: 'phone' },
  { title: 'wid' },
  { title: 'mid' },
];
const cellsOf = ({ id, name, email, phone, wid, mid }: Contact) => [id, name, email, phone, wid, mid];

interface SearchFlags extends FilterFlags, SortFlags, SegmentFlags {
  page: number;
  limit: number;
  all?: boolean;
}

async function search(
  words: string[],
  { page, limit, all, sort, segment, ...flags }: SearchFlags,
  command: Command,
): Promise<void> {
  if (all && sort !== undefined) {
    throw usageError(
      '--all cannot be combined with --sort: it lists the newest first with words, the oldest first without. Remove --sort, or get sorted pages with --limit 100 --page 1.',
    );
  }
  const output = outputOf(command);
  const roster = await connect(command);
  const selection = { query: words.join(' '), filter: filterOf(flags), segment };
  if (all) return searchAll(output, roster, selection);
  const { data, pagination } = await roster.contacts.search({ ...selection, sort, page, limit });
  if (output.isJson) return output.json({ data, pagination });
  const { total, totalPages } = pagination;
  if (total === 0) return output.note('No contacts match.');
  if (page > totalPages) {
    return output.note(`There is no page ${count(page)}. The last page is ${count(totalPages)}.`);
  }
  await output.table(columns, data.map(cellsOf));
  if (totalPages === 1) return;
  const more = page < totalPages ? ` For more, add --page ${page + 1} or --all.` : '';
  output.note(`\nPage ${count(page)} of ${count(totalPages)}, ${count(total)} contacts.${more}`);
}

/** A table needs all its rows to be as wide as they are, so it is made of a few hundred at a time. */
const rowsPerTable = 500;

async function searchAll(output: Output, roster: Roster, selection: ContactSelection): Promise<void> {
  endWithReader(output);
  let rows: string[][] = [];
  let found = 0;
  for await (const contact of roster.contacts.iterate(selection)) {
    found++;
    if (output.isJson) await output.jsonLine(contact);
    else if (rows.push(cellsOf(contact)) === rowsPerTable) {
      await output.table(columns, rows);
      rows = [];
    }
  }
  if (rows.length > 0) await output.table(columns, rows);
  if (found === 0) output.note('No contacts match.');
}

/** A contact whose attributes or tags were named is shown with them. */
function showing(named: unknown): { include?: ContactInclude[] } {
  return named === undefined ? {} : withAll;
}

function showContact(output: Output, contact: ShownContact): void {
  if (output.isJson) {
    output.json(contact);
    return;
  }
  const { attributes = {}, tags, ...fields } = contact;
  output.record([
    ...Object.entries(fields),
    ...(tags === undefined ? [] : [['tags', joinTags(tags)] as const]),
    ...Object.entries(attributes).map(([key, value]) => [attributeTitle(key), String(value)] as const),
  ]);
}
