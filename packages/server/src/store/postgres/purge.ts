// Removes the contacts of deleted bots and expired tokens, sessions and links, a slice at a time. Several servers may do
// it at once: each row is removed once.
import type { Store } from '../store.ts';
import { everyNode } from './bulkhead.ts';
import { statements } from './contact-statements.ts';
import type { Pool } from './pool.ts';
import { retrying, writeRetryMs } from './retries.ts';

/** Every statement names one bot, so a round asks bot after bot, so many in one round trip. */
const botsPerSlice = 200;
/** With many bots a round is long, and an expired token is refused whether or not it is there: there is no hurry. */
const manyBots = 1000;
const roundOfManyEveryMs = 3_600_000;

export function preparePurge(pool: Pool) {
  /** The round over the bots' tokens: where it stands, how many bots it has asked, and when the last one ended. */
  let lastBot = '';
  let askedBots = 0;
  let longRoundEndedMs = Number.NEGATIVE_INFINITY;

  /** Sessions and links: true when there may be more of them. */
  const purgeExpired = async (nowMs: number, rows: number): Promise<boolean> => {
    for (const table of ['sessions', 'one_time_links']) {
      const sql = `DELETE FROM ${table} WHERE hash = ANY (ARRAY(
        SELECT hash FROM ${table} WHERE expires_at <= $1 LIMIT $2))`;
      if ((await pool.change(sql, [nowMs, rows], everyNode)) === rows) return true;
    }
    return false;
  };

  const purgeBot = async (rows: number): Promise<boolean> => {
    const sql = 'SELECT id FROM bots WHERE deleted_at IS NOT NULL LIMIT 1';
    const [deleted] = await pool.query<{ id: string }>(sql);
    if (deleted === undefined) return false;
    const botId = deleted.id;
    const removed = await pool.change(statements.purgeContacts, [botId, rows], botId);
    if (removed === rows) return true;
    // A slice may also be short because another server was removing the same rows.
    const left = await pool.query(statements.findAnyContact, [botId], botId);
    if (left.length === 0) await pool.change('DELETE FROM bots WHERE id = $1', [botId], everyNode);
    return true;
  };

  const purgeTokens = async (nowMs: number, rows: number): Promise<boolean> => {
    if (nowMs < longRoundEndedMs + roundOfManyEveryMs) return false;
    const sql = 'SELECT id FROM bots WHERE id > $1 ORDER BY id LIMIT $2';
    const bots = await pool.query<{ id: string }>(sql, [lastBot, botsPerSlice]);
    const answers = await pool.use(
      (connection) => Promise.all(bots.map(({ id }) => connection.query(statements.findAnyExpiredToken, [id, nowMs]))),
      everyNode,
    );
    let left = rows;
    for (const { id } of bots.filter((_, index) => answers[index]?.length === 1)) {
      left -= await pool.change(statements.purgeTokens, [id, nowMs, left], id);
      // This bot may have more: the next slice begins with it again.
      if (left <= 0) return true;
    }
    const isRoundOver = bots.length < botsPerSlice;
    lastBot = isRoundOver ? '' : (bots.at(-1)?.id ?? '');
    askedBots += bots.length;
    if (isRoundOver && askedBots > manyBots) longRoundEndedMs = nowMs;
    if (isRoundOver) askedBots = 0;
    return !isRoundOver || left < rows;
  };

  return {
    /** A slice that is repeated removes nothing twice. */
    purge: (nowMs, rows) =>
      retrying(
        writeRetryMs,
        async () => (await purgeExpired(nowMs, rows)) || (await purgeBot(rows)) || (await purgeTokens(nowMs, rows)),
      ),
  } satisfies Partial<Store>;
}
