// The single executable: the Node that the lock file pins, stripped, with the bundle and its files inside. No code cache:
// it would differ from build to build.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folderOnDisk } from '../../packages/server/src/program/release-files.ts';
import { programName } from './bundle.ts';

/** What a release is for, as npm names it: linux-arm64. The Node of a machine makes executables of its own kind only. */
export const platform = `${process.platform}-${process.arch}`;
const require = createRequire(import.meta.url);
export const nodePackage = `node-${platform}`;

/** Node's own mark, which says that a blob follows: https://nodejs.org/api/single-executable-applications.html */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

export function makeOneFile(program: string, target: string): void {
  const node = require.resolve(`${nodePackage}/bin/node`);
  const assets = folderOnDisk(pathToFileURL(`${program}/`))
    .names()
    .filter((name) => name !== programName);
  const blob = `${target}.blob`;
  const config = `${target}.json`;
  const settings = {
    // Relative: the blob holds this path, and must be the same wherever it is made.
    main: programName,
    output: blob,
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    // As `npm start` has it: garbage is short-lived, and a small nursery keeps the process small.
    execArgv: ['--max-semi-space-size=8'],
    // A file of the release has its path below "files" as its name.
    assets: Object.fromEntries(assets.map((name) => [name.replace(/^files\//, ''), join(program, name)])),
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(node, ['--experimental-sea-config', config], { cwd: program, stdio: 'pipe' });
  copyFileSync(node, target);
  chmodSync(target, 0o755);
  // Before the blob is in: a program that strips does not know it, and would drop it.
  execFileSync('strip', [target], { stdio: 'pipe' });
  const postject = require.resolve('postject/dist/cli.js');
  execFileSync(process.execPath, [postject, target, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse], { stdio: 'pipe' });
  for (const file of [blob, config]) rmSync(file);
}
