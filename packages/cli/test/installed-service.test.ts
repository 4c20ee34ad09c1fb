// The operator's commands on a machine with the Debian package: they work for its service, whatever folder they are run in.
// A folder stands for the root of the machine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@roster/server/operator';
import { startServing } from '../../server/src/process/serve.ts';
import { lastFirst } from '../../server/test/last-first.ts';
import { entry, finish, type Ran, runCli } from './harness.ts';

const packaged = (name: string) => fileURLToPath(new URL(`../../../scripts/release/debian/${name}`, import.meta.url));

/** Root may choose the service's user, as the package does. Anyone else is that user. */
const serviceUser = process.getuid?.() === 0 ? 65_534 : process.getuid?.();

/** With the files of the package, and `shell`, a folder that a person is in. */
async function makeMachine(t: Pick<TestContext, 'after'>) {
  const root = await mkdtemp(join(tmpdir(), 'roster-machine-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  await chmod(root, 0o755);
  const [units, etc, dataDir, shell] = ['lib/systemd/system', 'etc/roster', 'var/lib/roster', 'shell'].map((path) =>
    join(root, path),
  ) as [string, string, string, string];
  for (const folder of [units, etc, dataDir, shell]) await mkdir(folder, { recursive: true });
  await copyFile(packaged('roster.service'), join(units, 'roster.service'));
  const settingsFile = join(etc, 'roster.env');
  await copyFile(packaged('roster.env'), settingsFile);
  await chmod(settingsFile, 0o600);
  const execPath = join(root, 'usr/bin/roster');
  return {
    execPath,
    dataDir,
    shell,
    settingsFile,
    run: (args: string[], env?: Record<string, string>) => runCli(args, { execPath, cwd: shell, ...(env && { env }) }),
    /** As a process of its own, of another user if one is given. */
    spawn(args: string[], uid?: number): Promise<Ran> {
      const pretend = `data:text/javascript,process.execPath=${JSON.stringify(execPath)}`;
      const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(root, 'compiled') };
      const options = { cwd: shell, env, ...(uid !== undefined && { uid }) };
      return finish(spawn(process.execPath, ['--import', pretend, entry, ...args], options));
    },
  };
}

/** The same with its service, on a port that only the settings file knows. */
async function makeServingMachine(t: TestContext) {
  const lifetime = lastFirst(t);
  const machine = await makeMachine(lifetime);
  const settings = { ROSTER_DATA_DIR: machine.dataDir, ROSTER_PORT: '0', ROSTER_LOG_LEVEL: 'silent' };
  const { url, stop } = await startServing(loadConfig({}, settings, machine.dataDir));
  lifetime.after(stop);
  const { port } = new URL(url);
  await writeFile(machine.settingsFile, `# Settings\nROSTER_PORT=${port}\n`);
  return { ...machine, url, port };
}

const setup = ['setup', '--org', 'Acme', '--bot', 'Shop', '--secret-file', 'shop.secret'];

suite('on a machine with the Debian package', () => {
  test('roster setup works for the running service, and makes no database where it is run', async (t) => {
    const { run, shell, url } = await makeServingMachine(t);
    const { code, stderr } = await run([...setup, '--json']);
    assert.equal(code, 0, stderr);
    assert.deepEqual(await readdir(shell), ['shop.secret']);
    const secret = (await readFile(join(shell, 'shop.secret'), 'utf8')).trim();
    const bots = JSON.parse((await run(['bot', 'list', '--json'])).stdout);
    const shop = bots.find(({ name }: { name: string }) => name === 'Shop');
    const response = await fetch(`${url}/v1/bots/${shop.id}/contacts`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    assert.equal(response.status, 200, 'the service knows the secret');
  });

  test('health and doctor look at the port and the folder of the service', async (t) => {
    const { run, port, dataDir, shell } = await makeServingMachine(t);
    const health = await run(['health']);
    assert.deepEqual([health.code, health.stdout], [0, 'The server is ready.\n'], health.stderr);
    const { stdout } = await run(['doctor', '--backups', 'backups']);
    assert.ok(stdout.includes(`A Roster server is listening on 127.0.0.1 port ${port}.`), stdout);
    assert.ok(stdout.includes(`A server is running on ${dataDir} (version`), stdout);
    assert.ok(stdout.includes(join(shell, 'backups')), 'a folder of the command line is meant from where it is run');
  });

  test('what root creates belongs to the user of the service', async (t) => {
    const { spawn, dataDir } = await makeMachine(t);
    if (serviceUser !== undefined) await chown(dataDir, serviceUser, serviceUser);
    const { code, stderr } = await spawn(['migrate']);
    assert.equal(code, 0, stderr);
    const names = await readdir(dataDir);
    assert.ok(names.includes('roster.db'), String(names));
    for (const name of names) assert.equal((await stat(join(dataDir, name))).uid, serviceUser, name);
  });

  test('a user who may not read the settings of the service is told to use sudo, and nothing is created', async (t) => {
    const { spawn, settingsFile, shell, dataDir } = await makeMachine(t);
    if (serviceUser !== process.getuid?.()) await chown(settingsFile, 0, 0);
    else await chmod(settingsFile, 0o000);
    for (const args of [setup, ['migrate'], ['health'], ['doctor']]) {
      const { code, stderr } = await spawn(args, serviceUser);
      assert.equal(code, 3, stderr);
      assert.match(
        stderr,
        /Only root can read the settings of the service, .*roster\.env\. Run the command with sudo\./,
      );
    }
    assert.deepEqual([await readdir(shell), await readdir(dataDir)], [[], []]);
  });

  test('a command that names a data folder works for that', async (t) => {
    const { run, shell, dataDir } = await makeMachine(t);
    const { code, stderr } = await run(['migrate'], { ROSTER_DATA_DIR: join(shell, 'other') });
    assert.equal(code, 0, stderr);
    assert.deepEqual([await readdir(shell), await readdir(dataDir)], [['other'], []]);
  });
});
