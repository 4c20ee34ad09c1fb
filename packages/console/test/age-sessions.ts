// Passwords that were entered too long ago, without a wait.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ConsoleWorld } from './console-world.ts';

/** Makes all sessions look as if they had begun an hour ago. */
export function ageSessions({ home }: ConsoleWorld): void {
  const db = new DatabaseSync(join(home.dataDir, 'roster.db'), { timeout: 60_000 });
  db.exec('UPDATE sessions SET created_at = created_at - 3600000, confirmed_at = NULL');
  db.close();
}
