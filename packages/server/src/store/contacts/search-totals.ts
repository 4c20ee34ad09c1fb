// Totals of searches that many contacts match and that are slow to count, kept in this process for a few seconds. All others are
// counted each time, in the snapshot of their page. Knows no engine.
import { hash } from 'node:crypto';
import type { Search } from '../store.ts';

/** From the beginning of the count. */
const keptMs = 10_000;
const keptPerBotMax = 32;
/** Of all bots. While so many are recent, no further one is kept. */
const keptMax = 4096;

/** A page of contacts, the total, and how long it took to count them; 0 where nothing was counted. */
export interface CountedPage<Row> {
  rows: Row[];
  total: number;
  tookMs: number;
}

/** Reads the page, and counts unless the total is known, both in one snapshot. */
export type RunSearch<Row> = (knownTotal: number | undefined) => Promise<CountedPage<Row>>;

interface KeptTotal {
  botId: string;
  total: number;
  atMs: number;
}

export interface SlowCount {
  /** Up to so many contacts the total is that of the page's snapshot, however slow the count is. */
  exactMax: number;
  /** A count that took no longer is made anew each time. */
  quickMs: number;
}

/** What the API promises. */
const slowCount: SlowCount = { exactMax: 10_000, quickMs: 20 };

export class SearchTotals {
  readonly #now: () => number;
  readonly #slow: SlowCount;
  /** By what is searched for; the oldest first. */
  readonly #kept = new Map<string, KeptTotal>();
  /** Resolves with what was counted, or with undefined if it failed. */
  readonly #counting = new Map<string, Promise<{ sharedTotal: number | undefined } | undefined>>();

  constructor(now: () => number = () => performance.now(), slow = slowCount) {
    this.#now = now;
    this.#slow = slow;
  }

  /** Those who ask at once for the same share one slow count. A search that `isFresh` counts now, whatever is kept. */
  async find<Row>(botId: string, search: Search, run: RunSearch<Row>): Promise<CountedPage<Row>> {
    const key = keyOf(botId, search);
    // Every engine keeps the count of a bot.
    if (key === undefined) return run(undefined);
    if (search.isFresh) return this.#count(botId, key, run);
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#isRecent(kept)) return withTotal(kept.total, search, run);
    const counting = this.#counting.get(key);
    if (counting === undefined) return this.#count(botId, key, run);
    const counted = await counting;
    // Of all those that waited, one counts next.
    if (counted === undefined) return this.find(botId, search, run);
    const { sharedTotal } = counted;
    return sharedTotal === undefined ? run(undefined) : withTotal(sharedTotal, search, run);
  }

  async #count<Row>(botId: string, key: string, run: RunSearch<Row>): Promise<CountedPage<Row>> {
    const atMs = this.#now();
    const page = run(undefined);
    const counting = page.then(
      ({ total, tookMs }) => {
        const isShared = total > this.#slow.exactMax && tookMs > this.#slow.quickMs;
        return { sharedTotal: isShared ? total : undefined };
      },
      () => undefined,
    );
    this.#counting.set(key, counting);
    const counted = await counting;
    if (this.#counting.get(key) === counting) this.#counting.delete(key);
    if (counted === undefined) return page;
    this.#kept.delete(key);
    if (counted.sharedTotal !== undefined) this.#keep(key, { botId, total: counted.sharedTotal, atMs });
    return page;
  }

  /** Makes room among totals that are too old, and among those of the same bot: none of another bot goes. */
  #keep(key: string, counted: KeptTotal): void {
    const ofBot: string[] = [];
    for (const [each, kept] of this.#kept) {
      if (!this.#isRecent(kept)) this.#kept.delete(each);
      else if (kept.botId === counted.botId) ofBot.push(each);
    }
    if (ofBot.length >= keptPerBotMax) this.#kept.delete(ofBot[0] as string);
    if (this.#kept.size < keptMax) this.#kept.set(key, counted);
  }

  #isRecent({ atMs }: KeptTotal): boolean {
    return this.#now() < atMs + keptMs;
  }
}

/** Of the bot and of all that decides which contacts match. Hashed, since filters may be long. Undefined: all contacts. */
function keyOf(botId: string, { words, filters = [] }: Search): string | undefined {
  if (words.length === 0 && filters.length === 0) return undefined;
  return hash('sha256', JSON.stringify([botId, words, filters]), 'base64');
}

async function withTotal<Row>(known: number, search: Search, run: RunSearch<Row>): Promise<CountedPage<Row>> {
  const page = await run(known);
  // Another one than it was given was counted with the page.
  return page.total === known ? { ...page, total: totalBeside(known, search, page.rows.length) } : page;
}

/** What the page itself shows is never contradicted: it is of now, and the total may be older. */
function totalBeside(known: number, { offset, limit }: Search, found: number): number {
  const end = offset + found;
  if (found === 0) return Math.min(known, offset);
  return found < limit ? end : Math.max(known, end);
}
