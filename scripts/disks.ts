// Disks of a limited size: images with a file system, mounted through loop devices, or memory. Use them with mounts of
// your own (`own-mounts.ts`).
import { execFile } from 'node:child_process';
import { mkdir, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export async function makeImage(path: string, mebibytes: number): Promise<void> {
  await writeFile(path, '');
  await truncate(path, mebibytes * 1024 ** 2);
}

/** The path is an image or a device. */
export async function format(path: string): Promise<void> {
  await run('mkfs.ext4', ['-q', '-F', '-m', '0', '-E', 'nodiscard', path]);
}

/** Needs root. The loop device ends with the mount. */
export async function mountImage(path: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run('mount', ['-t', 'ext4', '-o', 'loop', path, folder]);
}

export async function mountMemory(mebibytes: number, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'none', folder]);
}

export async function unmount(path: string): Promise<void> {
  await run('umount', [path]);
}

/**
 * A file that leaves so much of the disk that the folder is on, or less: others take from it meanwhile. Removing it makes room
 * again.
 */
export async function fillDisk(folder: string, freeKiB: number): Promise<string> {
  const path = join(folder, 'ballast');
  await writeFile(path, '');
  let offset = 0;
  let largest = Number.POSITIVE_INFINITY;
  for (;;) {
    const { bavail, bsize } = await statfs(folder);
    const bytes = Math.min(largest, Math.floor(bavail - (freeKiB * 1024) / bsize) * bsize);
    if (bytes < bsize) return path;
    const isTaken = await run('fallocate', ['-o', `${offset}`, '-l', `${bytes}`, path]).then(
      () => true,
      () => false,
    );
    offset += bytes;
    // The file system needs blocks of its own for it, or somebody else was faster.
    if (!isTaken) largest = Math.floor(bytes / bsize / 2) * bsize;
  }
}
