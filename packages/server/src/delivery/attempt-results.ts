// How the attempts of one webhook went: what follows for each delivery and for the webhook, and what is to be saved of it. Results are
// saved together: those that come while others are being saved are in the next save.
import type { DisabledReason } from '@roster/contract';
import type { Logger } from '../log.ts';
import { originOf } from '../network/public-addresses.ts';
import type { StoredEvent } from '../store/events/event-store.ts';
import type { Store } from '../store/store.ts';
import type { DeliveryAttempt, StoredDelivery, StoredWebhook } from '../store/webhooks/webhook-store.ts';
import { contextAt, type WriteContext } from '../store/write-context.ts';
import type { DeliveryCounts } from './delivery-counts.ts';
import { FailingState, type Instant } from './failing-state.ts';
import type { FeedOf } from './feed-cursor.ts';
import type { PendingDeliveries, PendingDelivery } from './pending-deliveries.ts';
import { isPauseForAll, outageMinMs, retryDelayMs } from './schedule.ts';
import { isSuccess, type SendResult } from './send.ts';

export interface AttemptResultsDeps {
  store: Pick<Store, 'findOwned' | 'saveAttempts'>;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** A clock that is never put back, in milliseconds. */
  monotonic: () => number;
  logger: Pick<Logger, 'info' | 'warn'>;
  retriesMs: readonly number[];
  counts: DeliveryCounts;
  /** Of a write that switches a webhook off, which is in the audit log. */
  disablingContext(of: FeedOf, origin: string): WriteContext;
}

export class AttemptResults {
  readonly #deps: AttemptResultsDeps;
  readonly #of: FeedOf;
  readonly failing = new FailingState();
  /** By the event's number. A later attempt at the same delivery replaces the one before. */
  readonly unsaved = new Map<number, { event: StoredEvent; attempt: DeliveryAttempt }>();
  /** When the next save must make deferred deliveries due, since the receiver accepts messages again. */
  #dueAtLatestMs: number | undefined;
  #version: number | undefined;
  /** Somebody has changed the webhook or retried a delivery: after the next success, all deferred deliveries are sent at once. */
  #isChanged = false;
  #disabledReason: DisabledReason | undefined;
  #isOutageLogged = false;
  /** By the monotonic clock. Until then nothing is sent: the receiver answered that all messages should wait. */
  pausedUntil = 0;

  constructor(of: FeedOf, deps: AttemptResultsDeps) {
    this.#of = of;
    this.#deps = deps;
  }

  /** The webhook is to be switched off, so that nothing more is to be sent. */
  get isDisabling(): boolean {
    return this.#disabledReason !== undefined;
  }

  get hasUnsaved(): boolean {
    return this.unsaved.size > 0 || this.#dueAtLatestMs !== undefined;
  }

