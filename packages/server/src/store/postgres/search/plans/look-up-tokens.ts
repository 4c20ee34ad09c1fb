// The plan of a search with an indexed word: contacts are looked up by the tokens of its rarest n-grams, and checked.
import type { WordCondition } from '../conditions.ts';
import { type AskedPage, matchingPage, type Plan } from './plan.ts';

export function lookUpTokens(page: AskedPage, words: readonly WordCondition[]): Plan {
  // Tokens belong to one bot. It is compared all the same, since two tokens may share a number; but as an expression, so
  // that no plan reads all rows of the bot instead. A sharded table needs the bot itself, to find its shard.
  return matchingPage(page, words, page.isSharded ? 'bot_id = $1' : "bot_id || '' = $1");
}
