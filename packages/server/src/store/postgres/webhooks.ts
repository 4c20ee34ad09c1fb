// Webhooks and their deliveries: the steps of webhook-sql.ts, and what makes them happen once. Which webhooks a bot has changes
// under the lock of its state; all else locks the webhook's row. A bot that is deleted has none.

import { attemptValuesOf, contactOf, jsonOf } from '../delivery-rows.ts';
import { change, exists, prove, query, type SqlValue, type Steps } from '../sql-steps.ts';
import { webhookReads, webhookWrites } from '../webhook-sql.ts';
import type { DeliveryAttempt, OwnedWebhook, StoredDelivery, StoredWebhook, WebhookStore } from '../webhook-store.ts';
import { statements as stateStatements } from './contact-statements.ts';
import { askEachNode, type Nodes } from './nodes.ts';
import { type Pool, runSteps, type Value } from './pool.ts';
import type { Transactions } from './transactions.ts';
import { webhookStatements as statements } from './webhook-statements.ts';

const reads = webhookReads<string>(statements);
const writes = webhookWrites<string>(statements);

/** With arrays, which steps that both engines share do without. */
const arrays = (...values: Value[]) => values as SqlValue[];

function* saveDeliveries(botId: string, webhookId: string, attempts: readonly DeliveryAttempt[]): Steps<void> {
  if (attempts.length === 0) return;
  const numbers = attempts.map(({ number }) => number);
  const values = Object.fromEntries(attempts.map((attempt) => [attempt.number, attemptValuesOf(attempt)]));
  yield* change(statements.saveDeliveries, ...arrays(botId, webhookId, numbers, JSON.stringify(values)));
}

type CreateOutcome = Awaited<ReturnType<WebhookStore['createWebhook']>>;

const listBots = `SELECT bots.id AS "botId", organization_id AS "organizationId"
  FROM bots_with_webhooks JOIN bots ON bots.id = bots_with_webhooks.id WHERE deleted_at IS NULL`;
const listOwners = `SELECT bot_id AS "botId", id AS "webhookId", owner, version FROM webhooks
  WHERE bot_id = ANY ($1::text[]) AND is_enabled = 1`;
const raiseBeat = `INSERT INTO deliverers (id, beat) VALUES ($1, 1)
  ON CONFLICT (id) DO UPDATE SET beat = deliverers.beat + 1`;

