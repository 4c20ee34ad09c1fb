// A build, kept in a folder that is named after the hash of its sources: a stale one is never taken for the current one,
// and one that was interrupted never for a whole one. Processes that want the same build at the same time share one.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const distFolder = new URL('../dist/', import.meta.url);
const lockFile = new URL('building', distFolder);
const lockPollMs = 100;
/** A build takes seconds. One that takes longer belongs to a process that is gone, perhaps on another machine. */
const lockMaxMs = 120_000;

const packageLock = new URL('../../../package-lock.json', import.meta.url);

/** What the bundle is made of and is ours. */
const sources = [
  '../src/',
  './',
  '../index.html',
  '../preview.html',
  '../package.json',
  '../tsconfig.json',
  '../../../tsconfig.json',
  ...['contract', 'client', 'contact-files'].map((name) => `../../${name}/src/`),
];

/** Tells builds apart by the content of their sources: times mean nothing after a checkout or a copy. */
export function hashSources(): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    const url = new URL(source, import.meta.url);
    const names = source.endsWith('/') ? (readdirSync(url, { recursive: true }) as string[]).sort() : [''];
    for (const name of names) {
      const file = new URL(name === '' ? url : name.replaceAll('\\', '/'), url);
      if (name.includes('.test.') || statSync(file).isDirectory()) continue;
      hash.update(`${source}${name}\0`).update(readFileSync(file)).update('\0');
    }
  }
  return hash.update(readVersions()).digest('hex').slice(0, 16);
}

/**
 * The versions of what is not ours, and nothing else of the lock file: npm rewrites it in its own manner, also when a
 * finished build is freed of its development dependencies.
 */
function readVersions(): string {
  const { packages } = JSON.parse(readFileSync(packageLock, 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const places = Object.keys(packages).filter((place) => place.includes('node_modules/'));
  return places
    .sort()
    .map((place) => `${place} ${packages[place]?.version ?? ''}`)
    .join('\n');
}

export function folderOf(version: string): URL {
  return new URL(`${version}/`, distFolder);
}

export const isBuilt = (version: string): boolean => existsSync(folderOf(version));

/** Builds in this process, unless it is there or another process makes it at this moment. */
export async function buildConsole(): Promise<{ version: string; isNew: boolean }> {
  // Files for everybody, also when a server made them whose other files are for itself alone.
  process.umask(0o022);
  const version = hashSources();
  mkdirSync(distFolder, { recursive: true });
  while (!isBuilt(version)) {
    if (takeLock()) {
      try {
        await buildInto(version);
        return { version, isNew: true };
      } finally {
        rmSync(lockFile, { force: true });
      }
    }
    await delay(lockPollMs);
  }
  return { version, isNew: false };
}

async function buildInto(version: string): Promise<void> {
  const { bundleConsole } = await import('./bundle.ts');
  const unfinished = mkdtempSync(fileURLToPath(new URL('unfinished-', distFolder)));
  try {
    await bundleConsole(unfinished);
    renameSync(unfinished, folderOf(version));
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Two that took over the lock of a third one: the first to finish wins, and both are the same.
    if (!isBuilt(version)) throw error;
  }
  const isOutdated = (name: string) => name !== version && /^[0-9a-f]{16}$/.test(name);
  // Servers that run hold theirs in memory.
  for (const name of readdirSync(distFolder).filter(isOutdated)) rmSync(folderOf(name), { recursive: true });
}

function takeLock(): boolean {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isAbandoned()) rmSync(lockFile, { force: true });
    return false;
  }
}

function isAbandoned(): boolean {
  try {
    if (Date.now() - statSync(lockFile).mtimeMs > lockMaxMs) return true;
    process.kill(Number(readFileSync(lockFile, 'utf8')), 0);
    return false;
  } catch (error) {
    // No such process. When the file is gone, the builder has finished: the next look finds the build.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
