// The client as a user gets it: built, and installed into an empty folder.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { buildClient } from '../build.ts';

const execute = promisify(execFile);

export interface Installed {
  /** A folder whose node_modules holds the client and nothing else. */
  folder: string;
  /** Runs a program there. Rejects when it fails. */
  run(
    command: string,
    args: readonly string[],
    env?: Record<string, string>,
  ): Promise<{ stdout: string; stderr: string }>;
}

/** As npm installs it from the package. */
export async function installClient(t: Pick<TestContext, 'after'>): Promise<Installed> {
  const { folder, run } = await makeFolder(t);
  buildClient(join(folder, 'dist'));
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await run('npm', ['pack', './dist']);
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`]);
  await rm(join(folder, 'dist'), { recursive: true });
  return { folder, run };
}

/** The same files without npm, which takes three times as long: package.test.ts shows that it installs them. */
export async function placeClient(t: Pick<TestContext, 'after'>): Promise<Installed> {
  const { folder, run } = await makeFolder(t);
  buildClient(join(folder, 'node_modules/@roster/client'));
  return { folder, run };
}

async function makeFolder(t: Pick<TestContext, 'after'>): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-client-'));
  t.after(() => rm(folder, { recursive: true }));
  // The environment is minimal, so that no setting of the machine affects the tests.
  const run: Installed['run'] = (command, args, env = {}) => {
    return execute(command, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
      timeout: 300_000,
    });
  };
  return { folder, run };
}
