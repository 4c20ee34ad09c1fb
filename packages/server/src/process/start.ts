// What the command line can make of this package: serve, and bring the schema up to date.

import { migrateStore } from '../store/open.ts';
import type { Config } from './config.ts';

/** Serves until a signal ends the process. Resolves when it listens. */
export async function start(config: Config): Promise<void> {
  keepToSelf();
  // Loaded only now: other commands do without the web server.
  if (config.workers === 1) await (await import('./serve.ts')).serve(config);
  else await (await import('./workers.ts')).serveWithWorkers(config);
}

/** Whatever this process makes, other users of the machine cannot read. For whoever owns the process. */
export function keepToSelf(): void {
  process.umask(0o077);
}

/** Brings the schema up to date, and makes the database if there is none. Undefined: SQLite, which does not tell. */
export function migrate(config: Config): Promise<{ from: number; to: number } | undefined> {
  return migrateStore({
    ...config,
    onFatal(error) {
      throw error;
    },
  });
}
