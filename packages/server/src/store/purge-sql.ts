// Removes what is past its time from the tables that both engines have alike, as steps: a slice of rows at a time, bot after
// bot. Contacts, and what deleted attributes and tags left in them, each engine removes itself. Whether the purge may trust the
// clock is kept in the one row of the whole database.
import { limits } from '@roster/contract/limits';
import { change, named, type PortSteps, query, type Steps } from './sql-steps.ts';
import type { PurgingState, Store } from './store.ts';
import { dayMs } from './tokens/rows.ts';

export interface PurgeSettings<Bot> {
  /** The column in which the engine names a bot, its key among the bots, and what comes before all keys. */
  column: 'bot' | 'bot_id';
  key: 'number' | 'id';
  first: Bot;
  /** A condition that a key is among those that a query finds. */
  among(key: string, select: string): string;
  /** Names the index to use, to an engine that must be told. */
  by(index: string): string;
  /** Left out: expired tokens are found by an index of each bot. */
  purgeTokensOfAll?: string;
  /** So long a round over more than `manyBots` is not followed by another. */
  pauseMs: number;
}

/** Of each bot so few rows that they are removed at once. */
export const smallTables = 'attributes tags removed_fields segments contacts_by_day webhooks removed_webhooks'.split(
  ' ',
);

/** A round asks every bot, and so many in one slice. */
const botsPerSlice = 200;
const manyBots = 1000;

/** What a bot may have that is past its time. */
type Found = 'tokens' | 'events' | 'removedWebhook' | 'succeeded' | 'failed' | 'skipped' | 'values';

/** What an engine has to do itself, or whether there may be more to remove. */
export type PurgedSlice<Bot> = { kind: 'deletedBot' | 'values'; bot: Bot } | boolean;

export function purgeStatements<Bot>({ column, key, among, by, purgeTokensOfAll }: PurgeSettings<Bot>) {
  const ofBot = `${column} = $1`;
  const ofWebhook = `${ofBot} AND webhook_id = $2`;
  const some = (table: string, keyOf: string, where: string, rows: string) =>
    `DELETE FROM ${table} WHERE ${where} AND ${among(keyOf, `SELECT ${keyOf} FROM ${table} WHERE ${where} ORDER BY ${keyOf} LIMIT ${rows}`)}`;
  const expired = (table: string) =>
    `DELETE FROM ${table} WHERE ${among('hash', `SELECT hash FROM ${table} WHERE expires_at <= $1 LIMIT $2`)}`;
  /** Those before the first that is to be kept, whatever the clock said meanwhile: no row is missing between others. */
  const oldest = (numberOf: string, time: string, rows: string, [beforeMs, max]: [string, string]) =>
    among(
      numberOf,
      `SELECT ${numberOf} FROM (SELECT ${numberOf}, max(${time}) OVER (ORDER BY ${numberOf}) AS latest
        FROM (SELECT ${numberOf}, ${time} FROM ${rows} ORDER BY ${numberOf} LIMIT ${max}) AS oldest) AS timed
      WHERE latest < ${beforeMs}`,
    );
  const deliveriesOf = (status: string, webhookId: string) =>
    `deliveries ${by(`${status}_deliveries`)} WHERE ${ofBot} AND webhook_id = ${webhookId} AND status = '${status}'`;
  const purgeOld = (status: string) => `DELETE FROM deliveries WHERE ${ofWebhook} AND status = '${status}'
    AND ${oldest('number', 'created_at', deliveriesOf(status, '$2'), ['$3', '$4'])}`;
  const withOld = (status: string) => `SELECT '${status}', id FROM webhooks WHERE ${ofBot} AND (SELECT created_at
    FROM ${deliveriesOf(status, 'webhooks.id')} ORDER BY number LIMIT 1) < $4`;
  const any = (what: Found, rows: string) =>
    `SELECT what, '' AS id FROM (SELECT '${what}' AS what FROM ${rows} LIMIT 1) AS found`;

  return named({
    purgeSessions: expired('sessions'),
    purgeLinks: expired('one_time_links'),
    findDeletedBot: `SELECT ${key} AS bot FROM bots WHERE deleted_at IS NOT NULL LIMIT 1`,
    listBots: `SELECT ${key} AS bot FROM bots WHERE ${key} > $1 ORDER BY ${key} LIMIT $2`,
    /** $2: now. $3: events from before are removed, and $4: deliveries. `id` is that of a webhook. */
    findPurgeable: [
      any('events', `(SELECT at FROM events WHERE ${ofBot} ORDER BY last LIMIT 1) AS oldest WHERE at < $3`),
      ...(purgeTokensOfAll === undefined ? [any('tokens', `contact_tokens WHERE ${ofBot} AND expires_at <= $2`)] : []),
      `SELECT 'removedWebhook', id FROM removed_webhooks WHERE ${ofBot}`,
      ...[withOld('succeeded'), withOld('failed'), withOld('skipped')],
      // The last, since the engine's part ends the slice.
      any('values', `removed_fields WHERE ${ofBot}`),
    ].join(' UNION ALL '),
    purgeEventsOfBot: some('events', 'last', ofBot, '$2'),
    findAnyDelivery: `SELECT webhook_id AS id FROM deliveries WHERE ${ofBot} ORDER BY webhook_id LIMIT 1`,
    purgeDeliveries: some('deliveries', 'number', ofWebhook, '$3'),
    purgeTokens:
      purgeTokensOfAll ??
      `DELETE FROM contact_tokens WHERE ${ofBot} AND ${among(
        'hash',
        `SELECT hash FROM contact_tokens WHERE ${ofBot} AND expires_at <= $2 LIMIT $3`,
      )}`,
    purgeEvents: `DELETE FROM events WHERE ${ofBot} AND ${oldest('last', 'at', `events WHERE ${ofBot}`, ['$2', '$3'])}`,
    // Another server may be removing the same rows.
    deleteRemovedWebhook: `DELETE FROM removed_webhooks WHERE ${ofBot} AND id = $2
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE ${ofWebhook})`,
    purgeSucceeded: purgeOld('succeeded'),
    purgeFailed: purgeOld('failed'),
    purgeSkipped: purgeOld('skipped'),
  });
}

