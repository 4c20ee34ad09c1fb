// A build lies in a folder that is named after the hash of its sources: a stale one is never taken for the current one,
// and an interrupted one never for a whole one.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';

export const distFolder = new URL('../dist/', import.meta.url);
const packageLock = new URL('../../../package-lock.json', import.meta.url);

/** Everything of ours that goes into the bundle. */
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
 * The versions of the dependencies, and nothing else of the lock file: npm rewrites the rest in its own manner, also when
 * development dependencies are removed after the build.
 */
function readVersions(): string {
  const { packages } = JSON.parse(readFileSync(packageLock, 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const folders = Object.keys(packages).filter((folder) => folder.includes('node_modules/'));
  return folders
    .sort()
    .map((folder) => `${folder} ${packages[folder]?.version ?? ''}`)
    .join('\n');
}

export function folderOf(version: string): URL {
  return new URL(`${version}/`, distFolder);
}
