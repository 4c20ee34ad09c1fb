// How the attempts of one webhook went: what follows for each delivery and for the webhook, and what is to be saved of it. Results are
// saved together: those that come while others are being saved are in the next save.
import type { DisabledReason } from '@roster/contract';
import type { Logger } from '../log.ts';
import type { AuditRecord } from '../store/account-store.ts';
import type { Store } from '../store/store.ts';
import type { DeliveryAttempt, StoredDelivery, StoredWebhook } from '../store/webhook-store.ts';
import type { DeliveryCounts } from './delivery-counts.ts';
import { FailingState, type Instant } from './failing-state.ts';
import type { FeedOf } from './feed-cursor.ts';
import type { PendingDeliveries, PendingDelivery } from './pending-deliveries.ts';
import { originOf } from './public-addresses.ts';
import { afterOutageMs, isPauseForAll, outageMinMs, retryDelayMs } from './schedule.ts';
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
  /** The entry of the audit log about a webhook that is switched off. */
  disablingRecord(of: FeedOf, origin: string): AuditRecord | undefined;
}

export class AttemptResults {
  readonly #deps: AttemptResultsDeps;
  readonly #of: FeedOf;
  readonly #failing = new FailingState();
  /** By number: of two attempts at a delivery the later one counts. */
  readonly #unsaved = new Map<number, DeliveryAttempt>();
  #dueAtLatestMs: number | undefined;
  #disabledReason: DisabledReason | undefined;
  #isOutageLogged = false;
  /** Until then, by the clock that is never put back, the receiver wants no messages at all. */
  pausedUntil = 0;

  constructor(of: FeedOf, deps: AttemptResultsDeps) {
    this.#of = of;
    this.#deps = deps;
  }

  get isFailing(): boolean {
    return this.#failing.isFailing;
  }

  /** The webhook is to be switched off, so that nothing more is to be sent. */
  get isDisabling(): boolean {
    return this.#disabledReason !== undefined;
  }

  get unsavedCount(): number {
    return this.#unsaved.size;
  }

  load(webhook: StoredWebhook, pending: readonly StoredDelivery[]): void {
    const failed = pending.filter((delivery) => hasFailedSince(delivery, webhook.failingSinceMs));
    const numbers = failed.map(({ event }) => event.number);
    this.#failing.load(webhook, numbers, this.#instant());
    // Whoever changed the webhook, or had something sent again, wants to see what happens.
    this.pausedUntil = 0;
  }

  note(webhook: StoredWebhook, pending: PendingDeliveries, delivery: PendingDelivery, result: SendResult): void {
    const { counts, retriesMs } = this.#deps;
    const instant = this.#instant();
    const { statusCode, isPrivate, error, retryAfterMs } = result;
    const response = isPrivate ? null : result.response;
    const { number } = delivery.event;
    const attempts = delivery.attempts + 1;
    const delayMs = isSuccess(result) ? undefined : retryDelayMs(retriesMs, attempts, retryAfterMs);
    const told = { number, attempts, attemptedAtMs: instant.nowMs, statusCode, response, error };
    if (delayMs !== undefined) {
      counts.attempts.failed++;
      this.#unsaved.set(number, { ...told, status: 'pending', dueAtMs: instant.nowMs + delayMs });
      pending.putBack(Object.assign(delivery, { attempts, dueAt: instant.now + delayMs }));
    } else {
      counts.attempts[isSuccess(result) ? 'succeeded' : 'given_up']++;
      this.#unsaved.set(number, { ...told, status: isSuccess(result) ? 'succeeded' : 'failed', dueAtMs: null });
      pending.remove(delivery);
    }
    if (isSuccess(result)) this.#noteSuccess(webhook, pending, instant);
    else this.#noteFailure(webhook, number, result, instant);
  }

  #noteSuccess({ url }: StoredWebhook, pending: PendingDeliveries, { now, nowMs }: Instant): void {
    if (this.#failing.noteSuccess(pending.failedNumbers(), now)) {
      pending.bringForward(now + afterOutageMs);
      this.#dueAtLatestMs = nowMs + afterOutageMs;
    }
    if (!this.#isOutageLogged) return;
    this.#isOutageLogged = false;
    this.#deps.logger.info({ webhookId: this.#of.webhookId, origin: originOf(url) }, 'a webhook works again');
  }

  #noteFailure({ url }: StoredWebhook, number: number, result: SendResult, instant: Instant): void {
    const { statusCode, error, retryAfterMs } = result;
    this.#failing.noteFailure(number, instant);
    if (statusCode === 410) this.#disabledReason = 'gone';
    else if (this.#failing.hasFailedTooLong(instant.now)) this.#disabledReason = 'failing';
    if (isPauseForAll(statusCode)) this.pausedUntil = Math.max(this.pausedUntil, instant.now + (retryAfterMs ?? 0));
    if (this.#isOutageLogged || this.#failing.forMs(instant.now) < outageMinMs) return;
    this.#isOutageLogged = true;
    const { webhookId } = this.#of;
    this.#deps.logger.warn({ webhookId, origin: originOf(url), statusCode, reason: error }, 'a webhook keeps failing');
  }

  /** `lost`: the webhook is not ours any more. `changed`: it was switched off, by us or others, or changed by others. */
  async save(webhook: StoredWebhook): Promise<'saved' | 'lost' | 'changed'> {
    const { store, disablingRecord } = this.#deps;
    const { botId, webhookId, owner } = this.#of;
    const wantedReason = this.#disabledReason;
    const reason = wantedReason && (await this.#isUnchanged(webhook)) ? wantedReason : undefined;
    const attempts = [...this.#unsaved.values()];
    const dueAtLatestMs = this.#dueAtLatestMs;
    const failingSinceMs = this.#failing.sinceMs(this.#instant());
    const results = { owner, attempts, failingSinceMs, dueAtLatestMs, disabledReason: reason };
    const audit = reason && disablingRecord(this.#of, originOf(webhook.url));
    if (!(await store.saveAttempts(botId, webhookId, results, audit))) return 'lost';
    for (const attempt of attempts) {
      if (this.#unsaved.get(attempt.number) === attempt) this.#unsaved.delete(attempt.number);
    }
    if (this.#dueAtLatestMs === dueAtLatestMs) this.#dueAtLatestMs = undefined;
    if (wantedReason === undefined) return 'saved';
    this.#disabledReason = undefined;
    if (reason !== undefined) this.#noteDisabled(webhook, reason);
    return 'changed';
  }

  /** Otherwise it is not switched off: the message went to another address, or the save before was lost on its way to us. */
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
