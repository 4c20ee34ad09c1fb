// Samples of the bots' rows, from which a search learns which trigrams are rare.
import type { DatabaseSync } from 'node:sqlite';
import { sampleOf, type TrigramSample } from '../../contacts/trigrams.ts';
import { rowIdOf } from '../contacts/row-ids.ts';
import type { BotState } from '../tenants/bot-states.ts';

const sampledRows = 1000;
const rememberedBots = 64;

export function prepareSampling(db: DatabaseSync): (bot: BotState) => TrigramSample {
  const readText = db.prepare('SELECT search_text AS text FROM contacts WHERE row_id = ?');
  const samples = new Map<number, TrigramSample & { contactCount: number }>();

  const takeSample = (bot: BotState) => {
    const texts: string[] = [];
    for (let i = 0; i < sampledRows; i++) {
      const number = 1 + Math.floor(Math.random() * (bot.nextContact - 1));
      const row = readText.get(rowIdOf(bot.number, number)) as { text: string } | undefined;
      if (row !== undefined) texts.push(row.text);
    }
    return { ...sampleOf(texts), contactCount: bot.contactCount };
  };

  return (bot) => {
    const known = samples.get(bot.number);
    // A bot that has doubled or halved since may hold quite other names.
    const growth = known === undefined ? Number.NaN : bot.contactCount / known.contactCount;
    if (known !== undefined && growth < 2 && growth > 0.5) return known;
    if (samples.size >= rememberedBots) samples.clear();
    const sample = takeSample(bot);
    samples.set(bot.number, sample);
    return sample;
  };
}
