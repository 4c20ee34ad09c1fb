// Restoring a backup: only where no server runs, since it takes the data folder for itself.
import { resolve } from 'node:path';
import { type Config, restoreStore } from '@roster/server/operator';
import { OperatorError } from './operator-error.ts';

export interface Restored {
  /** Where the database that was replaced is kept. Undefined: there was none. */
  keptAs: string | undefined;
}

/**
 * Puts a backup in place as the data folder's database. Refuses while a server runs (StoreInUseError), to replace a
 * database without `force`, and a file that is no sound Roster database or newer than the program.
 */
export async function restore(config: Config, file: string, { force }: { force: boolean }): Promise<Restored> {
  if (config.database !== undefined) {
    throw new OperatorError(
      'refused',
      'This command restores SQLite. For PostgreSQL, run pg_restore --dbname="$DATABASE_URL" FILE. See docs/operations/scale-out.md.',
    );
  }
  return restoreStore({ folder: config.dataDir, file: resolve(file), force, nowMs: Date.now() });
}
