// Sorts the rows that wait into the search index when writes pause, since every search reads the list of those that
// wait. Only speed depends on it: the database does the same by itself, later. On a partitioned or sharded table it is
// left to the database.
import type { Pool } from './connections.ts';

const pauseMs = 1000;
const emptyList = `SELECT gin_clean_pending_list(oid) FROM pg_class
  WHERE oid = to_regclass('contacts_search') AND relkind = 'i'`;

export class IndexUpkeep {
  readonly #pool: Pool;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Contacts were written. */
  note(): void {
    if (this.#timer !== undefined) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#empty(), pauseMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #empty(): Promise<void> {
    this.#timer = undefined;
    // Searches are a little slower until it works again.
    await this.#pool.query(emptyList).catch(() => {});
  }
}
