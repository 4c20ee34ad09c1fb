// Moves all data from one engine to another, and proves it: afterwards both sides are read and compared, table by
// table, by count and by a SHA-256 over every row. Knows no engine.
import { createHash } from 'node:crypto';
import { type Archive, type NewArchive, type Row, type TableName, tableNames } from './archive.ts';

export type MovePhase = 'moving' | 'completing' | 'checking';

/** Receives the progress of a move, and may end it. */
export interface MoveWatch {
  signal: AbortSignal;
  /** `rows` is left out when their number is unknown. */
  begin(phase: MovePhase, rows?: number): void;
  advance(rows: number): void;
}

export interface MovedTable {
  table: TableName;
  rows: number;
  /** SHA-256 in hex, the same on both sides. */
  checksum: string;
}

/** The move cannot be done, or was not done. The message says why, in one line; the target is as it was. */
export class MoveError extends Error {
  override name = 'MoveError';
}

export async function move(source: Archive, target: NewArchive, watch: MoveWatch): Promise<MovedTable[]> {
  const counts = await countsOf(source);
  if (counts.get('organizations') === 0) {
    throw new MoveError(`There is nothing to move: ${source.title} has no organizations.`);
  }
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  watch.begin('moving', total);
  for (const table of tableNames) {
    for await (const rows of source.read(table)) {
      watch.signal.throwIfAborted();
      await target.write(table, rows);
      watch.advance(rows.length);
    }
  }
  watch.begin('completing');
  await target.complete();
  watch.begin('checking', total * 2);
  const sides = [
    { archive: source, counts },
    { archive: target, counts: await countsOf(target) },
  ];
  return compare(sides, watch);
}

interface Side {
  archive: Archive;
  /** Counted by the engine itself, so that a page that reading skips is seen. */
  counts: Map<TableName, number>;
}

async function countsOf(archive: Archive): Promise<Map<TableName, number>> {
  return new Map(await Promise.all(tableNames.map(async (table) => [table, await archive.count(table)] as const)));
}

async function compare(sides: readonly Side[], watch: MoveWatch): Promise<MovedTable[]> {
  const moved: MovedTable[] = [];
  for (const table of tableNames) {
    const digests = await Promise.all(sides.map((side) => digestOf(side, table, watch)));
    const { rows, checksum } = digests[0] as MovedTable;
    if (digests.some((digest) => digest.rows !== rows || digest.checksum !== checksum || digest.count !== rows)) {
      const list = digests.map((one) => `${one.title} has ${one.rows} (${one.count}) rows, ${one.checksum}`);
      throw new MoveError(`The table ${table} differs after the move, so the move was undone: ${list.join('; ')}.`);
    }
    moved.push({ table, rows, checksum });
  }
  return moved;
}

async function digestOf({ archive, counts }: Side, table: TableName, watch: MoveWatch) {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of archive.read(table)) {
    watch.signal.throwIfAborted();
    hash.update(page.map(canonical).join(''));
    rows += page.length;
    watch.advance(page.length);
  }
  return { title: archive.title, table, count: counts.get(table), rows, checksum: hash.digest('hex') };
}

/** As JSON: equal rows of both engines have the same text, and different rows have different texts. */
function canonical(row: Row): string {
  const plain = row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value));
  return `${JSON.stringify(plain)}\n`;
}
