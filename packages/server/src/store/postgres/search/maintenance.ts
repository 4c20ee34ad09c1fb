// Sorts new rows into the search index. The database puts them on a list first and sorts them in when the list is long,
// while the writer waits; every search reads the list. Here it is done beside the writes: as soon as some rows are
// pending, and when writes pause. Only speed depends on it. On a partitioned or sharded table it is left to the database.
import type { Pool } from '../pool.ts';

/** A little before the database would do it itself. Sorting in a quarter of them costs twice as much for each row. */
const rowsWorthSorting = 3500;
const pauseMs = 500;
const sortIn = `SELECT gin_clean_pending_list(oid) FROM pg_class
  WHERE oid = to_regclass('contacts_search') AND relkind = 'i'`;

export class IndexMaintenance {
  readonly #pool: Pool;
  #pendingRows = 0;
  #isSorting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** So many rows were written. */
  note(rows: number): void {
    this.#pendingRows += rows;
    if (this.#pendingRows >= rowsWorthSorting) this.#sort();
    else if (this.#timer !== undefined) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#sort(), pauseMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #sort(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isSorting) return;
    this.#isSorting = true;
    this.#pendingRows = 0;
    // Searches are a little slower until it works again.
    await this.#pool.query(sortIn).catch(() => {});
    this.#isSorting = false;
    if (this.#pendingRows > 0) this.note(0);
  }
}
