// The npm packages: the client, the command line without the server, and the server with the whole command line. Each
// has built JavaScript, and no dependency that npm would have to fetch.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildClient } from '../../packages/client/build.ts';
import { version } from '../../packages/server/src/version.ts';
import { bundleContactCommands, programName, root } from './bundle.ts';
import { packagesOfFiles, thirdPartyText } from './third-party.ts';

export interface Program {
  folder: string;
  /** The packages whose code is in it. */
  packages: string[];
}

export const tarballOf = (name: string) => `roster-${name}-${version}.tgz`;

export function packClient(release: string): void {
  inFolder((folder) => {
    buildClient(folder);
    pack(folder, release);
  });
}

export async function packCommandLine(release: string): Promise<void> {
  await inFolder(async (folder) => {
    const packages = await bundleContactCommands(folder);
    addRest(folder, { name: 'cli', node: [22, 13], options: '', packages });
    pack(folder, release);
  });
}

export function packServer(release: string, program: Program): void {
  inFolder((folder) => {
    cpSync(program.folder, folder, { recursive: true });
    const packages = [...program.packages, ...packagesOfFiles()];
    addRest(folder, { name: 'server', node: [24, 7], options: ' --max-semi-space-size=8', packages });
    pack(folder, release);
  });
}

interface Rest {
  name: 'cli' | 'server';
  /** The earliest that it runs on. */
  node: [major: number, minor: number];
  /** Of Node. */
  options: string;
  packages: string[];
}

function addRest(folder: string, { name, node, options, packages }: Rest): void {
  const source = join(root, 'packages', name);
  const { description, license } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const manifest = {
    name: `@roster/${name}`,
    version,
    description,
    license,
    engines: { node: `>=${node.join('.')}` },
    type: 'commonjs',
    bin: { roster: 'roster.cjs' },
    // A command, not a library: what may be imported is the client.
    exports: { './package.json': './package.json' },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(folder, 'roster.cjs'), entry(node, options));
  const readme = readFileSync(join(source, 'README.md'), 'utf8');
  // Links into the repository would lead nowhere on a package's page.
  writeFileSync(join(folder, 'README.md'), readme.replaceAll(/\[([^\]]+)\]\(\.\.\/[^)]+\)/g, '$1'));
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), thirdPartyText(packages));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Any Node understands it, so that an old one gets a sentence, not a stack. */
function entry([major, minor]: Rest['node'], options: string): string {
  return `#!/usr/bin/env ${options === '' ? 'node' : `-S node${options}`}
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  console.error('Roster needs Node ${major}.${minor} or later; this is ' + process.version + '.');
  process.exit(1);
}
require('./${programName}');
`;
}

/** npm writes neither times nor owners into an archive, and sorts it. */
function pack(folder: string, release: string): void {
  execFileSync('npm', ['pack', folder, '--pack-destination', release, '--ignore-scripts', '--silent'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function inFolder<Result>(work: (folder: string) => Result): Result {
  const parent = mkdtempSync(join(tmpdir(), 'roster-package-'));
  const remove = () => rmSync(parent, { recursive: true });
  const result = work(join(parent, 'package'));
  if (result instanceof Promise) return result.finally(remove) as Result;
  remove();
  return result;
}
