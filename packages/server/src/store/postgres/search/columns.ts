// What a contact's row holds for the search alone, and how the columns of many rows are sent to the database.
import { type SearchableFields, searchTextOf } from '../../../contacts/search-text.ts';
import type { Value } from '../pool.ts';
import { tokenizer } from './tokens.ts';

export interface SearchColumns {
  text: string;
  tokens: Int32Array;
}

export function searchColumnsOf(botId: string, contact: SearchableFields): SearchColumns {
  const text = searchTextOf(contact);
  return { text, tokens: tokenizer(botId)(text) };
}

/** Texts, where the tokens of each contact begin and end, and all tokens: see `rows` in contact-statements.ts. */
export function searchArraysOf(columns: readonly SearchColumns[]): Value[] {
  const ends: number[] = [];
  for (const { tokens } of columns) ends.push((ends.at(-1) ?? 0) + tokens.length);
  return [
    columns.map(({ text }) => text),
    columns.map(({ tokens }, index) => (ends[index] as number) - tokens.length + 1),
    ends,
    arrayOfTokens(columns.map(({ tokens }) => tokens)),
  ];
}

const int4Oid = 23;
const headBytes = 20;

/**
 * The tokens of several contacts as one array in the database's own form. The driver would write each as text and look
 * through it for quotes, which takes seven times as long, while the bot is locked.
 */
function arrayOfTokens(tokensOfEach: readonly Int32Array[]): Buffer {
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
