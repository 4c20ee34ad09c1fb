// Which plan a search follows.
import { conditionsOf, type RowCondition } from './conditions.ts';
import { formOf, listPage } from './order.ts';
import { matchingPage } from './plans/matching-page.ts';
import { type AskedPage, botOf, type Plan } from './plans/plan.ts';

export function choosePlan(page: AskedPage): Plan {
  const conditions = conditionsOf(page, page.search);
  if (conditions.length === 0) return listContacts(page);
  // A filter leaves fewer contacts than the rarest word: those are read by its index, and checked.
  if (leadsByFilter(conditions)) {
    return matchingPage(page, conditionsOf(page, page.search, { isWalk: true }), 'bot_id = $1');
  }
  // The index has a word in all its spellings: the contacts with its rarest n-grams are looked up and checked. Words of one or two
  // ASCII characters, and parts of ids, are in no index: all contacts of the bot are read.
  const isIndexed = conditions.some((condition) => condition.isIndexed);
  return matchingPage(page, conditions, isIndexed ? botOf(page) : 'bot_id = $1');
}

/** Every contact, in the order of an index; the total is the count of the bot. */
function listContacts({ botId, broadFrom, search }: AskedPage): Plan {
  const { limit, offset } = search;
  return { statement: listPage(formOf(search)), values: [botId, limit, offset], isBroad: offset > broadFrom };
}

export function leadsByFilter(conditions: readonly RowCondition[]): boolean {
  const leastOf = (isIndexed: boolean) =>
    Math.min(1, ...conditions.filter((condition) => condition.isIndexed === isIndexed).map(({ share }) => share));
  return leastOf(false) < leastOf(true);
}
