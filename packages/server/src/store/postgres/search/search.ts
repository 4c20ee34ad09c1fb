// The search as the engine uses it: columns for a write, a note of each write, a search, and maintenance of its index.
// Nothing outside this folder knows n-grams, samples or plans.

import type { Contact } from '@roster/contract';
import { isImpossible } from '../../../contacts/search-text.ts';
import { type ContactRow, toContact } from '../../contact-row.ts';
import type { Caller, Search } from '../../store.ts';
import type { Pool } from '../pool.ts';
import { readRetryMs, retrying } from '../retries.ts';
import { choosePlan } from './choose-plan.ts';
import { IndexMaintenance } from './maintenance.ts';
import type { SearchQueue } from './queue.ts';
import { BotSamples } from './samples.ts';

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

export class ContactSearch {
  readonly #queue: SearchQueue;
  readonly #samples: BotSamples;
  readonly #maintenance: IndexMaintenance;
  readonly #isSharded: boolean;

  constructor({ reads, searches, queue, isSharded }: SearchSettings) {
    this.#queue = queue;
    this.#samples = new BotSamples(reads);
    this.#maintenance = new IndexMaintenance(searches);
    this.#isSharded = isSharded;
  }

  /** To be called after so many rows were written: the index is maintained beside the writes. */
  noteWritten(rows: number): void {
    this.#maintenance.note(rows);
  }

  async run(botId: string, search: Search, caller: Caller): Promise<{ contacts: Contact[]; total: number }> {
    if (search.words.some(isImpossible)) return { contacts: [], total: 0 };
    const rows = await retrying(readRetryMs, async () => {
      const sample = await this.#samples.of(botId);
      const plan = choosePlan({ botId, search, sample, isSharded: this.#isSharded });
      return this.#queue.query<PageRow>(plan, caller);
    });
    const found = rows.map(([, ...contact]) => contact).filter(([id]) => id !== null);
    return { contacts: found.map((contact) => toContact(contact as ContactRow)), total: rows[0]?.[0] ?? 0 };
  }

  stop(): void {
    this.#maintenance.stop();
  }
}
