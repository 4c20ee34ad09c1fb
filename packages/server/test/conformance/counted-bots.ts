// The list of bots with all their counts, for tests on busy machines.
import type { ListedBot, Store } from '../../src/store/store.ts';
import { until } from '../process/waiting.ts';

/** Asks until no count is missing: on a sharded database, the list leaves out a count that takes longer than a second. */
export async function listCountedBots(store: Store, organizationId?: string): Promise<ListedBot[]> {
  let bots: ListedBot[] = [];
  await until('the counts of all bots', async () => {
    bots = await store.listBots(organizationId);
    return bots.every(({ contactCount }) => contactCount !== null);
  });
  return bots;
}
