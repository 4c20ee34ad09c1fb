// The numbers by which a bot's contacts are found: hashes of a piece of text and the bot. They are stored, so what is
// made of a text must never change without a migration. Two pieces may share a number: what is found by them is checked.
import { type SearchableFields, searchTextOf } from '../../contacts/search-text.ts';
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

/** Holds the tokens of a text until it is known how many different ones there are. */
let scratch = new Int32Array(1024);

/**
 * Makes all tokens of texts of one bot, each once, in ascending order: the database sorts them for its index, which is
 * done at once when they are. No word of a query spans white space, so pieces with any are left out.
 */
export function tokenizer(botId: string): (text: string) => Int32Array {
  const seed = hash(botId, offset);
  return (text) => {
    // At most one trigram and two short pieces end with each character.
    if (scratch.length < text.length * 3) scratch = new Int32Array(text.length * 3);
    let count = 0;
    for (const word of text.split(/\s+/)) {
      for (const piece of shortPiecesOf(word)) scratch[count++] = hash(piece, seed);
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

const int4Oid = 23;
const headBytes = 20;

/**
 * The tokens of several contacts as one array in the database's own form. The driver would write each as text and look
 * through it for quotes, which takes seven times as long, while the bot is locked.
 */
export function arrayOfTokens(tokensOfEach: readonly Int32Array[]): Buffer {
  const count = tokensOfEach.reduce((sum, tokens) => sum + tokens.length, 0);
  const array = Buffer.allocUnsafe(headBytes + count * 8);
  // One dimension, no nulls, the type, so many, counted from 1; then each with its length.
  let at = 0;
  for (const head of [1, 0, int4Oid, count, 1]) at = array.writeInt32BE(head, at);
  for (const tokens of tokensOfEach) {
    for (const token of tokens) at = array.writeInt32BE(token, array.writeInt32BE(4, at));
  }
  return array;
}

/** What is stored of a contact for the search alone. */
export interface SearchColumns {
  text: string;
  tokens: Int32Array;
}

export function searchColumnsOf(botId: string, contact: SearchableFields): SearchColumns {
  const text = searchTextOf(contact);
  return { text, tokens: tokenizer(botId)(text) };
}
