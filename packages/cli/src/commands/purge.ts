// roster purge: ends a pause of purging that began because the clock had jumped. Servers do the purging.
import type { Command } from 'commander';
import { examples, outputOf } from '../context.ts';
import { usageError } from '../failure.ts';
import { withOperator } from '../operator-session.ts';
import { time } from '../terminal/locale.ts';

export function addPurge(program: Command): void {
  program
    .command('purge')
    .description('purge again after the clock jumped, if it is right now')
    .option('--now', 'end the pause that began when the clock jumped')
    .addHelpText('after', examples('roster purge --now'))
    .action(async ({ now }: { now?: boolean }, command: Command) => {
      if (!now) {
        throw usageError(
          'Servers purge every minute by themselves. If they pause because the clock jumped, check the clock of this machine, then run "roster purge --now".',
        );
      }
      const { pausedUntil } = await withOperator(command, (operator) => operator.purge());
      const output = outputOf(command);
      if (output.isJson) output.json({ pausedUntil });
      else if (pausedUntil === null) output.print('Purging was not paused. Servers purge every minute.');
      else output.print(`Purging was paused until ${time(pausedUntil)}. Servers purge again within a minute.`);
    });
}
