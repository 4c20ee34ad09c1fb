// A consistent copy of a database that is being written. SQLite's own online backup copies the pages, on a thread of
// Node's pool; an open read transaction holds still what it copies. Without that it would begin anew after every commit.
// It copies damaged pages and free ones too, so the copy is checked, and a compact copy of it becomes the backup.
import { existsSync, truncateSync } from 'node:fs';
import { link, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { BackupError, type BackupOptions, DatabaseDamagedError } from '../store.ts';
import { sync } from '../sync.ts';
import type { CheckerData } from './checker.ts';
import { openForReading } from './database.ts';
import { isDamage, primaryCode, primaryCodes } from './driver-errors.ts';
import { removeDatabase } from './files.ts';
import type { ThreadSettings } from './settings.ts';
import { startThread } from './threads.ts';

/** 1 MiB: a few milliseconds of work between two looks at whether to go on. */
const pagesPerStep = 256;

/** Copies the database into the new file `file`, which is there whole and on disk, or not at all. */
export async function backUp(settings: ThreadSettings, file: string, options: BackupOptions = {}) {
  if (existsSync(file)) throw existing(file);
  // In the same folder, so that it can be given its name in one step. The ending says what it is after a crash.
  const partial = `${file}.${process.pid}-${Date.now().toString(36)}.incomplete`;
  const copied = `${file}.${process.pid}-${Date.now().toString(36)}.copy.incomplete`;
  try {
    await copyDatabase(settings.path, copied, options);
    options.onChecking?.();
    await createPrivate(partial);
    const copy = { path: copied, isInUse: false, thoroughness: 'whole', compactPath: partial } as const;
    await checkCopy({ ...settings, ...copy }, options.signal);
    await sync(partial);
    options.signal?.throwIfAborted();
    await nameOnce(partial, file);
    await sync(dirname(file));
    return { bytes: (await stat(file)).size };
  } catch (cause) {
    throw explained(cause, file, options.signal);
  } finally {
    await removeDatabase(partial);
    await removeDatabase(copied);
  }
}

/** SQLite would make it with the process's usual permissions. */
async function createPrivate(path: string): Promise<void> {
  await (await open(path, 'wx', 0o600)).close();
}

/** Copies what is committed now into a new file, which needs no log beside it and which only this user may read. */
export async function copyDatabase(from: string, to: string, { onProgress, signal }: BackupOptions): Promise<void> {
  signal?.throwIfAborted();
  await createPrivate(to);
  using source = openForReading(from);
  source.exec('BEGIN');
  source.prepare('SELECT count(*) FROM sqlite_schema').get();
  const pages = await backup(source, to, {
    rate: pagesPerStep,
    progress({ totalPages, remainingPages }) {
      // The way to end a backup is to throw here.
      signal?.throwIfAborted();
      onProgress?.(totalPages - remainingPages, totalPages);
    },
  });
  // Node is silent about the last step.
  signal?.throwIfAborted();
  onProgress?.(pages, pages);
  using copy = new DatabaseSync(to);
  // The caller syncs the copy to the disk, off the main thread.
  copy.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE');
}

/** As `restore` checks it. A check cannot be interrupted, but what it reads can be cut off: then it ends at once. */
async function checkCopy(data: CheckerData, signal: AbortSignal | undefined): Promise<void> {
  const cutOff = () => truncateSync(data.path);
  signal?.addEventListener('abort', cutOff);
  const { message } = await startThread('checker', data).finally(() => signal?.removeEventListener('abort', cutOff));
  signal?.throwIfAborted();
  if (message !== undefined) throw new DatabaseDamagedError(message);
}

/** A link, unlike renaming, never replaces a file that came meanwhile. Some file systems have no links. */
async function nameOnce(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(file)) throw existing(file);
    await rename(partial, file);
  }
}

function existing(file: string): BackupError {
  return new BackupError(`${file} already exists, and was not changed. Choose another name, or move the file away.`);
}

function explained(cause: unknown, file: string, signal: AbortSignal | undefined): unknown {
  if (cause instanceof BackupError) return cause;
  if (signal?.aborted)
    return new BackupError('The backup was canceled, and the incomplete file was deleted.', { cause });
  const { message } = cause as Error;
  if (isDamage(cause)) {
    const remedy = 'Run "roster doctor", and restore an earlier backup with "roster restore"';
    return new BackupError(`No backup was created: the database is damaged (${message}). ${remedy}.`, { cause });
  }
  const isFull = primaryCode(cause) === primaryCodes.full || (cause as NodeJS.ErrnoException).code === 'ENOSPC';
  const reason = isFull ? 'the disk is full' : message;
  return new BackupError(`Cannot write the backup ${file}: ${reason}.`, { cause });
}
