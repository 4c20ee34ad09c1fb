// roster backup: the whole database as one file, with its progress.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { examples, outputOf } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CliError, refusal } from '../failure.ts';
import { catchInterruption } from '../interruption.ts';
import type { Operator } from '../operator/operator.ts';
import { withOperator } from '../operator-session.ts';
import { makeProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('a consistent copy of the database, while the service runs (SQLite)')
    .argument('<file>', 'the copy; must not exist yet')
    .addHelpText('after', examples('roster backup backup.db', 'roster backup "/backups/roster-$(date +%F).db"'))
    .action(async (file: string, _: unknown, command: Command) => {
      const output = outputOf(command);
      const bar = output.isJson ? undefined : makeProgressBar(process.stderr);
      if (existsSync(file)) throw refusal(`${file} exists already. Name another file, or move it away.`);
      const { bytes } = await withOperator((operator) => backUp(operator, file, bar));
      if (output.isJson) output.json({ file, bytes });
      else
        output.print(
          `Backed up to ${file}, ${(bytes / 1024 ** 2).toFixed(1)} MiB. It holds all contacts: keep it safe.`,
        );
    });
}

/** At Ctrl-C the copy is broken off, and what there is of it removed before the command ends. */
async function backUp(operator: Operator, file: string, bar: ProgressBar | undefined): Promise<{ bytes: number }> {
  const interruption = catchInterruption(undefined, () => bar?.end());
  let shown = { done: 0, total: 0 };
  try {
    const made = await operator.backup(file, {
      signal: interruption.signal,
      onProgress(done, total) {
        if (shown.total === 0) bar?.begin('Copying', total);
        bar?.advance(done - shown.done);
        shown = { done, total };
      },
    });
    // The last step is not reported.
    bar?.advance(shown.total - shown.done);
    return made;
  } catch (error) {
    if (!interruption.isRequested) throw error;
    throw new CliError(exitCodes.interrupted, 'Interrupted: the backup is broken off.', { cause: error });
  } finally {
    bar?.end();
    interruption.release();
  }
}
