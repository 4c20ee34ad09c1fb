// The webhooks of a bot, with a secret or with a member's session. A URL may hold a credential of its receiver, so that the
// audit log names its origin alone.
import {
  type Delivery,
  isId,
  limits,
  type operations,
  type Webhook,
  type WebhookOperationName,
} from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { makerOf } from '../account/actor.ts';
import { makeWebhookSecret } from '../account/credentials.ts';
import { isOpenTo } from '../account/organizations.ts';
import { hasRecentPassword, type SignedIn } from '../account/sessions.ts';
import { toTimestamp } from '../answers/answers.ts';
import { prepareMessages, testMessage } from '../delivery/message.ts';
import { remainingWaitMs } from '../delivery/schedule.ts';
import { headersOf, isSuccess, type Send } from '../delivery/send.ts';
import type { SendSlots } from '../delivery/send-slots.ts';
import {
  ApiError,
  invalidRequest,
  noSuchBot,
  noSuchDelivery,
  noSuchWebhook,
  passwordRequired,
  roleNeeded,
  unavailable,
} from '../http/api-error.ts';
import { clientLeft } from '../http/client-left.ts';
import type { Handler } from '../http/operation-types.ts';
import { AllowedNetworks, faultOfUrl, originOf } from '../network/public-addresses.ts';
import type { Bot, SecretState } from '../store/store.ts';
import { attemptsOf } from '../store/webhooks/delivery-rows.ts';
import type { StoredDelivery, StoredWebhook, WebhookChanges } from '../store/webhooks/webhook-store.ts';
import { contextAt } from '../store/write-context.ts';
import { actorOf, contextOf, eventActorOf } from './action-of.ts';
import { expired, findFeed, numberIn } from './feed-positions.ts';
import { forMembersToo } from './for-members.ts';

type Operations = typeof operations;
type WebhookHandlers = {
  readonly [Name in WebhookOperationName]: Handler<Operations[Name] | Operations[`${Name}AsMember`]>;
};

export interface WebhookDeps extends Pick<AccountDeps, 'store' | 'clock' | 'nextId'> {
  send: Send;
  /** Shared with the deliveries of this process. */
  sendSlots: SendSlots;
  webhookNetworks: readonly string[];
  /** Aborted when the server begins to stop, which takes less time than a receiver may take to respond. */
  stopping: AbortSignal;
}

