// The program: its options, its help, and the commands that it is given. A command is loaded only when it is used: a
// server needs no CSV parser.
import { type Command, Option } from 'commander';
import { type Invocation, Program, type TerminalStream } from './invocation.ts';
import { version } from './version.ts';

/** By the first word of the command line, in the order in which the help lists them. */
export type Commands = Record<string, (program: Command) => Promise<void>>;

const afterHelp = (operators: string) => `
Commands for contacts, attributes, tags, segments, events and webhooks talk to a server over HTTP. They need:
  ROSTER_SECRET  a secret of your organization (never pass it as an argument)
  ROSTER_BOT     the bot's id, or use --bot
  ROSTER_URL     the server's address, or use --url (default: http://127.0.0.1:8080)
You can also set these in ~/.config/roster/config. Make sure that only you can read the file.

${operators}

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 not found or rejected, 4 finished with rejected rows or problems,
130 interrupted.
`;

const withOperators = `All other commands are for operators and run on the server's machine. They connect to the running server through the
socket in its data folder, or open the database directly. They use the server's settings: ROSTER_DATA_DIR, DATABASE_URL, …
With the Debian package, they use the settings of its service: run them with sudo.`;

const withoutOperators = `The commands for operators (serve, backup, member, …) are not in this package. They come with the server.`;

export async function makeProgram(
  args: readonly string[],
  commands: Commands,
  invocation: Invocation = process,
): Promise<Program> {
  const { stdout, stderr } = invocation;
  const program = new Program('roster', invocation)
    .description('Manage the contacts of your chat bots, and the Roster server.')
    .version(version, '-V, --version', 'show the version')
    .option('--json', 'print results as JSON')
    .option('--url <address>', 'server address (ROSTER_URL)')
    .option('--bot <id>', 'bot to work with (ROSTER_BOT)')
    .option('--secret-stdin', 'read the secret from stdin instead of ROSTER_SECRET')
    .addOption(new Option('--token-stdin').hideHelp())
    .option('--config <file>', 'settings file (ROSTER_CONFIG)')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp({ showGlobalOptions: true })
    // Failures are reported in one place, run.ts.
    .configureOutput({
      outputError() {},
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => helpWidth(stdout),
      getErrHelpWidth: () => helpWidth(stderr),
    })
    .exitOverride()
    // Its earlier name.
    .on('option:token-stdin', () => program.setOptionValue('secretStdin', true))
    .addHelpText('after', afterHelp('serve' in commands ? withOperators : withoutOperators));

  const all: Commands = {
    ...commands,
    completion: async (program) => {
      const { addCompletion } = await import('./commands/completion.ts');
      addCompletion(program, () => makeProgram([], commands, invocation));
    },
  };
  const first = args.findIndex((arg) => Object.hasOwn(all, arg));
  // Help that is asked for before a command is the program's own, which lists all commands.
  const needsAll = first < 0 || args.slice(0, first).some((arg) => arg === '--help' || arg === '-h');
  for (const [name, add] of Object.entries(all)) {
    if (needsAll || args.includes(name)) await add(program);
  }
  return program;
}

/** As wide as the terminal, or as terminals commonly are. */
function helpWidth({ isTTY, columns }: TerminalStream): number {
  return (isTTY ? columns : undefined) || 80;
}
