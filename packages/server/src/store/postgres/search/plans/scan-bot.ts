// The plan of a search whose words are in no index: all contacts of the bot are read and checked.
import type { WordCondition } from '../conditions.ts';
import { matchingPage } from './matching-page.ts';
import type { AskedPage, Plan } from './plan.ts';

export function scanBot(page: AskedPage, words: readonly WordCondition[]): Plan {
  return matchingPage(page, words, 'bot_id = $1');
}
