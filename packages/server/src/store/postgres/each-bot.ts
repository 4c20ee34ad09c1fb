// Reads rows of many bots in one statement. On a sharded database that asks every node: when one of them is lost, the bots are
// asked for in turn, so that its bots are left out and no others.
import { LostNodeError } from './driver-errors.ts';
import type { Pool } from './pool.ts';

interface RowsOfBots<Row> {
  rows: Row[];
  /** Bots on a node that is lost. */
  lostIds: string[];
}

/** `sql` takes the ids of bots as its only value. Whoever asks for a single bot is told that it cannot be asked. */
export async function askForEach<Row extends object>(
  pool: Pool,
  sql: string,
  botIds: readonly string[],
): Promise<RowsOfBots<Row>> {
  if (botIds.length === 0) return { rows: [], lostIds: [] };
  try {
    return { rows: await pool.query<Row>(sql, [botIds]), lostIds: [] };
  } catch (error) {
    if (!(error instanceof LostNodeError) || botIds.length === 1) throw error;
  }
  // One connection, however many bots there are: the others are for those that are not lost.
  return pool.use(async (connection) => {
    const found: RowsOfBots<Row> = { rows: [], lostIds: [] };
    for (const botId of botIds) {
      try {
        found.rows.push(...(await connection.query<Row>(sql, [[botId]])));
      } catch (error) {
        if (!(error instanceof LostNodeError)) throw error;
        found.lostIds.push(botId);
      }
    }
    return found;
  });
}
