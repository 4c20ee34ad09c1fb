// The first start of the real process: what it prints works, and is printed only once and nowhere else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import {
  callFirstBot,
  findFirstRun,
  type Home,
  makeHome,
  type ServerProcess,
  type StartOptions,
  startFirst,
} from './server-process.ts';

function setUpCodeOf({ output, url }: ServerProcess): string | undefined {
  const [, base, code] = /^Set up your account: (\S+)\/console#\/setup\/([\w-]+)$/m.exec(output.stdout) ?? [];
  if (base !== undefined) assert.equal(base, url);
  return code;
}

function setUp(url: string, code: string): Promise<Response> {
  const owner = { name: 'Olivia', email: 'owner@example.com', password: 'correct horse battery staple' };
  return fetch(`${url}/v1/account/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code, organizationName: 'Example Ltd', ...owner }),
  });
}

suite('the first start', () => {
  test('the printed curl line creates a contact', async (t) => {
    const home = await makeHome(t);
    const { firstRun, output, url } = await startFirst(home);
    const command = /^ {2}(curl [\s\S]*?[^\\])\n/m.exec(output.stdout)?.[1];
    assert.ok(command, output.stdout);
    assert.ok(command.includes(`${url}/v1/bots/${firstRun.botId}/contacts`), command);
    const isCurlThere = spawnSync('curl', ['--version']).status === 0;
    assert.ok(isCurlThere, 'this test runs the printed line: install curl (Debian: apt-get install curl)');
    const ran = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    assert.equal(ran.status, 0, ran.stderr);
    const { data } = JSON.parse(ran.stdout);
    assert.equal(data.email, 'jane@example.com');
    const found = await callFirstBot(url, firstRun, 'GET', `contacts/${data.id}`);
    assert.equal(found.status, 200);
    assert.deepEqual(await found.json(), { data });
  });

  test('the secret goes to stdout once, and never through the logger', async (t) => {
    const home = await makeHome(t);
    const server = await startFirst(home, { env: { ROSTER_LOG_LEVEL: 'trace' } });
    const { secret } = server.firstRun;
    await callFirstBot(server.url, server.firstRun, 'GET', 'contacts');
    await server.stop();
    assert.ok(server.output.stderr.includes('"msg":"listening"'), 'the logger was at work');
    assert.ok(!server.output.stderr.includes('rst_'), server.output.stderr);
    // Once by itself and once in the curl line.
    assert.equal(server.output.stdout.split(secret).length - 1, 2);
  });

  test('a later start prints where it listens and nothing secret, and the first secret still works', async (t) => {
    const home = await makeHome(t);
    const first = await startFirst(home);
    await first.stop();
    const second = await home.start({ env: { ROSTER_LOG_LEVEL: 'trace' } });
    const reply = await callFirstBot(second.url, first.firstRun, 'GET', 'contacts');
    assert.equal(reply.status, 200);
    await second.stop();
    const { stdout, stderr } = second.output;
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('Set up your account: '));
    assert.deepEqual(lines, [
      `Roster listens on ${second.url}  (console: ${second.url}/console, API reference: ${second.url}/docs)`,
    ]);
    assert.doesNotMatch(stdout + stderr, /rst_|org_|bot_/);
  });

  test('every start prints a set-up link, of which the last works, until an owner exists; never to the log', async (t) => {
    const home = await makeHome(t);
    const env = { ROSTER_LOG_LEVEL: 'trace' };
    const first = await startFirst(home, { env });
    const older = setUpCodeOf(first);
    await first.stop();
    const second = await home.start({ env });
    const newer = setUpCodeOf(second);
    assert.ok(older !== undefined && newer !== undefined && older !== newer);
    assert.equal((await setUp(second.url, older)).status, 401);
    const reply = await setUp(second.url, newer);
    assert.equal(reply.status, 200);
    const { data } = (await reply.json()) as { data: { organization: { id: string; name: string } } };
    assert.deepEqual(data.organization, { id: first.firstRun.organizationId, name: 'Example Ltd' });
    await second.stop();
    const third = await home.start({ env });
    assert.equal(setUpCodeOf(third), undefined);
    await third.stop();
    const cookie = reply.headers.getSetCookie()[0]?.split(/[=;]/)[1] ?? 'none';
    const log = [first, second, third].map(({ output }) => output.stderr).join('');
    for (const secret of [older, newer, cookie, 'correct horse', 'owner@example.com']) assert.ok(!log.includes(secret));
  });

  test('the data folder is closed to other users', async (t) => {
    const home = await makeHome(t);
    await startFirst(home);
    assert.equal(((await stat(home.dataDir)).mode & 0o777).toString(8), '700');
  });

  test('a first start that cannot listen leaves the first run to the next one', async (t) => {
    const other = await startFirst(await makeHome(t));
    const home = await makeHome(t);
    const failed = await home.run({ env: { ROSTER_PORT: new URL(other.url).port } });
    assert.equal(failed.code, 1);
    assert.equal(failed.stdout, '');
    const { firstRun, url } = await startFirst(home);
    assert.equal((await callFirstBot(url, firstRun, 'GET', 'contacts')).status, 200);
  });
});

suite('with ROSTER_PRINT_SECRETS=false', () => {
  const env = { ROSTER_PRINT_SECRETS: 'false', ROSTER_LOG_LEVEL: 'trace' };
  const secretFile = ({ dataDir }: Home) => join(dataDir, 'first-secret.txt');
  const linkFile = ({ dataDir }: Home) => join(dataDir, 'setup-link.txt');
  const read = (file: string) => readFile(file, 'utf8');

  async function startAndRead(home: Home, options: StartOptions = {}) {
    const server = await home.start({ ...options, env: { ...env, ...options.env } });
    const firstRun = findFirstRun(await read(secretFile(home)));
    assert.ok(firstRun, 'the file has the secret');
    return { server, firstRun };
  }

  test('the first secret and the set-up link are in files of this user alone, and the output says where', async (t) => {
    const home = await makeHome(t);
    const { server, firstRun } = await startAndRead(home);
    assert.equal((await callFirstBot(server.url, firstRun, 'GET', 'contacts')).status, 200);
    const link = await read(linkFile(home));
    const [, code = ''] = /^http:\S+\/console#\/setup\/([\w-]+)\n$/.exec(link) ?? [];
    assert.ok(link.startsWith(`${server.url}/console`), link);
    for (const file of [secretFile(home), linkFile(home)]) {
      assert.equal(((await stat(file)).mode & 0o777).toString(8), '600');
      assert.ok(server.output.stdout.includes(file), server.output.stdout);
    }
    assert.equal((await setUp(server.url, code)).status, 200);
    await server.stop();
    const output = server.output.stdout + server.output.stderr;
    assert.ok(!output.includes('rst_') && !output.includes(code), output);
    const parts = (await readdir(home.dataDir)).filter((name) => name.includes('.part-'));
    assert.deepEqual(parts, []);
  });

  test('a later start leaves the secret alone and replaces the link, which goes once there is an owner', async (t) => {
    const home = await makeHome(t);
    const { server: first } = await startAndRead(home);
    const [secret, older] = [await read(secretFile(home)), await read(linkFile(home))];
    await first.stop();
    const { server: second } = await startAndRead(home);
    const newer = await read(linkFile(home));
    assert.equal(await read(secretFile(home)), secret);
    assert.notEqual(newer, older);
    assert.equal((await setUp(second.url, newer.trim().split('/').at(-1) ?? '')).status, 200);
    await second.stop();
    // Whoever has kept the secret deletes its file.
    await rm(secretFile(home));
    const third = await home.start({ env });
    await third.stop();
    assert.deepEqual(
      (await readdir(home.dataDir)).filter((name) => name.endsWith('.txt')),
      [],
    );
  });

  test('a file of that name is not overwritten: nothing is created until it is gone', async (t) => {
    const home = await makeHome(t);
    await mkdir(home.dataDir, { mode: 0o700 });
    await writeFile(secretFile(home), 'of another database');
    const ended = await home.run({ env });
    assert.equal(ended.code, 1);
    assert.ok(ended.stderr.includes(`Cannot write ${secretFile(home)}: a file of that name exists`), ended.stderr);
    assert.doesNotMatch(ended.stderr, /^\s+at /m, 'a stack trace');
    assert.equal(await read(secretFile(home)), 'of another database');
    await rm(secretFile(home));
    const { server, firstRun } = await startAndRead(home);
    assert.equal((await callFirstBot(server.url, firstRun, 'GET', 'contacts')).status, 200);
  });

  for (const host of ['0.0.0.0', '::']) {
    test(`on ${host} the link and the command name this machine`, async (t) => {
      const home = await makeHome(t);
      const { server } = await startAndRead(home, { env: { ROSTER_HOST: host } });
      const { port } = new URL(server.url);
      assert.equal(server.url, `http://localhost:${port}`);
      assert.ok((await read(linkFile(home))).startsWith(`http://localhost:${port}/console#/setup/`));
      assert.ok((await read(secretFile(home))).includes(`curl -X PUT http://localhost:${port}/v1/`));
    });
  }
});
