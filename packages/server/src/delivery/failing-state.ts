// Whether and since when nothing but failures comes back from a receiver, and what follows from the success that ends it. Time passes by
// a clock that is never put back (`now`); the clock of the machine (`nowMs`) is only for what is stored.
import type { StoredWebhook } from '../store/webhooks/webhook-store.ts';
import { hasFailedTooLong, outageFailuresMin, outageMinMs } from './schedule.ts';

/** A stored time that differs by more was stored before the machine's clock was changed, and is corrected. */
const clockToleranceMs = 60_000;

export interface Instant {
  now: number;
  nowMs: number;
}

export class FailingState {
  #since: number | undefined;
  #sinceMs: number | null = null;
  /** Failed attempts since the receiver began to fail. After a load, only those of deliveries that are still pending are counted. */
  #failures = 0;
  /** When deliveries were last made of new events. */
  #plannedAt = Number.NEGATIVE_INFINITY;

  get isFailing(): boolean {
    return this.#since !== undefined;
  }

  forMs(now: number): number {
    return this.#since === undefined ? 0 : now - this.#since;
  }

  /** From what is stored. `failures`: how many pending deliveries have failed since `failingSinceMs`. */
  load({ failingSinceMs }: Pick<StoredWebhook, 'failingSinceMs'>, failures: number, { now, nowMs }: Instant): void {
    // Unchanged, so this process measured the time itself; computing it again would depend on the machine's clock.
    if (failingSinceMs === this.#sinceMs) return;
    this.#sinceMs = failingSinceMs;
    this.#since = failingSinceMs === null ? undefined : now - Math.max(0, nowMs - failingSinceMs);
    this.#failures = failures;
  }

  /** Ignores the retry of a delivery while others succeed: the receiver rejects that message and has no outage. */
  noteFailure(isRetry: boolean, { now, nowMs }: Instant): void {
    if (this.#since === undefined) {
      if (isRetry) return;
      this.#since = now;
      this.#sinceMs = nowMs;
      this.#failures = 0;
    }
    this.#failures++;
  }

  /** Returns whether it ends an outage. */
  noteSuccess(now: number): boolean {
    const endsOutage = this.#isOutage(now);
    this.#since = undefined;
    this.#sinceMs = null;
    return endsOutage;
  }

  notePlanned(now: number): void {
    this.#plannedAt = now;
  }

  /**
   * In an outage new events stay in the feed. Each time that its length has doubled some are tried all the same: the receiver may
   * reject only the older ones.
   */
  mayPlan(now: number): boolean {
    return !this.#isOutage(now) || this.forMs(now) >= 2 * this.forMs(this.#plannedAt);
  }

  hasFailedTooLong(now: number): boolean {
    return hasFailedTooLong(this.forMs(now), this.#failures);
  }

  /** The time to store: that of the first failure by the clock as it is now. */
  sinceMs({ now, nowMs }: Instant): number | null {
    if (this.#since === undefined || this.#sinceMs === null) return null;
    const sinceMs = nowMs - Math.round(now - this.#since);
    if (Math.abs(sinceMs - this.#sinceMs) > clockToleranceMs) this.#sinceMs = sinceMs;
    return this.#sinceMs;
  }

  #isOutage(now: number): boolean {
    return this.isFailing && (this.forMs(now) >= outageMinMs || this.#failures >= outageFailuresMin);
  }
}
