// The files of a database: which they are, how they reach the disk, and how they are removed.
import { open, rm } from 'node:fs/promises';

/** What SQLite keeps beside a database. A log belongs to the file that it was written for, and to no other. */
export function logsOf(path: string): string[] {
  return ['-wal', '-shm', '-journal'].map((ending) => path + ending);
}

export async function removeDatabase(path: string): Promise<void> {
  for (const file of [path, ...logsOf(path)]) await rm(file, { force: true });
}

/** A file's content, or the names in a folder. */
export async function sync(path: string): Promise<void> {
  const isWindows = process.platform === 'win32';
  // Windows keeps names without being asked, and has no way to ask: a folder cannot be opened for it.
  const file = await open(path, isWindows ? 'r+' : 'r').catch((error) => {
    if (isWindows && ['EISDIR', 'EPERM', 'EACCES'].includes(error.code)) return undefined;
    throw error;
  });
  try {
    await file?.sync();
  } finally {
    await file?.close();
  }
}
