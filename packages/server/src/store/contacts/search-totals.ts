// Totals of searches, kept in this process: those that many contacts match and that are slow to count for a few seconds, whatever is
// written meanwhile, and others as long as nothing is, where the engine can tell. Knows no engine.
import { hash } from 'node:crypto';
import type { Search } from '../store.ts';

/** From the beginning of the count. */
const keptMs = 10_000;
const keptPerBotMax = 32;
/** Of all bots. While so many are recent, no further one is kept. */
const keptMax = 4096;

/** What took no longer is not worth keeping. */
const instantMs = 1;

export interface KnownTotal {
  total: number;
  /** The total is that of any page with the same version, and of no other. Left out: of any. */
  version?: number | undefined;
}

/** A page of contacts, the total, and how long it took to count them; 0 where nothing was counted. */
export interface CountedPage<Row> {
  rows: Row[];
  total: number;
  tookMs: number;
  /** Another one after each write that may change a total of the bot. Left out: the engine does not know it. */
  version?: number | undefined;
}

/** Reads the page, and counts unless the total is known, both in one snapshot. */
export type RunSearch<Row> = (known: KnownTotal | undefined) => Promise<CountedPage<Row>>;

interface KeptTotal extends KnownTotal {
  botId: string;
  /** Whether it may be shown beside pages of other versions, for a while. */
  isSlow: boolean;
  isInstant: boolean;
  /** When it was the total at the earliest. */
  atMs: number;
}

/** What the API promises. */
const slowCount = {
  /** Up to so many contacts the total is that of the page's snapshot, however slow the count is. */
  exactMax: 10_000,
  /** A count that took no longer is made anew each time. */
  quickMs: 20,
};

export class SearchTotals {
  readonly #now: () => number;
  readonly #slow: typeof slowCount;
  /** By what is searched for; the oldest first. */
  readonly #kept = new Map<string, KeptTotal>();
  /** Resolves with what was counted, or with undefined if it failed. */
  readonly #counting = new Map<string, Promise<KeptTotal | undefined>>();

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
    if (kept?.isSlow && this.#isRecent(kept)) return withTotal(kept.total, search, run);
    if (kept?.isSlow === false) return this.#count(botId, key, run, kept);
    const counting = this.#counting.get(key);
    if (counting === undefined) return this.#count(botId, key, run, kept);
    const counted = await counting;
    // Of all those that waited, one counts next.
    if (counted === undefined) return this.find(botId, search, run);
    return counted.isSlow ? withTotal(counted.total, search, run) : run(asVersioned(counted));
  }

  /** Unless the page turns out to be of the version of `kept`. */
  async #count<Row>(botId: string, key: string, run: RunSearch<Row>, kept?: KeptTotal): Promise<CountedPage<Row>> {
    const atMs = this.#now();
    const known = asVersioned(kept);
    const page = run(known);
    const counting = page.then(
      ({ total, tookMs, version }): KeptTotal => {
        const isSlow = total > this.#slow.exactMax && tookMs > this.#slow.quickMs;
        const counted = { botId, total, version, atMs, isSlow, isInstant: tookMs <= instantMs };
        return known === undefined || known.version !== version ? counted : { ...known, atMs };
      },
      () => undefined,
    );
    // Others wait for a count that is slow, as far as is known.
    if (kept?.isSlow !== false) this.#counting.set(key, counting);
    const counted = await counting;
    if (this.#counting.get(key) === counting) this.#counting.delete(key);
    if (counted === undefined) return page;
    this.#kept.delete(key);
    if (counted.isSlow || (counted.version !== undefined && !counted.isInstant)) this.#keep(key, counted);
    return page;
  }

  /** Makes room among totals that are too old, and among those of the same bot: no slow one of another bot goes. */
  #keep(key: string, counted: KeptTotal): void {
    const ofBot: string[] = [];
    let quick: string | undefined;
    for (const [each, kept] of this.#kept) {
      if (!this.#isRecent(kept)) this.#kept.delete(each);
      else if (kept.botId === counted.botId) ofBot.push(each);
      else if (!kept.isSlow) quick ??= each;
    }
    if (ofBot.length >= keptPerBotMax) this.#kept.delete(ofBot[0] as string);
    // One that is quick to count makes room for one that is not.
    else if (counted.isSlow && this.#kept.size >= keptMax) this.#kept.delete(quick ?? '');
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

/** Undefined: there is no version to which it could belong. */
function asVersioned(kept: KeptTotal | undefined): KeptTotal | undefined {
  return kept?.version === undefined ? undefined : kept;
}

async function withTotal<Row>(total: number, search: Search, run: RunSearch<Row>): Promise<CountedPage<Row>> {
  const page = await run({ total });
  // Another one than it was given was counted with the page.
  return page.total === total ? { ...page, total: totalBeside(total, search, page.rows.length) } : page;
}

/** What the page itself shows is never contradicted: it is of now, and the total may be older. */
function totalBeside(known: number, { offset, limit }: Search, found: number): number {
  const end = offset + found;
  if (found === 0) return Math.min(known, offset);
  return found < limit ? end : Math.max(known, end);
}
