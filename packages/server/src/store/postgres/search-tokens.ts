// The numbers by which a bot's contacts are found: hashes of a trigram and the bot. They are stored, so what is made
// of a text must never change. Two trigrams may share a number: what is found by them is checked.
import { trigramsOf } from '../trigrams.ts';

/** FNV-1a, 32 bits. */
const offset = 0x811c9dc5;
const prime = 0x01000193;
const pairOfUnits = /[\ud800-\udfff]/;

function hash(text: string, seed: number, from = 0, to = text.length): number {
  let value = seed;
  for (let i = from; i < to; i++) value = Math.imul(value ^ text.charCodeAt(i), prime);
  return value;
}

/** The tokens of some trigrams. */
export function tokensOf(botId: string, trigrams: readonly string[]): number[] {
  const seed = hash(botId, offset);
  return trigrams.map((trigram) => hash(trigram, seed));
}

/** Makes all tokens of texts of one bot. No word of a query spans white space, so trigrams with any are left out. */
export function tokenizer(botId: string): (text: string) => number[] {
  const seed = hash(botId, offset);
  return (text) => {
    const tokens = new Set<number>();
    for (const word of text.split(/\s+/)) {
      if (pairOfUnits.test(word)) {
        for (const trigram of trigramsOf(word)) tokens.add(hash(trigram, seed));
      } else {
        for (let end = 3; end <= word.length; end++) tokens.add(hash(word, seed, end - 3, end));
      }
    }
    return [...tokens];
  };
}

/** The tokens of some texts as one list, and where those of each text begin and end in it, counted from 1. */
export function tokenColumns(
  botId: string,
  texts: readonly string[],
): [from: number[], to: number[], tokens: number[]] {
  const tokensOf = tokenizer(botId);
  const from: number[] = [];
  const to: number[] = [];
  const tokens: number[] = [];
  for (const text of texts) {
    from.push(tokens.length + 1);
    tokens.push(...tokensOf(text));
    to.push(tokens.length);
  }
  return [from, to, tokens];
}
