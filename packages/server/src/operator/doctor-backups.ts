// The doctor's look at backups: whether there is one, and how old it is. Where they are only the operator can say.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Finding } from '../store/finding.ts';
import { isBackupFile } from '../store/open.ts';

/** If the newest one is older, a nightly backup is missing. */
const ageMaxMs = 48 * 3_600_000;

export function checkBackups({ backupDir, database }: Pick<Config, 'backupDir' | 'database'>): Finding {
  const check = 'backups';
  if (backupDir === undefined) {
    const message = 'not checked: set ROSTER_BACKUP_DIR, or pass --backups, to the folder that has them.';
    return { check, level: 'ok', message };
  }
  const advice =
    database === undefined
      ? 'Make one: roster backup FILE.'
      : 'Make one with pg_dump; see docs/operations/scale-out.md.';
  try {
    // A dump of PostgreSQL has many forms, so any file may be one.
    const isBackup = (file: string) => database !== undefined || isBackupFile(file);
    const newest = newestOf(backupDir, isBackup);
    if (newest === undefined)
      return { check, level: 'problem', message: `There is no backup in ${backupDir}. ${advice}` };
    const hours = Math.floor((Date.now() - newest.atMs) / 3_600_000);
    const age = hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24).toLocaleString('en')} days`;
    const found = `The newest backup is ${age} old (${newest.file})`;
    if (Date.now() - newest.atMs <= ageMaxMs) return { check, level: 'ok', message: `${found}.` };
    return { check, level: 'warning', message: `${found}. ${advice}` };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it does not exist' : message;
    return { check, level: 'problem', message: `Cannot look into ${backupDir}: ${reason}. Check ROSTER_BACKUP_DIR.` };
  }
}

function newestOf(folder: string, isBackup: (file: string) => boolean): { file: string; atMs: number } | undefined {
  const files = readdirSync(folder)
    // A file of that name is being written, or was left by a crash.
    .filter((name) => !name.endsWith('.incomplete'))
    .map((name) => ({ file: join(folder, name), stats: statSync(join(folder, name), { throwIfNoEntry: false }) }))
    .filter(({ stats }) => stats?.isFile() === true && stats.size > 0)
    .map(({ file, stats }) => ({ file, atMs: stats?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.atMs - a.atMs);
  return files.find(({ file }) => isBackup(file));
}
