// The table of contents of the command line: every command, in the order in which the help lists them.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addArchiveCommands } from './commands/archive.ts';
import { addBotCommands } from './commands/bot.ts';
import { addContactCommands } from './commands/contacts.ts';
import { addContactsExport } from './commands/contacts-export.ts';
import { addContactsImport } from './commands/contacts-import.ts';
import { addDoctor } from './commands/doctor.ts';
import { addMemberCommands } from './commands/member.ts';
import { addOrgCommands } from './commands/org.ts';
import { addSecretCommands } from './commands/secret.ts';
import { addServerCommands } from './commands/server.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const afterHelp = `
Contact commands speak to a server over HTTP and need:
  ROSTER_TOKEN   a secret of the organization; never an argument
  ROSTER_BOT     the bot, or --bot
  ROSTER_URL     the server, or --url; http://127.0.0.1:8080 if not set
They may stand in ~/.config/roster/config too, a file that only you can read.

The other commands are the operator's, on the machine of the service: they reach a running server by the socket in its
data folder, or open the database themselves. Their settings are the server's: ROSTER_DATA_DIR, DATABASE_URL, …

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found or refused, 4 done but look (rejected rows, problems found),
130 interrupted.
`;

export function makeProgram(): Command {
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

  const contacts = program.command('contacts').description('contacts of a bot, over HTTP');
  addContactCommands(contacts);
  addContactsImport(contacts);
  addContactsExport(contacts);
  addOrgCommands(program);
  addBotCommands(program);
  addSecretCommands(program);
  addMemberCommands(program);
  addServerCommands(program);
  addArchiveCommands(program);
  addDoctor(program);
  return program;
}
