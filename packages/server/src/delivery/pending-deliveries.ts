// The deliveries of one webhook that are pending, in memory: at most one in flight for each contact, those of a contact in the order of
// their events. Of the deferred ones, which failed or come after one that did, it holds those that are due soonest. Times are of a
// clock that is never put back. Knows no store.
import type { StoredEvent } from '../store/events/event-store.ts';
import type { Attempted } from '../store/webhooks/webhook-store.ts';

export interface PendingDelivery {
  event: StoredEvent;
  /** Failed attempts. */
  attempts: number;
  /** Each of them, oldest first. */
  earlier: readonly Attempted[];
  dueAt: number;
  isDeferred: boolean;
}

/** Deferred deliveries in flight: half of what a webhook may have, so that contacts whose messages only fail leave slots to others. */
const deferredSideBySideMax = 5;

/** Events of the whole bot have one queue of their own. */
const keyOf = ({ contactId }: StoredEvent) => contactId ?? '';

export class PendingDeliveries {
  /** By contact, each in the order of numbers. The first may be in flight. */
  #queues = new Map<string, PendingDelivery[]>();
  readonly #inFlight = new Map<string, PendingDelivery>();
  /** Whether the deferred ones must be read again: the store has others that are due as soon, or will have once results are saved. */
  isStale = false;
  /** The deferred deliveries that are due before this time are in memory. Infinity: all of them. */
  #deferredUntil = Number.POSITIVE_INFINITY;
  #oldestDeferredMs: number | undefined;

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** How many are not deferred. */
  get freshCount(): number {
    return count(this, ({ isDeferred }) => !isDeferred);
  }

  /** Whether to read deferred ones: they have changed, or of those that were read none is left to send and the store has more. */
  get needsDeferred(): boolean {
    const areAllRead = this.#deferredUntil === Number.POSITIVE_INFINITY;
    return this.isStale || (!areAllRead && !count(this, (each) => each.isDeferred && !this.#isInFlight(each)));
  }

  /** When the oldest event happened. Undefined: none is pending. */
  get oldestMs(): number | undefined {
    let oldest = this.#oldestDeferredMs;
    for (const { event } of this) if (oldest === undefined || event.atMs < oldest) oldest = event.atMs;
    return oldest;
  }

  /** Only when none is in flight. */
  replace(deliveries: readonly PendingDelivery[]): void {
    this.#queues = new Map();
    for (const delivery of deliveries) this.add(delivery);
  }

  /**
   * Replaces all deferred deliveries but those in flight. `hasMore`: the store has others, which are due later. `oldestMs`: when the
   * oldest event of all of them happened.
   */
  replaceDeferred(deliveries: readonly PendingDelivery[], hasMore = false, oldestMs?: number): void {
    this.#deferredUntil = hasMore ? Math.max(...deliveries.map(({ dueAt }) => dueAt)) : Number.POSITIVE_INFINITY;
    this.#oldestDeferredMs = oldestMs;
    for (const [key, queue] of this.#queues) {
      const kept = queue.filter((delivery) => !delivery.isDeferred || this.#isInFlight(delivery));
      if (kept.length > 0) this.#queues.set(key, kept);
      else this.#queues.delete(key);
    }
    for (const delivery of deliveries) this.add(delivery);
  }

  /** Replaces a delivery of the same event, which is being sent again. One that is in flight stays. */
  add(delivery: PendingDelivery): void {
    const key = keyOf(delivery.event);
    const queue = this.#queues.get(key) ?? [];
    this.#queues.set(key, queue);
    const { number } = delivery.event;
    const at = queue.findLastIndex(({ event }) => event.number <= number);
    const isThere = queue[at]?.event.number === number;
    if (isThere && at === 0 && this.#inFlight.has(key)) return;
    // One that is in flight stays the first.
    const place = at === -1 && this.#inFlight.has(key) ? 1 : isThere ? at : at + 1;
    queue.splice(place, isThere ? 1 : 0, delivery);
  }

  /**
   * The oldest event that may be sent now, which is in flight from then on. While the receiver fails, deliveries that have not
   * failed yet come first: they show whether it rejects everything.
   */
  takeDue(now: number, isFailing: boolean): PendingDelivery | undefined {
    const deferredInFlight = count(this.#inFlight.values(), ({ isDeferred }) => isDeferred);
    let taken: PendingDelivery | undefined;
    for (const [key, [first]] of this.#queues) {
      if (first === undefined || first.dueAt > now || this.#inFlight.has(key)) continue;
      if (first.isDeferred && deferredInFlight >= deferredSideBySideMax) continue;
      const isOfOtherKind = taken !== undefined && taken.isDeferred !== first.isDeferred;
      const isOlder = taken === undefined || first.event.number < taken.event.number;
      if (isOfOtherKind ? first.isDeferred !== isFailing : isOlder) taken = first;
    }
    if (taken !== undefined) this.#inFlight.set(keyOf(taken.event), taken);
    return taken;
  }

  /** It was not sent after all. */
  putBack({ event }: PendingDelivery): void {
    this.#inFlight.delete(keyOf(event));
  }

  /** It failed: it and the later ones of its contact leave memory, and are read again as deferred. */
  defer({ event }: PendingDelivery, dueAt: number): void {
    const key = keyOf(event);
    this.#inFlight.delete(key);
    this.#queues.delete(key);
    if (dueAt <= this.#deferredUntil) this.isStale = true;
  }

  /** It was sent, or given up. */
  remove({ event, isDeferred }: PendingDelivery): void {
    const key = keyOf(event);
    this.#inFlight.delete(key);
    if (isDeferred) this.isStale = true;
    const queue = this.#queues.get(key) ?? [];
    if (queue[0]?.event.number !== event.number) return;
    queue.shift();
    if (queue.length === 0) this.#queues.delete(key);
  }

  /** When the next one that is not in flight is due. Infinity: none is. */
  nextDueAt(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const [key, [first]] of this.#queues) {
      if (first !== undefined && first.dueAt < next && !this.#inFlight.has(key)) next = first.dueAt;
    }
    return next;
  }

  *[Symbol.iterator](): Generator<PendingDelivery> {
    for (const queue of this.#queues.values()) yield* queue;
  }

  #isInFlight(delivery: PendingDelivery): boolean {
    return this.#inFlight.get(keyOf(delivery.event)) === delivery;
  }
}

function count(deliveries: Iterable<PendingDelivery>, isCounted: (delivery: PendingDelivery) => boolean): number {
  let counted = 0;
  for (const delivery of deliveries) if (isCounted(delivery)) counted++;
  return counted;
}
