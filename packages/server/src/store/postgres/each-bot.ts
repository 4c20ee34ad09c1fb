// Reads rows of many bots in one statement. On a sharded database that asks every node: when one of them is lost, fewer and fewer
// bots are asked at a time, so that its bots are left out and no others, unless that takes too long.
import { StoreUnavailableError } from '../store.ts';
import { LostConnectionError, LostNodeError } from './driver-errors.ts';
import type { Connection, Pool } from './pool.ts';

interface RowsOfBots<Row> {
  rows: Row[];
  /** Bots on a node that is lost, and those that there was no time to ask. */
  lostIds: string[];
}

/** A node that is gone without a word lets each statement wait for seconds, on a connection that others need. */
const searchMs = 1000;
/** What asks for several bots leaves a connection to the others, as one bot does. No bot has this id. */
const severalBots = '';

/** `sql` takes the ids of bots as its only value. Rejects when a single bot is asked for and cannot be reached. */
export async function askForEach<Row extends object>(
  pool: Pool,
  sql: string,
  botIds: readonly string[],
): Promise<RowsOfBots<Row>> {
  const [firstId, ...others] = botIds;
  if (firstId === undefined) return { rows: [], lostIds: [] };
  const caller = others.length === 0 ? firstId : severalBots;
  try {
    return { rows: await pool.query<Row>(sql, [botIds], caller), lostIds: [] };
  } catch (error) {
    if (!(error instanceof LostNodeError) || others.length === 0) throw error;
  }
  const [found, lost]: [Row[][], string[][]] = [[], []];
  await pool.use(async (connection) => {
    const endMs = performance.now() + searchMs;
    const pending = halvesOf(botIds);
    while (pending.length > 0) {
      // In any order: when the time is not enough, others are left out the next time.
      const [ids] = pending.splice(Math.floor(Math.random() * pending.length), 1) as [string[]];
      const leftMs = Math.floor(endMs - performance.now());
      try {
        if (leftMs > 0) found.push(await askWithin<Row>(connection, leftMs, sql, ids));
        else lost.push(ids);
      } catch (error) {
        if (error instanceof LostConnectionError || !(error instanceof StoreUnavailableError)) throw error;
        if (ids.length > 1) pending.push(...halvesOf(ids));
        else lost.push(ids);
      }
    }
  }, caller);
  return { rows: found.flat(), lostIds: lost.flat() };
}

function halvesOf(ids: readonly string[]): string[][] {
  const middle = Math.ceil(ids.length / 2);
  return [ids.slice(0, middle), ids.slice(middle)];
}

async function askWithin<Row extends object>(connection: Connection, ms: number, sql: string, ids: readonly string[]) {
  const begun = connection.query(`BEGIN; SET LOCAL statement_timeout = ${ms}`);
  const asked = connection.query<Row>(sql, [ids]);
  // Each is waited for: after an error of one, COMMIT is answered with a rollback, and the connection is clean.
  await Promise.allSettled([begun, asked, connection.query('COMMIT')]);
  await begun;
  return asked;
}
