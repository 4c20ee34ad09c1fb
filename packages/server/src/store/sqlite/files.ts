// The files of a database: which they are, and how they are replaced and removed.
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sync } from '../sync.ts';

/** What SQLite keeps beside a database. A log belongs to the file that it was written for, and to no other. */
export function logsOf(path: string): string[] {
  return ['-wal', '-shm', '-journal'].map((ending) => path + ending);
}

export async function removeDatabase(path: string): Promise<void> {
  for (const file of [path, ...logsOf(path)]) await rm(file, { force: true });
}

/** Puts a database, which is whole and has no log, in the place of another in one step. */
export async function replaceDatabase(path: string, newPath: string): Promise<void> {
  // No log of the old one may be taken for the new one's.
  for (const log of logsOf(path)) await rm(log, { force: true });
  await rename(newPath, path);
  await sync(dirname(path));
}
