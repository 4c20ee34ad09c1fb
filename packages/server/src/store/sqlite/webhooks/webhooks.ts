// Webhooks and their deliveries: read on the main thread and, where it may be much, on reader threads; written on the writer
// thread. The steps of webhook-sql.ts, keyed by the bot's number.
import type { DatabaseSync } from 'node:sqlite';
import type { StoredEvent } from '../../events/event-store.ts';
import { change } from '../../sql-steps.ts';
import { attemptValuesOf, contactOf, jsonOf } from '../../webhooks/delivery-rows.ts';
import {
  leaseSql,
  replaceDelivery,
  webhookReads,
  webhookStatements,
  webhookWrites,
} from '../../webhooks/webhook-sql.ts';
import type {
  DeliveryPlan,
  DeliveryResults,
  LeasedWebhook,
  LeaseRules,
  TakenWebhook,
} from '../../webhooks/webhook-store.ts';
import type { WriteContext } from '../../write-context.ts';
import { byBotId, type PortMethods, prepareSteps, statementsOf } from '../contacts/rows.ts';
import { selectAfterOldest } from '../events/events.ts';
import { type BotNumbers, prepareBotNumber } from '../tenants/bot-numbers.ts';
import type { BotStates } from '../tenants/bot-states.ts';

/** By the clock of this machine, in milliseconds since 1970. */
const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
/** Without statistics SQLite would use the primary key instead of these indexes, and read all deliveries of a webhook. */
const statements = webhookStatements('bot', (index) => `INDEXED BY ${index}`);

/** Nobody else can take over, so leases last long: an idle server writes nothing. */
export const leaseRules: LeaseRules = { leaseMs: 86_400_000, leaseMaxMs: 4 * 86_400_000, botsAtOnce: 500 };
const leases = leaseSql(now, leaseRules);

export function prepareWebhookReads(db: DatabaseSync, numbers: BotNumbers) {
  const { listWebhooks } = prepareSteps(db)(webhookReads<number>(statements));
  return byBotId(numbers.find, [], { listWebhooks }) satisfies PortMethods;
}

const selectBots = `SELECT bots.id AS botId, organization_id AS organizationId
  FROM (SELECT DISTINCT bot FROM webhooks) CROSS JOIN bots ON bots.number = bot WHERE deleted_at IS NULL`;
const selectLeases = `SELECT bots.id AS "botId", ${leases.columns}
  FROM bots CROSS JOIN webhooks ON webhooks.bot = bots.number
  WHERE bots.id = ? AND deleted_at IS NULL AND is_enabled = 1`;

/** On a reader thread. */
export function prepareDeliveryReads(db: DatabaseSync) {
  const { listDeliveries, findOwned, findDeferred } = prepareSteps(db)(webhookReads<number>(statements));
  const { list } = statementsOf(db);
  const numberOf = prepareBotNumber(db);

  return {
    ...byBotId(numberOf, [], { listDeliveries }),
    ...byBotId(numberOf, undefined, { findOwned }),
    ...byBotId(numberOf, { next: [], oldestMs: undefined }, { findDeferred }),
    listBotsWithWebhooks: () => list<{ botId: string; organizationId: string }>(selectBots),
    listLeases: (botIds: readonly string[]) => botIds.flatMap((botId) => list<LeasedWebhook>(selectLeases, botId)),
  };
}

const insertDelivery = `INSERT INTO deliveries
    (bot, webhook_id, number, event_id, event, contact_id, status, attempts, created_at, due_at, deferral)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending', 0, ?7, ?7, coalesce((SELECT 2 FROM deliveries INDEXED BY deferred_deliveries
    WHERE bot = ?1 AND webhook_id = ?2 AND contact_id = ?6 AND deferral > 0 LIMIT 1), 0))
  ${replaceDelivery('bot')} RETURNING deferral`;
const saveDelivery = `UPDATE deliveries SET status = $4, attempts = $5, attempted_at = $6, due_at = $7, deferral = $8,
    status_code = $9, error = $11, earlier_attempts = $12, response = CASE WHEN $10 IS NOT NULL AND (contact_id = ''
      OR EXISTS (SELECT 1 FROM contacts WHERE contacts.bot = $1 AND contacts.id = deliveries.contact_id)) THEN $10 END
  WHERE bot = $1 AND webhook_id = $2 AND number = $3 AND (status <> 'skipped' OR $4 = 'succeeded')`;

const takeWebhooks = `${leases.take} WHERE bot = $1 AND ${leases.isFree} RETURNING id`;
const renewLeases = `${leases.renew} WHERE bot = $1 AND owner IN (SELECT value FROM json_each($2)) RETURNING id`;

/** This process has the file to itself: whoever delivered before it was opened is not there any more. */
export const endLeases = 'UPDATE webhooks SET owner = NULL, leased_until = 0 WHERE owner IS NOT NULL';

export function prepareWebhookWrites(db: DatabaseSync, states: BotStates) {
  const { saveAttempts, ...shared } = webhookWrites<number>(statements, selectAfterOldest);
  const { createWebhook, advanceWebhook, releaseWebhook, ...writes } = prepareSteps(db)({
    ...shared,
    *saveAttempts(bot: number, webhookId: string, results: DeliveryResults) {
      return yield* saveAttempts(bot, webhookId, results, function* () {
        for (const attempt of results.attempts) {
          yield* change(saveDelivery, bot, webhookId, attempt.number, ...attemptValuesOf(attempt));
        }
      });
    },
  });
  const { find, list } = statementsOf(db);
  const numberOf = (botId: string) => states.find(botId)?.number;

  return {
    createWebhook(botId, webhook, max) {
      const bot = states.find(botId);
      return bot === undefined ? { kind: 'missing' } : createWebhook(bot.number, bot.lastEvent, webhook, max);
    },
    ...byBotId(numberOf, undefined, { releaseWebhook }),
    ...byBotId(numberOf, false, {
      ...writes,
      planDeliveries(bot: number, webhookId: string, plan: DeliveryPlan, { nowMs }: WriteContext) {
        if (!advanceWebhook(bot, webhookId, plan)) return false;
        const insert = (event: StoredEvent) => {
          const values = [event.number, event.id, jsonOf(event), contactOf(event), nowMs];
          return find<{ deferral: number }>(insertDelivery, bot, webhookId, ...values);
        };
        return { deferred: plan.events.filter((event) => insert(event)?.deferral !== 0).map(({ number }) => number) };
      },
    }),
    takeWebhooks(botIds, { owner, leaseMs }): TakenWebhook[] {
      return botIds.flatMap((botId) => {
        const bot = states.find(botId);
        const taken = bot === undefined ? [] : list<{ id: string }>(takeWebhooks, bot.number, owner, leaseMs);
        return taken.map(({ id }) => ({ botId, webhookId: id }));
      });
    },
    renewLeases(botIds, owners, leaseMs) {
      const json = JSON.stringify(owners);
      const numbers = botIds.flatMap((botId) => states.find(botId)?.number ?? []);
      return numbers.flatMap((bot) => list<{ id: string }>(renewLeases, bot, json, leaseMs).map(({ id }) => id));
    },
  } satisfies PortMethods;
}
