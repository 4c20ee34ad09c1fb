// Webhooks and their deliveries: the steps of webhook-sql.ts, and what makes them happen once. Which webhooks a bot has changes
// under the lock of its state; all else locks the webhook's row. A bot that is deleted has none.

import { change, exists, query, type SqlValue, type Statement, type Steps } from '../../sql-steps.ts';
import { attemptValuesOf, contactOf, jsonOf } from '../../webhooks/delivery-rows.ts';
import { webhookReads, webhookWrites } from '../../webhooks/webhook-sql.ts';
import type {
  DeliveryAttempt,
  DeliveryPlan,
  LeasedWebhook,
  NewWebhook,
  TakenWebhook,
  WebhookStore,
} from '../../webhooks/webhook-store.ts';
import type { WriteContext } from '../../write-context.ts';
import { statements as stateStatements } from '../contacts/statements.ts';
import { askForEach } from '../each-bot.ts';
import type { Pool, Value } from '../pool.ts';
import type { Transactions } from '../transactions.ts';
import { leaseRules, leases, renewOfEach, webhookStatements as statements, takeOfEach } from './webhook-statements.ts';

const { advanceWebhook, saveAttempts, ...writes } = webhookWrites<string>(statements, stateStatements.findOldestEvent);

type CreateOutcome = Awaited<ReturnType<WebhookStore['createWebhook']>>;

/** With arrays, which steps that both engines share do without. */
const arrays = (...values: Value[]) => values as SqlValue[];

function* saveDeliveries(botId: string, webhookId: string, attempts: readonly DeliveryAttempt[]): Steps<void> {
  if (attempts.length === 0) return;
  const numbers = attempts.map(({ number }) => number);
  const values = Object.fromEntries(attempts.map((attempt) => [attempt.number, attemptValuesOf(attempt)]));
  yield* change(statements.saveDeliveries, ...arrays(botId, webhookId, numbers, JSON.stringify(values)));
}

/** What is this engine's own: the list of bots with webhooks, and deliveries that are inserted as arrays. */
const ownWrites = {
  *createWebhook(botId: string, webhook: NewWebhook, max: number): Steps<CreateOutcome> {
    const [state] = yield* query<{ lastEvent: number }>(stateStatements.lockState, botId);
    if (state === undefined) return { kind: 'missing' };
    const outcome = yield* writes.createWebhook(botId, state.lastEvent, webhook, max);
    if (outcome.kind === 'created') {
      yield* change('INSERT INTO bots_with_webhooks (id) VALUES ($1) ON CONFLICT DO NOTHING', botId);
    }
    return outcome;
  },
  *deleteWebhook(botId: string, webhookId: string): Steps<boolean> {
    if (!(yield* exists(stateStatements.lockState, botId))) return false;
    if (!(yield* writes.deleteWebhook(botId, webhookId))) return false;
    const hasOthers = yield* exists(statements.hasWebhooks, botId);
    if (!hasOthers) yield* change('DELETE FROM bots_with_webhooks WHERE id = $1', botId);
    return true;
  },
  *planDeliveries(
    botId: string,
    webhookId: string,
    plan: DeliveryPlan,
    { nowMs }: WriteContext,
  ): Steps<{ deferred: number[] } | false> {
    const { events } = plan;
    if (!(yield* advanceWebhook(botId, webhookId, plan))) return false;
    if (events.length === 0) return { deferred: [] };
    const contacts = events.map(contactOf);
    // The webhook's row is locked, so no other delivery of these contacts is deferred meanwhile.
    const found = yield* query<{ id: string }>(statements.findDeferredOf, ...arrays(botId, webhookId, contacts));
    const held = new Set(found.map(({ id }) => id));
    const deferrals = contacts.map((contact) => (held.has(contact) ? 2 : 0));
    const numbers = events.map(({ number }) => number);
    const columns = [numbers, events.map(({ id }) => id), events.map(jsonOf), contacts, deferrals];
    yield* change(statements.insertDeliveries, ...arrays(botId, webhookId, ...columns, nowMs));
    return { deferred: numbers.filter((_, index) => deferrals[index] === 2) };
  },
};

const listBots = `SELECT bots.id AS "botId", organization_id AS "organizationId"
  FROM bots_with_webhooks JOIN bots ON bots.id = bots_with_webhooks.id WHERE deleted_at IS NULL`;
const listLeases = `SELECT bot_id AS "botId", ${leases.columns} FROM webhooks
  WHERE bot_id = ANY ($1::text[]) AND is_enabled = 1`;

export function prepareWebhooks(
  { botReads, botWrites, read, transact, write }: Transactions,
  { reads: pool, writes: writing, isSharded }: { reads: Pool; writes: Pool; isSharded: boolean },
) {
  /** On a sharded database one bot after the other: a write about bots of several nodes fails with each of these nodes. */
  const lease = async <Row>(
    botIds: readonly string[],
    { ofEach, ofOne }: Record<'ofEach' | 'ofOne', Statement>,
    write: (statement: Statement, bots: Value, botId?: string) => Promise<Row[]>,
  ): Promise<Row[]> => {
    if (!isSharded) return write(ofEach, botIds);
    const rows: Row[] = [];
    for (const botId of botIds) rows.push(...(await write(ofOne, botId, botId)));
    return rows;
  };

  return {
    ...botReads(webhookReads<string>(statements)),
    ...botWrites({ ...writes, ...ownWrites }),

    listBotsWithWebhooks: () => read<{ botId: string; organizationId: string }>(listBots),
    listLeases: async (botIds) => (await askForEach<LeasedWebhook>(pool, listLeases, botIds)).rows,
    leaseRules: () => ({ ...leaseRules, botsAtOnce: isSharded ? 1 : 1000 }),
    // Both come to the same when they are repeated.
    takeWebhooks: (botIds, { owner, leaseMs }) =>
      lease(botIds, { ofEach: takeOfEach, ofOne: statements.takeWebhooks }, (statement, bots, botId) =>
        transact(botId, async (connection) => ({
          outcome: await connection.query<TakenWebhook>(statement, [bots, owner, leaseMs]),
        })),
      ),
    // Not tried again, since whoever wants to keep a lease renews it in time to try once more.
    async renewLeases(botIds, owners, leaseMs) {
      const renewed = await lease(
        botIds,
        { ofEach: renewOfEach, ofOne: statements.renewLeases },
        (statement, bots, botId) => writing.query<{ id: string }>(statement, [bots, owners, leaseMs], botId),
      );
      return renewed.map(({ id }) => id);
    },
    saveAttempts(botId, webhookId, results, { audit }) {
      const saveEach = () => saveDeliveries(botId, webhookId, results.attempts);
      const tries = {};
      return write(audit, () => saveAttempts(botId, webhookId, results, saveEach, tries), botId);
    },
  } satisfies WebhookStore;
}
