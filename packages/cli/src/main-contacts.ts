// The command line without the server, as its own npm package has it: the commands that speak to a server over HTTP.
import { contactCommands } from './commands/contact-commands.ts';
import { run } from './run.ts';

run(process, contactCommands).then((exitCode) => {
  process.exitCode = exitCode;
});
