// What contacts' rows hold for the search alone, as columns that are sent to the database.

import type { StoredValues } from '../../values/stored-values.ts';
import type { Value } from '../pool.ts';
import { filterTokensOf } from './filter-tokens.ts';
import { tokenizer } from './tokens.ts';

/** Texts, where the tokens of each begin and end, and all tokens: see `rows` in contacts/statements.ts. */
export function searchColumnsOf(botId: string, texts: readonly string[]): Value[] {
  const tokens = texts.map(tokenizer(botId));
  return [texts, ...boundsOf(tokens), arrayOfTokens(tokens)];
}

/** Where the tokens for filters of each contact begin and end, and all of them. Who has none has an empty range. */
export function filterColumnsOf(botId: string, values: readonly StoredValues[]): Value[] {
  const tokens = values.map((each) => filterTokensOf(botId, each) ?? []);
  return [...boundsOf(tokens), tokens.flat()];
}

/** Where each list begins and ends when all stand one after the other, counted from 1. */
function boundsOf(lists: readonly { length: number }[]): [begins: number[], ends: number[]] {
  const ends: number[] = [];
  for (const { length } of lists) ends.push((ends.at(-1) ?? 0) + length);
  return [lists.map(({ length }, index) => (ends[index] as number) - length + 1), ends];
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
