// Checks a data folder and its database, for the doctor command. Changes nothing, and leaves nothing behind.
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Finding } from '../finding.ts';
import { StoreOpenError } from '../store.ts';
import { databaseName } from './database.ts';
import { inspectContent, inspectFile, migrations, newestTimeMs } from './inspection.ts';

/** Below the first, a server is about to refuse writes; below the second, the doctor warns. */
const freeBytesMin = 64 * 1024 ** 2;
const freeBytesWanted = 1024 ** 3;
/** A clock is corrected in small steps: less than this is no reason to worry. */
const clockBehindMaxMs = 60_000;

export async function diagnoseSqlite(folder: string): Promise<Finding[]> {
  const path = join(folder, databaseName);
  const access = diagnoseFolder(folder);
  if (!existsSync(folder) || access.level === 'problem') return [access];
  const database = diagnoseDatabase(path);
  return [access, diagnoseSpace(folder, path), database, ...(database.level === 'ok' ? [diagnoseClock(path)] : [])];
}

function diagnoseFolder(folder: string): Finding {
  const found = findingOf('data folder');
  const { existing, fault } = findExisting(folder);
  if (fault !== undefined) return found('problem', `${fault}. Set ROSTER_DATA_DIR to another one.`);
  try {
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const setting = 'Give this user write access, or set ROSTER_DATA_DIR to another folder';
    return found('problem', `This user cannot write to ${existing}. ${setting}.`);
  }
  const code = tryToMake(existing);
  if (code === 'ENOSPC') return found('problem', `The disk with ${existing} is full. Free some space.`);
  if (code !== undefined) {
    return found('problem', `Cannot create a folder in ${existing} (${code}). Set ROSTER_DATA_DIR to another folder.`);
  }
  if (existing !== folder) return found('ok', `${folder} does not exist yet; the first start creates it.`);
  const open = [folder, join(folder, databaseName)].filter((path) => isOpenToOthers(path));
  if (open.length === 0) return found('ok', `${folder} is writable, and other users cannot access it.`);
  // To close a folder that others use, like /tmp, would harm them.
  const isOurs = existsSync(join(folder, databaseName)) || readdirSync(folder).length === 0;
  const remedy = isOurs ? `Run "chmod go-rwx ${open.join(' ')}".` : 'Set ROSTER_DATA_DIR to a folder of its own.';
  return found('warning', `Other users of this machine can read ${open.join(' and ')}. ${remedy}`);
}

/** The folder, or the nearest one above it that exists, in which a start makes the others. */
function findExisting(path: string): { existing: string; fault?: string } {
  try {
    return statSync(path).isDirectory() ? { existing: path } : { existing: path, fault: `${path} is not a folder` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
      return { existing: path, fault: `${path} is a broken link` };
    }
    if (code === 'ENOENT' || code === 'ENOTDIR') return findExisting(dirname(path));
    return { existing: path, fault: `${path} cannot be read (${code})` };
  }
}

/** The code of what keeps a folder from being made: in some file systems nobody can, whatever their permissions say. */
function tryToMake(folder: string): string | undefined {
  try {
    rmdirSync(mkdtempSync(join(folder, '.roster-doctor-')));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

function findingOf(check: string) {
  return (level: Finding['level'], message: string): Finding => ({ check, level, message });
}

/** Windows has no such bits. */
function isOpenToOthers(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

function diagnoseSpace(folder: string, path: string): Finding {
  const found = findingOf('disk space');
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  // The write-ahead log may be larger than the database while a backup is being made.
  const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const used = sizes.reduce((sum, size) => sum + size);
  const left = `${megabytes(free)} are free on the disk with ${folder}, and the database uses ${megabytes(used)}`;
  if (free < freeBytesMin) return found('problem', `${left}. Free some space: writes will soon fail.`);
  const isScarce = free < freeBytesWanted || free < used;
  if (isScarce) return found('warning', `${left}. Free some space: a backup on the same disk needs as much again.`);
  return found('ok', `${left}.`);
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2).toLocaleString('en')} MiB`;
}

function diagnoseDatabase(path: string): Finding {
  const found = findingOf('database');
  try {
    if (inspectFile(path) === 0) return found('ok', `${path} does not exist yet; the first start creates it.`);
    const version = inspectContent(path, 'quick');
    const newest = migrations().length;
    if (version === newest) return found('ok', `${path} is intact, and its schema is up to date (version ${version}).`);
    const schema = `Its schema has version ${version}; the next start updates it to ${newest}, so make a backup first.`;
    return found('warning', `${path} is intact. ${schema}`);
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof StoreOpenError)) return found('problem', `${path} cannot be read: ${message}.`);
    return found('problem', `${message} Restore a backup: roster restore FILE.`);
  }
}

/** All that can be known of a clock without another: time does not run backwards. */
function diagnoseClock(path: string): Finding {
  const found = findingOf('clock');
  if (inspectFile(path) === 0) return found('ok', 'There is no data yet to compare the clock with.');
  const behindMs = newestTimeMs(path) - Date.now();
  if (behindMs <= clockBehindMaxMs) return found('ok', "This machine's clock is not behind the newest data.");
  const minutes = Math.round(behindMs / 60_000).toLocaleString('en');
  const advice = 'Synchronize it with NTP: secrets, sessions and tokens expire by it.';
  return found('warning', `This machine's clock is ${minutes} minutes behind the newest data. ${advice}`);
}