export function webhookHandlers(deps: WebhookDeps) {
  const { store, clock, nextId, send, sendSlots, stopping } = deps;
  const buildMessage = prepareMessages(deps);
  const allowed = new AllowedNetworks(deps.webhookNetworks);

  const find = async (bot: Bot, webhookId: string): Promise<StoredWebhook> => {
    const webhook = (await store.listWebhooks(bot.id)).find(({ id }) => id === webhookId);
    if (webhook === undefined) throw noSuchWebhook();
    return webhook;
  };

  /** The delivery as `act` leaves it, changed or not, and its webhook. */
  const findDelivery = async (
    { bot, params: { webhookId, eventId } }: { bot: Bot; params: { webhookId: string; eventId: string } },
    act?: (webhook: StoredWebhook) => Promise<StoredDelivery | false>,
  ): Promise<[StoredDelivery, StoredWebhook]> => {
    const webhook = await find(bot, webhookId);
    // Any other text may be one that a database refuses.
    if (!isId('event', eventId)) throw noSuchDelivery();
    const found = (await act?.(webhook)) || (await store.listDeliveries(bot.id, webhookId, { eventId, limit: 1 }))[0];
    if (found === undefined) throw noSuchDelivery();
    return [found, webhook];
  };

  const requirePublic = (url: string | undefined): void => {
    const fault = url === undefined ? undefined : faultOfUrl(url, allowed);
    if (fault !== undefined) throw invalidRequest([{ field: 'url', message: fault }]);
  };

  /** The role that the contract declares for creating a webhook. A secret has permissions instead. */
  const requireManager = async (session: SignedIn | undefined): Promise<void> => {
    if (session === undefined) return;
    if (!(await isOpenTo(session, 'membersMayManageWebhooks', store))) throw roleNeeded('owner');
    if (!hasRecentPassword(session, clock())) throw passwordRequired();
  };

  const handlers: WebhookHandlers = {
    async createWebhook(call) {
      const { bot, body } = call;
      requirePublic(body.url);
      const createdAtMs = clock();
      const made = {
        id: nextId('webhook', createdAtMs),
        secret: makeWebhookSecret(),
        createdBy: makerOf(actorOf(call)),
      };
      const created = { ...body, ...made, createdAtMs };
      const context = contextOf(deps, call, { name: originOf(body.url) });
      const outcome = await store.createWebhook(bot.id, created, limits.webhooksPerBot, context);
      if (outcome.kind === 'missing') throw noSuchBot();
      if (outcome.kind === 'limit_reached') {
        throw new ApiError(
          'limit_reached',
          `This bot has reached the limit of ${limits.webhooksPerBot} webhooks. Delete one first.`,
        );
      }
      const data = { ...toAnswer(outcome.webhook), secret: created.secret };
      return { body: { data } };
    },

    async listWebhooks({ bot }) {
      return { body: { data: (await store.listWebhooks(bot.id)).map(toAnswer) } };
    },

    async retrieveWebhook({ bot, params }) {
      return { body: { data: toAnswer(await find(bot, params.webhookId)) } };
    },

    async updateWebhook(call) {
      const { bot, params, body } = call;
      requirePublic(body.url);
      const webhook = await find(bot, params.webhookId);
      if (body.url !== undefined && body.url !== webhook.url) await requireManager(call.session);
      const context = contextOf(deps, call, { name: originOf(body.url ?? webhook.url) });
      const changes = { ...body, changedBy: makerOf(actorOf(call)) };
      const updated = hasChanges(body) ? await store.updateWebhook(bot.id, webhook.id, changes, context) : webhook;
      if (updated === false) throw noSuchWebhook();
      return { body: { data: toAnswer(updated) } };
    },

    async deleteWebhook(call) {
      const { bot, params } = call;
      const { id, url } = await find(bot, params.webhookId);
      const isDeleted = await store.deleteWebhook(bot.id, id, contextOf(deps, call, { name: originOf(url) }));
      if (!isDeleted) throw noSuchWebhook();
      return {};
    },

    async rotateWebhookSecret(call) {
      const { bot, params } = call;
      const { id, url } = await find(bot, params.webhookId);
      const context = contextOf(deps, call, { name: originOf(url) });
      const secret = { text: makeWebhookSecret(), oldUntilMs: context.nowMs + limits.rotatedSecretMs };
      const changes = { secret, changedBy: makerOf(actorOf(call)) };
      const updated = await store.updateWebhook(bot.id, id, changes, context);
      if (updated === false) throw noSuchWebhook();
      return { body: { data: { ...toAnswer(updated), secret: secret.text } } };
    },

    async testWebhook(call) {
      const webhook = await find(call.bot, call.params.webhookId);
      const { organizationId } = call.bot;
      if (!sendSlots.take(organizationId)) throw unavailable('too many messages to your webhooks are in flight');
      const atMs = clock();
      const message = testMessage({ id: nextId('event', atMs), atMs, actor: eventActorOf(call) });
      const result = await send(webhook, message, stopping)
        .catch(() => {
          throw unavailable('the server is stopping');
        })
        .finally(() => sendSlots.giveBack(organizationId));
      const { statusCode, isPrivate, error, durationMs } = result;
      // A secret could otherwise be used to read what services of the private network answer.
      const response = isPrivate ? null : result.response;
      const status = isSuccess(result) ? 'succeeded' : 'failed';
      // The receiver works now, perhaps again: pending deliveries become due. If that fails, they are sent at their planned time.
      if (isSuccess(result))
        await store.makeDeliveriesDue(call.bot.id, webhook.id, contextAt(clock())).catch(() => false);
      return { body: { data: { status, statusCode, response, error, durationMs } } };
    },

    async listDeliveries({ bot, params, query, secret }) {
      const { before, status, limit } = query;
      const webhook = await find(bot, params.webhookId);
      const wanted = { before: before === undefined ? undefined : Number(before), status, limit: limit + 1 };
      // One more tells whether there is a next page.
      const deliveries = await store.listDeliveries(bot.id, webhook.id, wanted);
      const page = deliveries.slice(0, limit);
      const next = deliveries.length > limit ? String(page.at(-1)?.event.number) : null;
      return { body: { data: page.map((each) => toDeliveryAnswer(each, webhook, clock(), secret)), next } };
    },

    async retrieveDelivery({ bot, params, secret }) {
      const [delivery, webhook] = await findDelivery({ bot, params });
      const message = await buildMessage(bot.id, delivery.event);
      const { 'webhook-signature': _, ...headers } = headersOf(webhook, message, clock());
      const history = attemptsOf(delivery).map(({ atMs, ...attempt }) => ({ at: toTimestamp(atMs), ...attempt }));
      const request = { headers, body: readsContacts(secret) ? message.body : null };
      return { body: { data: { ...toDeliveryAnswer(delivery, webhook, clock(), secret), history, request } } };
    },

    async retryDelivery(call) {
      const [delivery, webhook] = await findDelivery(call, ({ id, url }) =>
        store.retryDelivery(call.bot.id, id, call.params.eventId, contextOf(deps, call, { name: originOf(url) })),
      );
      return { body: { data: toDeliveryAnswer(delivery, webhook, clock()) } };
    },

    async retryFailedDeliveries(call) {
      const { bot, params } = call;
      const { id, url } = await find(bot, params.webhookId);
      let count = 0;
      for (let hasMore = true; hasMore; ) {
        const retried = await store.retryFailed(bot.id, id, contextOf(deps, call, { name: originOf(url) }));
        if (retried === false) throw noSuchWebhook();
        count += retried.count;
        hasMore = retried.hasMore;
      }
      return { body: { data: { count } } };
    },

    async skipDelivery(call) {
      const [delivery, webhook] = await findDelivery(call, ({ id, url }) =>
        store.skipDelivery(call.bot.id, id, call.params.eventId, contextOf(deps, call, { name: originOf(url) })),
      );
      return { body: { data: toDeliveryAnswer(delivery, webhook, clock()) } };
    },

    async replayEvents(call) {
      const { bot, params, body, request } = call;
      const { id, url } = await find(bot, params.webhookId);
      const after = body.after === undefined ? undefined : numberIn(body.after, bot.id, await findFeed(store, bot.id));
      // Whether the events after the position are all kept shows only when some are read.
      const caller = { organizationId: bot.organizationId, signal: clientLeft(request) };
      const page = await store.readEvents(bot.id, { after, limit: 1 }, caller);
      if (page.kind === 'expired') throw expired(bot.id, page.feed);
      const replayed = await store.replayEvents(bot.id, id, after, contextOf(deps, call, { name: originOf(url) }));
      if (replayed === false) throw noSuchWebhook();
      return { body: { data: toAnswer(replayed) } };
    },
  };
  return forMembersToo(handlers);
}

