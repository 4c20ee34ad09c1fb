// The script as the server serves it, with its version and its hash. A production install builds it once, by
// `npm run build`; where that was not done, or the sources have changed since, it is built in memory. Nothing is
// written at run time: the folder may be read-only.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface WidgetScript {
  plain: Buffer;
  gzipped: Buffer;
  /** Of the content: other content, other version. */
  version: string;
  /** For a script tag's `integrity`. */
  integrity: string;
}

/** The script cannot be had. The message says why and what to do. */
export class WidgetScriptError extends Error {
  override name = 'WidgetScriptError';
}

export const distFolder = new URL('../dist/', import.meta.url);
const sourceFolders = [new URL('../src/', import.meta.url), new URL('./', import.meta.url)];

let loaded: Promise<WidgetScript> | undefined;

/** The same for all callers in the process. */
export function loadWidgetScript(): Promise<WidgetScript> {
  loaded ??= readBuilt().then(describeScript, (error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function readBuilt(): Promise<Buffer> {
  try {
    const sources = new URL('sources.txt', distFolder);
    const isCurrent = existsSync(sources) && readFileSync(sources, 'utf8') === hashSources();
    if (isCurrent) return readFileSync(new URL('widget.js', distFolder));
    const { bundleWidget } = await import('./bundle.ts');
    return await bundleWidget();
  } catch (cause) {
    const reason = (cause as Error).message.split('\n', 1)[0];
    throw new WidgetScriptError(
      `The widget cannot be built: ${reason}. Run "npm ci" again, or build it beforehand with "npm run build".`,
      { cause },
    );
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

async function describeScript(plain: Buffer): Promise<WidgetScript> {
  const digest = (algorithm: string) => createHash(algorithm).update(plain);
  return {
    plain,
    gzipped: await promisify(gzip)(plain, { level: 9 }),
    version: digest('sha256').digest('hex').slice(0, 16),
    integrity: `sha384-${digest('sha384').digest('base64')}`,
  };
}
