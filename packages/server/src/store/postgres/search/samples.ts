// What is known of each bot's rows, so that a search begins with rare n-grams and knows whether its matches are frequent. Only
// speed depends on it, so it may be a little out of date.
import { type Filter, meets } from '../../../contacts/filters.ts';
import { canBeInId, type SearchWord } from '../../../contacts/search-text.ts';
import { type ContactRow, toContactWithValues } from '../../contacts/row.ts';
import { sampleOf, type TrigramSample, trigramsOf } from '../../contacts/trigrams.ts';
import { statements } from '../contacts/statements.ts';
import type { Pool } from '../pool.ts';
import { shortNgramsOf } from './tokens.ts';

interface SampledSearch {
  words: readonly SearchWord[];
  filters: readonly Filter[];
}

export interface BotSample extends TrigramSample {
  contactCount: number;
  /** Share of the bot's rows that match. Tells frequent matches from rare ones and no more; 1 where none were sampled. */
  matchShareOf(search: SampledSearch): number;
  /** Share of the bot's rows that meet the filter; 0 where none were sampled. */
  filterShareOf(filter: Filter): number;
}

const freshMs = 10 * 60_000;
/** Below this a search is quick whichever trigrams it begins with; but a small bot may be about to grow. */
const sampledFrom = 5000;
const freshWhileSmallMs = 5000;
/** The oldest and the newest contacts, so many of each. Counting their n-grams takes main-thread time. */
const sampledContacts = 150;
const rememberedBots = 500;

/** A contact with its values, the text that is searched, and when it was last seen. */
type SampledRow = [...contact: Required<ContactRow>, text: string, lastSeenAtMs: number | null];

interface Remembered {
  sample: Promise<BotSample>;
  freshUntilMs: number;
}

export function prepareSamples(pool: Pool) {
  const samples = new Map<string, Remembered>();

  const take = async (botId: string): Promise<BotSample> => {
    const [state] = await pool.query<{ contactCount: number }>(statements.countContacts, [botId], botId);
    const contactCount = state?.contactCount ?? 0;
    if (contactCount < sampledFrom)
      return { contactCount, shareOf: () => 0, matchShareOf: () => 1, filterShareOf: () => 0 };
    const rows = await pool.use(
      (connection) => connection.tuples<SampledRow>(statements.sampleContacts, [botId, sampledContacts]),
      botId,
    );
    const contacts = rows.map((row) => {
      const { contact, values } = toContactWithValues(row.slice(0, -2) as ContactRow);
      return { contact, values: { ...values, lastSeenAtMs: row[11] ?? undefined }, text: row[10] };
    });
    const matchShareOf = ({ words, filters }: SampledSearch): number => {
      const hits = contacts.filter(
        ({ contact, text, values }) =>
          words.every(({ spellings }) =>
            spellings.some(
              (spelling) => text.includes(spelling) || (canBeInId(spelling) && contact.id.includes(spelling)),
            ),
          ) && filters.every((filter) => meets(contact, values, filter)),
      );
      return hits.length / contacts.length;
    };
    const texts = contacts.map(({ text }) => text);
    return {
      contactCount,
      ...sampleOf(texts, (text) => [...trigramsOf(text), ...shortNgramsOf(text)]),
      matchShareOf,
      filterShareOf: (filter) => matchShareOf({ words: [], filters: [filter] }),
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
