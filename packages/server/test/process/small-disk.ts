// A disk that a test can fill: a small one, mounted for one process only. A test file runs itself a second time, as that process.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const smallDiskMiB = 64;
/** A mount of its own, which ends with the process, however it ends. As another user than root, in a user namespace. */
const ownMounts = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];

const folderVariable = 'ROSTER_TEST_SMALL_DISK';

/** `declare` gets the disk's folder, and declares the tests of the second run. The first run has one test, which is the second run. */
export function onSmallDisk(name: string, fileUrl: string, declare: (folder: string) => void): void {
  const smallDisk = process.env[folderVariable];
  if (smallDisk !== undefined) {
    declare(smallDisk);
    return;
  }
  const canMount = spawnSync('unshare', [...ownMounts, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
  const skip = canMount ? false : 'needs Linux, and root or user namespaces, to mount a small disk';

  test(name, { skip }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'roster-full-disk-'));
    t.after(() => rm(folder, { recursive: true }));
    const mounted = `mount -t tmpfs -o size=${smallDiskMiB}m none "$1" && shift && exec "$@"`;
    // A failed test leaves its store open, and that would keep the process.
    const run = [process.execPath, '--test-force-exit', '--test-reporter=tap', fileURLToPath(fileUrl)];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const ran = promisify(execFile)('unshare', [...ownMounts, 'sh', '-c', mounted, 'sh', folder, ...run], {
      env: { ...env, [folderVariable]: folder },
    });
    await ran.catch((error) => assert.fail(`${error.message}\n${error.stdout}`));
  });
}

/** Leaves so much of the disk that the file is on, to the page. Removing the file makes room again. */
export async function fillDisk(path: string, freeKiB: number): Promise<void> {
  const { bavail, bsize } = await statfs(join(path, '..'));
  const bytes = bavail * bsize - freeKiB * 1024;
  if (bytes > 0) await writeFile(path, Buffer.alloc(bytes));
}
