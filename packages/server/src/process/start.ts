// What the command line starts: the service, the migration of its schema, or a move between the engines.
import { type Config, ConfigError } from '../config/config.ts';
import { type MovedTable, MoveError, type MoveWatch } from '../store/move.ts';
import { type MoveDirection, migrateStore, moveStore } from '../store/open.ts';
import { StoreUnavailableError } from '../store/store.ts';

/** Serves until a signal ends the process. Resolves when it listens. */
export async function start(config: Config): Promise<void> {
  // It goes on when nobody reads what it prints.
  process.stdout.on('error', () => {});
  // Loaded only now: other commands do without the web server.
  if (config.workers === 1) await (await import('./serve.ts')).serve(config);
  else await (await import('./workers.ts')).serveWithWorkers(config);
}

/** Other users of the machine cannot read the files that this process creates. Only for a program that owns its process. */
export function keepToSelf(): void {
  process.umask(0o077);
}

/** Brings the schema up to date, and makes the database if there is none. Undefined: SQLite, which does not report versions. */
export function migrate(config: Config): Promise<{ from: number; to: number } | undefined> {
  return migrateStore({
    ...config,
    onFatal(error) {
      throw error;
    },
  });
}

/** Moves all data between the engines that the settings name. Shows nothing: whoever watches the move does. */
export async function moveData(
  direction: MoveDirection,
  { dataDir, database }: Config,
  watch: MoveWatch,
): Promise<{ from: string; to: string; tables: MovedTable[] }> {
  if (database === undefined) {
    throw new ConfigError(
      'To move data, set DATABASE_URL to the address of PostgreSQL. See docs/operations/moving.md.',
    );
  }
  try {
    return await moveStore(direction, { dataDir, database }, watch);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    const { message, cause } = error;
    const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
    throw new MoveError(`The move failed and nothing was changed: ${reason}. Run it again.`, { cause: error });
  }
}
