// The plan of a search without words and filters: every contact. The total is the count in the bot's state.
import { formOf, listPage } from '../order.ts';
import type { AskedPage, Plan } from './plan.ts';

export function listContacts({ botId, broadFrom, search }: AskedPage): Plan {
  const { limit, offset } = search;
  return { statement: listPage(formOf(search)), values: [botId, limit, offset], isBroad: offset > broadFrom };
}
