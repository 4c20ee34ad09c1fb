// Single contacts: search, get, create, update, delete.
import type { Contact, ContactCreate, ContactUpdate, Roster } from '@roster/client';
import { contactFields, emailKey, limits } from '@roster/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { connect, examples, outputOf } from '../context.ts';
import { refusal, usageError } from '../failure.ts';
import { endWithReader, type Output } from '../terminal/output.ts';
import type { Column } from '../terminal/table.ts';

type FieldFlags = Partial<Record<(typeof contactFields)[number], string>>;

export function addContactCommands(contacts: Command): void {
  contacts
    .command('search')
    .description('contacts that hold all words, in any field; newest first')
    .argument('[words...]', 'any part of id, name, email, phone, wid or mid; case and accents do not matter')
    .option('--page <number>', 'page to show', wholeNumber(1), 1)
    .option(
      '--limit <number>',
      `contacts per page, up to ${limits.pageSizeMax}`,
      wholeNumber(1, limits.pageSizeMax),
      20,
    )
    .option('--all', 'every contact that matches; with --json one per line')
    .addHelpText(
      'after',
      examples(
        'roster contacts search jane',
        'roster contacts search doe @example.com --limit 100',
        "roster contacts search --json jane | jq -r '.data[].email'",
        'roster contacts search --all --json gmail.com > gmail.ndjson',
      ),
    )
    .action(search);

  contacts
    .command('get')
    .description('one contact')
    .argument('<contact>', 'its id or its email')
    .addHelpText('after', examples('roster contacts get con_…', 'roster contacts get jane@example.com --json'))
    .action(async (contact: string, _: unknown, command: Command) => {
      const roster = await connect(command);
      showContact(outputOf(command), await find(roster, contact));
    });

  withFields(contacts.command('create').description('a new contact'))
    .addHelpText(
      'after',
      examples('roster contacts create --name "Jane Doe" --email jane@example.com --phone "+1 555 0100"'),
    )
    .action(async (flags: FieldFlags, command: Command) => {
      if (flags.name === undefined || flags.email === undefined)
        throw usageError('A contact needs --name and --email.');
      const { data } = await (await connect(command)).contacts.create(flags as ContactCreate);
      showContact(outputOf(command), data);
    });

  withFields(contacts.command('update').description('change a contact').argument('<contact>', 'its id or its email'))
    .addHelpText(
      'after',
      examples(
        'roster contacts update jane@example.com --name "Jane Roe"',
        'roster contacts update con_… --phone ""   # no phone any more',
      ),
    )
    .action(async (contact: string, flags: FieldFlags, command: Command) => {
      if (Object.keys(flags).length === 0) {
        throw usageError(`What is to change? Pass ${contactFields.map((field) => `--${field}`).join(', ')}.`);
      }
      const roster = await connect(command);
      const { data } = await roster.contacts.update(await findId(roster, contact), flags as ContactUpdate);
      showContact(outputOf(command), data);
    });

  contacts
    .command('delete')
    .description('remove contacts, and their tokens with them')
    .argument('<contacts...>', 'ids or emails')
    .addHelpText('after', examples('roster contacts delete con_…', 'roster contacts delete jane@example.com'))
    .action(async (given: string[], _: unknown, command: Command) => {
      const roster = await connect(command);
      const output = outputOf(command);
      const deleted: string[] = [];
      try {
        for (const contact of given) {
          const id = await findId(roster, contact);
          await roster.contacts.delete(id);
          deleted.push(id);
          if (!output.isJson) output.print(`Deleted ${id}.`);
        }
      } finally {
        // Those before one that failed are gone all the same.
        if (output.isJson && deleted.length > 0) output.json({ deleted });
      }
    });
}

function withFields(command: Command): Command {
  return command
    .option('--name <text>', `up to ${limits.nameLength} characters`)
    .option('--email <address>', 'unique within the bot')
    .option('--phone <number>', 'in any format; "" for none')
    .option('--wid <number>', 'WhatsApp ID, international: +15550100; "" for none')
    .option('--mid <id>', 'Messenger ID; "" for none');
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

async function search(
  words: string[],
  { page, limit, all }: { page: number; limit: number; all?: boolean },
  command: Command,
): Promise<void> {
  const output = outputOf(command);
  const roster = await connect(command);
  const query = words.join(' ');
  if (all) return searchAll(output, roster, query);
  const { data, pagination } = await roster.contacts.search({ query, page, limit });
  if (output.isJson) return output.json({ data, pagination });
  const { total, totalPages } = pagination;
  if (total === 0) return output.note('No contact matches.');
  if (page > totalPages) {
    const pages = totalPages === 1 ? 'is only 1 page' : `are only ${totalPages.toLocaleString('en')} pages`;
    return output.note(`There is no page ${page}: there ${pages}.`);
  }
  output.table(columns, data.map(cellsOf));
  if (totalPages === 1) return;
  const more = page < totalPages ? ` More: --page ${page + 1}, or --all.` : '';
  output.note(`\nPage ${page} of ${totalPages}, ${total.toLocaleString('en')} contacts.${more}`);
}

/** A table needs all its rows to be as wide as they are, so it is made of a few hundred at a time. */
const rowsPerTable = 500;

async function searchAll(output: Output, roster: Roster, query: string): Promise<void> {
  endWithReader();
  let rows: string[][] = [];
  let count = 0;
  for await (const contact of roster.contacts.iterate({ query })) {
    count++;
    if (output.isJson) await output.jsonLine(contact);
    else if (rows.push(cellsOf(contact)) === rowsPerTable) {
      output.table(columns, rows);
      rows = [];
    }
  }
  if (rows.length > 0) output.table(columns, rows);
  if (count === 0) output.note('No contact matches.');
}

function showContact(output: Output, contact: Contact): void {
  if (output.isJson) output.json(contact);
  else output.record(Object.entries(contact) as [string, string][]);
}

async function find(roster: Roster, contact: string): Promise<Contact> {
  return contact.includes('@') ? findByEmail(roster, contact) : (await roster.contacts.retrieve(contact)).data;
}

async function findId(roster: Roster, contact: string): Promise<string> {
  return contact.includes('@') ? (await findByEmail(roster, contact)).id : contact;
}

/** An id never holds an @. The API finds emails by any part of them, so the exact one is picked here. */
async function findByEmail(roster: Roster, email: string): Promise<Contact> {
  const key = emailKey(email.trim());
  for await (const contact of roster.contacts.iterate({ query: email })) {
    if (emailKey(contact.email) === key) return contact;
  }
  throw refusal(`No contact of this bot has the email ${email.trim()}. Check the bot (--bot or ROSTER_BOT).`);
}

export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (/^[0-9]+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(
      `It must be a whole number ${max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`}.`,
    );
  };
}
