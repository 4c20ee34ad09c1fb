// The tokens by which a bot's contacts are found: hashes of an n-gram and the bot. They are stored, so what is made of a
// text must never change without a migration. Two n-grams may share a token: what is found by them is checked.
import { hasTrigram, trigramsOf } from '../../contacts/trigrams.ts';

/** FNV-1a, 32 bits. */
const offset = 0x811c9dc5;
const prime = 0x01000193;
const pairOfUnits = /[\ud800-\udfff]/;

function hash(text: string, seed: number, from = 0, to = text.length): number {
  let value = seed;
  for (let i = from; i < to; i++) value = Math.imul(value ^ text.charCodeAt(i), prime);
  return value;
}

export function tokensOf(botId: string, ngrams: readonly string[]): number[] {
  const seed = hash(botId, offset);
  return ngrams.map((ngram) => hash(ngram, seed));
}

const beyondAscii = /\P{ASCII}/u;

/**
 * One or two code points, at least one of them beyond ASCII, where they are often a whole name: 李娜. In ASCII such
 * n-grams are in most contacts, so that finding them by index gains little, and would make each write half as
 * expensive again.
 */
export function isShortNgram(ngram: string): boolean {
  return beyondAscii.test(ngram) && !hasTrigram(ngram);
}

/** All short n-grams of a word. */
export function shortNgramsOf(word: string): string[] {
  if (!beyondAscii.test(word)) return [];
  const points = Array.from(word);
  return points.flatMap((point, i) => [point, `${points[i - 1] ?? ''}${point}`]).filter(isShortNgram);
}

/** Holds the tokens of a text until it is known how many different ones there are. */
let scratch = new Int32Array(1024);

/**
 * Makes all tokens of texts of one bot, each once, in ascending order: the database sorts them for its index, which is
 * done at once when they are. No word of a query spans white space, so n-grams with any are left out.
 */
export function tokenizer(botId: string): (text: string) => Int32Array {
  const seed = hash(botId, offset);
  return (text) => {
    // At most one trigram and two short n-grams end with each character.
    if (scratch.length < text.length * 3) scratch = new Int32Array(text.length * 3);
    let count = 0;
    for (const word of text.split(/\s+/)) {
      for (const ngram of shortNgramsOf(word)) scratch[count++] = hash(ngram, seed);
      if (pairOfUnits.test(word)) {
        for (const trigram of trigramsOf(word)) scratch[count++] = hash(trigram, seed);
      } else {
        for (let end = 3; end <= word.length; end++) scratch[count++] = hash(word, seed, end - 3, end);
      }
    }
    return withoutRepeats(scratch.subarray(0, count).sort());
  };
}

function withoutRepeats(sorted: Int32Array): Int32Array {
  let count = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== sorted[count - 1]) sorted[count++] = sorted[i] as number;
  }
  return sorted.slice(0, count);
}
