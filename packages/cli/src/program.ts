// The table of contents of the command line: every command, in the order in which the help lists them. A command is
// loaded only when it is used: a server needs no CSV parser.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** By the first word of the command line. */
const commands: Record<string, (program: Command) => Promise<void>> = {
  contacts: async (program) => {
    const contacts = program.command('contacts').description('manage the contacts of a bot, over HTTP');
    (await import('./commands/contacts.ts')).addContactCommands(contacts);
    (await import('./commands/contacts-import.ts')).addContactsImport(contacts);
    (await import('./commands/contacts-export.ts')).addContactsExport(contacts);
  },
  attribute: async (program) => (await import('./commands/attribute.ts')).addAttributeCommands(program),
  tag: async (program) => (await import('./commands/tag.ts')).addTagCommands(program),
  segment: async (program) => (await import('./commands/segment.ts')).addSegmentCommands(program),
  org: async (program) => (await import('./commands/org.ts')).addOrgCommands(program),
  bot: async (program) => (await import('./commands/bot.ts')).addBotCommands(program),
  secret: async (program) => (await import('./commands/secret.ts')).addSecretCommands(program),
  member: async (program) => (await import('./commands/member.ts')).addMemberCommands(program),
  serve: async (program) => (await import('./commands/serve.ts')).addServe(program),
  migrate: async (program) => (await import('./commands/migrate.ts')).addMigrate(program),
  move: async (program) => (await import('./commands/move.ts')).addMove(program),
  backup: async (program) => (await import('./commands/backup.ts')).addBackup(program),
  restore: async (program) => (await import('./commands/restore.ts')).addRestore(program),
  doctor: async (program) => (await import('./commands/doctor.ts')).addDoctor(program),
};

const afterHelp = `
Commands for contacts, attributes, tags and segments talk to a server over HTTP. They need:
  ROSTER_TOKEN   a secret of your organization (never pass it as an argument)
  ROSTER_BOT     the bot's id, or use --bot
  ROSTER_URL     the server's address, or use --url (default: http://127.0.0.1:8080)
You can also set these in ~/.config/roster/config. Make sure that only you can read the file.

All other commands are for operators and run on the server's machine. They connect to the running server through the
socket in its data folder, or open the database directly. They use the server's settings: ROSTER_DATA_DIR, DATABASE_URL, …

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 not found or rejected, 4 finished with rejected rows or problems,
130 interrupted.
`;

export async function makeProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('roster')
    .description('Manage the contacts of your chat bots, and the Roster server.')
    .version(version, '-V, --version', 'show the version')
    .option('--json', 'print results as JSON')
    .option('--url <address>', 'server address (ROSTER_URL)')
    .option('--bot <id>', 'bot to work with (ROSTER_BOT)')
    .option('--token-stdin', 'read the secret from stdin instead of ROSTER_TOKEN')
    .option('--config <file>', 'settings file (ROSTER_CONFIG)')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp({ showGlobalOptions: true })
    // Failures are reported in one place, main.ts.
    .configureOutput({ outputError() {} })
    .exitOverride()
    .addHelpText('after', afterHelp);

  const isUsed = (name: string) => args.includes(name);
  const needsAll = ['help', '--help', '-h'].some(isUsed) || !Object.keys(commands).some(isUsed);
  for (const [name, add] of Object.entries(commands)) {
    if (needsAll || isUsed(name)) await add(program);
  }
  return program;
}
