// A mount namespace for a script: what it mounts is seen by itself and its children alone, and is gone when they are, however
// they end.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const marker = 'ROSTER_OWN_MOUNTS';
const entered = process.env[marker];
/** Who is root in a user namespace alone is not. */
const isRoot = entered === undefined ? process.getuid?.() === 0 : entered === 'root';
/** Another user than root is root in a user namespace, where a tmpfs can be mounted, but no device. */
const command = ['unshare', '--mount', '--propagation', 'private', ...(isRoot ? [] : ['--map-root-user'])];

/** Images of disks, through loop devices. */
export function canMountImages(): boolean {
  return isRoot && existsSync('/dev/loop-control') && spawnSync('mkfs.ext4', ['-V']).status === 0;
}

export function canHaveOwnMounts(): boolean {
  return spawnSync('env', [...command, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
}

/** Makes this process one with mounts of its own, for which it begins anew. Returns false where that cannot be. */
export function enterOwnMounts(): boolean {
  if (entered !== undefined) return true;
  if (!canHaveOwnMounts()) return false;
  const args = ['env', ...command, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.('/usr/bin/env', args, { ...process.env, [marker]: isRoot ? 'root' : 'user' });
  return false;
}
