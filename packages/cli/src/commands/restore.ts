// roster restore: puts a backup into an empty data folder, or in place of the database that is there.
import type { Command } from 'commander';
import { examples, outputOf } from '../context.ts';
import { withServer } from '../operator-session.ts';

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('restore a backup; stop the server first (SQLite)')
    .argument('<file>', 'file created by "roster backup"')
    .option('--force', 'replace the existing database; it is kept under another name')
    .addHelpText('after', examples('roster restore backup.db', 'roster restore backup.db --force'))
    .action(async (file: string, { force }: { force?: boolean }, command: Command) => {
      const { keptAs } = await withServer(command, async ({ loadConfig }) => {
        const { restore } = await import('../operator/restore.ts');
        return restore(loadConfig(), file, { force: force ?? false });
      });
      const output = outputOf(command);
      if (output.isJson) output.json({ file, keptAs: keptAs ?? null });
      else
        output.print(
          `Restored ${file}.${keptAs === undefined ? '' : ` The previous database was renamed to ${keptAs}.`}`,
        );
    });
}
