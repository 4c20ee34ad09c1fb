// Tells which trigrams of a bot are common, from a sample of its rows, so that a search can start from the rare ones.
// Only speed depends on it: a stale or unlucky sample makes a search slower, never wrong.
import type { DatabaseSync } from 'node:sqlite';
import { rowIdOf } from './row-ids.ts';

const sampledRows = 1000;
/** Trigrams in fewer of the sampled rows are all rare, and not worth remembering. */
const commonFrom = 5;
const rememberedBots = 64;

export interface TrigramSample {
  /** Share of the bot's rows that hold this trigram: 0 when it is rare. */
  shareOf(trigram: string): number;
}

export interface SampledBot {
  number: number;
  contact_count: number;
  next_contact: number;
}

export function prepareSampling(db: DatabaseSync): (bot: SampledBot) => TrigramSample {
  const readText = db.prepare('SELECT search_text FROM contacts WHERE row_id = ?');
  readText.setReturnArrays(true);
  const samples = new Map<number, TrigramSample & { contactCount: number }>();

  const takeSample = (bot: SampledBot) => {
    const counts = new Map<string, number>();
    let rows = 0;
    for (let i = 0; i < sampledRows; i++) {
      const number = 1 + Math.floor(Math.random() * (bot.next_contact - 1));
      const row = readText.get(rowIdOf(bot.number, number)) as unknown as [string] | undefined;
      if (row === undefined) continue;
      rows++;
      for (const trigram of new Set(trigramsOf(row[0]))) counts.set(trigram, (counts.get(trigram) ?? 0) + 1);
    }
    const shares = new Map<string, number>();
    for (const [trigram, count] of counts) if (count >= commonFrom) shares.set(trigram, count / rows);
    return { shareOf: (trigram: string) => shares.get(trigram) ?? 0, contactCount: bot.contact_count };
  };

  return (bot) => {
    const known = samples.get(bot.number);
    // A bot that has doubled or halved since may hold quite other names.
    const growth = known === undefined ? Number.NaN : bot.contact_count / known.contactCount;
    if (known !== undefined && growth < 2 && growth > 0.5) return known;
    if (samples.size >= rememberedBots) samples.clear();
    const sample = takeSample(bot);
    samples.set(bot.number, sample);
    return sample;
  };
}

/** Runs of three code points, as the index's tokenizer makes them. */
export function trigramsOf(text: string): string[] {
  const points = Array.from(text);
  return points.slice(2).map((point, i) => `${points[i]}${points[i + 1]}${point}`);
}
