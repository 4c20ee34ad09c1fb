// The webhooks of the bot: where its events are sent to, and how each delivery went.
import { operations } from './operations.ts';
import type { RequestOptions, Result, Transport } from './transport.ts';
import type {
  Delivery,
  DeliveryDetail,
  DeliveryList,
  NewWebhook,
  Webhook,
  WebhookChanges,
  WebhookCreate,
  WebhookTest,
} from './webhook-types.ts';

export interface DeliveriesResult extends Result<Delivery[]> {
  /** `before` of the next page; `null` on the last page. */
  next: string | null;
}

export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Events from now on are sent to it. The result has the secret that signs the messages, this once. */
  async create(webhook: WebhookCreate, options?: RequestOptions): Promise<Result<NewWebhook>> {
    return this.#transport.resultOf({ operation: operations.createWebhook, body: webhook }, options);
  }

  /** All of them, oldest first. */
  async list(options?: RequestOptions): Promise<Result<Webhook[]>> {
    return this.#transport.resultOf({ operation: operations.listWebhooks }, options);
  }

  /** Rejects with `NotFoundError` when there is no such webhook, as all methods that take an id. */
  async retrieve(webhookId: string, options?: RequestOptions): Promise<Result<Webhook>> {
    return this.#transport.resultOf({ operation: operations.retrieveWebhook, path: { webhookId } }, options);
  }

  async update(webhookId: string, changes: WebhookChanges, options?: RequestOptions): Promise<Result<Webhook>> {
    const call = { operation: operations.updateWebhook, path: { webhookId }, body: changes };
    return this.#transport.resultOf(call, options);
  }

  /** What is pending is not sent any more. */
  async delete(webhookId: string, options?: RequestOptions): Promise<Result<null>> {
    return this.#transport.resultOf({ operation: operations.deleteWebhook, path: { webhookId } }, options);
  }

  /** Replaces the secret. The result has the new one, this once. Messages are signed with both for 24 hours. */
  async rotate(webhookId: string, options?: RequestOptions): Promise<Result<NewWebhook>> {
    return this.#transport.resultOf({ operation: operations.rotateWebhookSecret, path: { webhookId } }, options);
  }

  /** Sends a message of type `webhook.test` once, also if the webhook is off, and resolves with how that went. */
  async test(webhookId: string, options?: RequestOptions): Promise<Result<WebhookTest>> {
    return this.#transport.resultOf({ operation: operations.testWebhook, path: { webhookId } }, options);
  }

  /** One page of the deliveries of the last 30 days, newest first. */
  async deliveries(webhookId: string, list: DeliveryList = {}, options?: RequestOptions): Promise<DeliveriesResult> {
    const call = { operation: operations.listDeliveries, path: { webhookId }, query: { ...list } };
    const { status, body } = await this.#transport.call<Omit<DeliveriesResult, 'status'>>(call, options);
    return { status, data: body.data, next: body.next };
  }

  /** With its attempts, and the request as it would be sent now. */
  async delivery(webhookId: string, eventId: string, options?: RequestOptions): Promise<Result<DeliveryDetail>> {
    return this.#transport.resultOf({ operation: operations.retrieveDelivery, path: { webhookId, eventId } }, options);
  }

  /** Sends an event again: now, and as often as a new one if it fails. */
  async retry(webhookId: string, eventId: string, options?: RequestOptions): Promise<Result<Delivery>> {
    return this.#transport.resultOf({ operation: operations.retryDelivery, path: { webhookId, eventId } }, options);
  }

  /** Sends all events again whose deliveries were given up. */
  async retryFailed(webhookId: string, options?: RequestOptions): Promise<Result<{ count: number }>> {
    return this.#transport.resultOf({ operation: operations.retryFailedDeliveries, path: { webhookId } }, options);
  }

  /** Gives a delivery up, so that later events of its contact follow. One that succeeded stays as it is. */
  async skip(webhookId: string, eventId: string, options?: RequestOptions): Promise<Result<Delivery>> {
    return this.#transport.resultOf({ operation: operations.skipDelivery, path: { webhookId, eventId } }, options);
  }

  /**
   * Sends all events after a position of the feed again; without one, all that are kept. Rejects with
   * `EventsExpiredError` when the position is not kept any more.
   */
  async replay(
    webhookId: string,
    from: { after?: string | undefined } = {},
    options?: RequestOptions,
  ): Promise<Result<Webhook>> {
    return this.#transport.resultOf({ operation: operations.replayEvents, path: { webhookId }, body: from }, options);
  }
}
