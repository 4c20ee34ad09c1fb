// Checks which rooms (folders) of the server import which, type imports included: part of `npm run lint`. A room may import only
// rooms above it in the table, so that none import each other in a circle.
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** Packages that only the rooms which name them may import. */
const guardedPackages = ['fastify', 'node:sqlite', 'pg', 'pg-connection-string'];

export type Rooms = Readonly<Record<string, readonly string[]>>;

/** Folders and files of packages/server/src. What is in two of them, such as store/sqlite and store, belongs to the longer name. */
export const rooms: Rooms = {
  'log.ts': [],
  'version.ts': [],
  program: [],
  concurrency: [],
  network: [],
  contacts: [],
  store: ['program', 'contacts'],
  'store/sqlite': ['program', 'contacts', 'store', 'node:sqlite'],
  'store/postgres': ['contacts', 'store', 'pg', 'pg-connection-string'],
  'store/open.ts': ['store', 'store/sqlite', 'store/postgres'],
  account: ['log.ts', 'network', 'contacts', 'store'],
  answers: ['contacts', 'store', 'account'],
  delivery: ['log.ts', 'version.ts', 'concurrency', 'network', 'contacts', 'store', 'account', 'answers'],
  config: ['network', 'account', 'delivery'],
  'deps.ts': ['log.ts', 'store', 'account', 'delivery', 'config'],
  http: ['log.ts', 'concurrency', 'network', 'store', 'account', 'delivery', 'config', 'deps.ts', 'fastify'],
  operations: [
    ...['log.ts', 'version.ts', 'program', 'concurrency', 'network', 'contacts', 'store', 'account'],
    ...['answers', 'delivery', 'deps.ts', 'http'],
  ],
  'app.ts': ['network', 'contacts', 'account', 'delivery', 'deps.ts', 'http', 'operations', 'fastify'],
  process: [
    ...['log.ts', 'program', 'network', 'contacts', 'store', 'store/open.ts', 'account', 'delivery', 'config'],
    ...['deps.ts', 'app.ts'],
  ],
  // The entry for the command line, which must not load the web framework.
  operator: ['network', 'store', 'store/open.ts', 'config', 'process'],
  'operator/in-process.ts': ['log.ts', 'store/open.ts', 'config', 'deps.ts', 'app.ts', 'fastify'],
};

export interface Source {
  /** Below packages/server/src. */
  path: string;
  text: string;
}

/** A sentence for each import that the table does not allow, and for each row that allows a circle. */
export function findFaults(allowed: Rooms, sources: readonly Source[]): string[] {
  const names = Object.keys(allowed);
  const tableFaults = names.flatMap((name, at) =>
    (allowed[name] ?? [])
      .filter((other) => !guardedPackages.includes(other) && !names.slice(0, at).includes(other))
      .map((other) => `The row of ${name} names ${other}, which is not above it in the table.`),
  );
  const importFaults = sources.flatMap(({ path, text }) => {
    const own = roomOf(names, path);
    if (own === undefined) return [`${path} is in no room: give its folder a row in scripts/layers.ts.`];
    return importsOf(text).flatMap((specifier) => {
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
      const isGuarded = guardedPackages.includes(specifier);
      // Other packages, and what lies outside of the server's sources, are not in this table.
      if ((!specifier.startsWith('.') && !isGuarded) || target.startsWith('..')) return [];
      const other = isGuarded ? specifier : roomOf(names, target);
      const isAllowed = other !== undefined && (other === own || allowed[own]?.includes(other));
      return isAllowed ? [] : [`${path} imports ${target}, but ${own} may not import ${other ?? 'it'}.`];
    });
  });
  return [...tableFaults, ...importFaults];
}

function roomOf(names: readonly string[], path: string): string | undefined {
  const around = names.filter((name) => path === name || path.startsWith(`${name}/`));
  return around.toSorted((one, other) => other.length - one.length)[0];
}

function importsOf(text: string): string[] {
  return Array.from(
    text.matchAll(/^(?:.*\bfrom|import|.*\bimport\(\s*)\s*'([^']+)'/gm),
    ([, specifier = '']) => specifier,
  );
}

/** Tests may use anything. */
export function readSources(): Source[] {
  const folder = new URL('../packages/server/src/', import.meta.url);
  const paths = globSync('**/*.ts', { cwd: folder }).filter((path) => !path.endsWith('.test.ts'));
  return paths.sort().map((path) => ({ path, text: readFileSync(new URL(path, folder), 'utf8') }));
}

if (import.meta.main) {
  const faults = findFaults(rooms, readSources());
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
