// Files with a secret that somebody or some program must read: whole, on the disk and this user's alone, or not there.
import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { sync } from '../store/sync.ts';

/** False when there is a file of that name, which stays as it is. */
export async function createSecretFile(path: string, text: string): Promise<boolean> {
  if (existsSync(path)) return false;
  try {
    await write(path, text, (temporary) => {
      try {
        // Unlike a rename, a link never replaces a file that another process made meanwhile.
        linkSync(temporary, path);
      } catch (error) {
        if (codeOf(error) === 'EEXIST') throw error;
        // Some file systems have no links.
        renameSync(temporary, path);
      }
    });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

export async function replaceSecretFile(path: string, text: string): Promise<void> {
  await write(path, text, (temporary) => renameSync(temporary, path));
}

async function write(path: string, text: string, giveName: (temporary: string) => void): Promise<void> {
  const temporary = `${path}.part-${process.pid}`;
  try {
    // A process that was killed may have had the same id.
    rmSync(temporary, { force: true });
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
    giveName(temporary);
    await sync(dirname(path));
  } finally {
    rmSync(temporary, { force: true });
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
