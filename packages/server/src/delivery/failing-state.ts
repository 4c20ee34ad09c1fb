// Whether and since when nothing but failures comes back from a receiver, and what follows from the success that ends it. Time passes by
// a clock that is never put back (`now`); the clock of the machine (`nowMs`) is only for what is stored.
import type { StoredWebhook } from '../store/webhook-store.ts';
import { hasFailedTooLong, outageMinMs } from './schedule.ts';

/** A stored time that is off by more than this was stored under another clock, and is written anew. */
const clockToleranceMs = 60_000;

export interface Instant {
  now: number;
  nowMs: number;
}

export class FailingState {
  #since: number | undefined;
  #sinceMs: number | null = null;
  /** Failed attempts since then, as far as they are known. */
  #failures = 0;
  /** Numbers of the deliveries that failed since then. */
  #failed = new Set<number>();
  /** Numbers of those that were pending when an outage ended, and were tried then. */
  #triedAfterOutage = new Set<number>();

  get isFailing(): boolean {
    return this.#since !== undefined;
  }

  forMs(now: number): number {
    return this.#since === undefined ? 0 : now - this.#since;
  }

  /** From what is stored. `failed` are the pending deliveries whose last attempt was since then. */
  load(
    { failingSinceMs }: Pick<StoredWebhook, 'failingSinceMs'>,
    failed: readonly number[],
    { now, nowMs }: Instant,
  ): void {
    // What this process has seen itself is not judged anew by a clock that may have been changed.
    if (failingSinceMs === this.#sinceMs) return;
    this.#sinceMs = failingSinceMs;
    this.#since = failingSinceMs === null ? undefined : now - Math.max(0, nowMs - failingSinceMs);
    this.#failures = failed.length;
    this.#failed = new Set(failed);
  }

  noteFailure(number: number, { now, nowMs }: Instant): void {
    if (this.#since === undefined) {
      this.#since = now;
      this.#sinceMs = nowMs;
      this.#failures = 0;
    }
    this.#failures++;
    this.#failed.add(number);
  }

  /**
   * True when it ends an outage, and what is pending is to be tried soon. A delivery that always fails beside others that succeed
   * makes no outage: once it was tried after one, its failures alone are none.
   */
  noteSuccess(pending: readonly number[], now: number): boolean {
    const isOther = (number: number) => !this.#triedAfterOutage.has(number);
    const endsOutage = this.forMs(now) >= outageMinMs && [...this.#failed].some(isOther);
    if (endsOutage) this.#triedAfterOutage = new Set(pending);
    this.#since = undefined;
    this.#sinceMs = null;
    this.#failed.clear();
    return endsOutage;
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
}
