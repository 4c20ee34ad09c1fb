// The plan of a search with an indexed word: contacts are looked up by the tokens of its rarest n-grams, and checked.
import type { RowCondition } from '../conditions.ts';
import { matchingPage } from './matching-page.ts';
import { type AskedPage, botOf, type Plan } from './plan.ts';

export function lookUpTokens(page: AskedPage, conditions: readonly RowCondition[]): Plan {
  return matchingPage(page, conditions, botOf(page));
}
