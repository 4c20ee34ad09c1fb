// Removes the contacts and events of deleted bots, expired tokens, sessions and links, deleted attributes and tags from
// contacts, old events and, in purge-deliveries.ts, deliveries, a slice at a time. Several servers may do it at once: each row
// is removed once.
import { limits } from '@roster/contract/limits';
import type { Store, WriteContext } from '../store.ts';
import { dayMs } from '../tokens/rows.ts';
import type { WritePlan } from './contacts/plan.ts';
import { statements } from './contacts/statements.ts';
import type { ContactWrites } from './contacts/writes.ts';
import type { Connection, Pool } from './pool.ts';
import { retrying, writeRetryMs } from './retries.ts';
import { preparePurgeDeliveries } from './webhooks/purge-deliveries.ts';

/** Every statement names one bot, so a round asks bot after bot, so many in one round trip. */
const botsPerSlice = 200;
/** With many bots a round is long, and an expired token is refused whether or not it is there: there is no hurry. */
const manyBots = 1000;
const roundOfManyEveryMs = 3_600_000;

export function preparePurge(pool: Pool, writes: ContactWrites) {
  const deliveries = preparePurgeDeliveries(pool);
  /** The round over the bots that live: where it stands, how many bots it has asked, and when the last one ended. */
  let lastBot = '';
  let askedBots = 0;
  let longRoundEndedMs = Number.NEGATIVE_INFINITY;

  /** Sessions and links: true when there may be more of them. */
  const purgeExpired = async (nowMs: number, rows: number): Promise<boolean> => {
    for (const table of ['sessions', 'one_time_links']) {
      const sql = `DELETE FROM ${table} WHERE hash = ANY (ARRAY(
        SELECT hash FROM ${table} WHERE expires_at <= $1 LIMIT $2))`;
      if ((await pool.change(sql, [nowMs, rows])) === rows) return true;
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
    if ((await pool.change(statements.purgeEventsOfBot, [botId, rows], botId)) === rows) return true;
    if ((await deliveries.purgeAny(botId, rows)) === rows) return true;
    // A slice may also be short because another server was removing the same rows.
    const left = await pool.query(statements.findAnyRow, [botId], botId);
    if (left.length === 0) await pool.change('DELETE FROM bots WHERE id = $1', [botId]);
    return true;
  };

  /**
   * Takes the numbers of deleted attributes and tags from the contacts of a bot, in the order of their ids. Returns how many
   * contacts it has looked at.
   */
  const purgeFields = async (botId: string, rows: number, context: WriteContext): Promise<number> => {
    const removed = await pool.query<{ number: number; position: string }>(
      statements.readRemovedFields,
      [botId],
      botId,
    );
    const [first = ''] = removed.map(({ position }) => position).sort();
    const contacts = await pool.query<{ id: string }>(statements.listIds, [botId, first, rows], botId);
    const contactIds = contacts.map(({ id }) => id);
    const last = contactIds.at(-1);
    if (last !== undefined) {
      const decide = (plan: WritePlan) => plan.removeUndefined(contactIds);
      await writes.write(botId, { contactIds, fields: { isOfHeld: true }, rows: contactIds.length, decide, context });
    }
    // One that is deleted meanwhile is not among these: it begins with the first contact.
    const numbers = removed.map(({ number }) => number);
    if (last === undefined || contactIds.length < rows) {
      await pool.change(statements.deleteRemovedFields, [botId, numbers], botId);
    } else {
      await pool.change(statements.advanceRemovedFields, [botId, numbers, last], botId);
    }
    return contactIds.length;
  };

  /** Those before the first that is to be kept, whatever the clock said meanwhile: no row is missing between others. */
  const purgeEvents = async (botId: string, beforeMs: number, rows: number): Promise<number> => {
    const oldest = await pool.query<{ last: number; atMs: number }>(statements.listOldestEvents, [botId, rows], botId);
    const kept = oldest.findIndex(({ atMs }) => atMs >= beforeMs);
    const last = (kept === -1 ? oldest : oldest.slice(0, kept)).at(-1)?.last;
    return last === undefined ? 0 : pool.change(statements.purgeEvents, [botId, last], botId);
  };

  const purgeBots = async (rows: number, eventsBeforeMs: number, context: WriteContext): Promise<boolean> => {
    const { nowMs } = context;
    if (nowMs < longRoundEndedMs + roundOfManyEveryMs) return false;
    const deliveriesBeforeMs = nowMs - limits.deliveryDays * dayMs;
    const sql = 'SELECT id FROM bots WHERE id > $1 ORDER BY id LIMIT $2';
    const bots = await pool.query<{ id: string }>(sql, [lastBot, botsPerSlice]);
    const purges = {
      tokens: (botId: string, max: number) => pool.change(statements.purgeTokens, [botId, nowMs, max], botId),
      fields: (botId: string, max: number) => purgeFields(botId, max, context),
      events: (botId: string, max: number) => purgeEvents(botId, eventsBeforeMs, max),
      removedWebhooks: deliveries.purgeRemoved,
      succeeded: (botId: string, max: number) => deliveries.purgeOld(botId, 'succeeded', deliveriesBeforeMs, max),
      failed: (botId: string, max: number) => deliveries.purgeOld(botId, 'failed', deliveriesBeforeMs, max),
    };
    const times = [nowMs, eventsBeforeMs, deliveriesBeforeMs];
    const findIn = (connection: Connection, botId: string) =>
      connection.query<{ what: keyof typeof purges }>(statements.findPurgeable, [botId, ...times]);
    const answers = await pool.use((connection) => Promise.all(bots.map(({ id }) => findIn(connection, id))));
    let left = rows;
    for (const [index, { id }] of bots.entries()) {
      for (const { what } of answers[index] ?? []) {
        left -= await purges[what](id, left);
        // This bot may have more: the next slice begins with it again.
        if (left <= 0) return true;
      }
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
    purge: (rows, eventsBeforeMs, context) =>
      retrying(
        writeRetryMs,
        async () =>
          (await purgeExpired(context.nowMs, rows)) ||
          (await purgeBot(rows)) ||
          (await purgeBots(rows, eventsBeforeMs, context)),
      ),
  } satisfies Partial<Store>;
}
