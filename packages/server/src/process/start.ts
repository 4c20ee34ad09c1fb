// What the command line starts: the service, or the migration of its schema.
import { migrateStore } from '../store/open.ts';
import type { Config } from './config.ts';

/** Serves until a signal ends the process. Resolves when it listens. */
export async function start(config: Config): Promise<void> {
  // Loaded only now: other commands do without the web server.
  if (config.workers === 1) await (await import('./serve.ts')).serve(config);
  else await (await import('./workers.ts')).serveWithWorkers(config);
}

/** Other users of the machine cannot read the files that this process creates. For whoever owns the process. */
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
