// Running the service: serve, migrate, move. Settings are those of docs/configuration.md.
import type { MoveDirection } from '@roster/server/operator';
import { Argument, type Command } from 'commander';
import { examples, outputOf } from '../context.ts';
import { usageError } from '../failure.ts';
import { withServer } from '../operator-session.ts';
import { leaveToService } from '../terminal/output.ts';

export function addServerCommands(program: Command): void {
  program
    .command('serve')
    .description('run the service, until Ctrl-C')
    .option('--workers <number>', 'processes that share the port; PostgreSQL only (ROSTER_WORKERS)')
    .option('--no-migrate', 'serve only if the schema is up to date (ROSTER_MIGRATE=false)')
    .addHelpText('after', examples('roster serve', 'ROSTER_PORT=9000 ROSTER_DATA_DIR=/var/lib/roster roster serve'))
    .action(async ({ workers, migrate }: { workers?: string; migrate: boolean }) => {
      leaveToService();
      await withServer(async ({ loadConfig, start }) => {
        const flags = {
          ...(workers !== undefined && { ROSTER_WORKERS: workers }),
          ...(!migrate && { ROSTER_MIGRATE: 'false' }),
        };
        await start(loadConfig(flags));
      });
    });

  program
    .command('migrate')
    .description('bring the schema of the database up to date, and end')
    .action(async (_: unknown, command: Command) => {
      const migration = await withServer(({ loadConfig, migrate }) => migrate(loadConfig()));
      const output = outputOf(command);
      if (output.isJson) output.json({ from: migration?.from ?? null, to: migration?.to ?? null });
      else if (migration !== undefined && migration.from !== migration.to) {
        output.print(`Schema ${migration.from} is now ${migration.to}.`);
      } else output.print('The schema is up to date.');
    });

  program
    .command('move')
    .description('move all data between SQLite (ROSTER_DATA_DIR) and PostgreSQL (DATABASE_URL), and check it')
    .addArgument(new Argument('<direction>').choices(['to-postgres', 'to-sqlite']))
    .addHelpText('after', examples('DATABASE_URL=postgres://… roster move to-postgres'))
    .action(async (direction: MoveDirection, _: unknown, command: Command) => {
      if (outputOf(command).isJson) throw usageError('A move has no JSON result: it is done when the exit code is 0.');
      await withServer(({ loadConfig, moveData }) => moveData(direction, loadConfig()));
    });
}
