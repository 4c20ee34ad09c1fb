// roster backup: the whole database as one file, with its progress.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { examples, outputOf } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CliError, refusal } from '../failure.ts';
import { catchInterruption } from '../interruption.ts';
import { type Invocation, invocationOf } from '../invocation.ts';
import type { Operator } from '../operator/operator.ts';
import { withOperator } from '../operator-session.ts';
import { mebibytes } from '../terminal/locale.ts';
import { makeProgressBar, type ProgressBar } from '../terminal/progress-bar.ts';

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('back up the database and check the copy, while the server runs or not (SQLite)')
    .argument('<file>', 'file to create; it must not exist')
    .addHelpText('after', examples('roster backup backup.db', 'roster backup "/backups/roster-$(date +%F).db"'))
    .action(async (file: string, _: unknown, command: Command) => {
      const output = outputOf(command);
      const bar = output.isJson ? undefined : makeProgressBar(output.stderr);
      if (existsSync(file)) throw refusal(`${file} already exists. Choose another name, or move the file away.`);
      const { bytes } = await withOperator(command, (operator) =>
        backUp(operator, file, { bar, invocation: invocationOf(command) }),
      );
      if (output.isJson) output.json({ file, bytes });
      else output.print(`Backed up to ${file} (${mebibytes(bytes)} MiB). It contains all contacts, so keep it safe.`);
    });
}

/** At Ctrl-C the copy or its check is broken off, and what there is of it removed before the command ends. */
async function backUp(
  operator: Operator,
  file: string,
  { bar, invocation }: { bar: ProgressBar | undefined; invocation: Invocation },
): Promise<{ bytes: number }> {
  const interruption = catchInterruption(invocation, undefined, () => bar?.end());
  let shown = { done: 0, total: 0 };
  try {
    return await operator.backup(file, {
      signal: interruption.signal,
      onProgress(done, total) {
        if (shown.total === 0) bar?.begin('Copying', total);
        bar?.advance(done - shown.done);
        shown = { done, total };
      },
      onChecking: () => bar?.begin('Checking the copy'),
    });
  } catch (error) {
    if (!interruption.isRequested) throw error;
    // If this process makes the copy, it is complete or removed after this.
    await operator.close();
    throw new CliError(exitCodes.interrupted, afterInterruption(operator, file), { cause: error });
  } finally {
    bar?.end();
    interruption.release();
  }
}

function afterInterruption({ via }: Operator, file: string): string {
  if (existsSync(file)) return `Interrupted, but the backup was already complete: ${file}.`;
  if (via === 'store') return 'Interrupted. No backup was created.';
  return `Interrupted. The server is canceling the backup. If ${file} appears, the backup was already complete.`;
}
