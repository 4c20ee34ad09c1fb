// Counts requests per key in windows of one minute, and says so in the answer's headers. Kept per process.
import { isIPv6 } from 'node:net';
import { ApiError } from './api-error.ts';

const windowMs = 60_000;
/** Beyond so many keys in a window the others share one count: memory stays bounded whoever calls. */
const keysMax = 100_000;

export class RateLimit {
  readonly #name: string;
  readonly #perMinute: number;
  #counts = new Map<string, number>();
  #windowStartMs = 0;

  constructor(name: string, perMinute: number) {
    this.#name = name;
    this.#perMinute = perMinute;
  }

  /** Counts one request. Returns the headers to answer with, or throws `rate_limited` when there were too many. */
  take(key: string, nowMs: number): Record<string, string> {
    // A clock that went back starts a new window, or the old one might last for ever.
    if (nowMs >= this.#windowStartMs + windowMs || nowMs < this.#windowStartMs) {
      this.#windowStartMs = nowMs;
      this.#counts.clear();
    }
    const counted = this.#counts.has(key) || this.#counts.size < keysMax ? key : '';
    const count = (this.#counts.get(counted) ?? 0) + 1;
    this.#counts.set(counted, count);

    const resetSeconds = Math.ceil((this.#windowStartMs + windowMs - nowMs) / 1000);
    const remaining = Math.max(0, this.#perMinute - count);
    const headers = {
      'ratelimit-policy': `"${this.#name}";q=${this.#perMinute};w=${windowMs / 1000}`,
      ratelimit: `"${this.#name}";r=${remaining};t=${resetSeconds}`,
    };
    if (count <= this.#perMinute) return headers;
    throw new ApiError('rate_limited', `Too many requests. Try again in ${resetSeconds} seconds.`, {
      headers: { ...headers, 'retry-after': String(resetSeconds) },
    });
  }

  /** Takes back what `take` counted: for limits on what fails, of which nobody knows before it was tried. */
  giveBack(key: string): void {
    const counted = this.#counts.has(key) ? key : '';
    const count = this.#counts.get(counted);
    if (count !== undefined) this.#counts.set(counted, count - 1);
  }
}

/** What counts as one address: an IPv4 address, or the /64 of an IPv6 one, which is what one subscriber gets. */
export function addressKey(address: string): string {
  if (!isIPv6(address)) return address;
  // The URL parser writes every spelling of an address in one way.
  const plain = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (!isMapped) return groups.slice(0, 4).join(':');
  const bytes = groups.slice(6).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return bytes.join('.');
}
