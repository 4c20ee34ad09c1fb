// Replaces a folder's database with a backup: checked first, in one step, and without losing what was there.
import { existsSync, realpathSync, statSync } from 'node:fs';
import { chown, link, rename } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { BackupError } from '../store.ts';
import { sync } from '../sync.ts';
import { copyDatabase } from './backup.ts';
import { claimDataFolder, prepareDatabase } from './database.ts';
import { logsOf, removeDatabase, replaceDatabase } from './files.ts';
import { inspectContent, inspectFile, UnsoundError } from './inspection.ts';

export interface RestoreSettings {
  folder: string;
  file: string;
  /** Whether a database that is there may be replaced. */
  force: boolean;
  nowMs: number;
}

/** `keptAs` is where the database that was replaced is now. Undefined: there was none. */
export async function restoreSqlite(settings: RestoreSettings): Promise<{ keptAs: string | undefined }> {
  const { folder, file, force, nowMs } = settings;
  // Before the folder is made, or anything in it is touched.
  refuseUnsound(() => {
    if (inspectFile(file) === 0) throw new BackupError(`The backup ${file} does not exist or is empty.`);
  });
  using claimed = claimDataFolder(folder);
  const { databasePath } = claimed;
  const partial = `${databasePath}.incomplete`;
  try {
    const hasOld = existsSync(databasePath) && statSync(databasePath).size > 0;
    if (hasOld && realpathSync(databasePath) === realpathSync(file)) {
      throw new BackupError(`${file} is the database itself, not a backup.`);
    }
    if (hasOld && !force) {
      throw new BackupError(`${databasePath} already exists, and was not changed. To replace it, pass --force.`);
    }
    await removeDatabase(partial);
    await copyDatabase(file, partial, {});
    refuseUnsound(() => inspectContent(partial, 'whole', file));
    // An older one is brought up to date now: whether that works must not be found out when the old one is gone.
    prepareDatabase(partial);
    beginHistories(partial);
    await giveToOwner(partial, folder);
    await sync(partial);
    const keptAs = hasOld ? await keepAside(databasePath, nowMs) : undefined;
    await replaceDatabase(databasePath, partial);
    return { keptAs };
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    if (!['ENOSPC', 'ERR_SQLITE_ERROR'].includes(code)) throw cause;
    throw new BackupError(`Cannot restore ${file}: ${message}.`, { cause });
  } finally {
    await removeDatabase(partial);
  }
}

/** What happened after the backup is not in it: whoever has followed a feed further must be told. */
function beginHistories(path: string): void {
  using db = new DatabaseSync(path);
  db.exec('UPDATE bots SET event_history = lower(hex(randomblob(8)))');
}

/** Root may restore for a server that runs as another user. */
async function giveToOwner(file: string, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  await chown(file, uid, gid);
}

function refuseUnsound(inspect: () => void): void {
  try {
    inspect();
  } catch (cause) {
    if (cause instanceof UnsoundError) throw new BackupError(`${cause.message} Nothing was restored.`, { cause });
    throw cause;
  }
}

/** A link, where there are links: the folder is never without a database, whenever the process may be killed. */
async function keepAside(path: string, nowMs: number): Promise<string> {
  const kept = `${path}.replaced-${new Date(nowMs).toISOString().replaceAll(/[-:]/g, '')}`;
  foldLog(path);
  for (const log of logsOf(path)) {
    if (existsSync(log)) await rename(log, kept + log.slice(path.length));
  }
  await link(path, kept).catch(() => rename(path, kept));
  return kept;
}

/** Takes what a killed server left in the log into the file, which then needs none: it is like a backup. */
function foldLog(path: string): void {
  try {
    const db = new DatabaseSync(path);
    db.exec('PRAGMA journal_mode = DELETE');
    db.close();
  } catch {
    // A damaged one, perhaps the reason for the restore: its log is kept beside it as it is.
  }
}
