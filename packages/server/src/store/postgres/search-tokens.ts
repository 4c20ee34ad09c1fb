// The numbers by which a bot's contacts are found: hashes of a piece of text and the bot. They are stored, so what is
// made of a text must never change without a migration. Two pieces may share a number: what is found by them is checked.
import { type SearchableFields, searchTextOf } from '../../search-text.ts';
import { hasTrigram, trigramsOf } from '../trigrams.ts';

/** FNV-1a, 32 bits. */
const offset = 0x811c9dc5;
const prime = 0x01000193;
const pairOfUnits = /[\ud800-\udfff]/;

function hash(text: string, seed: number, from = 0, to = text.length): number {
  let value = seed;
  for (let i = from; i < to; i++) value = Math.imul(value ^ text.charCodeAt(i), prime);
  return value;
}

/** The tokens of some pieces. */
export function tokensOf(botId: string, pieces: readonly string[]): number[] {
  const seed = hash(botId, offset);
  return pieces.map((piece) => hash(piece, seed));
}

const beyondAscii = /\P{ASCII}/u;

/**
 * One or two code points, at least one of them beyond ASCII, where they are often a whole name: 李娜. In ASCII such
 * pieces are in most contacts, so that finding them by index gains little, and would make each write half as
 * expensive again.
 */
export function isShortPiece(piece: string): boolean {
  return beyondAscii.test(piece) && !hasTrigram(piece);
}

/** All short pieces of a word. */
export function shortPiecesOf(word: string): string[] {
  if (!beyondAscii.test(word)) return [];
  const points = Array.from(word);
  return points.flatMap((point, i) => [point, `${points[i - 1] ?? ''}${point}`]).filter(isShortPiece);
}

/** Makes all tokens of texts of one bot. No word of a query spans white space, so pieces with any are left out. */
export function tokenizer(botId: string): (text: string) => number[] {
  const seed = hash(botId, offset);
  return (text) => {
    const tokens = new Set<number>();
    for (const word of text.split(/\s+/)) {
      for (const piece of shortPiecesOf(word)) tokens.add(hash(piece, seed));
      if (pairOfUnits.test(word)) {
        for (const trigram of trigramsOf(word)) tokens.add(hash(trigram, seed));
      } else {
        for (let end = 3; end <= word.length; end++) tokens.add(hash(word, seed, end - 3, end));
      }
    }
    return [...tokens];
  };
}

const int4Oid = 23;
const headBytes = 20;

/**
 * Tokens as an array in the database's own form. The driver would write each as text and look through it for quotes,
 * which takes seven times as long, while the bot is locked.
 */
export function arrayOfTokens(tokens: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(headBytes + tokens.length * 8);
  // One dimension, no nulls, the type, so many, counted from 1; then each with its length.
  let at = 0;
  for (const head of [1, 0, int4Oid, tokens.length, 1]) at = array.writeInt32BE(head, at);
  for (const token of tokens) at = array.writeInt32BE(token, array.writeInt32BE(4, at));
  return array;
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
