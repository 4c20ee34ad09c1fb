// Totals of searches that many contacts match and that are slow to count, kept in this process for a few seconds. All others are
// counted each time, in the snapshot of their page. Knows no engine.

/** Up to so many contacts the total is that of the page's snapshot, however slow the count is. */
const exactTotalMax = 10_000;
/** A count that took no longer is made anew each time. */
const quickCountMs = 20;
/** From the beginning of the count. */
const keptMs = 10_000;
const keptMax = 1000;

/** A page of contacts, the total, and how long it took to count them; 0 where nothing was counted. */
export interface CountedPage<Row> {
  rows: Row[];
  total: number;
  tookMs: number;
}

export interface PageRange {
  offset: number;
  limit: number;
}

/** Reads the page, and counts unless the total is known, both in one snapshot. */
export type RunSearch<Row> = (knownTotal: number | undefined) => Promise<CountedPage<Row>>;

export class SearchTotals {
  readonly #now: () => number;
  readonly #kept = new Map<string, { total: number; atMs: number }>();
  /** Resolves with a total that may be shared, or with undefined. */
  readonly #counting = new Map<string, Promise<number | undefined>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** `key` is of the bot and of all that decides which contacts match. Those who ask at once for the same share one slow count. */
  async find<Row>(key: string, range: PageRange, run: RunSearch<Row>): Promise<CountedPage<Row>> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#now() < kept.atMs + keptMs) return withTotal(kept.total, range, run);
    const counting = this.#counting.get(key);
    if (counting === undefined) return this.count(key, run);
    const total = await counting;
    return total === undefined ? run(undefined) : withTotal(total, range, run);
  }

  /** Counts now, whatever is kept. */
  async count<Row>(key: string, run: RunSearch<Row>): Promise<CountedPage<Row>> {
    const atMs = this.#now();
    const page = run(undefined);
    const shared = page.then(
      ({ total, tookMs }) => (total > exactTotalMax && tookMs > quickCountMs ? total : undefined),
      () => undefined,
    );
    this.#counting.set(key, shared);
    const total = await shared;
    if (this.#counting.get(key) === shared) this.#counting.delete(key);
    this.#kept.delete(key);
    if (total !== undefined) this.#keep(key, total, atMs);
    return page;
  }

  #keep(key: string, total: number, atMs: number): void {
    this.#kept.set(key, { total, atMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptMax) this.#kept.delete(oldest as string);
  }
}

async function withTotal<Row>(known: number, range: PageRange, run: RunSearch<Row>): Promise<CountedPage<Row>> {
  const page = await run(known);
  return { ...page, total: totalBeside(known, range, page.rows.length) };
}

/** What the page itself shows is never contradicted: it is of now, and the total may be older. */
function totalBeside(known: number, { offset, limit }: PageRange, found: number): number {
  const end = offset + found;
  if (found === 0) return Math.min(known, offset);
  return found < limit ? end : Math.max(known, end);
}