export function purgeSteps<Bot extends string | number>(settings: PurgeSettings<Bot>) {
  const statements = purgeStatements(settings);
  const { first, purgeTokensOfAll, pauseMs } = settings;
  const { purgeSucceeded: succeeded, purgeFailed: failed, purgeSkipped: skipped } = statements;
  const purgeOf = { succeeded, failed, skipped };
  const expired = [statements.purgeSessions, statements.purgeLinks];
  if (purgeTokensOfAll !== undefined) expired.push(statements.purgeTokens);
  /** The round over all bots: the last one that was asked, how many were, and when the last round over many ended. */
  let last = first;
  let askedBots = 0;
  let longRoundEndedMs = Number.NEGATIVE_INFINITY;

  function* purgeRemovedWebhook(bot: Bot, id: string, rows: number): Steps<number> {
    const removed = yield* change(statements.purgeDeliveries, bot, id, rows);
    if (removed < rows) yield* change(statements.deleteRemovedWebhook, bot, id);
    return removed;
  }

  function* purgeBots(rows: number, nowMs: number, eventsBeforeMs: number): Steps<PurgedSlice<Bot>> {
    if (nowMs < longRoundEndedMs + pauseMs) return false;
    const deliveriesBeforeMs = nowMs - limits.deliveryDays * dayMs;
    const bots = yield* query<{ bot: Bot }>(statements.listBots, last, botsPerSlice);
    let left = rows;
    for (const { bot } of bots) {
      const times = [nowMs, eventsBeforeMs, deliveriesBeforeMs];
      for (const { what, id } of yield* query<{ what: Found; id: string }>(statements.findPurgeable, bot, ...times)) {
        if (what === 'values') return { kind: 'values', bot };
        if (what === 'tokens') left -= yield* change(statements.purgeTokens, bot, nowMs, left);
        else if (what === 'events') left -= yield* change(statements.purgeEvents, bot, eventsBeforeMs, left);
        else if (what === 'removedWebhook') left -= yield* purgeRemovedWebhook(bot, id, left);
        else left -= yield* change(purgeOf[what], bot, id, deliveriesBeforeMs, left);
        // There may be more: the next slice begins with the same bots again.
        if (left <= 0) return true;
      }
    }
    const isRoundOver = bots.length < botsPerSlice;
    last = isRoundOver ? first : (bots.at(-1)?.bot ?? first);
    askedBots += bots.length;
    if (isRoundOver && askedBots > manyBots) longRoundEndedMs = nowMs;
    if (isRoundOver) askedBots = 0;
    return !isRoundOver || left < rows;
  }

  return {
    *purgeSlice(rows: number, nowMs: number, eventsBeforeMs: number): Steps<PurgedSlice<Bot>> {
      for (const statement of expired) if ((yield* change(statement, nowMs, rows)) === rows) return true;
      const [deleted] = yield* query<{ bot: Bot }>(statements.findDeletedBot);
      if (deleted !== undefined) return { kind: 'deletedBot', bot: deleted.bot };
      return yield* purgeBots(rows, nowMs, eventsBeforeMs);
    },

    /** Events and deliveries of a deleted bot. Comes to how many it has removed: fewer than `rows` when none is left. */
    *purgeDeletedBot(bot: Bot, rows: number): Steps<number> {
      let left = rows - (yield* change(statements.purgeEventsOfBot, bot, rows));
      while (left > 0) {
        const [webhook] = yield* query<{ id: string }>(statements.findAnyDelivery, bot);
        if (webhook === undefined) break;
        left -= yield* change(statements.purgeDeliveries, bot, webhook.id, left);
      }
      return rows - left;
    },
  };
}

/** `clock` is an expression of the engine, or null. */
export const purgingReads = (clock: string) =>
  ({
    *findPurging() {
      const sql = `SELECT purged_at AS "purgedAtMs", purging_paused_until AS "pausedUntilMs", ${clock} AS "databaseMs"
        FROM installation`;
      const [state = {}] = yield* query<PurgingState>(sql);
      return state;
    },
  }) satisfies PortSteps<Store>;

export const purgingWrites = {
  *savePurging({ purgedAtMs, pausedUntilMs }) {
    const sql = 'UPDATE installation SET purged_at = $1, purging_paused_until = $2';
    yield* change(sql, purgedAtMs ?? null, pausedUntilMs ?? null);
  },
} satisfies PortSteps<Store>;
