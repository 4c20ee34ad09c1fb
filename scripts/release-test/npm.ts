// The npm packages, each installed into an empty project: the server in a bare Debian that has got the Node of the lock file,
// the command line on the oldest Node that it supports and on that one, the client on Node 20. Their manifests are checked too.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packClient, packCommandLine, packServer, tarballOf } from '../release/npm-packages.ts';
import { nodePackage } from '../release/one-file.ts';
import { type BareRoot, makeBareRoot } from './bare-root.ts';
import { documentedCommands } from './documented.ts';
import { type Access, awaitService, createContact, findNames, readPages } from './service.ts';

const sizeMaxBytes = { client: 200e3, cli: 5e6 };

/** What npm does without asking anybody: the packages have no dependencies. */
const offline = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_offline: 'true' };

export async function testNpm(program: { folder: string; packages: string[] }, work: string): Promise<string> {
  packClient(work);
  await packCommandLine(work);
  packServer(work, program);
  const [serve = '', runContacts = ''] = documentedCommands('npm');
  const own = join(process.execPath, '..');
  const nodes = { 20: fetchNode(work, '20'), 22: fetchNode(work, '22.13.1'), 24: own };

  const root = makeBareRoot();
  try {
    installNode(root, own, fetchPackage(work, 'npm', '11'));
    root.add(join(work, tarballOf('server')));
    const { first, last } = splitLast(serve);
    root.run(first, offline);
    await checkManifest(join(root.folder, 'root/node_modules/@roster/server'));
    const start = () => awaitService(root.start(last, { ROSTER_PORT: '0' }), performance.now());
    const { url, botId, secret, stop } = await start();
    const access = { url, botId: botId as string, secret: secret as string };
    await readPages(url);
    await createContact(access, 'Jane');
    assert.equal(await stop(), 0);

    const again = await start();
    try {
      const found = { ...access, url: again.url };
      const sizes = { cli: await testCommandLine(work, runContacts, found, nodes), client: 0 };
      assert.deepEqual(await findNames(found), ['Ann', 'Jane']);
      sizes.client = await testClient(work, found, nodes[20]);
      return `installed, the client has ${Math.round(sizes.client / 1e3)} kB, the command line ${(sizes.cli / 1e6).toFixed(1)} MB`;
    } finally {
      assert.equal(await again.stop(), 0);
    }
  } finally {
    root.remove();
  }
}

/** As the archives of Node are unpacked into /usr/local. */
function installNode({ folder }: BareRoot, node: string, npm: string): void {
  const local = join(folder, 'usr/local');
  copyFileSync(join(node, 'node'), join(local, 'bin/node'));
  mkdirSync(join(local, 'lib/node_modules'), { recursive: true });
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
}

async function testCommandLine(work: string, commands: string, access: Access, nodes: Record<number, string>) {
  const { folder, last, size } = await makeProject(work, 'cli', commands);
  assert.ok(size < sizeMaxBytes.cli, `the command line has ${size} bytes`);
  writeFileSync(join(folder, 'people.csv'), 'name,email\nAnn,ann@example.com\n');
  for (const version of [22, 24]) {
    execFileSync('sh', ['-ec', last], {
      cwd: folder,
      env: { PATH: pathWith(nodes[version] as string), HOME: folder, ...settingsOf(access) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
  return size;
}

/** The exercise of the client's own tests, which uses every method. */
async function testClient(work: string, access: Access, node: string) {
  const { folder, size } = await makeProject(work, 'client', `npm install ./${tarballOf('client')}\n`);
  assert.ok(size < sizeMaxBytes.client, `the client has ${size} bytes`);
  copyFileSync(new URL('../../packages/client/test/exercise.mjs', import.meta.url), join(folder, 'exercise.mjs'));
  const env = { PATH: pathWith(node), ...settingsOf(access), DEAD_URL: 'http://127.0.0.1:9' };
  const output = execFileSync('node', ['exercise.mjs'], { cwd: folder, env, encoding: 'utf8' });
  assert.equal(JSON.parse(output).create, 201);
  const problems = await checkPackage(createPackageFromTarballData(readFileSync(join(work, tarballOf('client')))));
  assert.deepEqual('problems' in problems && problems.problems, [], 'the types of the client');
  return size;
}

/** An empty project, in which all but the last of the documented commands have been run. */
async function makeProject(work: string, name: string, commands: string) {
  const folder = join(work, `project-${name}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  copyFileSync(join(work, tarballOf(name)), join(folder, tarballOf(name)));
  const { first, last } = splitLast(commands);
  execFileSync('sh', ['-ec', first], { cwd: folder, env: { ...process.env, ...offline }, stdio: 'pipe' });
  const installed = join(folder, 'node_modules/@roster', name);
  await checkManifest(installed);
  const size = globSync('**', { cwd: installed, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return { folder, last, size };
}

/** The last line, and those before it. A single line is no last one. */
function splitLast(commands: string): { first: string; last: string } {
  const lines = commands.trim().split('\n');
  const last = lines.length > 1 ? (lines.pop() as string) : '';
  return { first: lines.join('\n'), last };
}

async function checkManifest(folder: string): Promise<void> {
  const { messages, pkg } = await publint({ pkgDir: folder, pack: false, level: 'suggestion' });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
    `publint about ${folder}`,
  );
}

/** The folder of that version's program. */
function fetchNode(work: string, version: string): string {
  return join(fetchPackage(work, nodePackage, version), 'bin');
}

function fetchPackage(work: string, name: string, version: string): string {
  const folder = join(work, `${name}-${version}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`], {
    cwd: folder,
    stdio: 'pipe',
  });
  return join(folder, 'node_modules', name);
}

const pathWith = (node: string) => `${node}:/usr/bin:/bin`;

const settingsOf = ({ url, botId, secret }: Access) => ({
  ROSTER_URL: url,
  ROSTER_BOT: botId,
  ROSTER_SECRET: secret,
});
