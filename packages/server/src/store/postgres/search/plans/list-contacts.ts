// The plan of a search without words: every contact, newest first. The total is the count in the bot's state.
import { statements } from '../../contact-statements.ts';
import type { AskedPage, Plan } from './plan.ts';

export function listContacts({ botId, broadFrom, search: { limit, offset } }: AskedPage): Plan {
  return { statement: statements.listPage, values: [botId, limit, offset], isBroad: offset > broadFrom };
}
