// Cached counts: the totals of broad searches, exact on every server. Once a search has added its key to the bot's, every
// write adjusts its count in its own transaction, and the first search after that counts. A search reads the count as of its
// own snapshot. Servers remember the keys of a bot, with a version that a write compares under the bot's lock.
import { randomInt } from 'node:crypto';
import { growthOf, type Matcher, matcherOfKey } from '../../matcher.ts';
import type { WritePlan } from '../contact-plan.ts';
import { statements } from '../contact-statements.ts';
import type { Connection, Pool } from '../pool.ts';

/** Each costs a write to its bot less than a tenth of a microsecond a row, and eight bytes in the bot's state. */
const countsPerBotMax = 32;
/** Searches with more text than this are not cached. */
const keyLengthMax = 1000;
const rememberedBots = 10_000;

interface CachedCount {
  key: string;
  /** From 1 on, as in an array of the database. */
  position: number;
  isHit: Matcher;
}

interface KnownCounts {
  version: number;
  /** The oldest first. */
  counts: readonly CachedCount[];
}

/** A count of a bot that no search has counted yet, as of the snapshot of one that does it now. */
export interface UncountedChange {
  addedUs: number;
  change: number;
}

const none: KnownCounts = { version: 0, counts: [] };

export class CachedCounts {
  readonly #writes: Pool;
  readonly #bots = new Map<string, KnownCounts>();
  readonly #addedAtMs = new Map<string, number>();

  /** Keys are added to a bot no more often: whoever asks for ever new ones must not slow its writes down. */
  readonly #addEveryMs: number;

  constructor(writes: Pool, addEveryMs: number) {
    this.#writes = writes;
    this.#addEveryMs = addEveryMs;
  }

  /** What is remembered, which may be out of date. */
  known(botId: string): KnownCounts {
    return this.#bots.get(botId) ?? none;
  }

  /** Reads the keys anew unless they are known by this version. The caller holds the bot's lock. */
  async learn(connection: Connection, botId: string, version: number): Promise<void> {
    if (this.known(botId).version === version) return;
    this.#remember(botId, version, await this.#read(connection, botId));
  }

  /** What a write adds to the counts of its bot, by position; null when it changes none. */
  growthsOf(botId: string, plan: WritePlan): number[] | null {
    const { counts } = this.known(botId);
    if (counts.length === 0) return null;
    const growths = Array<number>(Math.max(...counts.map(({ position }) => position))).fill(0);
    for (const change of plan.contactChanges) {
      for (const { position, isHit } of counts) (growths[position - 1] as number) += growthOf(isHit, change);
    }
    return growths.some((growth) => growth !== 0) ? growths : null;
  }

  /** From now on writes adjust the count of this search, which the next one counts. */
  async add(botId: string, key: string): Promise<void> {
    if (key.length > keyLengthMax || this.known(botId).counts.some((count) => count.key === key)) return;
    const nowMs = Date.now();
    if (nowMs < (this.#addedAtMs.get(botId) ?? 0) + this.#addEveryMs) return;
    if (this.#addedAtMs.size >= rememberedBots) this.#addedAtMs.clear();
    this.#addedAtMs.set(botId, nowMs);
    await this.#writes.use(async (connection) => {
      const [, [state], counts] = await Promise.all([
        connection.query('BEGIN'),
        connection.query<{ countsVersion: number }>(statements.lockState, [botId]),
        this.#read(connection, botId),
      ]);
      if (state === undefined || counts.some((count) => count.key === key)) {
        await connection.query('ROLLBACK');
        if (state !== undefined) this.#remember(botId, state.countsVersion, counts);
        return;
      }
      const [oldest] = counts;
      const isFull = counts.length >= countsPerBotMax;
      const position = isFull && oldest !== undefined ? oldest.position : counts.length + 1;
      await Promise.all([
        connection.change(statements.removeCount, [botId, position]),
        connection.change(statements.addCount, [botId, key, position, nowMs * 1000 + randomInt(1000)]),
        connection.change(statements.resetCount, [botId, position]),
        connection.query('COMMIT'),
      ]);
      const others = counts.filter((count) => count.position !== position);
      this.#remember(botId, state.countsVersion + 1, [...others, { key, position, isHit: matcherOfKey(key) }]);
    }, botId);
  }

  /** What a search has counted, while `change` was what writes had noted. */
  async setBase(botId: string, key: string, total: number, { addedUs, change }: UncountedChange): Promise<void> {
    await this.#writes.change(statements.setCountBase, [botId, key, addedUs, total - change], botId);
  }

  /** The key is not among the bot's: if it is remembered as such, another server has evicted it. */
  forget(botId: string, key: string): void {
    if (this.known(botId).counts.some((count) => count.key === key)) this.#bots.delete(botId);
  }

  async #read(connection: Connection, botId: string): Promise<CachedCount[]> {
    const rows = await connection.query<{ words: string; position: number }>(statements.readCounts, [botId]);
    return rows.map(({ words: key, position }) => ({ key, position, isHit: matcherOfKey(key) }));
  }

  #remember(botId: string, version: number, counts: readonly CachedCount[]): void {
    this.#bots.delete(botId);
    const [oldest] = this.#bots.keys();
    if (this.#bots.size >= rememberedBots && oldest !== undefined) this.#bots.delete(oldest);
    this.#bots.set(botId, { version, counts });
  }
}
