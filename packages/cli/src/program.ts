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
    const contacts = program.command('contacts').description('contacts of a bot, over HTTP');
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
The commands of contacts, attributes, tags and segments speak to a server over HTTP and need:
  ROSTER_TOKEN   a secret of the organization; never an argument
  ROSTER_BOT     the bot, or --bot
  ROSTER_URL     the server, or --url; http://127.0.0.1:8080 if not set
They may stand in ~/.config/roster/config too, a file that only you can read.

The other commands are the operator's, on the machine of the service: they reach a running server by the socket in its
data folder, or open the database themselves. Their settings are the server's: ROSTER_DATA_DIR, DATABASE_URL, …

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found or refused, 4 done but look (rejected rows, problems found),
130 interrupted.
`;

export async function makeProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('roster')
    .description('Contacts of chat bots: the command line of Roster.')
    .version(version, '-V, --version', 'show the version')
    .option('--json', 'results as JSON, for programs')
    .option('--url <address>', 'address of the server (ROSTER_URL)')
    .option('--bot <id>', 'whose contacts (ROSTER_BOT)')
    .option('--token-stdin', 'read the secret from stdin instead of ROSTER_TOKEN')
    .option('--config <file>', 'settings file (ROSTER_CONFIG)')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
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