  load(webhook: StoredWebhook, deferred: readonly StoredDelivery[]): void {
    const failed = deferred.filter((delivery) => hasFailedSince(delivery, webhook.failingSinceMs));
    this.failing.load(webhook, failed.length, this.#instant());
    this.#isChanged ||= this.#version !== undefined && this.#version < webhook.version;
    this.#version = webhook.version;
    // Whoever changed the webhook or retried a delivery expects an attempt now.
    this.pausedUntil = 0;
  }

  note(webhook: StoredWebhook, pending: PendingDeliveries, delivery: PendingDelivery, result: SendResult): void {
    const { counts, retriesMs } = this.#deps;
    const instant = this.#instant();
    const { event } = delivery;
    const { number } = event;
    const attempts = delivery.attempts + 1;
    const delayMs = isSuccess(result) ? undefined : retryDelayMs(retriesMs, attempts, result.retryAfterMs);
    const { statusCode, error } = result;
    // The answer to an accepted message is of no use, and may repeat the contact's data.
    const response = isSuccess(result) || result.isPrivate ? null : result.response;
    const outcome = {
      number,
      attempts,
      attemptedAtMs: instant.nowMs,
      statusCode,
      response,
      error,
      earlier: delivery.earlier,
    };
    const keep = (state: Pick<DeliveryAttempt, 'status' | 'dueAtMs'>) =>
      this.unsaved.set(number, { event, attempt: { ...outcome, ...state, wasDeferred: delivery.isDeferred } });
    if (delayMs !== undefined) {
      counts.attempts.failed++;
      keep({ status: 'pending', dueAtMs: instant.nowMs + delayMs });
      pending.defer(delivery, instant.now + delayMs);
    } else {
      counts.attempts[isSuccess(result) ? 'succeeded' : 'given_up']++;
      keep({ status: isSuccess(result) ? 'succeeded' : 'failed', dueAtMs: null });
      pending.remove(delivery);
    }
    if (isSuccess(result)) this.#noteSuccess(webhook, pending, instant);
    else this.#noteFailure(webhook, delivery, result, instant);
  }

  #noteSuccess({ url }: StoredWebhook, pending: PendingDeliveries, { now, nowMs }: Instant): void {
    if (this.failing.noteSuccess(now) || this.#isChanged) {
      this.#isChanged = false;
      this.#dueAtLatestMs = nowMs;
      pending.isStale = true;
    }
    if (!this.#isOutageLogged) return;
    this.#isOutageLogged = false;
    this.#deps.logger.info({ webhookId: this.#of.webhookId, origin: originOf(url) }, 'a webhook works again');
  }

  #noteFailure({ url }: StoredWebhook, { attempts }: PendingDelivery, result: SendResult, instant: Instant): void {
    const { statusCode, error, retryAfterMs } = result;
    this.failing.noteFailure(attempts > 0, instant);
    if (statusCode === 410) this.#disabledReason = 'gone';
    else if (this.failing.hasFailedTooLong(instant.now)) this.#disabledReason = 'failing';
    if (isPauseForAll(statusCode)) this.pausedUntil = Math.max(this.pausedUntil, instant.now + (retryAfterMs ?? 0));
    if (this.#isOutageLogged || this.failing.forMs(instant.now) < outageMinMs) return;
    this.#isOutageLogged = true;
    const { webhookId } = this.#of;
    this.#deps.logger.warn({ webhookId, origin: originOf(url), statusCode, reason: error }, 'a webhook keeps failing');
  }

  /** `lost`: the webhook is not ours any more. `changed`: it was switched off, by us or others, or changed by others. */
  async save(webhook: StoredWebhook): Promise<'saved' | 'lost' | 'changed'> {
    const { store, clock, disablingContext } = this.#deps;
    const { botId, webhookId, owner } = this.#of;
    const wantedReason = this.#disabledReason;
    const reason = wantedReason && (await this.#isUnchanged(webhook)) ? wantedReason : undefined;
    const saved = [...this.unsaved.values()];
    const attempts = saved.map(({ attempt }) => attempt);
    const dueAtLatestMs = this.#dueAtLatestMs;
    const failingSinceMs = this.failing.sinceMs(this.#instant());
    const results = { owner, attempts, failingSinceMs, dueAtLatestMs, disabledReason: reason };
    const context = reason ? disablingContext(this.#of, originOf(webhook.url)) : contextAt(clock());
    const done = await store.saveAttempts(botId, webhookId, results, context);
    if (done === false) return 'lost';
    for (const each of saved) {
      const { number } = each.attempt;
      if (this.unsaved.get(number) === each) this.unsaved.delete(number);
    }
    if (!done.hasMoreDue && this.#dueAtLatestMs === dueAtLatestMs) this.#dueAtLatestMs = undefined;
    if (wantedReason === undefined) return 'saved';
    this.#disabledReason = undefined;
    if (reason !== undefined) this.#noteDisabled(webhook, reason);
    return 'changed';
  }

  /**
   * Whether nobody has changed the webhook since it was loaded. After a change it is not switched off: the failures may be those of
   * its old address.
   */
  async #isUnchanged({ version }: StoredWebhook): Promise<boolean> {
    const { botId, webhookId, owner } = this.#of;
    const current = await this.#deps.store.findOwned(botId, webhookId, owner, 0);
    return current?.webhook.version === version;
  }

  #noteDisabled({ url }: StoredWebhook, reason: DisabledReason): void {
    const { counts, logger } = this.#deps;
    const { webhookId } = this.#of;
    counts.disabled[reason]++;
    logger.warn({ webhookId, origin: originOf(url), reason }, 'a webhook was switched off');
  }

  #instant(): Instant {
    return { now: this.#deps.monotonic(), nowMs: this.#deps.clock() };
  }
}

function hasFailedSince({ attempts, attemptedAtMs }: StoredDelivery, sinceMs: number | null): boolean {
  return attempts > 0 && sinceMs !== null && (attemptedAtMs ?? 0) >= sinceMs;
}
