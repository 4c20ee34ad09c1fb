// The JavaScript runtimes of this machine: the one that runs the tests, and all others in the PATH.
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Runtime {
  /** `node v20.20.2`, … */
  name: string;
  command: string;
  /** Goes before the file to run. */
  args: readonly string[];
}

const kinds = {
  node: [],
  bun: ['run'],
  deno: ['run', '--allow-net', '--allow-env', '--allow-read', '--quiet'],
} as const;

/** The minimum in the package's `engines`. */
const nodeMajorMin = 20;

export function findRuntimes(): Runtime[] {
  const found = new Map<string, Runtime>();
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const [kind, args] of Object.entries(kinds)) {
    for (const file of [
      ...(kind === 'node' ? [process.execPath] : []),
      ...folders.map((folder) => join(folder, kind)),
    ]) {
      if (!existsSync(file)) continue;
      const command = realpathSync(file);
      const version = execFileSync(command, ['--version'], { encoding: 'utf8' }).match(/\d+\.\d+\.\d+/)?.[0] ?? '';
      if (kind === 'node' && Number.parseInt(version, 10) < nodeMajorMin) continue;
      found.set(`${kind} ${version}`, { name: `${kind} ${version}`, command, args });
    }
  }
  return [...found.values()];
}
