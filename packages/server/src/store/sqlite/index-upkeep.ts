// Keeps search_index: moves the rows noted in search_pending into it, many at a time, and merges its segments when
// there is nothing else to do. A search is right at any moment of it; upkeep only makes it fast.
import type { DatabaseSync } from 'node:sqlite';

/** Rows per transaction: large enough to share the cost of a segment, small enough not to hold up writes for long. */
const sliceRows = 1000;

/** Pages of merging per transaction, some 10 ms. */
const mergePages = 100;
/** When so large a share of the rows was indexed anew, everything is merged into one segment: searches get faster. */
const shareOfFullMerge = 0.05;

export interface IndexUpkeep {
  sliceRows: number;
  /** Whether so many rows wait that searches would notice. */
  isDue(): boolean;
  /** Indexes some of the rows that wait. False when there were none. May throw inside its transaction. */
  indexSlice(): boolean;
  /** Merges some segments, to make searches faster. False when there was nothing to do. May throw likewise. */
  mergeSlice(): boolean;
}

export function prepareIndexUpkeep(db: DatabaseSync): IndexUpkeep {
  const countPending = db.prepare('SELECT count(*) AS count FROM search_pending');
  const nextPending = db.prepare(
    `SELECT p.row_id, p.has_entry, c.search_text
     FROM search_pending p LEFT JOIN contacts c ON c.row_id = p.row_id ORDER BY p.row_id LIMIT ?`,
  );
  nextPending.setReadBigInts(true);
  const removeEntry = db.prepare('DELETE FROM search_index WHERE rowid = ?');
  const insertEntry = db.prepare('INSERT INTO search_index (rowid, search_text) VALUES (?, ?)');
  const forgetUpTo = db.prepare('DELETE FROM search_pending WHERE row_id <= ?');
  const countIndexed = db.prepare('SELECT sum(contact_count) AS count FROM bots WHERE is_indexed = 1');
  const merge = db.prepare("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?)");
  const totalChanges = db.prepare('SELECT total_changes() AS changes');

  const changesSoFar = () => (totalChanges.get() as { changes: number }).changes;

  let rowsSinceFullMerge = 0;
  const isFullMergeDue = (): boolean => {
    const { count } = countIndexed.get() as { count: number | null };
    return rowsSinceFullMerge > 0 && rowsSinceFullMerge >= (count ?? 0) * shareOfFullMerge;
  };

  const inTransaction = (work: () => boolean) => (): boolean => {
    db.exec('BEGIN IMMEDIATE');
    const didWork = work();
    db.exec('COMMIT');
    return didWork;
  };

  return {
    sliceRows,
    isDue: () => (countPending.get() as { count: number }).count >= sliceRows,

    indexSlice: inTransaction(() => {
      const rows = nextPending.all(sliceRows) as { row_id: bigint; has_entry: bigint; search_text: string | null }[];
      const last = rows.at(-1);
      if (last === undefined) return false;
      // In the order of row ids, and all removals first: mixed, FTS5 flushes its buffer at every step back.
      for (const row of rows) if (row.has_entry) removeEntry.run(row.row_id);
      for (const row of rows) if (row.search_text !== null) insertEntry.run(row.row_id, row.search_text);
      forgetUpTo.run(last.row_id);
      rowsSinceFullMerge += rows.length;
      return true;
    }),

    mergeSlice: inTransaction(() => {
      const before = changesSoFar();
      if (isFullMergeDue()) {
        // A negative number begins a merge of all segments; positive ones go on with it.
        merge.run(-mergePages);
        rowsSinceFullMerge = 0;
        return true;
      }
      merge.run(mergePages);
      // FTS5 says that a merge which changes fewer than two rows had nothing to do.
      return changesSoFar() - before >= 2;
    }),
  };
}
