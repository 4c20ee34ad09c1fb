// Looks for Roster servers that are connected to the same database.
import { setTimeout as delay } from 'node:timers/promises';
import { MoveError } from '../move.ts';
import type { Connection } from './pool.ts';

/** A connection that was just closed is listed for a moment longer. */
const patienceMs = 3000;
const pauseMs = 50;

/** Sees the connections of the same user, which is what servers with the same DATABASE_URL have. */
const sql = `SELECT count(*) AS connections FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'roster' AND pid <> pg_backend_pid()`;

export async function refuseServers(connection: Connection, title: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    const [counted] = await connection.query<{ connections: number }>(sql);
    const count = counted?.connections ?? 0;
    if (count === 0) return;
    if (waitedMs >= patienceMs) {
      throw new MoveError(`Servers are using ${title} (${count} connections). Stop them first.`);
    }
    await delay(pauseMs);
  }
}
