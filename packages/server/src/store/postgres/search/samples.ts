// What is known of each bot's rows, so that a search begins with rare n-grams and knows whether its matches are frequent. Only
// speed depends on it, so it may be a little out of date.
import type { SearchWord } from '../../../contacts/search-text.ts';
import { sampleOf, type TrigramSample, trigramsOf } from '../../trigrams.ts';
import { matcherOf } from '../../word-matches.ts';
import { statements } from '../contact-statements.ts';
import type { Pool } from '../pool.ts';
import { shortNgramsOf } from './tokens.ts';

export interface BotSample extends TrigramSample {
  contactCount: number;
  /** Share of the bot's rows that hold all words. Tells frequent ones from rare ones and no more; 1 where none were sampled. */
  matchShareOf(words: readonly SearchWord[]): number;
}

const freshMs = 10 * 60_000;
/** Below this a search is quick whichever trigrams it begins with; but a small bot may be about to grow. */
const sampledFrom = 5000;
const freshWhileSmallMs = 5000;
/** The oldest and the newest texts, so many of each. Counting their n-grams takes main-thread time. */
const sampledTexts = 150;
const rememberedBots = 500;

interface Remembered {
  sample: Promise<BotSample>;
  freshUntilMs: number;
}

export function prepareSamples(pool: Pool) {
  const samples = new Map<string, Remembered>();

  const take = async (botId: string): Promise<BotSample> => {
    const [state] = await pool.query<{ contactCount: number }>(statements.countContacts, [botId], botId);
    const contactCount = state?.contactCount ?? 0;
    if (contactCount < sampledFrom) return { contactCount, shareOf: () => 0, matchShareOf: () => 1 };
    const rows = await pool.query<{ id: string; text: string }>(statements.sampleTexts, [botId, sampledTexts], botId);
    const texts = rows.map(({ text }) => text);
    return {
      contactCount,
      ...sampleOf(texts, (text) => [...trigramsOf(text), ...shortNgramsOf(text)]),
      matchShareOf(words) {
        const isHit = matcherOf(words);
        return rows.filter(({ id, text }) => isHit(id, text)).length / rows.length;
      },
    };
  };

  return (botId: string): Promise<BotSample> => {
    const known = samples.get(botId);
    if (known !== undefined && performance.now() < known.freshUntilMs) return known.sample;
    samples.delete(botId);
    const [oldest] = samples.keys();
    if (samples.size >= rememberedBots && oldest !== undefined) samples.delete(oldest);
    const taken: Remembered = { sample: take(botId), freshUntilMs: performance.now() + freshMs };
    samples.set(botId, taken);
    taken.sample.then(
      ({ contactCount }) => {
        if (contactCount < sampledFrom) taken.freshUntilMs = performance.now() + freshWhileSmallMs;
      },
      () => {
        taken.freshUntilMs = 0;
      },
    );
    return taken.sample;
  };
}
