// Opens the SQLite file: checks that it is ours and whole, brings its schema up to date, and sets up connections.
// Nothing here ever overwrites a file that it does not recognise.
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreInUseError, StoreOpenError } from '../store.ts';
import { primaryCode, primaryCodes } from './driver-errors.ts';
import { logsOf } from './files.ts';
import { applicationId, inspectContent, inspectFile, migrations, schemaVersion, UnsoundError } from './inspection.ts';
import { defaultSettings } from './settings.ts';

export const databaseName = 'roster.db';
const lockName = 'roster.lock';

/** The first schema whose versions overwrite what is deleted. */
const erasingVersion = 13;

/**
 * Makes the folder and takes it for this process, until it is released or disposed of: a second process on the same data
 * is refused, after `waitMs`.
 */
export function claimDataFolder(folder: string, waitMs = 0) {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw unusable(folder, cause);
  }
  // An open SQLite transaction is a lock that the system lifts when the process ends, however it ends.
  const lockPath = join(folder, lockName);
  let lock: DatabaseSync | undefined;
  try {
    makePrivate(lockPath);
    lock = new DatabaseSync(lockPath, { timeout: waitMs });
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    switch (primaryCode(cause)) {
      case primaryCodes.busy:
        throw new StoreInUseError(
          `Another process is using the data folder ${folder}. Stop it, or set ROSTER_DATA_DIR to another folder.`,
        );
      case primaryCodes.full:
        throw new StoreOpenError(`The disk with the data folder ${folder} is full. Free some space and start again.`);
      case primaryCodes.notADatabase:
        throw new StoreOpenError(`${lockPath} is not a Roster lock file. Delete it and start again.`);
      default:
        throw unusable(folder, cause);
    }
  }
  const release = () => lock.close();
  return { databasePath: join(folder, databaseName), release, [Symbol.dispose]: release };
}

/** Whether a process has the folder now. Makes nothing. */
export function isFolderTaken(folder: string): boolean {
  if (!existsSync(join(folder, lockName))) return false;
  try {
    claimDataFolder(folder).release();
    return false;
  } catch (error) {
    if (error instanceof StoreInUseError) return true;
    throw error;
  }
}

/** Node's own recursive mkdir never returns where a folder cannot be made below one that exists, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
}

/** SQLite would make it with the process's usual permissions. What it makes beside it later has those of this file. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

function unusable(folder: string, cause: unknown): StoreOpenError {
  const message = `Cannot write to the data folder ${folder}: ${(cause as Error).message}. Give this user write access, or set ROSTER_DATA_DIR to another folder.`;
  return new StoreOpenError(message, { cause });
}

/** Creates the database or brings it up to date, and checks it if it is small. Leaves no connection open. */
export function prepareDatabase(path: string, { checkedWholeBytes } = defaultSettings): { isChecked: boolean } {
  try {
    // SQLite also opens what this user cannot write, and says so at the first write, or names another file.
    for (const file of [path, ...logsOf(path)]) if (existsSync(file)) closeSync(openSync(file, 'r+'));
    const bytes = inspectFile(path);
    const isChecked = bytes <= checkedWholeBytes;
    if (bytes === 0) makePrivate(path);
    // A connection that can write folds the log into the file when it closes, so a file to be refused gets none.
    else inspectContent(path, isChecked ? 'quick' : 'none');
    // A table that is made anew is dropped in between, which must not delete what refers to it.
    using db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    // Before the first table is made; a later change would need a VACUUM.
    if (bytes === 0) db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA journal_mode = WAL`);
    const isOld = bytes > 0 && schemaVersion(db) < erasingVersion;
    db.exec('PRAGMA secure_delete = ON');
    migrate(db);
    if (isOld && isChecked) eraseDeleted(db);
    return { isChecked };
  } catch (cause) {
    if (cause instanceof UnsoundError) throw new StoreOpenError(`${cause.message} ${restoreHint}`, { cause });
    if (cause instanceof StoreOpenError) throw cause;
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const hint = ['EACCES', 'EPERM', 'EROFS'].includes(code) ? accessHint : restoreHint;
    throw new StoreOpenError(`Cannot open ${path}: ${message}. ${hint}`, { cause });
  }
}

/** What earlier versions left of it. A larger file would keep the start waiting: see docs/operations/upgrade.md. */
function eraseDeleted(db: DatabaseSync): void {
  try {
    db.exec('VACUUM');
  } catch {
    // There is no room for the copy that it makes. All is as it was.
  }
}

const accessHint = 'Start Roster as the user who owns the file, or give this user write access.';
const restoreHint =
  'The file was not changed. Restore a backup, or move the file away to start with an empty database.';

function migrate(db: DatabaseSync): void {
  // Also finds out now, in one line, that this user may not write.
  db.exec('BEGIN IMMEDIATE; ROLLBACK');
  for (const [index, { name, sql }] of migrations().entries()) {
    if (index < schemaVersion(db)) continue;
    db.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}`);
    const [orphan] = db.prepare('PRAGMA foreign_key_check').all();
    if (orphan !== undefined)
      throw new Error(`${name} would leave a row of ${orphan['table']} without what it refers to`);
    db.exec('COMMIT');
  }
}

/** The writing connection. Each pragma is needed by a promise of the port or was measured. */
export function openForWriting(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: true });
  db.exec(`
    PRAGMA journal_mode = WAL;
    -- A backup tool may hold the lock for a moment.
    PRAGMA busy_timeout = 2000;
    -- An answered write survives a power cut. With NORMAL it need not.
    PRAGMA synchronous = FULL;
    -- macOS: fsync alone does not reach the disk.
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    -- 16 MiB of log between checkpoints: a page that changes often is copied to the file once.
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 67108864;
    -- What is deleted is overwritten, also in free pages. It costs 1 to 2% of the CPU, and 12% more log, most of it for merges.
    PRAGMA secure_delete = ON;
    PRAGMA cache_size = -24576;
    PRAGMA temp_store = MEMORY;
  `);
  const { journal_mode: journal } = db.prepare('PRAGMA journal_mode').get() as { journal_mode: string };
  const { synchronous } = db.prepare('PRAGMA synchronous').get() as { synchronous: number };
  // 2 is FULL.
  if (journal !== 'wal' || synchronous !== 2) {
    throw new StoreOpenError(`${path} cannot be opened durably (journal ${journal}, synchronous ${synchronous}).`);
  }
  return db;
}

/** A connection that only reads. It sees every commit made before each of its statements or transactions. */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true });
  // A reader waits only while the log is being reset, which takes milliseconds.
  db.exec('PRAGMA busy_timeout = 1000; PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY');
  return db;
}
