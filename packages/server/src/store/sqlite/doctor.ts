// Checks a data folder and its database, for the doctor command. Creates and changes nothing.
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Finding } from '../finding.ts';
import { StoreOpenError } from '../store.ts';
import { databaseName } from './database.ts';
import { inspectContent, inspectFile, migrations } from './inspection.ts';

/** Below the first a server is about to refuse writes; below the second it is time to think of it. */
const freeBytesMin = 64 * 1024 ** 2;
const freeBytesWanted = 1024 ** 3;

export async function examineSqlite(folder: string): Promise<Finding[]> {
  const path = join(folder, databaseName);
  const access = examineAccess(folder);
  if (!existsSync(folder) || access.level === 'problem') return [access];
  return [access, examineSpace(folder, path), examineDatabase(path)];
}

function examineAccess(folder: string): Finding {
  const check = 'data folder';
  // The nearest folder that is there is where others would be made.
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const setting = 'Make it writable for this user, or set ROSTER_DATA_DIR to another folder';
  if (!statSync(existing).isDirectory()) {
    return { check, level: 'problem', message: `${existing} is not a folder. Set ROSTER_DATA_DIR to another one.` };
  }
  try {
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return { check, level: 'problem', message: `This user may not write to ${existing}. ${setting}.` };
  }
  if (existing !== folder) {
    return { check, level: 'ok', message: `${folder} is not there yet; the first start makes it.` };
  }
  const open = [folder, join(folder, databaseName)].filter((path) => isOpenToOthers(path));
  if (open.length > 0) {
    const message = `Other users of this machine can read ${open.join(' and ')}. Run "chmod go-rwx ${open.join(' ')}".`;
    return { check, level: 'warning', message };
  }
  return { check, level: 'ok', message: `${folder} is writable, and closed to other users.` };
}

/** Windows has no such bits. */
function isOpenToOthers(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

function examineSpace(folder: string, path: string): Finding {
  const check = 'disk space';
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const used = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const left = `${megabytes(free)} are free on the disk of ${folder}, whose database takes ${megabytes(used)}`;
  if (free < freeBytesMin)
    return { check, level: 'problem', message: `${left}. Make room: writes will soon be refused.` };
  if (free < freeBytesWanted || free < used) {
    return { check, level: 'warning', message: `${left}. Make room: a backup beside it needs as much again.` };
  }
  return { check, level: 'ok', message: `${left}.` };
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2).toLocaleString('en')} MiB`;
}

function examineDatabase(path: string): Finding {
  const check = 'database';
  try {
    if (inspectFile(path) === 0)
      return { check, level: 'ok', message: `There is no ${path} yet; the first start makes it.` };
    const version = inspectContent(path, 'quick');
    if (version < migrations.length) {
      const message = `${path} is sound. Its schema is ${version}; the next start brings it to ${migrations.length}, so make a backup first.`;
      return { check, level: 'warning', message };
    }
    return { check, level: 'ok', message: `${path} is sound, and of the newest schema (${version}).` };
  } catch (error) {
    if (error instanceof StoreOpenError) {
      return { check, level: 'problem', message: `${error.message} Restore a backup: npm run roster -- restore FILE.` };
    }
    return { check, level: 'problem', message: `${path} cannot be read: ${(error as Error).message}.` };
  }
}
