// Webhooks and their deliveries, as far as both engines read and write them alike. Deliveries that are written many at a
// time, and who locks what, are each engine's own.
import type { DeliveryStatus, DisabledReason, EventType, WebhookMaker } from '@roster/contract';
import { change, isFull, lock, named, query, type SqlValue, type Statement, type Steps } from '../sql-steps.ts';
import type { WriteContext } from '../write-context.ts';
import { type DeliveryRow, deliveryColumns, toDelivery } from './delivery-rows.ts';
import type {
  DeliveryPlan,
  DeliveryResults,
  LeaseRules,
  NewWebhook,
  StoredDelivery,
  StoredWebhook,
  WantedDeliveries,
  WebhookChanges,
  WebhookStore,
} from './webhook-store.ts';

const webhookColumns = `id, url, types, description, is_enabled AS "isEnabled", disabled_reason AS "disabledReason",
    failing_since AS "failingSinceMs", secret, old_secret AS "oldSecret", old_secret_until AS "oldSecretUntilMs",
    created_at AS "createdAtMs", position, version, created_by AS "createdBy", changed_by AS "changedBy"`;

interface WebhookRow {
  id: string;
  url: string;
  /** JSON. */
  types: string | undefined;
  description: string;
  /** 0 or 1. */
  isEnabled: number;
  disabledReason: DisabledReason | undefined;
  failingSinceMs: number | undefined;
  secret: string;
  oldSecret: string | undefined;
  oldSecretUntilMs: number | undefined;
  createdAtMs: number;
  position: number;
  version: number;
  /** JSON. */
  createdBy: string | undefined;
  /** JSON. */
  changedBy: string | undefined;
}

function toWebhook(row: WebhookRow): StoredWebhook {
  return {
    ...row,
    types: row.types === undefined ? null : (JSON.parse(row.types) as EventType[]),
    isEnabled: row.isEnabled === 1,
    disabledReason: row.disabledReason ?? null,
    failingSinceMs: row.failingSinceMs ?? null,
    oldSecret: row.oldSecret ?? null,
    oldSecretUntilMs: row.oldSecretUntilMs ?? null,
    createdBy: makerOf(row.createdBy),
    changedBy: makerOf(row.changedBy),
  };
}

const makerOf = (json: string | undefined): WebhookMaker => (json === undefined ? null : JSON.parse(json));
const jsonOfMaker = (maker: WebhookMaker) => maker && JSON.stringify(maker);

const noAttempt = 'attempted_at = NULL, status_code = NULL, response = NULL, error = NULL, earlier_attempts = NULL';

/**
 * For an insert of pending deliveries: one of the same event becomes pending again, without attempts. If it was the one of its contact
 * that is tried next, it stays that.
 */
export const replaceDelivery = (column: 'bot' | 'bot_id') => `ON CONFLICT (${column}, webhook_id, number) DO UPDATE
  SET event_id = excluded.event_id, event = excluded.event, status = excluded.status, attempts = excluded.attempts,
    created_at = excluded.created_at, ${noAttempt}, due_at = excluded.due_at, deferral = CASE WHEN deliveries.deferral = 1 THEN 1 ELSE excluded.deferral END`;

/** Deliveries that one write makes due or retries, so that other writes do not wait long for it. */
const dueMax = 2000;

/** `now` is the time by the database's clock in milliseconds, in the engine's SQL. */
export function leaseSql(now: string, { leaseMaxMs }: Pick<LeaseRules, 'leaseMaxMs'>) {
  const isLeased = `leased_until BETWEEN ${now} + 1 AND ${now} + ${leaseMaxMs}`;
  return {
    /** What `listLeases` reads of a webhook, beside its bot. */
    columns: `webhooks.id AS "webhookId", version, CASE WHEN ${isLeased} THEN owner END AS owner`,
    /** Those that the owner $2 may take, or has taken in an earlier try. */
    isFree: `(owner = $2 OR (is_enabled = 1 AND NOT ${isLeased}))`,
    take: `UPDATE webhooks SET owner = $2, leased_until = ${now} + $3`,
    renew: `UPDATE webhooks SET leased_until = ${now} + $3`,
  };
}

