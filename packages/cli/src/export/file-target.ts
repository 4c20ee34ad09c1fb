// A file that is there whole or not at all: written under a temporary name, and given its own when complete.
import { link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { refusal } from '../failure.ts';

export interface FileTarget {
  write(data: string): Promise<void>;
  /** Makes it durable and gives it its name. */
  complete(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

export async function openTarget(path: string, isForced: boolean): Promise<FileTarget> {
  const existing = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  // A pipe or a device is written to; putting a file in its place would destroy it.
  if (existing !== undefined && !existing.isFile() && !existing.isDirectory()) return openInPlace(path);
  if (existing !== undefined && !isForced) throw exists(path);
  const target = existing === undefined ? path : await realpath(path);
  const temporary = `${target}.part-${process.pid}`;
  // Contacts of others: for this user's eyes only.
  const handle = await open(temporary, 'wx', 0o600);
  return {
    async write(data) {
      // Unlike a single write, this goes on until all of it is written.
      await handle.appendFile(data);
    },
    async complete() {
      await handle.sync();
      await handle.close();
      await (isForced ? rename(temporary, target) : giveName(temporary, target));
    },
    async discard() {
      await handle.close().catch(() => {
        // It is closed already when giving the name failed.
      });
      await rm(temporary, { force: true });
    },
  };
}

/** Unlike a rename, a link never replaces a file that somebody made meanwhile. */
async function giveName(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw exists(target);
    // Some file systems have no links.
    await rename(temporary, target);
    return;
  }
  await rm(temporary);
}

async function openInPlace(path: string): Promise<FileTarget> {
  const handle = await open(path, 'w');
  return {
    async write(data) {
      // Unlike a single write, this goes on until all of it is written.
      await handle.appendFile(data);
    },
    complete: () => handle.close(),
    discard: () => handle.close(),
  };
}

function exists(path: string) {
  return refusal(`${path} already exists. To replace it, pass --force.`);
}