export function prepareWebhooks(
  { read, readWith, changeRows, write }: Transactions,
  pool: Pool,
  nodes: Nodes | undefined,
) {
  const readSteps = <Result>(botId: string, steps: () => Steps<Result>) =>
    readWith(botId, (connection) => runSteps(connection, steps()));

  return {
    listWebhooks: (botId) => readSteps(botId, () => reads.listWebhooks(botId)),
    listDeliveries: (botId, ...wanted) => readSteps(botId, () => reads.listDeliveries(botId, ...wanted)),
    findOwned: (botId, ...wanted) => readSteps(botId, () => reads.findOwned(botId, ...wanted)),
    findDeferred: (botId, ...wanted) => readSteps(botId, () => reads.findDeferred(botId, ...wanted)),

    createWebhook(botId, webhook, max, { audit }) {
      const steps = function* (unanswered?: CreateOutcome): Steps<CreateOutcome> {
        const [state] = yield* query<{ lastEvent: number }>(stateStatements.lockState, botId);
        if (state === undefined) return { kind: 'missing' };
        // An earlier try made it, and somebody has deleted it since.
        const isGone = unanswered !== undefined && (yield* exists(statements.findRemovedWebhook, botId, webhook.id));
        if (isGone) return unanswered;
        yield* prove(statements.findWebhook, botId, webhook.id);
        const outcome = yield* writes.createWebhook(botId, state.lastEvent, webhook, max);
        if (outcome.kind === 'created') {
          yield* change('INSERT INTO bots_with_webhooks (id) VALUES ($1) ON CONFLICT DO NOTHING', botId);
        }
        return outcome;
      };
      return write(audit, steps, botId);
    },
    async updateWebhook(botId, webhookId, changes, context) {
      const steps = function* (): Steps<StoredWebhook | false> {
        const updated = yield* writes.updateWebhook(botId, webhookId, changes, context);
        if (updated !== false) yield* prove(statements.findWebhook, botId, webhookId);
        return updated;
      };
      return (await write(context.audit, steps, botId)) || undefined;
    },
    deleteWebhook(botId, webhookId, { audit }) {
      const steps = function* (): Steps<boolean> {
        if (!(yield* exists(stateStatements.lockState, botId))) return false;
        if (!(yield* writes.deleteWebhook(botId, webhookId))) return false;
        const hasOthers = yield* exists(statements.hasWebhooks, botId);
        if (!hasOthers) yield* change('DELETE FROM bots_with_webhooks WHERE id = $1', botId);
        return true;
      };
      return write(audit, steps, botId);
    },
    async replayEvents(botId, webhookId, after, { audit }) {
      const steps = function* (): Steps<StoredWebhook | false> {
        const [oldest] = yield* query<{ number: number }>(stateStatements.findOldestEvent, botId);
        const moved = yield* writes.replayEvents(botId, webhookId, after ?? oldest?.number ?? 0);
        if (moved !== false) yield* prove(statements.findWebhook, botId, webhookId);
        return moved;
      };
      return (await write(audit, steps, botId)) || undefined;
    },
    async retryDelivery(botId, webhookId, eventId, context) {
      const steps = function* (): Steps<StoredDelivery | false> {
        yield* prove(statements.findDelivery, botId, webhookId, eventId);
        return yield* writes.retryDelivery(botId, webhookId, eventId, context);
      };
      return (await write(context.audit, steps, botId)) || undefined;
    },

    makeDeliveriesDue: (botId, webhookId, context) =>
      write(context.audit, () => writes.makeDeliveriesDue(botId, webhookId, context), botId),

    listBotsWithWebhooks: () => read<{ botId: string; organizationId: string }>(listBots),
    async beat(delivererId) {
      await changeRows(raiseBeat, [delivererId]);
      const all = await read<{ id: string; beat: number }>('SELECT id, beat FROM deliverers');
      return new Map(all.map(({ id, beat }) => [id, beat]));
    },
    async removeDeliverer(delivererId) {
      await changeRows('DELETE FROM deliverers WHERE id = $1', [delivererId]);
    },
    listOwners: (botIds) =>
      askEachNode(nodes, botIds, (ofNode) => pool.query<OwnedWebhook>(listOwners, [ofNode], ofNode[0])),

    changeOwner(botId, webhookId, from, to) {
      const steps = function* (): Steps<boolean> {
        yield* prove(statements.isOwner, botId, webhookId, to ?? null);
        return yield* writes.changeOwner(botId, webhookId, from, to);
      };
      return write(undefined, steps, botId);
    },
    async planDeliveries(botId, webhookId, plan, { nowMs, audit }) {
      const { owner, version, events } = plan;
      const steps = function* (): Steps<{ deferred: number[] } | false> {
        yield* prove(statements.isPlanned, botId, webhookId, owner, version);
        if (!(yield* writes.advanceWebhook(botId, webhookId, plan))) return false;
        if (events.length === 0) return { deferred: [] };
        const contacts = events.map(contactOf);
        // Nobody else defers any meanwhile, since the webhook is locked.
        const found = yield* query<{ id: string }>(statements.findDeferredOf, ...arrays(botId, webhookId, contacts));
        const held = new Set(found.map(({ id }) => id));
        const deferrals = contacts.map((contact) => (held.has(contact) ? 2 : 0));
        const numbers = events.map(({ number }) => number);
        const columns = [numbers, events.map(({ id }) => id), events.map(jsonOf), contacts, deferrals];
        yield* change(statements.insertDeliveries, ...arrays(botId, webhookId, ...columns, nowMs));
        return { deferred: numbers.filter((_, index) => deferrals[index] === 2) };
      };
      return (await write(audit, steps, botId)) || undefined;
    },
    async saveAttempts(botId, webhookId, results, { audit }) {
      const { owner, attempts } = results;
      const steps = function* (): ReturnType<typeof writes.saveAttempts> {
        yield* prove(statements.isOwner, botId, webhookId, owner);
        return yield* writes.saveAttempts(botId, webhookId, results, () => saveDeliveries(botId, webhookId, attempts));
      };
      return (await write(audit, steps, botId)) || undefined;
    },
  } satisfies WebhookStore;
}
