// A fair queue: items are pending under a key (a search under its organization, a write under its bot) and are taken
// from each key in turn, so that a caller that floods delays itself alone. It sheds load past its limits. It knows
// nothing of what an item does.
import { StoreUnavailableError } from './store.ts';

export interface QueueItem {
  key: string;
  /** 1 for a search, the number of rows for a write. */
  cost: number;
  reject(error: unknown): void;
  /** Aborted when the caller no longer waits for an answer: the item is then never taken. */
  signal?: AbortSignal | undefined;
  /** Set when the item is added, unless it was queued before: its time goes on from there. */
  queuedAtMs?: number | undefined;
}

export interface QueueLimits {
  /** What is queued, for the texts of errors. */
  what: 'searches' | 'writes' | 'large requests' | 'database calls';
  /** The cost of all items, pending and in flight. */
  cost: number;
  /** The cost of the pending items of one key. Left out: that of all. */
  costPerKey?: number;
  /** A pending item is rejected after this time. Left out: never. */
  timeoutMs?: number;
}

/** Far fewer than the requests that a server accepts at once, so that everything else still gets in. */
export function searchLimitsOf(timeoutMs = 4000): QueueLimits {
  return { what: 'searches', cost: 4000, costPerKey: 1000, timeoutMs };
}

const sweepEveryMs = 250;

interface KeyQueue<Item> {
  items: Item[];
  cost: number;
}

