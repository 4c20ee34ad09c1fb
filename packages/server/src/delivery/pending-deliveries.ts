// The deliveries of one webhook that are pending, in memory: at most one in flight for each contact, those of a contact in the order of
// their events. Times are of a clock that is never put back. Knows no store.
import type { StoredEvent } from '../store/event-store.ts';

export interface PendingDelivery {
  event: StoredEvent;
  /** Those that failed. */
  attempts: number;
  dueAt: number;
}

/** Events of the whole bot are in one order, too. */
const keyOf = ({ contactId }: StoredEvent) => contactId ?? '';

export class PendingDeliveries {
  /** By contact, each in the order of numbers. The first may be in flight. */
  #queues = new Map<string, PendingDelivery[]>();
  readonly #inFlight = new Set<string>();
  size = 0;

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Only when none is in flight. */
  replace(deliveries: readonly PendingDelivery[]): void {
    this.#queues = new Map();
    this.size = 0;
    for (const delivery of deliveries) this.add(delivery);
  }

  /** One with the same number makes room for it, since the same event is sent again, unless that is in flight already. */
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
    if (!isThere) this.size++;
  }

  /** The oldest event that may be sent now, which is in flight from then on. */
  takeDue(now: number): PendingDelivery | undefined {
    let oldest: PendingDelivery | undefined;
    for (const [key, [first]] of this.#queues) {
      if (first === undefined || first.dueAt > now || this.#inFlight.has(key)) continue;
      if (oldest === undefined || first.event.number < oldest.event.number) oldest = first;
    }
    if (oldest !== undefined) this.#inFlight.add(keyOf(oldest.event));
    return oldest;
  }

  /** It was not sent after all, or failed and stays pending. */
  putBack({ event }: PendingDelivery): void {
    this.#inFlight.delete(keyOf(event));
  }

  /** It was sent, or given up. */
  remove({ event }: PendingDelivery): void {
    const key = keyOf(event);
    this.#inFlight.delete(key);
    const queue = this.#queues.get(key) ?? [];
    if (queue[0]?.event.number !== event.number) return;
    queue.shift();
    this.size--;
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

  /** Makes all that are due later due at this time. */
  bringForward(dueAt: number): void {
    for (const queue of this.#queues.values()) {
      for (const delivery of queue) delivery.dueAt = Math.min(delivery.dueAt, dueAt);
    }
  }

  /** Numbers of those that have failed. */
  failedNumbers(): number[] {
    return [...this].filter(({ attempts }) => attempts > 0).map(({ event }) => event.number);
  }

  *[Symbol.iterator](): Generator<PendingDelivery> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}
