// The npm packages, each installed into an empty project: the server on the Node of the lock file, the command line on
// the oldest Node that it supports and on that one, the client on Node 20. Their manifests are checked too.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packClient, packCommandLine, packServer, tarballOf } from '../release/npm-packages.ts';
import { nodePackage } from '../release/one-file.ts';
import { documentedCommands } from './documented.ts';
import { type Access, awaitService, createContact, findNames, readPages } from './service.ts';

const sizeMaxBytes = { client: 200e3, cli: 5e6 };

export async function testNpm(program: { folder: string; packages: string[] }, work: string): Promise<string> {
  packClient(work);
  await packCommandLine(work);
  packServer(work, program);
  const [serve = '', runContacts = ''] = documentedCommands('npm');
  const own = join(process.execPath, '..');
  const nodes = { 20: fetchNode(work, '20'), 22: fetchNode(work, '22.13.1'), 24: own };

  const server = await makeProject(work, 'server', serve);
  const child = spawn('sh', ['-ec', `exec ${server.last}`], {
    cwd: server.folder,
    env: { PATH: pathWith(own), HOME: server.folder, ROSTER_PORT: '0' },
  });
  const { url, botId, secret, stop } = await awaitService(child, performance.now());
  const access = { url, botId: botId as string, secret: secret as string };
  try {
    await readPages(url);
    await createContact(access, 'Jane');
    const sizes = { cli: await testCommandLine(work, runContacts, access, nodes), client: 0 };
    assert.deepEqual(await findNames(access), ['Ann', 'Jane']);
    sizes.client = await testClient(work, access, nodes[20]);
    return `installed, the client has ${Math.round(sizes.client / 1e3)} kB, the command line ${(sizes.cli / 1e6).toFixed(1)} MB`;
  } finally {
    assert.equal(await stop(), 0);
  }
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
  const lines = commands.trim().split('\n');
  const last = lines.length > 1 ? (lines.pop() as string) : '';
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_offline: 'true' };
  execFileSync('sh', ['-ec', lines.join('\n')], { cwd: folder, env: { ...process.env, ...quiet }, stdio: 'pipe' });
  const installed = join(folder, 'node_modules/@roster', name);
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, level: 'suggestion' });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
    `publint about ${name}`,
  );
  const size = globSync('**', { cwd: installed, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return { folder, last, size };
}

/** The folder of that version's program. */
function fetchNode(work: string, version: string): string {
  const folder = join(work, `node-${version}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${nodePackage}@${version}`], {
    cwd: folder,
    stdio: 'pipe',
  });
  return join(folder, 'node_modules', nodePackage, 'bin');
}

const pathWith = (node: string) => `${node}:/usr/bin:/bin`;

const settingsOf = ({ url, botId, secret }: Access) => ({
  ROSTER_URL: url,
  ROSTER_BOT: botId,
  ROSTER_TOKEN: secret,
});
