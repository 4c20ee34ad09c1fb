// The numbers by which a bot's contacts are found: hashes of a trigram and the bot. They are stored, so what is made
// of a text must never change. Two trigrams may share a number: what is found by them is checked.
import { type SearchableFields, searchTextOf } from '../../search-text.ts';
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

/** What is stored of a contact for the search alone. */
export interface SearchColumns {
  text: string;
  tokens: readonly number[];
}

export function searchColumnsOf(botId: string, contact: SearchableFields): SearchColumns {
  const text = searchTextOf(contact);
  return { text, tokens: tokenizer(botId)(text) };
}
