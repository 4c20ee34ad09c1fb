// The script as the server serves it, with its version and its hash. It only reads a finished build: `npm ci` and
// `npm run build` make one.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

export interface WidgetScript {
  plain: Buffer;
  gzip: Buffer;
  /** Of the content: other content, other version. */
  version: string;
  /** For a script tag's `integrity`. */
  integrity: string;
}

/** There is no build that can be served. The message says what to do. */
export class WidgetScriptError extends Error {
  override name = 'WidgetScriptError';
}

export const distFolder = new URL('../dist/', import.meta.url);
export const scriptFile = new URL('widget.js', distFolder);
/** Holds the hash of the sources that the script was built from. */
export const sourcesFile = new URL('sources.txt', distFolder);
const sourceFolders = [new URL('../src/', import.meta.url), new URL('./', import.meta.url)];

/** The build of the present sources. */
export function loadWidgetBuild(): Buffer {
  try {
    if (isBuilt()) return readFileSync(scriptFile);
  } catch (cause) {
    throw new WidgetScriptError(
      `The widget's build cannot be read: ${(cause as Error).message}. Let this user read it, or remove it and run "npm run build".`,
      { cause },
    );
  }
  throw new WidgetScriptError(
    'The widget is not built, or its sources have changed since. Run "npm run build", then start again.',
  );
}

/** Whether there is a build of the present sources. */
export function isBuilt(): boolean {
  try {
    return readFileSync(sourcesFile, 'utf8') === hashSources();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Tells whether a build is of these sources, by their content: times mean nothing after a checkout or a copy. */
export function hashSources(): string {
  const hash = createHash('sha256');
  for (const folder of sourceFolders) {
    for (const name of readdirSync(folder).sort()) {
      hash
        .update(`${name}\0`)
        .update(readFileSync(new URL(name, folder)))
        .update('\0');
    }
  }
  return hash.update(readFileSync(new URL('../package.json', import.meta.url))).digest('hex');
}

export function describeScript(plain: Buffer): WidgetScript {
  const digest = (algorithm: string) => createHash(algorithm).update(plain);
  return {
    plain,
    gzip: gzipSync(plain, { level: 9 }),
    version: digest('sha256').digest('hex').slice(0, 16),
    integrity: `sha384-${digest('sha384').digest('base64')}`,
  };
}
