// The snapshot of the main thread's reads. Reads of the same turn of the event loop share one: taking one costs as much
// as half a read by key.
import type { DatabaseSync } from 'node:sqlite';
import { mapDriverError } from './driver-errors.ts';

/** `noteError` gets what a failed read throws, and returns it. */
export function prepareSnapshot(db: DatabaseSync, noteError: (error: unknown) => unknown) {
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  let isOpen = false;

  /**
   * Later reads see what was committed until now. Must be called before a write is answered, and before a read of another
   * thread is: who has seen an event there must find its contact here.
   */
  const drop = (): void => {
    if (!isOpen) return;
    isOpen = false;
    // A failed read has ended the transaction already.
    if (db.isTransaction) commit.run();
  };

  const open = (): void => {
    if (isOpen) return;
    begin.run();
    isOpen = true;
    setImmediate(drop);
  };

  return {
    drop,

    /** The same read in the snapshot. It throws a StoreUnavailableError when SQLite is busy or failing. */
    share<Args extends unknown[], Value>(read: (...args: Args) => Value): (...args: Args) => Value {
      return (...args) => {
        try {
          open();
          return read(...args);
        } catch (error) {
          // The next read begins anew. After a read that has met damage a COMMIT would fail too.
          isOpen = false;
          if (db.isTransaction) rollback.run();
          throw noteError(mapDriverError(error));
        }
      };
    },
  };
}
