// The part of the storage port that holds webhooks and how their deliveries go. The promises at the head of store.ts are made
// here too.
import type { DeliveryStatus, DisabledReason, EventType, WebhookMaker } from '@roster/contract';
import type { LimitReached } from '../account/account-store.ts';
import type { StoredEvent } from '../events/event-store.ts';
import type { WriteContext } from '../write-context.ts';

/*
 * A webhook has a position in the feed of its bot: each event up to it was sent, or has a delivery. One server at a time delivers
 * for a webhook: its owner, for as long as it renews its lease. What an owner writes is refused once another has taken over, so that
 * nothing is decided twice; what was sent and not written down yet is sent again.
 *
 * A pending delivery that has failed is deferred, with those of the same contact behind it: the first is tried when it is due,
 * and the next follows once it is done.
 *
 * A lease ends by the clock of the database alone, so the clocks of servers are never compared. In an engine that one process has
 * to itself, opening the store ends all leases, so they may last long.
 */
export interface WebhookStore {
  /** Oldest first. None when there is no such bot. */
  listWebhooks(botId: string): Promise<StoredWebhook[]>;
  /** Its position is the end of the feed. */
  createWebhook(
    botId: string,
    webhook: NewWebhook,
    max: number,
    context: WriteContext,
  ): Promise<{ kind: 'created'; webhook: StoredWebhook } | LimitReached | { kind: 'missing' }>;
  /**
   * What is left out keeps its value. Enabling one that is off forgets why, and since when it has failed, and makes what is
   * pending due. False when there is no such webhook.
   */
  updateWebhook(
    botId: string,
    webhookId: string,
    changes: WebhookChanges,
    context: WriteContext,
  ): Promise<StoredWebhook | false>;
  /** Its deliveries are removed later, by `purge`. False when there is no such webhook. */
  deleteWebhook(botId: string, webhookId: string, context: WriteContext): Promise<boolean>;
  /** Moves the position to the event of this number, or to the oldest that is kept. False when there is no such webhook. */
  replayEvents(
    botId: string,
    webhookId: string,
    after: number | undefined,
    context: WriteContext,
  ): Promise<StoredWebhook | false>;
  /** Newest first. */
  listDeliveries(botId: string, webhookId: string, wanted: WantedDeliveries): Promise<StoredDelivery[]>;
  /**
   * Makes it pending, without attempts. If the contact has older deferred deliveries, the first of those becomes due, else this one.
   * Raises the webhook's version. False when there is no such delivery.
   */
  retryDelivery(
    botId: string,
    webhookId: string,
    eventId: string,
    context: WriteContext,
  ): Promise<StoredDelivery | false>;
  /**
   * Makes up to two thousand failed deliveries pending, without attempts: of each contact the first becomes due unless an older one
   * is, and the others wait behind it. Raises the webhook's version. False when there is no such webhook.
   */
  retryFailed(
    botId: string,
    webhookId: string,
    context: WriteContext,
  ): Promise<{ count: number; hasMore: boolean } | false>;
  /**
   * Gives a pending or failed delivery up, so that the next of its contact follows. An attempt in flight counts only if it
   * succeeds. Raises the webhook's version. False, and nothing is written, when there is none that is pending or failed.
   */
  skipDelivery(
    botId: string,
    webhookId: string,
    eventId: string,
    context: WriteContext,
  ): Promise<StoredDelivery | false>;
  /**
   * Makes the deferred deliveries of up to two thousand contacts due, and raises the webhook's version. Those of other contacts become
   * due when the receiver accepts a message. False when there is no such webhook.
   */
  makeDeliveriesDue(botId: string, webhookId: string, context: WriteContext): Promise<boolean>;

  // For the processes that deliver.

