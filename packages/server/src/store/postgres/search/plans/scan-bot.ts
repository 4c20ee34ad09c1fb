// The plan of a search whose words are in no index, or whose filters leave few: the contacts of the bot are read and checked.
import type { RowCondition } from '../conditions.ts';
import { matchingPage } from './matching-page.ts';
import type { AskedPage, Plan } from './plan.ts';

export function scanBot(page: AskedPage, conditions: readonly RowCondition[]): Plan {
  return matchingPage(page, conditions, 'bot_id = $1');
}
