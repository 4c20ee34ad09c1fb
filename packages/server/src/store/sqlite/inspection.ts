// Looks at a database file and changes nothing: whether it is ours, whole, and of a version that this program knows.
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type MigrationFile, readMigrations } from '../migrations.ts';
import { StoreOpenError } from '../store.ts';
import { isDamage } from './driver-errors.ts';

/** "Rost" in ASCII, in the header of every database of ours. */
export const applicationId = 0x526f7374;

let known: MigrationFile[] | undefined;

/** Read when they are needed, which is never in a thread. */
export function migrations(): readonly MigrationFile[] {
  known ??= readMigrations('sqlite');
  return known;
}

/** The file is not ours, or damaged. The message says so; what to do about it is the caller's to say. */
export class UnsoundError extends StoreOpenError {}

export function schemaVersion(db: DatabaseSync): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
}

/** Reads the header without SQLite, which might change the file. Returns the size, 0 for a file that is not there. */
export function inspectFile(path: string): number {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return 0;
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0' || header.readUInt32BE(68) !== applicationId) {
    throw new UnsoundError(`${path} is not a Roster database.`);
  }
  const pageSize = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  const walBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  // With a write-ahead log the missing pages may be there.
  if (walBytes === 0 && bytes < header.readUInt32BE(28) * pageSize) {
    throw new UnsoundError(`${path} is damaged: it is truncated.`);
  }
  return bytes;
}

/** How much is read: nothing but the version, the structure of all pages, or every index entry too. */
export type Thoroughness = 'none' | 'quick' | 'whole';

export interface FileToCheck {
  path: string;
  /** It is being written. */
  isInUse: boolean;
  thoroughness: Exclude<Thoroughness, 'none'>;
}

/** Returns the version of the schema. `title` names the file in messages, should that be a copy of another. */
export function inspectContent(path: string, thoroughness: Thoroughness, title = path): number {
  using db = new DatabaseSync(readableAt(path), { readOnly: true });
  const version = schemaVersion(db);
  if (version > migrations().length) {
    throw new StoreOpenError(
      `${title} was written by a newer version of Roster (schema version ${version}; this version supports up to ${migrations().length}). Run that version, or restore an older backup.`,
    );
  }
  const damage = thoroughness === 'none' ? undefined : damageIn(db, thoroughness);
  if (damage !== undefined) throw new UnsoundError(`${title} is damaged: ${damage}.`);
  return version;
}

/**
 * The first damage that is found, if any. A file that is being written is checked table by table: a snapshot of all that
 * time would keep the log from beginning anew. Virtual tables lie in others, which are checked.
 */
export function findDamage(file: FileToCheck): string | undefined {
  const { path, isInUse, thoroughness } = file;
  using db = new DatabaseSync(isInUse ? path : readableAt(path), { readOnly: true, timeout: 1000 });
  if (!isInUse) return damageIn(db, thoroughness);
  const schemaDamage = damageIn(db, thoroughness, 'sqlite_schema');
  if (schemaDamage !== undefined) return schemaDamage;
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").all();
  for (const { name } of tables) {
    const damage = damageIn(db, thoroughness, `'${name}'`);
    if (damage !== undefined) return damage;
  }
  return undefined;
}

/** Writes what a database holds into an empty file, without free pages and what else earlier contents have left in it. */
export function compactInto(path: string, compactPath: string): void {
  using db = new DatabaseSync(readableAt(path), { readOnly: true });
  db.prepare('VACUUM INTO ?').run(compactPath);
}

/** When something was last stored, by the clock of then; 0 when nothing was. For a database of the newest schema. */
export function newestTimeMs(path: string): number {
  using db = new DatabaseSync(readableAt(path), { readOnly: true });
  const sql = `SELECT max(coalesce((SELECT max(last_created_us) / 1000 FROM bots), 0),
    coalesce((SELECT max(created_at) FROM secrets), 0),
    coalesce((SELECT at FROM audit_entries ORDER BY id DESC LIMIT 1), 0)) AS ms`;
  return (db.prepare(sql).get() as { ms: number }).ms;
}

/** Without a log there is no writer: the file is read as it is, and no new log is left beside it. */
function readableAt(path: string): string | URL {
  if (existsSync(`${path}-wal`)) return path;
  return new URL(`${pathToFileURL(path)}?immutable=1`);
}

/** `argument`: how much damage to look for, or in which table. */
function damageIn(db: DatabaseSync, thoroughness: 'quick' | 'whole', argument = '1'): string | undefined {
  const check = thoroughness === 'quick' ? 'quick_check' : 'integrity_check';
  try {
    const [verdict] = Object.values(db.prepare(`PRAGMA ${check}(${argument})`).get() ?? {});
    // A line with the database's name may come first.
    return verdict === 'ok' ? undefined : /^(?:\*{3}.*\n)?(.*)/.exec(String(verdict))?.[1];
  } catch (error) {
    // Some damage keeps SQLite from even looking.
    if (isDamage(error)) return (error as Error).message;
    throw error;
  }
}
