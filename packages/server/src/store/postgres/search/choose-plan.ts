// Which plan a search follows. One row of the table below for each plan; the first that applies is taken.
import { conditionsOf, type WordCondition } from './conditions.ts';
import { listContacts } from './plans/list-contacts.ts';
import { lookUpTokens } from './plans/look-up-tokens.ts';
import type { AskedPage, Plan } from './plans/plan.ts';
import { scanBot } from './plans/scan-bot.ts';

interface PlanChoice {
  applies(words: readonly WordCondition[]): boolean;
  plan(page: AskedPage, words: readonly WordCondition[]): Plan;
}

const choices: readonly PlanChoice[] = [
  // No words: every contact, by the order of ids; the total is the count of the bot.
  { applies: (words) => words.length === 0, plan: listContacts },
  // The index has a word in all its spellings: the contacts with its rarest n-grams are looked up and checked.
  { applies: (words) => words.some(({ isIndexed }) => isIndexed), plan: lookUpTokens },
  // Words of one or two ASCII characters, and parts of ids, are in no index: all contacts of the bot are read.
  { applies: () => true, plan: scanBot },
];

export function choosePlan(page: AskedPage): Plan {
  const words = conditionsOf(page, page.search.words);
  const choice = choices.find(({ applies }) => applies(words)) as PlanChoice;
  return choice.plan(page, words);
}
