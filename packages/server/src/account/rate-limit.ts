// Counts attempts per key in windows of one minute, in the memory of this process. Says nothing about what follows.

const windowMs = 60_000;
/** Beyond this many keys in a window the others share one count: memory stays bounded whoever calls. */
const keysMax = 100_000;

/** Where a key stands in its window, after the attempt that was counted last. */
export interface RateState {
  /** Name of the limit. */
  name: string;
  perWindow: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
  isExceeded: boolean;
}

export class RateLimit {
  readonly #name: string;
  readonly #perMinute: number;
  #counts = new Map<string, number>();
  #windowStartMs = 0;

  constructor(name: string, perMinute: number) {
    this.#name = name;
    this.#perMinute = perMinute;
  }

  take(key: string, nowMs: number): RateState {
    // A clock that went back starts a new window, or the old one might last for ever.
    if (nowMs >= this.#windowStartMs + windowMs || nowMs < this.#windowStartMs) {
      this.#windowStartMs = nowMs;
      this.#counts.clear();
    }
    const counted = this.#counts.has(key) || this.#counts.size < keysMax ? key : '';
    const count = (this.#counts.get(counted) ?? 0) + 1;
    this.#counts.set(counted, count);
    return {
      name: this.#name,
      perWindow: this.#perMinute,
      windowSeconds: windowMs / 1000,
      remaining: Math.max(0, this.#perMinute - count),
      resetSeconds: Math.ceil((this.#windowStartMs + windowMs - nowMs) / 1000),
      isExceeded: count > this.#perMinute,
    };
  }
}
