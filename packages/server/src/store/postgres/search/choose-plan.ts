// Which plan a search follows. One row of the table below for each plan; the first that applies is taken.
import { conditionsOf, type RowCondition } from './conditions.ts';
import { listContacts } from './plans/list-contacts.ts';
import { lookUpTokens } from './plans/look-up-tokens.ts';
import type { AskedPage, Plan } from './plans/plan.ts';
import { scanBot } from './plans/scan-bot.ts';

interface PlanChoice {
  applies(conditions: readonly RowCondition[]): boolean;
  plan(page: AskedPage, conditions: readonly RowCondition[]): Plan;
}

const choices: readonly PlanChoice[] = [
  // No conditions: every contact, in the order of an index; the total is the count of the bot.
  { applies: (conditions) => conditions.length === 0, plan: listContacts },
  // A filter leaves fewer contacts than the rarest word: those are read by its index, and checked.
  { applies: leadsByFilter, plan: (page) => scanBot(page, conditionsOf(page, page.search, { isWalk: true })) },
  // The index has a word in all its spellings: the contacts with its rarest n-grams are looked up and checked.
  { applies: (conditions) => conditions.some(({ isIndexed }) => isIndexed), plan: lookUpTokens },
  // Words of one or two ASCII characters, and parts of ids, are in no index: all contacts of the bot are read.
  { applies: () => true, plan: scanBot },
];

export function choosePlan(page: AskedPage): Plan {
  const conditions = conditionsOf(page, page.search);
  const choice = choices.find(({ applies }) => applies(conditions)) as PlanChoice;
  return choice.plan(page, conditions);
}

export function leadsByFilter(conditions: readonly RowCondition[]): boolean {
  const leastOf = (isIndexed: boolean) =>
    Math.min(1, ...conditions.filter((condition) => condition.isIndexed === isIndexed).map(({ share }) => share));
  return leastOf(false) < leastOf(true);
}
