// The search as the engine uses it: columns for a write, a note of each write, a search, and maintenance of its index. Each
// server keeps slow totals for itself.
// Nothing outside this folder knows n-grams, samples or plans.

import {
  type Filter,
  matchesNothing,
  resolveFilters,
  tagKeysIn,
  withWordsOfFilters,
} from '../../../contacts/filters.ts';
import { type ContactRow, toPage } from '../../contacts/row.ts';
import { SearchTotals } from '../../contacts/search-totals.ts';
import type { Store, Wanted } from '../../store.ts';
import { statements } from '../contacts/statements.ts';
import type { Pool } from '../pool.ts';
import { readRetryMs, retrying } from '../retries.ts';
import { choosePlan } from './choose-plan.ts';
import type { SearchedBot } from './conditions.ts';
import { prepareFilterShares } from './filter-shares.ts';
import { prepareMaintenance } from './maintenance.ts';
import { exportAll, exportMatches } from './plans/export.ts';
import type { SearchOptions } from './plans/plan.ts';
import type { SearchQueue } from './queue.ts';
import { prepareSamples } from './samples.ts';

export { filterColumnsOf, searchColumnsOf } from './columns.ts';

export interface SearchSettings {
  /** For samples: a few rows by key, which must not wait behind searches. */
  reads: Pool;
  searches: Pool;
  queue: SearchQueue;
  options: SearchOptions;
}

/** The total and a contact, whose columns are null on a page without contacts. */
type PageRow = [total: number, ...contact: ContactRow | null[]];

export function prepareSearch({ reads, searches, queue, options }: SearchSettings) {
  const takeSample = prepareSamples(reads);
  const takeShares = prepareFilterShares(reads, options.broadFrom);
  const maintenance = prepareMaintenance(searches);
  const totals = new SearchTotals();

  /** With the numbers of tags. Undefined: nothing is found. */
  const resolve = async (botId: string, filters: readonly Filter[] = []): Promise<Filter[] | undefined> => {
    const keys = tagKeysIn(filters);
    const found =
      keys.length === 0
        ? []
        : await reads.query<{ key: string; number: number }>(statements.findTagNumbers, [botId, keys], botId);
    const numbers = new Map(found.map(({ key, number }) => [key, number]));
    return resolveFilters(filters, { tagNumber: (key) => numbers.get(key) });
  };

  /** What the choice of a plan depends on. */
  const lookAt = async (botId: string, { filters = [] }: Wanted): Promise<SearchedBot> => {
    const sample = await takeSample(botId);
    return { botId, sample, shareOfFilter: await takeShares(botId, filters, sample) };
  };

  const searchContacts: Store['searchContacts'] = async (botId, asked, caller) => {
    if (matchesNothing(asked)) return { ...toPage([], asked), total: 0 };
    const { rows, total } = await retrying(readRetryMs, async () => {
      const filters = await resolve(botId, asked.filters);
      if (filters === undefined) return { rows: [], total: 0 };
      const search = withWordsOfFilters({ ...asked, filters });
      const plan = choosePlan({ ...(await lookAt(botId, search)), search, ...options });
      const run = async (knownTotal?: number) => {
        // Past the end, as it was known, there may be contacts by now, which counting finds.
        const isKnown = knownTotal !== undefined && knownTotal > asked.offset;
        const chosen = (isKnown && plan.besideTotal?.(knownTotal)) || plan;
        const { rows: found, tookMs } = await queue.query<PageRow>(botId, chosen, caller);
        const contacts = found.map(([, ...contact]) => contact).filter(([id]) => id !== null) as ContactRow[];
        return { rows: contacts, total: found[0]?.[0] ?? 0, tookMs };
      };
      return plan.besideTotal === undefined ? run() : totals.find(botId, search, run);
    });
    return { ...toPage(rows, asked), total };
  };

  const exportContacts: Store['exportContacts'] = async (botId, asked, caller) => {
    const { words = [], filters, after, limit, withValues } = asked;
    if (matchesNothing({ words, filters })) return { ...toPage([], asked), next: undefined };
    const isAll = words.length === 0 && !filters?.length;
    const rows = await retrying(readRetryMs, async () => {
      // One row more than asked for tells whether there is a next page.
      const page = { after, limit: limit + 1, withValues };
      const resolved = await resolve(botId, filters);
      if (resolved === undefined) return [];
      const wanted = withWordsOfFilters({ words, filters: resolved });
      const plan = isAll
        ? exportAll(botId, page)
        : exportMatches({ ...(await lookAt(botId, wanted)), ...options }, wanted, page);
      return (await queue.query<ContactRow>(botId, plan, caller)).rows;
    });
    const found = toPage(rows.slice(0, limit), asked);
    return { ...found, next: rows.length > limit ? found.contacts.at(-1)?.id : undefined };
  };

  return { searchContacts, exportContacts, noteWritten: maintenance.noteWritten, stop: maintenance.stop };
}
