// The search as the engine uses it: columns for a write, a note of each write, a search, and maintenance of its index.
// Nothing outside this folder knows n-grams, samples or plans.

import { isImpossible } from '../../../contacts/search-text.ts';
import { type ContactRow, toContact } from '../../contact-row.ts';
import type { Store } from '../../store.ts';
import type { Pool } from '../pool.ts';
import { readRetryMs, retrying } from '../retries.ts';
import { choosePlan } from './choose-plan.ts';
import { prepareMaintenance } from './maintenance.ts';
import { exportAll, exportMatches } from './plans/export.ts';
import type { SearchQueue } from './queue.ts';
import { prepareSamples } from './samples.ts';

export { searchColumnsOf } from './columns.ts';

export interface SearchSettings {
  /** For samples: a few rows by key, which must not wait behind searches. */
  reads: Pool;
  searches: Pool;
  queue: SearchQueue;
  /** Whether the tables by bot are spread over partitions or nodes. */
  isSharded: boolean;
}

/** The total and a contact, whose columns are null on a page without contacts. */
type PageRow = [total: number, ...contact: ContactRow | null[]];

export function prepareSearch({ reads, searches, queue, isSharded }: SearchSettings) {
  const takeSample = prepareSamples(reads);
  const maintenance = prepareMaintenance(searches);

  const searchContacts: Store['searchContacts'] = async (botId, search, caller) => {
    if (search.words.some(isImpossible)) return { contacts: [], total: 0 };
    const rows = await retrying(readRetryMs, async () => {
      const plan = choosePlan({ botId, search, sample: await takeSample(botId), isSharded });
      return queue.query<PageRow>(botId, plan, caller);
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
          : exportMatches({ botId, sample: await takeSample(botId), isSharded }, words, page);
      return queue.query<ContactRow>(botId, plan, caller);
    });
    const contacts = rows.slice(0, limit).map(toContact);
    return { contacts, next: rows.length > limit ? contacts.at(-1)?.id : undefined };
  };

  return { searchContacts, exportContacts, noteWritten: maintenance.noteWritten, stop: maintenance.stop };
}
