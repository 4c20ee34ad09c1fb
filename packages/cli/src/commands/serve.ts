// roster serve: the service, which `npm start` runs. Its settings are those of docs/configuration.md.
import type { Command } from 'commander';
import { examples } from '../context.ts';
import { invocationOf } from '../invocation.ts';
import { withServer } from '../operator-session.ts';
import { leaveToService } from '../terminal/output.ts';

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the server until Ctrl-C')
    .option('--workers <number>', 'number of processes that share the port; PostgreSQL only (ROSTER_WORKERS)')
    .option('--no-migrate', 'do not update the schema; start only if it is up to date (ROSTER_MIGRATE=false)')
    .addHelpText('after', examples('roster serve', 'ROSTER_PORT=9000 ROSTER_DATA_DIR=/var/lib/roster roster serve'))
    .action(async ({ workers, migrate }: { workers?: string; migrate: boolean }, command: Command) => {
      leaveToService(invocationOf(command));
      await withServer(command, async ({ loadConfig, start }) => {
        const flags = {
          ...(workers !== undefined && { ROSTER_WORKERS: workers }),
          ...(!migrate && { ROSTER_MIGRATE: 'false' }),
        };
        await start(loadConfig(flags));
      }).catch((error) => {
        // Threads and connections of a start that failed would keep the process. The error is reported before.
        setImmediate(() => process.exit());
        throw error;
      });
    });
}
