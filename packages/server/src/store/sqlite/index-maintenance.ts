// Keeps what searches read: moves the rows noted in search_pending into search_index and the counts of short pieces,
// many at a time, and merges the index's segments when there is nothing else to do. A search is right at any moment
// of it; upkeep only makes it fast.
import type { DatabaseSync } from 'node:sqlite';
import { contactNumberMax, numbersOf, rowIdOf, rowRange } from './row-ids.ts';
import {
  type CountedBot,
  defaultListedContactsMax,
  documentOf,
  PieceChanges,
  preparePieceCounts,
} from './short-ngrams.ts';

/** Rows per transaction: large enough to share the cost of a segment, small enough not to hold up writes for long. */
const sliceRows = 1000;

/** Pages of merging per transaction, some 10 ms. */
const mergePages = 100;
/** When so large a share of the rows was indexed anew, everything is merged into one segment: searches get faster. */
const shareOfFullMerge = 0.05;

export interface IndexMaintenance {
  sliceRows: number;
  /** Whether so many rows wait that searches would notice. */
  isDue(): boolean;
  /** Indexes some of the rows that wait. False when there were none. May throw inside its transaction. */
  indexSlice(): boolean;
  /** Counts the short pieces of some rows that an earlier version indexed. False when none are left. May throw. */
  countSlice(): boolean;
  /** Merges some segments, to make searches faster. False when there was nothing to do. May throw likewise. */
  mergeSlice(): boolean;
}

interface PendingRow {
  row_id: bigint;
  has_entry: bigint;
  counted_document: string | null;
  /** Of the contact as it is now; null when it is gone. */
  id: string | null;
  search_text: string | null;
}

interface UpkeptBot extends CountedBot {
  counted_through: number;
}

export interface MaintenanceSettings {
  /** Pieces that more contacts hold are counted without a list. */
  listedContactsMax: number;
}

export function prepareIndexMaintenance(
  db: DatabaseSync,
  { listedContactsMax }: MaintenanceSettings = { listedContactsMax: defaultListedContactsMax },
): IndexMaintenance {
  const somePending = db.prepare('SELECT 1 FROM search_pending LIMIT 1 OFFSET ?');
  const nextPending = db.prepare(
    `SELECT p.row_id, p.has_entry, p.counted_document, c.id, c.search_text
     FROM search_pending p LEFT JOIN contacts c ON c.row_id = p.row_id ORDER BY p.row_id LIMIT ?`,
  );
  nextPending.setReadBigInts(true);
  const removeEntry = db.prepare('DELETE FROM search_index WHERE rowid = ?');
  const insertEntry = db.prepare('INSERT INTO search_index (rowid, search_text) VALUES (?, ?)');
  const forgetUpTo = db.prepare('DELETE FROM search_pending WHERE row_id <= ?');
  const findBot = db.prepare(
    'SELECT number, contact_count, counted_through FROM bots WHERE number = ? AND deleted_at IS NULL',
  );
  const savePieces = preparePieceCounts(db, listedContactsMax);
  const countIndexed = db.prepare('SELECT sum(contact_count) AS count FROM bots WHERE is_indexed = 1');
  const merge = db.prepare("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?)");
  const totalChanges = db.prepare('SELECT total_changes() AS changes');

  const changesSoFar = () => (totalChanges.get() as { changes: number }).changes;

  let rowsSinceFullMerge = 0;
  const isFullMergeDue = (): boolean => {
    if (rowsSinceFullMerge === 0) return false;
    const { count } = countIndexed.get() as { count: number | null };
    return rowsSinceFullMerge >= (count ?? 0) * shareOfFullMerge;
  };

  const inTransaction = (work: () => boolean) => (): boolean => {
    db.exec('BEGIN IMMEDIATE');
    const didWork = work();
    db.exec('COMMIT');
    return didWork;
  };

  /** Of the rows of one bot. What a deleted bot leaves behind is purged, so nothing more is counted for it. */
  const countPieces = (botNumber: number, rows: readonly PendingRow[]): void => {
    const bot = findBot.get(botNumber) as UpkeptBot | undefined;
    if (bot === undefined) return;
    const changes = new PieceChanges();
    for (const { row_id, counted_document, id, search_text } of rows) {
      const { contact } = numbersOf(row_id);
      const isCounted = id !== null && search_text !== null && contact <= bot.counted_through;
      changes.change(contact, counted_document ?? '', isCounted ? documentOf(id, search_text) : '');
    }
    savePieces(bot, changes);
  };

  // Bots that an earlier version indexed. Those indexed since are counted as they are indexed.
  const uncounted = db
    .prepare('SELECT number FROM bots WHERE is_indexed = 1 AND counted_through < ? AND deleted_at IS NULL')
    .all(contactNumberMax) as { number: number }[];
  const nextUncounted = db.prepare(
    `SELECT c.row_id, c.id, c.search_text, p.row_id IS NOT NULL AS is_pending
     FROM contacts c LEFT JOIN search_pending p ON p.row_id = c.row_id
     WHERE c.row_id BETWEEN ? AND ? ORDER BY c.row_id LIMIT ?`,
  );
  nextUncounted.setReadBigInts(true);
  const setCountedThrough = db.prepare('UPDATE bots SET counted_through = ? WHERE number = ?');

  const countSlice = inTransaction(() => {
    const [{ number } = { number: 0 }] = uncounted;
    const bot = findBot.get(number) as UpkeptBot | undefined;
    if (bot === undefined || bot.counted_through === contactNumberMax) {
      uncounted.shift();
      return true;
    }
    const [, end] = rowRange(number);
    const rows = nextUncounted.all(rowIdOf(number, bot.counted_through + 1), end, sliceRows) as unknown as {
      row_id: bigint;
      id: string;
      search_text: string;
      is_pending: bigint;
    }[];
    const changes = new PieceChanges();
    for (const { row_id, id, search_text, is_pending } of rows) {
      // Those that wait are counted when they are indexed.
      if (!is_pending) changes.change(numbersOf(row_id).contact, '', documentOf(id, search_text));
    }
    savePieces(bot, changes);
    const last = rows.length < sliceRows ? undefined : rows.at(-1);
    setCountedThrough.run(last === undefined ? contactNumberMax : numbersOf(last.row_id).contact, number);
    return true;
  });

  return {
    sliceRows,
    isDue: () => somePending.get(sliceRows - 1) !== undefined,

    indexSlice: inTransaction(() => {
      const rows = nextPending.all(sliceRows) as unknown as PendingRow[];
      const last = rows.at(-1);
      if (last === undefined) return false;
      // In the order of row ids, and all removals first: mixed, FTS5 flushes its buffer at every step back.
      for (const row of rows) if (row.has_entry) removeEntry.run(row.row_id);
      for (const row of rows) if (row.search_text !== null) insertEntry.run(row.row_id, row.search_text);
      const byBot = Map.groupBy(rows, ({ row_id }) => numbersOf(row_id).bot);
      for (const [bot, rowsOfBot] of byBot) countPieces(bot, rowsOfBot);
      forgetUpTo.run(last.row_id);
      rowsSinceFullMerge += rows.length;
      return true;
    }),

    countSlice: () => uncounted.length > 0 && countSlice(),

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
