// The console's files as the server serves them, from memory. Where no build of the present sources is there, one is
// made now, in a process of its own.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { folderOf, hashSources, isBuilt } from './console-build.ts';

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
  /** The page in which the widget is tried. */
  preview: ConsoleFile;
  /** By name. Each name holds a hash of the content. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

/** The console cannot be had. The message says why and what to do. */
export class ConsoleBuildError extends Error {
  override name = 'ConsoleBuildError';
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const reasonLengthMax = 300;

let loaded: Promise<ConsoleFiles> | undefined;

/** The same for all callers in the process. `onBuild` is told when it will take a few seconds. */
export function loadConsole(onBuild?: () => void): Promise<ConsoleFiles> {
  loaded ??= load(onBuild).catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(onBuild?: () => void): Promise<ConsoleFiles> {
  const version = hashSources();
  if (!isBuilt(version)) {
    onBuild?.();
    await build();
  }
  const folder = folderOf(version);
  const assetFolder = new URL('assets/', folder);
  const names = readdirSync(assetFolder).filter((name) => extname(name) in types);
  return {
    version,
    page: readPage(new URL('index.html', folder)),
    preview: readPage(new URL('preview.html', folder)),
    assets: new Map(names.map((name) => [name, readAsset(new URL(name, assetFolder))])),
  };
}

async function build(): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [fileURLToPath(new URL('build.ts', import.meta.url))]);
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: string };
    // The first paragraph, in one line: a code frame may follow.
    const [reason = ''] = (stderr?.trim() || message).split('\n\n', 1);
    throw new ConsoleBuildError(
      `The console cannot be built: ${reason.replaceAll(/\s+/g, ' ').slice(0, reasonLengthMax)}. Run "npm ci" (with development dependencies) and "npm run build", then start again.`,
      { cause },
    );
  }
}

function readPage(file: URL): ConsoleFile {
  const plain = readFileSync(file);
  return { type: 'text/html; charset=utf-8', plain, gzip: gzipSync(plain), br: brotliCompressSync(plain) };
}

function readAsset(file: URL): ConsoleFile {
  const read = (ending: string) => readFileSync(new URL(`${file}${ending}`));
  return { type: types[extname(file.pathname)] as string, plain: read(''), gzip: read('.gz'), br: read('.br') };
}
