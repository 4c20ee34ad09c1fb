// Sorts new rows into the search index. The database puts them on a list first and sorts them in when the list is long,
// while the writer waits; every search reads the list. Here it is done beside the writes: as soon as some rows are
// pending, and when writes pause. Only speed depends on it. On a partitioned or sharded table it is left to the database.
import type { Pool } from '../pool.ts';

/** A little before the database would do it itself. Sorting in a quarter of them costs twice as much for each row. */
const rowsWorthSorting = 3500;
const pauseMs = 500;
const sortIn = `SELECT gin_clean_pending_list(oid) FROM pg_class
  WHERE oid = to_regclass('contacts_search') AND relkind = 'i'`;

export function prepareMaintenance(pool: Pool) {
  let pendingRows = 0;
  let isSorting = false;
  let timer: NodeJS.Timeout | undefined;

  const sort = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (isSorting) return;
    isSorting = true;
    pendingRows = 0;
    // Searches are a little slower until it works again.
    await pool.query(sortIn).catch(() => {});
    isSorting = false;
    if (pendingRows > 0) noteWritten(0);
  };

  /** To be called after so many rows were written. */
  const noteWritten = (rows: number): void => {
    pendingRows += rows;
    if (pendingRows >= rowsWorthSorting) sort();
    else if (timer !== undefined) timer.refresh();
    else timer = setTimeout(sort, pauseMs).unref();
  };

  return { noteWritten, stop: () => clearTimeout(timer) };
}
