// roster health: whether the server of this machine is ready, by the exit code. Health checks of containers run it.
import type { Command } from 'commander';
import { outputOf } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CliError } from '../failure.ts';
import { withServer } from '../operator-session.ts';

export function addHealth(program: Command): void {
  program
    .command('health')
    .description('check that the server is running and ready')
    .action(async (_: unknown, command: Command) => {
      const problem = await withServer(command, ({ loadConfig, checkHealth }) => checkHealth(loadConfig()));
      if (problem !== undefined) throw new CliError(exitCodes.failed, problem);
      const output = outputOf(command);
      if (output.isJson) output.json({ status: 'ready' });
      else output.print('The server is ready.');
    });
}
