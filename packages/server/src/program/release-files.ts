// The files of a release that are not modules: migrations, the console, the guide and the widget. The single executable has them
// inside, the npm package in a folder beside its program. A clone has no such folder: there each file lies where it was written or
// built.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { getAssetKeys, getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

export interface FileFolder {
  /** Of all files, also of those in folders below: `assets/main.js`. */
  names(): string[];
  read(name: string): Buffer;
}

/** Whether this program runs from its sources. */
export const isClone = import.meta.url.endsWith('.ts');

/** Undefined in a clone. */
export function releaseFolder(name: string): FileFolder | undefined {
  if (isClone) return undefined;
  return isSea() ? folderInExecutable(`${name}/`) : folderOnDisk(new URL(`./files/${name}/`, import.meta.url));
}

export function folderOnDisk(folder: URL): FileFolder {
  return {
    names: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(fileURLToPath(folder), join(parentPath, name)).replaceAll('\\', '/'))
        .sort(),
    read: (name) => readFileSync(new URL(name, folder)),
  };
}

function folderInExecutable(prefix: string): FileFolder {
  return {
    names: () =>
      getAssetKeys()
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length))
        .sort(),
    // Not a copy: the system reads it from the executable when it is needed. It must never be written to.
    read: (name) => Buffer.from(getRawAsset(`${prefix}${name}`) as ArrayBuffer),
  };
}