/** By the column in which an engine names a bot. `by` names the index to use, to an engine that must be told. */
export function webhookStatements(column: 'bot' | 'bot_id', by: (index: string) => string) {
  const ofWebhook = `${column} = $1 AND id = $2`;
  const ofDeliveries = `${column} = $1 AND webhook_id = $2`;
  // The deliveries of a deleted webhook are removed later, and must not be found until then.
  const isThere = `EXISTS (SELECT 1 FROM webhooks WHERE ${ofWebhook})`;
  /** Of the same contact as the delivery $3. */
  const ofContact = `${ofDeliveries} AND contact_id = (
    SELECT contact_id FROM deliveries WHERE ${ofDeliveries} AND number = $3)`;
  /** The deferred one that is tried next, or else the oldest that waits. */
  const firstDeferred = `SELECT number FROM deliveries ${by('deferred_deliveries')} WHERE ${ofContact} AND deferral > 0
    ORDER BY deferral, number LIMIT 1`;
  /** Those that are tried next. SQLite uses the index `deferred_deliveries` only where its condition is repeated word for word. */
  const isNext = 'deferral > 0 AND deferral < 2';
  /** What one write retries, the oldest. */
  const failed = `SELECT number, contact_id FROM deliveries ${by('failed_deliveries')}
    WHERE ${ofDeliveries} AND status = 'failed' ORDER BY number LIMIT ${dueMax}`;
  const firstFailed = `SELECT min(number) AS first, contact_id AS contact FROM (${failed}) AS failed GROUP BY contact_id`;
  /** Each status has a partial index, which a statement uses only if it names the status. */
  const listOf = (status: DeliveryStatus) => `SELECT ${deliveryColumns} FROM deliveries ${by(`${status}_deliveries`)}
    WHERE ${ofDeliveries} AND status = '${status}' AND number < $3 AND ${isThere} ORDER BY number DESC LIMIT $4`;
  return named({
    listWebhooks: `SELECT ${webhookColumns} FROM webhooks WHERE ${column} = $1 ORDER BY id`,
    findWebhook: `SELECT ${webhookColumns} FROM webhooks WHERE ${ofWebhook}`,
    findOwned: `SELECT ${webhookColumns} FROM webhooks WHERE ${ofWebhook} AND owner = $3 AND is_enabled = 1`,
    lockWebhook: `SELECT FROM webhooks WHERE ${ofWebhook} FOR UPDATE`,
    countWebhooks: `SELECT count(*) AS count FROM webhooks WHERE ${column} = $1`,
    insertWebhook: `INSERT INTO webhooks (${column}, id, url, types, description, is_enabled, secret, created_at, created_by, position)
      VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9)`,
    updateWebhook: `UPDATE webhooks SET url = $3, types = $4, description = $5, is_enabled = $6, disabled_reason = $7,
        failing_since = $8, secret = $9, old_secret = $10, old_secret_until = $11, version = $12, changed_by = $13
      WHERE ${ofWebhook}`,
    moveWebhook: `UPDATE webhooks SET position = $3, version = version + 1 WHERE ${ofWebhook}`,
    raiseVersion: `UPDATE webhooks SET version = version + 1 WHERE ${ofWebhook}`,
    deleteWebhook: `DELETE FROM webhooks WHERE ${ofWebhook}`,
    noteRemovedWebhook: `INSERT INTO removed_webhooks (${column}, id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
    releaseWebhook: `UPDATE webhooks SET owner = NULL, leased_until = 0 WHERE ${ofWebhook} AND owner = $3`,
    advanceWebhook: `UPDATE webhooks SET position = $5
      WHERE ${ofWebhook} AND owner = $3 AND version = $4 AND is_enabled = 1`,
    saveWebhookState: `UPDATE webhooks SET failing_since = $4, disabled_reason = coalesce($5, disabled_reason),
        is_enabled = CASE WHEN CAST($5 AS text) IS NULL THEN is_enabled ELSE 0 END
      WHERE ${ofWebhook} AND owner = $3 AND version = coalesce($6, version) RETURNING version`,

    listDeliveries: `SELECT ${deliveryColumns} FROM deliveries
      WHERE ${ofDeliveries} AND number < $3 AND ${isThere} ORDER BY number DESC LIMIT $4`,
    listPending: listOf('pending'),
    listSucceeded: listOf('succeeded'),
    listFailed: listOf('failed'),
    listSkipped: listOf('skipped'),
    listFresh: `SELECT ${deliveryColumns} FROM deliveries ${by('fresh_deliveries')}
      WHERE ${ofDeliveries} AND status = 'pending' AND deferral = 0 ORDER BY number LIMIT $3`,
    listDue: `SELECT ${deliveryColumns} FROM deliveries ${by('due_deliveries')}
      WHERE ${ofDeliveries} AND deferral = 1 ORDER BY due_at LIMIT $3`,
    findOldestDeferred: `SELECT ${deliveryColumns} FROM deliveries ${by('pending_deliveries')}
      WHERE ${ofDeliveries} AND status = 'pending' AND deferral > 0 ORDER BY number LIMIT 1`,
    findDelivery: `SELECT ${deliveryColumns} FROM deliveries ${by('deliveries_by_event')}
      WHERE ${ofDeliveries} AND event_id = $3 AND ${isThere}`,
    retryDelivery: `UPDATE deliveries SET status = 'pending', attempts = 0, ${noAttempt}, due_at = $4, deferral = $5
      WHERE ${ofDeliveries} AND number = $3`,
    holdBehindFailed: `UPDATE deliveries ${by('deferred_deliveries')} SET deferral = 2 FROM (${firstFailed}) AS retried
      WHERE ${ofDeliveries} AND contact_id = contact AND ${isNext} AND number > first`,
    retryFailed: `UPDATE deliveries SET status = 'pending', attempts = 0, ${noAttempt}, due_at = $3,
        deferral = CASE WHEN number IN (SELECT first FROM (${firstFailed}) AS retried) AND NOT EXISTS (
          SELECT 1 FROM deliveries AS older ${by('deferred_deliveries')}
          WHERE ${ofDeliveries} AND older.contact_id = deliveries.contact_id AND ${isNext}) THEN 1 ELSE 2 END
      WHERE ${ofDeliveries} AND number IN (SELECT number FROM (${failed}) AS failed)`,
    skipDelivery: `UPDATE deliveries SET status = 'skipped', due_at = NULL, deferral = 0
      WHERE ${ofDeliveries} AND number = $3 AND status IN ('pending', 'failed')`,
    findFirstDeferred: firstDeferred,
    setDeferral: `UPDATE deliveries SET deferral = $4, due_at = $5 WHERE ${ofDeliveries} AND number = $3`,
    deferFollowing: `UPDATE deliveries ${by('fresh_deliveries')} SET deferral = 2
      WHERE ${ofContact} AND status = 'pending' AND deferral = 0`,
    makeNextDue: `UPDATE deliveries SET deferral = 1, due_at = $4
      WHERE ${ofDeliveries} AND number = (${firstDeferred}) AND deferral = 2`,
    makeDeferredDue: `UPDATE deliveries SET due_at = $3
      WHERE ${ofDeliveries} AND number IN (SELECT number FROM deliveries ${by('due_deliveries')}
        WHERE ${ofDeliveries} AND deferral = 1 AND due_at > $3 ORDER BY due_at LIMIT ${dueMax})`,
  });
}

/** The bot exists. `Key` is how an engine names it. */
export function webhookReads<Key extends string | number>(statements: ReturnType<typeof webhookStatements>) {
  const { listPending: pending, listSucceeded: succeeded, listFailed: failed, listSkipped: skipped } = statements;
  const lists = { pending, succeeded, failed, skipped } satisfies Record<DeliveryStatus, unknown>;

  return {
    *listWebhooks(bot: Key): Steps<StoredWebhook[]> {
      return (yield* query<WebhookRow>(statements.listWebhooks, bot)).map(toWebhook);
    },
    *listDeliveries(bot: Key, webhookId: string, wanted: WantedDeliveries): Steps<StoredDelivery[]> {
      const { before = Number.MAX_SAFE_INTEGER, status, eventId, limit } = wanted;
      const statement = status === undefined ? statements.listDeliveries : lists[status];
      const rows =
        eventId === undefined
          ? yield* query<DeliveryRow>(statement, bot, webhookId, before, limit)
          : yield* query<DeliveryRow>(statements.findDelivery, bot, webhookId, eventId);
      return rows.map(toDelivery);
    },
    /**
     * The webhook is read before its deliveries. One that is retried in between may be missing, but it has raised the version, so the
     * owner reads again.
     */
    *findOwned(
      bot: Key,
      webhookId: string,
      owner: string,
      pendingMax: number,
    ): Steps<Awaited<ReturnType<WebhookStore['findOwned']>>> {
      const [found] = yield* query<WebhookRow>(statements.findOwned, bot, webhookId, owner);
      if (found === undefined) return undefined;
      const pending = yield* query<DeliveryRow>(statements.listFresh, bot, webhookId, pendingMax);
      return { webhook: toWebhook(found), pending: pending.map(toDelivery) };
    },
    *findDeferred(bot: Key, webhookId: string, max: number): Steps<Awaited<ReturnType<WebhookStore['findDeferred']>>> {
      const next = yield* query<DeliveryRow>(statements.listDue, bot, webhookId, max);
      const [oldest] = yield* query<DeliveryRow>(statements.findOldestDeferred, bot, webhookId);
      return { next: next.map(toDelivery), oldestMs: oldest && toDelivery(oldest).event.atMs };
    },
  };
}

/**
 * The bot exists. Those that find no webhook come to `false`, and have changed nothing. `findOldest` comes to the number before the
 * oldest event that is kept.
 */
export function webhookWrites<Key extends string | number>(
  statements: ReturnType<typeof webhookStatements>,
  findOldest: Statement,
) {
  function* find(bot: Key, webhookId: string): Steps<StoredWebhook | undefined> {
    yield* lock(statements.lockWebhook, bot, webhookId);
    return (yield* query<WebhookRow>(statements.findWebhook, bot, webhookId)).map(toWebhook)[0];
  }

  return {
    /** Under the lock of the bot's state. `position` is the end of its feed. */
    *createWebhook(bot: Key, position: number, webhook: NewWebhook, max: number) {
      const { id, url, types, description, secret, createdAtMs, createdBy } = webhook;
      if (yield* isFull(max, statements.countWebhooks, bot)) return { kind: 'limit_reached' as const };
      const texts = [id, url, types && JSON.stringify(types), description, secret];
      yield* change(statements.insertWebhook, bot, ...texts, createdAtMs, jsonOfMaker(createdBy), position);
      const state = { isEnabled: true, disabledReason: null, failingSinceMs: null };
      const created: StoredWebhook = {
        ...{ id, url, types, description, secret, createdAtMs, createdBy, ...state },
        ...{ oldSecret: null, oldSecretUntilMs: null, position, version: 1, changedBy: null },
      };
      return { kind: 'created' as const, webhook: created };
    },

    *updateWebhook(
      bot: Key,
      webhookId: string,
      changes: WebhookChanges,
      { nowMs }: WriteContext,
    ): Steps<StoredWebhook | false> {
      const webhook = yield* find(bot, webhookId);
      if (webhook === undefined) return false;
      const changed = changedWebhook(webhook, changes);
      const { url, types, description, isEnabled, disabledReason, failingSinceMs, version, changedBy } = changed;
      const texts = [url, types && JSON.stringify(types), description];
      const state = [isEnabled ? 1 : 0, disabledReason, failingSinceMs];
      const secrets = [changed.secret, changed.oldSecret, changed.oldSecretUntilMs];
      const maker = jsonOfMaker(changedBy);
      yield* change(statements.updateWebhook, bot, webhookId, ...texts, ...state, ...secrets, version, maker);
      if (isEnabled && !webhook.isEnabled) yield* change(statements.makeDeferredDue, bot, webhookId, nowMs);
      return changed;
    },

    /** Under the lock of the bot's state. */
    *deleteWebhook(bot: Key, webhookId: string): Steps<boolean> {
      if ((yield* change(statements.deleteWebhook, bot, webhookId)) === 0) return false;
      yield* change(statements.noteRemovedWebhook, bot, webhookId);
      return true;
    },

    *replayEvents(bot: Key, webhookId: string, after: number | undefined): Steps<StoredWebhook | false> {
      const webhook = yield* find(bot, webhookId);
      if (webhook === undefined) return false;
      const position = after ?? (yield* query<{ number: number }>(findOldest, bot))[0]?.number ?? 0;
      yield* change(statements.moveWebhook, bot, webhookId, position);
      return { ...webhook, position, version: webhook.version + 1 };
    },

    *retryDelivery(
      bot: Key,
      webhookId: string,
      eventId: string,
      { nowMs }: WriteContext,
    ): Steps<StoredDelivery | false> {
      yield* lock(statements.lockWebhook, bot, webhookId);
      const [row] = yield* query<DeliveryRow>(statements.findDelivery, bot, webhookId, eventId);
      if (row === undefined) return false;
      const [first] = yield* query<DeliveryRow>(statements.findFirstDeferred, bot, webhookId, row.number);
      const isFirst = first !== undefined && row.number <= first.number;
      const deferral = first === undefined ? 0 : isFirst ? 1 : 2;
      if (first !== undefined) {
        yield* change(statements.setDeferral, bot, webhookId, first.number, isFirst ? 2 : 1, nowMs);
      }
      yield* change(statements.retryDelivery, bot, webhookId, row.number, nowMs, deferral);
      yield* change(statements.raiseVersion, bot, webhookId);
      const { event, createdAtMs } = toDelivery(row);
      return { event, createdAtMs, isWaiting: deferral === 2, ...unsent(nowMs) };
    },

    *retryFailed(
      bot: Key,
      webhookId: string,
      { nowMs }: WriteContext,
    ): Steps<{ count: number; hasMore: boolean } | false> {
      if ((yield* change(statements.raiseVersion, bot, webhookId)) === 0) return false;
      yield* change(statements.holdBehindFailed, bot, webhookId);
      const count = yield* change(statements.retryFailed, bot, webhookId, nowMs);
      return { count, hasMore: count === dueMax };
    },

    *skipDelivery(
      bot: Key,
      webhookId: string,
      eventId: string,
      { nowMs }: WriteContext,
    ): Steps<StoredDelivery | false> {
      yield* lock(statements.lockWebhook, bot, webhookId);
      const [row] = yield* query<DeliveryRow>(statements.findDelivery, bot, webhookId, eventId);
      if (row === undefined || (yield* change(statements.skipDelivery, bot, webhookId, row.number)) === 0) return false;
      yield* change(statements.makeNextDue, bot, webhookId, row.number, nowMs);
      yield* change(statements.raiseVersion, bot, webhookId);
      return (yield* query<DeliveryRow>(statements.findDelivery, bot, webhookId, eventId)).map(toDelivery)[0] ?? false;
    },

    *makeDeliveriesDue(bot: Key, webhookId: string, { nowMs }: WriteContext): Steps<boolean> {
      if ((yield* change(statements.raiseVersion, bot, webhookId)) === 0) return false;
      yield* change(statements.makeDeferredDue, bot, webhookId, nowMs);
      return true;
    },

    *releaseWebhook(bot: Key, webhookId: string, owner: string): Steps<void> {
      yield* change(statements.releaseWebhook, bot, webhookId, owner);
    },

    /** Locks the webhook's row, so that nobody changes the webhook while the engine inserts the deliveries. */
    *advanceWebhook(bot: Key, webhookId: string, { owner, version, position }: DeliveryPlan): Steps<boolean> {
      return (yield* change(statements.advanceWebhook, bot, webhookId, owner, version, position)) > 0;
    },

    /**
     * `saveEach` writes the attempts. `tries` is the same in all tries of one save: a repeated one is refused when the webhook was
     * changed since the first, which may have been carried out before a member retried one of the deliveries.
     */
    *saveAttempts(
      bot: Key,
      webhookId: string,
      { owner, attempts, failingSinceMs, disabledReason, dueAtLatestMs }: DeliveryResults,
      saveEach: () => Steps<void>,
      tries: { version?: number } = {},
    ): Steps<{ hasMoreDue: boolean } | false> {
      const state: SqlValue[] = [owner, failingSinceMs, disabledReason ?? null, tries.version ?? null];
      const [saved] = yield* query<{ version: number }>(statements.saveWebhookState, bot, webhookId, ...state);
      if (saved === undefined) return false;
      tries.version = saved.version;
      yield* saveEach();
      for (const { number, status, attemptedAtMs: nowMs, wasDeferred } of attempts) {
        const isDone = status !== 'pending';
        const follows = isDone
          ? wasDeferred
          : !wasDeferred && (yield* change(statements.deferFollowing, bot, webhookId, number)) > 0;
        // After a failure the next one is this delivery itself, unless it was skipped while it was in flight.
        if (follows) yield* change(statements.makeNextDue, bot, webhookId, number, nowMs);
      }
      if (dueAtLatestMs === undefined) return { hasMoreDue: false };
      return { hasMoreDue: (yield* change(statements.makeDeferredDue, bot, webhookId, dueAtLatestMs)) === dueMax };
    },
  };
}

/** Of a delivery without attempts. */
function unsent(dueAtMs: number) {
  const answer = { attemptedAtMs: null, statusCode: null, response: null, error: null, earlier: [] };
  return { status: 'pending' as const, attempts: 0, dueAtMs, ...answer };
}

function changedWebhook(webhook: StoredWebhook, changes: WebhookChanges): StoredWebhook {
  const { url = webhook.url, types = webhook.types, description = webhook.description } = changes;
  const { isEnabled = webhook.isEnabled, secret, changedBy = webhook.changedBy } = changes;
  const isEnabling = isEnabled && !webhook.isEnabled;
  return {
    ...webhook,
    ...{ url, types, description, isEnabled, changedBy, version: webhook.version + 1 },
    ...(isEnabling && { disabledReason: null, failingSinceMs: null }),
    ...(secret !== undefined && {
      secret: secret.text,
      oldSecret: webhook.secret,
      oldSecretUntilMs: secret.oldUntilMs,
    }),
  };
}
