// roster migrate: brings the schema of the database up to date.
import type { Command } from 'commander';
import { outputOf } from '../context.ts';
import { withServer } from '../operator-session.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('update the database schema, then exit')
    .action(async (_: unknown, command: Command) => {
      const migration = await withServer(command, ({ loadConfig, migrate }) => migrate(loadConfig()));
      const output = outputOf(command);
      if (output.isJson) output.json({ from: migration?.from ?? null, to: migration?.to ?? null });
      else if (migration !== undefined && migration.from !== migration.to) {
        output.print(`Updated the schema from version ${migration.from} to ${migration.to}.`);
      } else output.print('The schema is up to date.');
    });
}
