// The console's files as the server serves them, from memory. It only reads a finished build: `npm ci` and
// `npm run build` make one.
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { folderOf, hashSources } from './console-build.ts';

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

let loaded: ConsoleFiles | undefined;

/** The same for all callers in the process. */
export function loadConsole(): ConsoleFiles {
  loaded ??= load();
  return loaded;
}

function load(): ConsoleFiles {
  const version = hashSources();
  try {
    return readBuild(version, folderOf(version));
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

function readBuild(version: string, folder: URL): ConsoleFiles {
  const assetFolder = new URL('assets/', folder);
  const names = readdirSync(assetFolder).filter((name) => extname(name) in types);
  return {
    version,
    page: readPage(new URL('index.html', folder)),
    preview: readPage(new URL('preview.html', folder)),
    assets: new Map(names.map((name) => [name, readAsset(new URL(name, assetFolder))])),
  };
}

function readPage(file: URL): ConsoleFile {
  const plain = readFileSync(file);
  return { type: 'text/html; charset=utf-8', plain, gzip: gzipSync(plain), br: brotliCompressSync(plain) };
}

function readAsset(file: URL): ConsoleFile {
  const read = (ending: string) => readFileSync(new URL(`${file}${ending}`));
  return { type: types[extname(file.pathname)] as string, plain: read(''), gzip: read('.gz'), br: read('.br') };
}
