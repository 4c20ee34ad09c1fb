// roster restore: puts a backup into an empty data folder, or in place of the database that is there.
import type { Command } from 'commander';
import { examples, outputOf } from '../context.ts';
import { withServer } from '../operator-session.ts';

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('put a backup in the place of the database; the service must be stopped (SQLite)')
    .argument('<file>', 'a file that "roster backup" made')
    .option('--force', 'replace the database that is there; it is kept under another name')
    .addHelpText('after', examples('roster restore backup.db', 'roster restore backup.db --force'))
    .action(async (file: string, { force }: { force?: boolean }, command: Command) => {
      const { keptAs } = await withServer(async ({ loadConfig }) => {
        const { restore } = await import('../operator/restore.ts');
        return restore(loadConfig(), file, { force: force ?? false });
      });
      const output = outputOf(command);
      if (output.isJson) output.json({ file, keptAs: keptAs ?? null });
      else output.print(`Restored ${file}.${keptAs === undefined ? '' : ` The database before is kept as ${keptAs}.`}`);
    });
}
