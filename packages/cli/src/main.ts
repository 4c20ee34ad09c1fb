// The whole command line: the contacts' commands and the operator's, with the service itself.
import { allCommands } from './commands/all-commands.ts';
import { run } from './run.ts';

run(process, allCommands).then((exitCode) => {
  process.exitCode = exitCode;
});
