// Maintenance of the search index: moves pending rows into search_index, many at a time, and merges the index's segments
// when there is nothing else to do. A search is exact at any moment of it; maintenance only makes it fast. Runs on the
// writer thread, between commits.
import type { DatabaseSync } from 'node:sqlite';
import { statementsOf } from '../contacts/rows.ts';
import { defaultSettings, type EngineSettings } from '../settings.ts';

/** Rows per transaction: enough to share the cost of a segment, few enough not to hold up writes for long. */
const sliceRows = 200;
/** Pages of merging per transaction, some 10 ms. */
const mergePages = 100;
/** A row is a tenth of a page of its segment, and that is merged about five times before it is in a large one. */
const mergedPagesPerRow = mergePages / sliceRows;
/** A segment of fewer rows is hardly smaller. */
const segmentRowsMin = 20;
/** When so large a share of the rows was indexed anew, everything is merged into one segment: searches get faster. */
const shareOfFullMerge = 0.05;
/** FTS5 notes in rows from this one on what was deleted from a segment, which holds it until it is merged. */
const firstOfDeleted = 2n ** 53n;

interface PendingRow {
  rowId: bigint;
  hasEntry: bigint;
  /** Of the contact as it is now; null when it is gone. */
  searchText: string | null;
}

export function prepareMaintenance(db: DatabaseSync, settings: EngineSettings = defaultSettings) {
  const { find, run } = statementsOf(db);
  const nextPending = db.prepare(
    `SELECT p.row_id AS rowId, p.has_entry AS hasEntry, c.search_text AS searchText
     FROM search_pending p LEFT JOIN contacts c ON c.row_id = p.row_id ORDER BY p.row_id LIMIT ?`,
  );
  nextPending.setReadBigInts(true);

  const merge = (pages: number) => run("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?)", pages);
  const changesSoFar = () => find<{ changes: number }>('SELECT total_changes() AS changes')?.changes ?? 0;

  /** Pages of merging that the rows indexed so far have caused. */
  let owedPages = 0;
  let rowsSinceFullMerge = 0;
  let mergedAtMs = performance.now();
  const isFullMergeDue = (): boolean => {
    const isLongAgo = performance.now() - mergedAtMs >= settings.mergeDeletedEveryMs;
    if (isLongAgo && find('SELECT 1 FROM search_index_data WHERE id >= ?', firstOfDeleted) !== undefined) return true;
    if (rowsSinceFullMerge === 0) return false;
    const indexed = find<{ count: number }>('SELECT sum(contact_count) AS count FROM bots WHERE is_indexed = 1');
    return rowsSinceFullMerge >= (indexed?.count ?? 0) * shareOfFullMerge;
  };

  const inTransaction =
    <Result>(work: () => Result) =>
    (): Result => {
      db.exec('BEGIN IMMEDIATE');
      const result = work();
      db.exec('COMMIT');
      return result;
    };

  /** Indexes some of the pending rows, and returns how many. */
  const indexRows = (): number => {
    const rows = nextPending.all(sliceRows) as unknown as PendingRow[];
    const last = rows.at(-1);
    if (last === undefined) return 0;
    // In the order of row ids, and all removals first: mixed, FTS5 flushes its buffer at every step back.
    for (const { rowId, hasEntry } of rows) if (hasEntry) run('DELETE FROM search_index WHERE rowid = ?', rowId);
    const insertEntry = 'INSERT INTO search_index (rowid, search_text) VALUES (?, ?)';
    for (const { rowId, searchText } of rows) if (searchText !== null) run(insertEntry, rowId, searchText);
    run('DELETE FROM search_pending WHERE row_id <= ?', last.rowId);
    owedPages += Math.max(rows.length, segmentRowsMin) * mergedPagesPerRow;
    rowsSinceFullMerge += rows.length;
    return rows.length;
  };

  /** False when there was nothing to merge. */
  const mergeSome = (): boolean => {
    const before = changesSoFar();
    merge(mergePages);
    // FTS5 documents that a merge which changes fewer than two rows had nothing to do.
    return changesSoFar() - before >= 2;
  };

  const isDue = () =>
    owedPages >= mergePages || find('SELECT 1 FROM search_pending LIMIT 1 OFFSET ?', sliceRows - 1) !== undefined;

  /** Returns how many rows must have been written for it: each is indexed by one step and merged by others. */
  const step = inTransaction((): number => {
    if (owedPages < mergePages) return indexRows() / 2;
    owedPages = mergeSome() ? owedPages - mergePages : 0;
    return sliceRows / 2;
  });

  return {
    /**
     * Between two commits, the first of which had so many rows: as much as was written, so that an import does not leave
     * the index behind. After a small commit that is one step, if any. May throw inside a transaction.
     */
    afterCommit(rows: number, mayGoOn = () => true): void {
      for (let due = rows; due > 0 && isDue() && mayGoOn(); ) due -= step();
    },

    /** Indexes some of the pending rows, however few they are. May throw likewise. */
    indexSome: () => void step(),

    /** One step while nothing is written. False when there was nothing to do. May throw likewise. */
    stepInQuiet: inTransaction((): boolean => {
      if (indexRows() > 0) return true;
      owedPages = 0;
      if (!isFullMergeDue()) return mergeSome();
      // A negative number begins a merge of all segments; positive ones continue it.
      merge(-mergePages);
      rowsSinceFullMerge = 0;
      mergedAtMs = performance.now();
      return true;
    }),
  };
}
