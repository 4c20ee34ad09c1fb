// The console's files as the server serves them, from memory. It only reads a finished build: `npm ci` and
// `npm run build` make one.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { consoleBuilds } from './build-folder.ts';

export interface ConsoleFile {
  type: string;
  plain: Buffer;
  gzip: Buffer;
  br: Buffer;
}

export interface ConsoleFiles {
  /** Of the sources: other sources, other version. */
  version: string;
  page: ConsoleFile;
  /** The page of the widget's preview. */
  preview: ConsoleFile;
  /** By name. Each name holds a hash of the content. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

/** There is no build that can be served. The message says what to do. */
export class ConsoleBuildError extends Error {
  override name = 'ConsoleBuildError';
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where a build lies: a folder on disk, or one inside an executable. */
export interface BuildFolder {
  names(): string[];
  read(name: string): Buffer;
}

/** The build of the present sources. */
export function loadConsoleBuild(): ConsoleFiles {
  const folder = consoleBuilds.folderOf(consoleBuilds.hashSources());
  try {
    const names = readdirSync(folder, { recursive: true }) as string[];
    return readConsole({ names: () => names, read: (name) => readFileSync(new URL(name, folder)) });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new ConsoleBuildError(
      code === 'ENOENT'
        ? 'The console is not built, or its sources have changed since. Run "npm run build", then start again.'
        : `The console's build cannot be read: ${message}. Let this user read it, or remove it and run "npm run build".`,
      { cause },
    );
  }
}

export function readConsole(folder: BuildFolder): ConsoleFiles {
  const assets = folder.names().filter((name) => dirname(name) === 'assets' && extname(name) in types);
  return {
    version: folder.read('version').toString(),
    page: readPage(folder, 'index.html'),
    preview: readPage(folder, 'preview.html'),
    assets: new Map(assets.map((name) => [basename(name), readAsset(folder, name)])),
  };
}

function readPage(folder: BuildFolder, name: string): ConsoleFile {
  const plain = folder.read(name);
  return { type: 'text/html; charset=utf-8', plain, gzip: gzipSync(plain), br: brotliCompressSync(plain) };
}

function readAsset(folder: BuildFolder, name: string): ConsoleFile {
  const [plain, gzip, br] = ['', '.gz', '.br'].map((ending) => folder.read(`${name}${ending}`));
  return { type: types[extname(name)], plain, gzip, br } as ConsoleFile;
}
