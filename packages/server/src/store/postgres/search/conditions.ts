// What a contact must fulfil to hold a word of a search, and how many rows must be read to find out.
import { canBeInId, type SearchWord } from '../../../contacts/search-text.ts';
import { hasTrigram, rarestTrigrams } from '../../trigrams.ts';
import type { BotSample } from './samples.ts';
import { isShortNgram, tokensOf } from './tokens.ts';

export interface WordCondition {
  /** With placeholders that begin after `bot, limit, offset`. */
  sql: string;
  /** The same without the index, for rows that are read anyway. */
  sqlOfRow: string;
  values: (string | number[])[];
  /** Conditions of the same kind have the same text. */
  kind: string;
  /** Whether every spelling of the word is looked up in the index. */
  isIndexed: boolean;
  /** The share of the bot's rows that must be read for it, as far as the sample tells. */
  share: number;
}

interface SpellingCondition extends Pick<WordCondition, 'sql' | 'sqlOfRow' | 'share'> {
  /** t: by tokens of the index, i: in the text or the id, s: in the text. */
  kind: 't' | 'i' | 's';
}

const placeholdersBefore = 3;
const wildcards = /[\\%_]/g;

export interface SearchedBot {
  botId: string;
  sample: BotSample;
}

/** With `isWalk` all rows are read anyway, and the index is left out. */
export function conditionsOf(bot: SearchedBot, words: readonly SearchWord[], { isWalk = false } = {}): WordCondition[] {
  let placeholders = placeholdersBefore;
  return words.map(({ spellings }) => {
    const values: WordCondition['values'] = [];
    const bind = (value: string | number[]) => {
      values.push(value);
      return `$${++placeholders}`;
    };
    const conditions = spellings.map((spelling) => conditionOf(spelling, bot, bind, isWalk));
    return {
      sql: `(${conditions.map(({ sql }) => sql).join(' OR ')})`,
      sqlOfRow: `(${conditions.map(({ sqlOfRow }) => sqlOfRow).join(' OR ')})`,
      values,
      kind: conditions.map(({ kind }) => kind).join(''),
      isIndexed: conditions.every(({ kind }) => kind === 't'),
      share: conditions.reduce((sum, { share }) => sum + share, 0),
    };
  });
}

function conditionOf(
  spelling: string,
  { botId, sample }: SearchedBot,
  bind: (value: string | number[]) => string,
  isWalk: boolean,
): SpellingCondition {
  // A fifth less work for a scan than strpos(), which prepares itself anew for each row.
  const pattern = bind(`%${spelling.replaceAll(wildcards, '\\$&')}%`);
  const isInText = `search_text LIKE ${pattern}`;
  if (canBeInId(spelling)) {
    const isInEither = `${isInText} OR id LIKE ${pattern}`;
    return { sql: isInEither, sqlOfRow: isInEither, kind: 'i', share: 1 };
  }
  const isShort = isShortNgram(spelling);
  if (isWalk || (!isShort && !hasTrigram(spelling))) return { sql: isInText, sqlOfRow: isInText, kind: 's', share: 1 };
  const ngrams = isShort ? [spelling] : rarestTrigrams(spelling, sample, sample.contactCount);
  const share = Math.min(...ngrams.map((ngram) => sample.shareOf(ngram)));
  const tokens = bind(tokensOf(botId, ngrams));
  return { sql: `(search_tokens @> ${tokens}::integer[] AND ${isInText})`, sqlOfRow: isInText, kind: 't', share };
}
