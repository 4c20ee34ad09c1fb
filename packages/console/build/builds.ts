// The builds of a package, for the console and the guide. A build lies in a folder that is named after the hash of its
// sources: a stale one is never taken for the current one, and an interrupted one never for a whole one.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';

const packageLock = new URL('../../../package-lock.json', import.meta.url);

export class Builds {
  readonly #base: string;
  readonly #sources: readonly string[];
  readonly #dist: URL;

  /**
   * `base` is the address of a module in the package's folder `build`. `sources` is everything of ours that goes into a
   * build, relative to it: files, and folders with a slash at the end.
   */
  constructor(base: string, sources: readonly string[]) {
    this.#base = base;
    this.#sources = sources;
    this.#dist = new URL('../dist/', base);
  }

  /** Tells builds apart by the content of their sources: times mean nothing after a checkout or a copy. */
  hashSources(): string {
    const hash = createHash('sha256');
    for (const source of this.#sources) {
      const url = new URL(source, this.#base);
      const names = source.endsWith('/') ? (readdirSync(url, { recursive: true }) as string[]).sort() : [''];
      for (const name of names) {
        const file = new URL(name === '' ? url : name.replaceAll('\\', '/'), url);
        if (name.includes('.test.') || statSync(file).isDirectory()) continue;
        hash.update(`${source}${name}\0`).update(readFileSync(file)).update('\0');
      }
    }
    return hash.update(readVersions()).digest('hex').slice(0, 16);
  }

  folderOf(version: string): URL {
    return new URL(`${version}/`, this.#dist);
  }

  /** Builds the present sources, unless that has been done, and removes builds of other sources. */
  async build(bundle: (folder: string) => Promise<void>): Promise<{ version: string; isNew: boolean }> {
    const version = this.hashSources();
    if (existsSync(this.folderOf(version))) return { version, isNew: false };
    // Whoever builds, the user that runs the service reads the files.
    process.umask(0o022);
    const unfinished = new URL(`unfinished-${process.pid}/`, this.#dist);
    mkdirSync(unfinished, { recursive: true });
    chmodSync(this.#dist, 0o755);
    try {
      await bundle(fileURLToPath(unfinished));
      writeFileSync(new URL('version', unfinished), version);
      renameSync(unfinished, this.folderOf(version));
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      throw error;
    }
    // A running server holds what it serves in memory.
    for (const name of readdirSync(this.#dist)) {
      if (name !== version) rmSync(new URL(name, this.#dist), { recursive: true });
    }
    return { version, isNew: true };
  }
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