export class FairQueue<Item extends QueueItem> {
  readonly #limits: Required<QueueLimits>;
  /** The key to be taken from next comes first. No key is without items. */
  #keys = new Map<string, KeyQueue<Item>>();
  #length = 0;
  #pendingCost = 0;
  #inFlightCost = 0;
  #rejected = 0;
  #sweepTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(limits: QueueLimits) {
    this.#limits = { costPerKey: limits.cost, timeoutMs: Number.POSITIVE_INFINITY, ...limits };
  }

  /** Pending items. */
  get length(): number {
    return this.#length;
  }

  /** Of pending items and those in flight. */
  get cost(): number {
    return this.#pendingCost + this.#inFlightCost;
  }

  /** Of items that were taken and are not done. */
  get inFlightCost(): number {
    return this.#inFlightCost;
  }

  /** How many items were rejected because of a limit. */
  get rejected(): number {
    return this.#rejected;
  }

  /** Rejects the item when it exceeds a limit. */
  add(item: Item): void {
    if (this.#isClosed) {
      item.reject(closedError());
      return;
    }
    const queue = this.#keys.get(item.key) ?? { items: [], cost: 0 };
    if (!this.#admit(queue.cost, item.cost)) {
      this.#shed(item, `too many ${this.#limits.what} are pending`);
      return;
    }
    item.queuedAtMs ??= performance.now();
    this.#keys.set(item.key, queue);
    queue.items.push(item);
    this.#count(queue, item, 1);
    this.#planSweep();
  }

  /**
   * One item from each key in turn, up to `items`, until they cost `cost` or more. Those that `where` leaves out stay, and so do
   * all of a key whose next one costs more than `costEach`.
   */
  take(max: { items: number; cost?: number; costEach?: number; where?: (item: Item) => boolean }): Item[] {
    const { items, cost = Number.POSITIVE_INFINITY, costEach = Number.POSITIVE_INFINITY, where } = max;
    const taken: Item[] = [];
    let takenCost = 0;
    for (const [key, queue] of this.#keys) {
      if (taken.length === items || takenCost >= cost) break;
      const position = where === undefined ? 0 : queue.items.findIndex(where);
      if (position === -1 || (queue.items[0]?.cost ?? 0) > costEach) continue;
      const item = this.#takeAt(queue, position);
      // Setting a key again moves it to the end of the map, where this loop comes to it once more.
      this.#keys.delete(key);
      if (queue.items.length > 0) this.#keys.set(key, queue);
      if (this.#rejectAborted(item)) continue;
      taken.push(item);
      takenCost += item.cost;
    }
    return taken;
  }

  /** Items of one key that together cost up to `costMax`, but one at least. */
  takeFrom(key: string, costMax: number): Item[] {
    const queue = this.#keys.get(key);
    if (queue === undefined) return [];
    const taken: Item[] = [];
    let takenCost = 0;
    for (let next = queue.items[0]; next !== undefined; next = queue.items[0]) {
      if (taken.length > 0 && takenCost + next.cost > costMax) break;
      const item = this.#takeAt(queue, 0);
      if (this.#rejectAborted(item)) continue;
      taken.push(item);
      takenCost += item.cost;
    }
    if (queue.items.length === 0) this.#keys.delete(key);
    return taken;
  }

  /** For items that were taken and not begun: they are the next to be taken, in the same order. */
  putBack(taken: readonly Item[]): void {
    for (const item of taken.toReversed()) {
      this.done(item);
      if (this.#isClosed) {
        item.reject(closedError());
        continue;
      }
      const queue = this.#keys.get(item.key) ?? { items: [], cost: 0 };
      queue.items.unshift(item);
      this.#count(queue, item, 1);
      this.#keys.delete(item.key);
      this.#keys = new Map([[item.key, queue], ...this.#keys]);
    }
    this.#planSweep();
  }

  /** To be called when an item that was taken has been answered, or moves on to another queue. */
  done({ cost }: Item): void {
    this.#inFlightCost -= cost;
  }

  /** Rejects all pending items, and all that come. */
  close(): void {
    this.#isClosed = true;
    for (const item of this.take({ items: this.#length })) {
      this.done(item);
      item.reject(closedError());
    }
  }

  /** To be called with 1 when an item has become a pending one, and with -1 when it is none any more. */
  #count(queue: KeyQueue<Item>, { cost }: Item, sign: 1 | -1): void {
    queue.cost += sign * cost;
    this.#pendingCost += sign * cost;
    this.#length += sign;
  }

  #takeAt(queue: KeyQueue<Item>, position: number): Item {
    // The first one is taken far more often, and faster so.
    const item = (position === 0 ? queue.items.shift() : queue.items.splice(position, 1)[0]) as Item;
    this.#count(queue, item, -1);
    this.#inFlightCost += item.cost;
    return item;
  }

  #rejectAborted(item: Item): boolean {
    if (item.signal?.aborted !== true) return false;
    this.done(item);
    item.reject(abortedError());
    return true;
  }

  /**
   * Whether an item fits. If there is no room, the newest items of the key with the highest cost are evicted, provided that this
   * key keeps at least as much as the item's own key gets, and that the item then fits. Items in flight cannot be evicted.
   */
  #admit(ownCost: number, cost: number): boolean {
    if (ownCost + cost > this.#limits.costPerKey) return false;
    const excess = this.cost + cost - this.#limits.cost;
    if (excess <= 0) return true;
    let longest: KeyQueue<Item> = { items: [], cost: 0 };
    for (const queue of this.#keys.values()) if (queue.cost > longest.cost) longest = queue;
    let [count, freed] = [0, 0];
    while (freed < excess && count < longest.items.length) freed += longest.items.at(-++count)?.cost ?? 0;
    if (freed < excess || longest.cost - freed < ownCost + cost) return false;
    for (const item of longest.items.splice(-count)) {
      this.#count(longest, item, -1);
      this.#shed(item, `too many ${this.#limits.what} are pending`);
    }
    return true;
  }

  #shed(item: Item, reason: string): void {
    this.#rejected++;
    item.reject(new StoreUnavailableError(reason));
  }

  #planSweep(): void {
    if (this.#length === 0 || this.#limits.timeoutMs === Number.POSITIVE_INFINITY) return;
    this.#sweepTimer ??= setTimeout(() => {
      this.#sweepTimer = undefined;
      this.#sweep();
      this.#planSweep();
    }, sweepEveryMs).unref();
  }

  /** Rejects items whose caller is gone, and those past their deadline. */
  #sweep(): void {
    const queuedBeforeMs = performance.now() - this.#limits.timeoutMs;
    for (const [key, queue] of this.#keys) {
      queue.items = queue.items.filter((item) => {
        if (item.signal?.aborted) item.reject(abortedError());
        else if ((item.queuedAtMs as number) <= queuedBeforeMs) this.#shed(item, `${this.#limits.what} take too long`);
        else return true;
        this.#count(queue, item, -1);
        return false;
      });
      if (queue.items.length === 0) this.#keys.delete(key);
    }
  }
}

function closedError(): StoreUnavailableError {
  return new StoreUnavailableError('the store is closed');
}

/** Rejecting settles the promise; the caller who aborted does not read the reason. */
function abortedError(): StoreUnavailableError {
  return new StoreUnavailableError('the caller has left');
}