function hasChanges(changes: WebhookChanges): boolean {
  return Object.values(changes).some((value) => value !== undefined);
}

function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : toTimestamp(ms);
}

function toAnswer(webhook: StoredWebhook): Webhook {
  const { id, url, types, description, isEnabled, disabledReason, failingSinceMs, createdAtMs } = webhook;
  const { createdBy, changedBy } = webhook;
  return {
    id,
    url,
    types,
    description,
    isEnabled,
    disabledReason,
    failingSince: timestampOrNull(failingSinceMs),
    createdAt: toTimestamp(createdAtMs),
    ...{ createdBy, changedBy },
  };
}

/** What receivers get and answer holds data of contacts. A member who sees webhooks may read these. */
function readsContacts(secret: SecretState | undefined): boolean {
  return secret?.permissions.includes('contacts:read') ?? true;
}

function toDeliveryAnswer(
  delivery: StoredDelivery,
  { isEnabled }: StoredWebhook,
  nowMs: number,
  secret?: SecretState,
): Delivery {
  const { event, status, attempts, createdAtMs, attemptedAtMs, isWaiting, statusCode, response, error } = delivery;
  const isPlanned = status === 'pending' && !isWaiting && isEnabled;
  return {
    eventId: event.id,
    type: event.type,
    contactId: event.contactId,
    eventAt: toTimestamp(event.atMs),
    status,
    attempts,
    createdAt: toTimestamp(createdAtMs),
    lastAttemptAt: timestampOrNull(attemptedAtMs),
    nextAttemptAt: isPlanned ? toTimestamp(nowMs + remainingWaitMs(delivery, nowMs)) : null,
    isWaiting,
    statusCode,
    response: readsContacts(secret) ? response : null,
    error,
  };
}
