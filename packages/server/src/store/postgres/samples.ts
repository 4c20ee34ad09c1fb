// What is known of each bot's rows, so that a search begins with rare trigrams. Only speed depends on it, so it may be
// a little out of date.
import { sampledRows, sampleOf, type TrigramSample } from '../trigrams.ts';
import type { Pool } from './connections.ts';
import { statements } from './statements.ts';

export interface BotSample extends TrigramSample {
  contactCount: number;
}

const freshMs = 10 * 60_000;
/** Below this a search is quick whichever trigrams it begins with. */
const sampledFrom = 5000;
const rememberedBots = 500;

export class BotSamples {
  readonly #pool: Pool;
  readonly #samples = new Map<string, { sample: Promise<BotSample>; freshUntilMs: number }>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  of(botId: string): Promise<BotSample> {
    const known = this.#samples.get(botId);
    if (known !== undefined && performance.now() < known.freshUntilMs) return known.sample;
    if (this.#samples.size >= rememberedBots) this.#samples.clear();
    const sample = this.#take(botId);
    this.#samples.set(botId, { sample, freshUntilMs: performance.now() + freshMs });
    sample.catch(() => this.#samples.delete(botId));
    return sample;
  }

  async #take(botId: string): Promise<BotSample> {
    const [state] = await this.#pool.query(statements.countContacts, [botId]);
    const contactCount = state?.[0] ?? 0;
    if (contactCount < sampledFrom) return { contactCount, shareOf: () => 0 };
    const rows = await this.#pool.query(statements.sampleTexts, [botId, sampledRows / 2]);
    return { contactCount, ...sampleOf(rows.map(([text]) => text)) };
  }
}