  /** All bots that have webhooks, enabled or not. */
  listBotsWithWebhooks(): Promise<{ botId: string; organizationId: string }[]>;
  /** The enabled webhooks of these bots. Those of bots that cannot be asked now are left out. */
  listLeases(botIds: readonly string[]): Promise<LeasedWebhook[]>;
  leaseRules(): LeaseRules;
  /**
   * Makes this owner that of the enabled webhooks of these bots whose lease is over, and names them. It may leave out those that
   * somebody is changing: it waits for none of them, unless it is asked for a single bot.
   */
  takeWebhooks(botIds: readonly string[], lease: { owner: string; leaseMs: number }): Promise<TakenWebhook[]>;
  /** Renews the leases that these owners have of webhooks of these bots, and names the webhooks. Leaves out as `takeWebhooks` does. */
  renewLeases(botIds: readonly string[], owners: readonly string[], leaseMs: number): Promise<string[]>;
  /** Ends the lease. A no-op when the webhook is not this owner's. */
  releaseWebhook(botId: string, webhookId: string, owner: string): Promise<void>;
  /** With its pending deliveries of the lowest numbers, without deferred ones. Undefined when it is not this owner's, or is off. */
  findOwned(
    botId: string,
    webhookId: string,
    owner: string,
    pendingMax: number,
  ): Promise<{ webhook: StoredWebhook; pending: StoredDelivery[] } | undefined>;
  /** Of each contact the deferred delivery that comes first, the soonest due first; and when the oldest deferred event happened. */
  findDeferred(
    botId: string,
    webhookId: string,
    max: number,
  ): Promise<{ next: StoredDelivery[]; oldestMs: number | undefined }>;
  /**
   * Moves the position on, and makes a pending delivery of each of these events; one that there is already becomes pending
   * again, without attempts, as if it were new. Names the events that are deferred behind others of their contact. False, and
   * nothing is written, when the webhook is not this owner's any more, is off, or was changed since it had this version.
   */
  planDeliveries(
    botId: string,
    webhookId: string,
    plan: DeliveryPlan,
    context: WriteContext,
  ): Promise<{ deferred: number[] } | false>;
  /**
   * Also of a webhook that is off. Keeps no response about a contact that is not there any more. `hasMoreDue`: more deliveries are to
   * become due than one call does; another call does more. False, and nothing is written, when it is not this owner's any more, or
   * when the webhook was changed while the store found out whether it had written this already.
   */
  saveAttempts(
    botId: string,
    webhookId: string,
    results: DeliveryResults,
    context: WriteContext,
  ): Promise<{ hasMoreDue: boolean } | false>;
}

export interface NewWebhook {
  id: string;
  url: string;
  /** Null: all. */
  types: EventType[] | null;
  description: string;
  secret: string;
  createdAtMs: number;
  createdBy: WebhookMaker;
}

export interface StoredWebhook extends NewWebhook {
  isEnabled: boolean;
  disabledReason: DisabledReason | null;
  /** Null: the last attempt succeeded, or there was none. */
  failingSinceMs: number | null;
  /** Signs along until then. */
  oldSecret: string | null;
  oldSecretUntilMs: number | null;
  /** The number of the last event that was sent or has a delivery. */
  position: number;
  /** Raised by every change but those of its owner, also by a replay and a retried delivery. */
  version: number;
  changedBy: WebhookMaker;
}

export interface WebhookChanges {
  url?: string | undefined;
  types?: EventType[] | null | undefined;
  description?: string | undefined;
  isEnabled?: boolean | undefined;
  /** The secret from before becomes the old one. */
  secret?: { text: string; oldUntilMs: number } | undefined;
  changedBy?: WebhookMaker | undefined;
}

export interface LeasedWebhook {
  botId: string;
  webhookId: string;
  /** Undefined: its lease is over. */
  owner: string | undefined;
  version: number;
}

export interface LeaseRules {
  /** How long a lease should last. */
  leaseMs: number;
  /** A lease that has longer to go was given by a clock that has been set back since: it is over. */
  leaseMaxMs: number;
  /** For how many bots one call may take or renew leases, so that other writes do not wait long for it. */
  botsAtOnce: number;
}

export interface TakenWebhook {
  botId: string;
  webhookId: string;
}

export interface WantedDeliveries {
  /** Only those of events with lower numbers. */
  before?: number | undefined;
  status?: DeliveryStatus | undefined;
  /** Only the one of this event, whatever else is wanted. */
  eventId?: string | undefined;
  limit: number;
}

export interface StoredDelivery {
  event: StoredEvent;
  status: DeliveryStatus;
  attempts: number;
  createdAtMs: number;
  attemptedAtMs: number | null;
  /** Only while it is pending. */
  dueAtMs: number | null;
  /** Pending, behind an earlier event of its contact that is tried first. */
  isWaiting: boolean;
  statusCode: number | null;
  response: string | null;
  error: string | null;
  /** The attempts before the last one, oldest first. */
  earlier: readonly Attempted[];
}

export interface Attempted {
  atMs: number;
  statusCode: number | null;
  error: string | null;
}

export interface DeliveryPlan {
  owner: string;
  version: number;
  position: number;
  events: readonly StoredEvent[];
}

/** The state of a delivery after an attempt. */
export type DeliveryAttempt = Omit<StoredDelivery, 'event' | 'createdAtMs' | 'isWaiting'> & {
  number: number;
  wasDeferred: boolean;
};

export interface DeliveryResults {
  owner: string;
  attempts: readonly DeliveryAttempt[];
  failingSinceMs: number | null;
  /** Deferred deliveries that are due later than this become due then. */
  dueAtLatestMs?: number | undefined;
  /** Switches the webhook off. */
  disabledReason?: DisabledReason | undefined;
}
