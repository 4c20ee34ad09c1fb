// The container image, run by podman with the documented commands of Docker: read-only, not as root, on a volume. It is
// used, stopped under a write load, and started again.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Writer } from '../crash-load.ts';
import { exportAll, senderTo } from '../first-bot.ts';
import { imageFile, makeImage } from '../release/image.ts';
import { thirdPartyText } from '../release/third-party.ts';
import { install } from './bare-root.ts';
import { documentedCommands } from './documented.ts';
import { createContact, findNames, readPages } from './service.ts';

const sizeMaxBytes = 50e6;
const writerCount = 8;
const contactsPerWriter = 200;
const loadMs = 3000;
/** Ends a test that has failed already. */
const healthyWithinMs = 120_000;
/** Of the user in deploy/Containerfile. */
const uid = '10001';

type Docker = (...args: string[]) => Promise<string>;

export async function testImage(executable: string, packages: string[], work: string): Promise<string> {
  for (const name of ['buildah', 'mmdebstrap', 'podman', 'runc']) install(name);
  makeImage({ executable, thirdPartyText: thirdPartyText(packages) }, work, join(work, 'image'));
  const { size } = statSync(join(work, imageFile));
  assert.ok(size < sizeMaxBytes, `the image has ${size} bytes`);

  const port = await findFreePort();
  const path = makeDockerCommand(work, port);
  const run = async (script: string) => {
    const env = { PATH: `${path}:${process.env['PATH']}` };
    return (await promisify(execFile)('sh', ['-ec', script], { cwd: work, env })).stdout;
  };
  const docker: Docker = (...args) => run(`docker ${args.map((arg) => `'${arg}'`).join(' ')}`);
  const [start = '', copySecrets = '', command = ''] = documentedCommands('Docker and podman', 'deploy.md');
  try {
    await run(start);
    await untilHealthy(docker);
    await run(copySecrets);
    const { secret, organizationId, botId } = readFirstSecret(join(work, 'first-secret.txt'));
    const logs = await run('docker logs roster 2>&1');
    assert.match(logs, /first-secret\.txt/);
    assert.ok(!logs.includes(secret), 'the log has the secret');
    assert.match(
      readFileSync(join(work, 'setup-link.txt'), 'utf8'),
      new RegExp(`^http://localhost:${port}/console#/setup/`),
    );
    await assertConfined(docker);

    const url = `http://127.0.0.1:${port}`;
    const access = { url, botId, secret };
    await createContact(access, 'Jane');
    await readPages(url);
    assert.doesNotMatch(await run(command), /Other users/, 'the volume is for the server alone');
    assert.deepEqual(await findNames(access), ['Jane']);

    const send = senderTo({ url }, { organizationId, botId, secret });
    const writers = Array.from({ length: writerCount }, (_, index) => new Writer(index, contactsPerWriter));
    const load = Promise.all(writers.map((writer) => writer.write(send)));
    await delay(loadMs);
    // SIGTERM to the first process of the container. After ten seconds podman would kill it, and the code be 137.
    await docker('stop', 'roster');
    await load;
    assert.equal((await docker('inspect', '--format', '{{.State.ExitCode}}', 'roster')).trim(), '0');
    const answered = writers.reduce((sum, { answeredWrites }) => sum + answeredWrites, 0);
    assert.ok(answered > 0);

    await docker('start', 'roster');
    await untilHealthy(docker);
    const stored = await exportAll(send);
    assert.ok(stored.delete('jane@example.com'), 'the first contact is there');
    assert.deepEqual(
      writers.flatMap((writer) => writer.check(stored).problems),
      [],
    );
    assert.deepEqual([...stored.keys()], [], 'contacts that nobody wrote');
    return `${(size / 1e6).toFixed(1)} MB; stopped after ${answered} answered writes, none lost`;
  } finally {
    await docker('rm', '--force', '--volumes', 'roster');
  }
}

/**
 * A command `docker` that is podman, with images and volumes of its own, for machines on which a container can have neither
 * a network nor limits of its own. The ports of the machine are then those of the container.
 */
function makeDockerCommand(work: string, port: number): string {
  const folder = join(work, 'docker');
  mkdirSync(folder);
  const options = [
    ...['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'],
    ...['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', '--events-backend', 'file'],
  ];
  // Below those of most machines: who may not raise a limit may lower it.
  const limits = ['nofile=4096:4096', 'nproc=4096:4096'].flatMap((limit) => ['--ulimit', limit]);
  const runOptions = ['--network', 'host', '--env', `ROSTER_PORT=${port}`, '--log-driver', 'k8s-file', ...limits];
  const script = `#!/bin/sh
if [ "$1" = run ]; then
  shift
  set -- run ${runOptions.join(' ')} "$@"
fi
exec podman ${options.join(' ')} "$@"
`;
  writeFileSync(join(folder, 'docker'), script);
  chmodSync(join(folder, 'docker'), 0o755);
  return folder;
}

/** Podman leaves the regular checks to systemd, which a test need not have. */
async function untilHealthy(docker: Docker): Promise<void> {
  const endMs = performance.now() + healthyWithinMs;
  for (;;) {
    const isHealthy = await docker('healthcheck', 'run', 'roster').then(
      () => true,
      () => false,
    );
    if (isHealthy) break;
    if (performance.now() > endMs) throw new Error(`the container is not healthy:\n${await docker('logs', 'roster')}`);
    await delay(200);
  }
  const state = await docker('inspect', '--format', '{{.State.Health.Status}}', 'roster');
  assert.equal(state.trim(), 'healthy');
}

function readFirstSecret(file: string) {
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const text = readFileSync(file, 'utf8');
  const find = (pattern: RegExp) => pattern.exec(text)?.[0] as string;
  return { organizationId: find(/org_\w+/), botId: find(/bot_\w+/), secret: find(/rst_\w+/) };
}

/** The server is the first process of the container, and neither is root nor can change the root file system. */
async function assertConfined(docker: Docker): Promise<void> {
  const pid = (await docker('inspect', '--format', '{{.State.Pid}}', 'roster')).trim();
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  assert.match(status, new RegExp(`^Uid:\\s+${uid}\\s`, 'm'));
  assert.match(status, /^NSpid:.*\s1$/m);
  assert.match(status, /^CapEff:\s+0+$/m);
  const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
  const root = mounts.find((line) => line.split(' ')[4] === '/');
  assert.match(root?.split(' ')[5] ?? '', /^ro\b/);
}

function findFreePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
