// The guide as the server serves it. A file is read when it is first requested, and kept: most servers are never asked
// for the guide. It only reads a finished build: `npm ci` and `npm run build` make one.
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { guideBuilds } from './build-folder.ts';

export interface GuideFile {
  type: string;
  plain: Buffer;
  /** Absent for pictures that are compressed by themselves. */
  gzip?: Buffer;
  br?: Buffer;
}

export const referenceScriptName = 'reference.js.gz';

/** There is no build that can be served. The message says what to do. */
export class GuideBuildError extends Error {
  override name = 'GuideBuildError';
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/plain; charset=utf-8',
  '.php': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.py': 'text/plain; charset=utf-8',
  '.sql': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where a build lies: a folder on disk, or one inside an executable. */
export interface BuildFolder {
  names(): string[];
  read(name: string): Buffer;
}

export class GuideFiles {
  /** Of the sources: other docs, other version. */
  readonly version: string;
  readonly #folder: BuildFolder;
  readonly #names: ReadonlySet<string>;
  readonly #read = new Map<string, GuideFile>();

  constructor(folder: BuildFolder) {
    this.#folder = folder;
    this.#names = new Set(folder.names());
    this.version = folder.read('version').toString();
  }

  /** The paths of all pages, below the guide's address. */
  paths(): string[] {
    const pages = [...this.#names].filter((name) => name.startsWith('pages/') && name.endsWith('.html'));
    return pages
      .map((name) => name.slice('pages/'.length, -'.html'.length))
      .filter((path) => !path.startsWith('404'))
      .map((path) => (path === 'index' ? '' : path));
  }

  /** By path. Undefined if there is none. */
  page(path: string): GuideFile | undefined {
    return this.paths().includes(path) ? this.#file(`pages/${path === '' ? 'index' : path}.html`) : undefined;
  }

  /** For a missing page whose path has so many names: links are relative to it. */
  notFound(depth: 1 | 2): GuideFile {
    return this.#file(`pages/${depth === 1 ? '404' : '404/404'}.html`) as GuideFile;
  }

  fileNames(): string[] {
    const files = [...this.#names].filter((name) => name.startsWith('files/') && extname(name) in types);
    return files.map((name) => name.slice('files/'.length));
  }

  /** What pages name, by name. Each name holds a hash of the content. */
  file(name: string): GuideFile | undefined {
    return extname(name) in types ? this.#file(`files/${name}`) : undefined;
  }

  /** Of the API reference, compressed by gzip. */
  referenceScript(): Buffer {
    return this.#folder.read(referenceScriptName);
  }

  #file(name: string): GuideFile | undefined {
    const known = this.#read.get(name);
    if (known !== undefined || !this.#names.has(name)) return known;
    const file: GuideFile = { type: types[extname(name)] as string, plain: this.#folder.read(name) };
    if (this.#names.has(`${name}.br`)) {
      file.br = this.#folder.read(`${name}.br`);
      file.gzip = this.#folder.read(`${name}.gz`);
    }
    this.#read.set(name, file);
    return file;
  }
}

/** The build of the present docs. */
export function loadGuideBuild(): GuideFiles {
  const folder = guideBuilds.folderOf(guideBuilds.hashSources());
  try {
    const names = (readdirSync(folder, { recursive: true }) as string[]).map((name) => name.replaceAll('\\', '/'));
    return new GuideFiles({ names: () => names, read: (name) => readFileSync(new URL(name, folder)) });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new GuideBuildError(
      code === 'ENOENT'
        ? 'The guide is not built, or the docs have changed since. Run "npm run build".'
        : `The guide's build cannot be read: ${message}. Let this user read it, or remove it and run "npm run build".`,
      { cause },
    );
  }
}
