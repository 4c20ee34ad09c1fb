// The single executable: the Node that the lock file pins, stripped, with the bundle and its files inside. No code cache:
// it would differ from build to build.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folderOnDisk } from '../../packages/server/src/program/release-files.ts';

/** As npm names this machine's kind: linux-arm64. Node's blob is made by the Node that it is for. */
export const platform = `${process.platform}-${process.arch}`;
/** Node's own mark, which says that a blob follows: https://nodejs.org/api/single-executable-applications.html */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

export function makeOneFile(program: string, target: string): void {
  const require = createRequire(import.meta.url);
  const node = require.resolve(`node-${platform}/bin/node`);
  const names = folderOnDisk(pathToFileURL(`${program}/`)).names();
  // A file of the release has its path below "files" as its name.
  const assets = names.map((name) => [name.replace(/^files\//, ''), join(program, name)]);
  const blob = `${target}.blob`;
  const config = `${target}.json`;
  const settings = {
    main: join(program, 'roster.cjs'),
    output: blob,
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    // As `npm start` has it: garbage is short-lived, and a small nursery keeps the process small.
    execArgv: ['--max-semi-space-size=4'],
    assets: Object.fromEntries(assets.filter(([name]) => name !== 'roster.cjs')),
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(node, ['--experimental-sea-config', config], { stdio: 'pipe' });
  copyFileSync(node, target);
  chmodSync(target, 0o755);
  // Before the blob is in: a stripped executable loses what it does not know.
  execFileSync('strip', [target], { stdio: 'inherit' });
  const postject = require.resolve('postject/dist/cli.js');
  execFileSync(process.execPath, [postject, target, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse], { stdio: 'pipe' });
  for (const file of [blob, config]) rmSync(file);
}
