// The search as the engine uses it: columns for a write, a note of each write, a search, and maintenance of its index.
// Nothing outside this folder knows n-grams, samples or plans.

import { isImpossible } from '../../../contacts/search-text.ts';
import { type ContactRow, toContact } from '../../contact-row.ts';
import type { Caller, Store } from '../../store.ts';
import type { Pool } from '../pool.ts';
import { readRetryMs, retrying } from '../retries.ts';
import type { CachedCounts } from './cached-counts.ts';
import { choosePlan } from './choose-plan.ts';
import { prepareMaintenance } from './maintenance.ts';
import { exportAll, exportMatches } from './plans/export.ts';
import type { Plan, SearchOptions } from './plans/plan.ts';
import type { SearchQueue } from './queue.ts';
import { prepareSamples } from './samples.ts';

export { searchColumnsOf } from './columns.ts';

export interface SearchSettings {
  /** For samples: a few rows by key, which must not wait behind searches. */
  reads: Pool;
  searches: Pool;
  queue: SearchQueue;
  counts: CachedCounts;
  options: SearchOptions;
}

/** The total and a contact, whose columns are null on a page without contacts. */
type PageRow = [total: number, ...contact: ContactRow | null[]];
/** Between them: when the total was added to those that are cached, and, if it was counted just now, what had changed since. */
type CountedRow = [total: number, addedUs: number | null, change: number | null, ...contact: ContactRow | null[]];

export function prepareSearch({ reads, searches, queue, counts, options }: SearchSettings) {
  const takeSample = prepareSamples(reads);
  const maintenance = prepareMaintenance(searches);

  const runCached = async (botId: string, plan: Plan, key: string, caller: Caller): Promise<PageRow[]> => {
    // When the words cannot be added now, the search counts and its total is not cached.
    await counts.add(botId, key).catch(() => {});
    const rows = await queue.query<CountedRow>(botId, plan, caller);
    const [total, addedUs, change] = rows[0] as CountedRow;
    if (addedUs === null) counts.forget(botId, key);
    else if (change !== null) await counts.setBase(botId, key, total, { addedUs, change }).catch(() => {});
    return rows.map(([total, , , ...contact]) => [total, ...contact]);
  };

  const searchContacts: Store['searchContacts'] = async (botId, search, caller) => {
    if (search.words.some(isImpossible)) return { contacts: [], total: 0 };
    const rows = await retrying(readRetryMs, async () => {
      const plan = choosePlan({ botId, search, sample: await takeSample(botId), ...options });
      return plan.uncached === undefined
        ? queue.query<PageRow>(botId, plan, caller)
        : runCached(botId, plan, plan.uncached.key, caller);
    });
    const found = rows.map(([, ...contact]) => contact).filter(([id]) => id !== null);
    return { contacts: found.map((contact) => toContact(contact as ContactRow)), total: rows[0]?.[0] ?? 0 };
  };

  const exportContacts: Store['exportContacts'] = async (botId, { words = [], after, limit }, caller) => {
    if (words.some(isImpossible)) return { contacts: [], next: undefined };
    const rows = await retrying(readRetryMs, async () => {
      // One row more than asked for tells whether there is a next page.
      const page = { after, limit: limit + 1 };
      const plan =
        words.length === 0
          ? exportAll(botId, page)
          : exportMatches({ botId, sample: await takeSample(botId), ...options }, words, page);
      return queue.query<ContactRow>(botId, plan, caller);
    });
    const contacts = rows.slice(0, limit).map(toContact);
    return { contacts, next: rows.length > limit ? contacts.at(-1)?.id : undefined };
  };

  return { searchContacts, exportContacts, noteWritten: maintenance.noteWritten, stop: maintenance.stop };
}
