// The service that the Debian package installs. A command of the same package works for it: with the settings that its unit
// names, as the user that it runs as.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseEnv } from 'node:util';
import { refusal } from './failure.ts';
import type { Invocation } from './invocation.ts';

/** Where the package puts its executable. Any other one, like that of a clone, is not the service's. */
const executable = '/usr/bin/roster';
const unitFile = '/lib/systemd/system/roster.service';

export interface InstalledService {
  settings: NodeJS.Dict<string>;
  /** Relative paths of the settings are meant from here. */
  folder: string;
}

/** Undefined where there is none, and for a caller that names a database: it brings all settings, as the unit does. */
export function findInstalledService({
  env,
  execPath,
}: Pick<Invocation, 'env' | 'execPath'>): InstalledService | undefined {
  if (env['ROSTER_DATA_DIR']?.trim() || env['DATABASE_URL']?.trim()) return undefined;
  const root = rootOf(execPath);
  if (root === undefined || !existsSync(join(root, unitFile))) return undefined;
  const unit = readFileSync(join(root, unitFile), 'utf8');
  const valuesOf = (name: string) =>
    Array.from(unit.matchAll(new RegExp(`^${name}=-?(.+)$`, 'gm')), ([, value = '']) => value);
  const [settingsFile = '', folder = ''] = [...valuesOf('EnvironmentFile'), ...valuesOf('WorkingDirectory')].map(
    (path) => join(root, path),
  );
  const environment = { ...parseEnv(valuesOf('Environment').join('\n')), ROSTER_DATA_DIR: folder };
  return { settings: { ...environment, ...readSettings(settingsFile) }, folder };
}

/** Under which folder the executable is the package's. */
function rootOf(execPath: string): string | undefined {
  if (execPath.endsWith(executable)) return execPath.slice(0, -executable.length);
  // Without /proc, as in a chroot, a program knows only how it was called: by its name, found on the PATH.
  return execPath === basename(executable) ? '/' : undefined;
}

/**
 * Root reads the settings, which may hold passwords. It does no more: the service could not open a database file of root's.
 * Whether this process was root's until now.
 */
export function becomeServiceUser({ folder }: InstalledService): boolean {
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return false;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  return true;
}

function readSettings(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The unit does without it too.
    if (code === 'ENOENT') return {};
    throw refusal(
      code === 'EACCES'
        ? `Only root can read the settings of the service, ${file}. Run the command with sudo. To work with another database, set ROSTER_DATA_DIR or DATABASE_URL.`
        : `Cannot read the settings of the service: ${message}.`,
    );
  }
}
