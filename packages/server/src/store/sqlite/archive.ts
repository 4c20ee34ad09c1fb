// The embedded engine as a side of a move: reads a folder's database, or builds a new one beside its path and moves it
// there at the end, whole or not at all. The folder is taken, so no server can run on it meanwhile.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Archive, columnsOf, keyOf, type NewArchive, type Row, rowsPerPage, type TableName } from '../archive.ts';
import { MoveError } from '../move.ts';
import { sync } from '../sync.ts';
import { claimDataFolder, databaseName, openForReading, prepareDatabase } from './database.ts';
import { removeDatabase, replaceDatabase } from './files.ts';
import { prepareLoading } from './loading.ts';

/** Lends the database of the folder to `work`. It is brought to the newest schema, as by a start of the server. */
export async function readSqlite<Result>(folder: string, work: (source: Archive) => Promise<Result>): Promise<Result> {
  const path = join(folder, databaseName);
  if (!existsSync(path))
    throw new MoveError(`${path} does not exist. Set ROSTER_DATA_DIR to the server's data folder.`);
  using _claimed = claimDataFolder(folder);
  prepareDatabase(path);
  using db = openForReading(path);
  return await work({ title: path, ...readingOf(db) });
}

/**
 * Lends an empty database to `work`, and puts it into the folder when that has succeeded. Bots with more contacts than
 * the threshold will be searched by index.
 */
export async function fillSqlite<Result>(
  { folder, indexThreshold }: { folder: string; indexThreshold: number },
  work: (target: NewArchive) => Promise<Result>,
): Promise<Result> {
  using claimed = claimDataFolder(folder);
  const { databasePath } = claimed;
  // The name says what it is, should the process be killed: the next move removes it.
  const newPath = `${databasePath}.incomplete`;
  refuseFilled(databasePath);
  await removeDatabase(newPath);
  prepareDatabase(newPath);
  let db = openForLoading(newPath);
  const loading = prepareLoading(db, indexThreshold);
  const target: NewArchive = {
    title: databasePath,
    // `complete` opens another connection, so each call asks for the present one.
    count: (table) => readingOf(db).count(table),
    read: (table) => readingOf(db).read(table),
    write: async (table, rows) => loading.write(table, rows),
    async complete() {
      loading.complete();
      // What is compared comes from the file, not from the memory of the connection that wrote it.
      db.close();
      db = openForReading(newPath);
    },
  };
  try {
    const result = await work(target);
    db.close();
    await finish(newPath);
    await replaceDatabase(databasePath, newPath);
    return result;
  } finally {
    if (db.isOpen) db.close();
    await removeDatabase(newPath);
  }
}

function refuseFilled(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  let isEmpty = false;
  try {
    using db = openForReading(path);
    isEmpty = db.prepare('SELECT id FROM organizations LIMIT 1').get() === undefined;
  } catch {
    // Not a database of ours, or a damaged one: it is not ours to remove.
  }
  if (!isEmpty) {
    throw new MoveError(
      `${path} already contains data, and was not changed. Move it away, or set ROSTER_DATA_DIR to another folder.`,
    );
  }
}

/** The file is not used until it is whole, so nothing of it needs to survive a crash: no journal and no sync. */
function openForLoading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: true });
  // Emails come in no order, and their index is faster when much of it stays in memory.
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY`);
  return db;
}

async function finish(path: string): Promise<void> {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL');
  db.close();
  await sync(path);
}

/** Where the rows come from in the order of the key, without those of deleted bots. Other tables are read whole. */
const sources: Partial<Record<TableName, string>> = {
  bots: 'bots WHERE deleted_at IS NULL',
  contact_tokens: `bots CROSS JOIN contact_tokens ON contact_tokens.bot = bots.number
    CROSS JOIN contacts ON contacts.row_id = contact_tokens.contact WHERE bots.deleted_at IS NULL`,
};

function sourceOf(table: TableName): string {
  const ofBots = `bots CROSS JOIN ${table} ON ${table}.bot = bots.number WHERE bots.deleted_at IS NULL`;
  return sources[table] ?? (columnsOf(table)[0] === 'bot_id' ? ofBots : table);
}

/** Columns that hold something else here than in the neutral form. */
const expressions: Record<string, string> = { bot_id: 'bots.id', contact_id: 'contacts.id' };

function readingOf(db: DatabaseSync): Pick<Archive, 'count' | 'read'> {
  return {
    async count(table) {
      return (db.prepare(`SELECT count(*) AS count FROM ${sourceOf(table)}`).get() as { count: number }).count;
    },
    async *read(table) {
      const toSql = (columns: string[]) => columns.map((column) => expressions[column] ?? `${table}.${column}`).join();
      const statement = db.prepare(
        `SELECT ${toSql(columnsOf(table))} FROM ${sourceOf(table)} ORDER BY ${toSql(keyOf(table))}`,
      );
      statement.setReturnArrays(true);
      let page: Row[] = [];
      for (const row of statement.iterate() as Iterable<unknown>) {
        if (page.push(row as Row) < rowsPerPage) continue;
        yield page;
        page = [];
        // Between two pages, signals and the other engine are served.
        await nextTurn();
      }
      if (page.length > 0) yield page;
    },
  };
}
