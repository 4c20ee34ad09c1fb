// The first start of the real process and those after it: what it prints works, and is printed only once and nowhere else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { type FirstRun, makeSetUpLink } from '../../src/process/first-run.ts';
import { StartError } from '../../src/process/start-error.ts';
import { wholeFile } from '../whole-file.ts';
import { makeHomeHere } from './serve-here.ts';
import {
  callFirstBot,
  type Exit,
  findFirstRun,
  makeHome,
  type Output,
  type ServerProcess,
  startFirst,
} from './server-process.ts';

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const read = (file: string) => readFile(file, 'utf8');

function setUp(url: string, code: string): Promise<Response> {
  const owner = { name: 'Olivia', email: 'owner@example.com', password: 'correct horse battery staple' };
  return fetch(`${url}/v1/account/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code, organizationName: 'Example Ltd', ...owner }),
  });
}

suite('the first start', async () => {
  const home = await makeHome(wholeFile);
  const env = { ROSTER_LOG_LEVEL: 'trace' };

  function setUpCodeOf({ output, url }: ServerProcess): string | undefined {
    const [, base, code] = /^Set up your account: (\S+)\/console#\/setup\/([\w-]+)$/m.exec(output.stdout) ?? [];
    if (base !== undefined) assert.equal(base, url);
    return code;
  }

  // One installation that is started three times. What it answers meanwhile is kept for the tests, since it has ended by then.
  let dataDirMode: string;
  let first: ServerProcess & { firstRun: FirstRun };
  let curl: { command: string; status: number | null; stdout: string; stderr: string };
  let created: { status: number; text: string };
  let second: ServerProcess;
  let statusOfFirstSecret: number;
  let statusOfOlderLink: number;
  let ownerMade: { status: number; text: string; cookie: string };
  let third: ServerProcess;

  before(async () => {
    const isCurlThere = spawnSync('curl', ['--version']).status === 0;
    assert.ok(isCurlThere, 'this test runs the printed line: install curl (Debian: apt-get install curl)');
    first = await startFirst(home, { env });
    dataDirMode = await modeOf(home.dataDir);
    const command = /^ {2}(curl [\s\S]*?[^\\])\n/m.exec(first.output.stdout)?.[1] ?? '';
    curl = { command, ...spawnSync('sh', ['-c', command], { encoding: 'utf8' }) };
    const [id] = /con_\w+/.exec(curl.stdout) ?? [];
    const found = await callFirstBot(first.url, first.firstRun, 'GET', `contacts/${id}`);
    created = { status: found.status, text: await found.text() };
    await first.stop();

    second = await home.start({ env });
    statusOfFirstSecret = (await callFirstBot(second.url, first.firstRun, 'GET', 'contacts')).status;
    statusOfOlderLink = (await setUp(second.url, setUpCodeOf(first) ?? 'none')).status;
    const reply = await setUp(second.url, setUpCodeOf(second) ?? 'none');
    const cookie = reply.headers.getSetCookie()[0]?.split(/[=;]/)[1] ?? 'none';
    ownerMade = { status: reply.status, text: await reply.text(), cookie };
    await second.stop();

    third = await home.start({ env });
    await third.stop();
  });

  test('the printed curl line creates a contact', () => {
    assert.ok(curl.command.includes(`${first.url}/v1/bots/${first.firstRun.botId}/contacts`), first.output.stdout);
    assert.equal(curl.status, 0, curl.stderr);
    const { data } = JSON.parse(curl.stdout);
    assert.equal(data.email, 'jane@example.com');
    assert.equal(created.status, 200);
    assert.deepEqual(JSON.parse(created.text), { data });
  });

  test('the secret goes to stdout once, and never through the logger', () => {
    const { stdout, stderr } = first.output;
    assert.ok(stderr.includes('"msg":"listening"'), 'the logger was at work');
    assert.ok(!stderr.includes('rst_'), stderr);
    // Once by itself and once in the curl line.
    assert.equal(stdout.split(first.firstRun.secret).length - 1, 2);
  });

  test('a later start prints where it listens and nothing secret, and the first secret still works', () => {
    assert.equal(statusOfFirstSecret, 200);
    const { stdout, stderr } = second.output;
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('Set up your account: '));
    assert.deepEqual(lines, [
      `Roster listens on ${second.url}  (console: ${second.url}/console, API reference: ${second.url}/docs)`,
    ]);
    assert.doesNotMatch(stdout + stderr, /rst_|org_|bot_/);
  });

  test('every start prints a set-up link, of which the last works, until an owner exists; never to the log', () => {
    const [older, newer] = [setUpCodeOf(first), setUpCodeOf(second)];
    assert.ok(older !== undefined && newer !== undefined && older !== newer);
    assert.equal(statusOfOlderLink, 401);
    assert.equal(ownerMade.status, 200);
    const { data } = JSON.parse(ownerMade.text) as { data: { organization: { id: string; name: string } } };
    assert.deepEqual(data.organization, { id: first.firstRun.organizationId, name: 'Example Ltd' });
    assert.equal(setUpCodeOf(third), undefined);
    const log = [first, second, third].map(({ output }) => output.stderr).join('');
    for (const secret of [older, newer, ownerMade.cookie, 'correct horse', 'owner@example.com'])
      assert.ok(!log.includes(secret));
  });

  test('the data folder is closed to other users', () => assert.equal(dataDirMode, '700'));

  test('a first start that cannot listen leaves the first run to the next one', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const home = await makeHomeHere(t);
    const { port } = other.address() as AddressInfo;
    await assert.rejects(home.start({ ROSTER_PORT: String(port) }), StartError);
    const { firstRun, url } = await home.startFirst();
    assert.equal((await callFirstBot(url, firstRun, 'GET', 'contacts')).status, 200);
  });
});

suite('with ROSTER_PRINT_SECRETS=false', async () => {
  const home = await makeHome(wholeFile);
  const homeHere = await makeHomeHere(wholeFile);
  const env = { ROSTER_PRINT_SECRETS: 'false', ROSTER_LOG_LEVEL: 'trace' };
  const filesOf = (dataDir: string) => ({
    secret: join(dataDir, 'first-secret.txt'),
    link: join(dataDir, 'setup-link.txt'),
  });
  function codeIn(link: string): string {
    const [, code] = /^http:\S+\/console#\/setup\/([\w-]+)\n$/.exec(link) ?? [];
    assert.ok(code, link);
    return code;
  }

  interface Started {
    server: ServerProcess;
    /** What is in the files. */
    secret: string;
    link: string;
  }

  // One installation, whose first start fails, and which is then started three times, the last time in this process.
  const files = filesOf(home.dataDir);
  let failed: Exit & Output;
  let otherFile: string;
  let first: Started;
  let modes: string[];
  let namesAfterFirst: string[];
  let statusOfSecret: number;
  let second: Started;
  let statusOfLink: number;
  let namesAtLast: string[];

  before(async () => {
    const start = async (): Promise<Started> => {
      const server = await home.start({ env });
      return { server, secret: await read(files.secret), link: await read(files.link) };
    };
    await mkdir(home.dataDir, { mode: 0o700 });
    await writeFile(files.secret, 'of another database');
    failed = await home.run({ env });
    otherFile = await read(files.secret);
    await rm(files.secret);

    first = await start();
    modes = [await modeOf(files.secret), await modeOf(files.link)];
    const firstRun = findFirstRun(first.secret);
    assert.ok(firstRun, 'the file has the secret');
    statusOfSecret = (await callFirstBot(first.server.url, firstRun, 'GET', 'contacts')).status;
    await first.server.stop();
    namesAfterFirst = await readdir(home.dataDir);

    second = await start();
    statusOfLink = (await setUp(second.server.url, codeIn(second.link))).status;
    await second.server.stop();
    // Whoever has kept the secret deletes its file.
    await rm(files.secret);
    const third = await homeHere.start({ ROSTER_PRINT_SECRETS: 'false', ROSTER_DATA_DIR: home.dataDir });
    await makeSetUpLink(third.deps, third.url);
    await third.stop();
    namesAtLast = await readdir(home.dataDir);
  });

  test('the first secret and the set-up link are in files of this user alone, and the output says where', () => {
    const { server, link } = first;
    assert.equal(statusOfSecret, 200);
    assert.ok(link.startsWith(`${server.url}/console`), link);
    assert.deepEqual(modes, ['600', '600']);
    for (const file of Object.values(files)) assert.ok(server.output.stdout.includes(file), server.output.stdout);
    const output = server.output.stdout + server.output.stderr;
    assert.ok(!output.includes('rst_') && !output.includes(codeIn(link)), output);
    assert.deepEqual(
      namesAfterFirst.filter((name) => name.includes('.part-')),
      [],
    );
  });

  test('a later start leaves the secret alone and replaces the link, which goes once there is an owner', () => {
    assert.equal(second.secret, first.secret);
    assert.notEqual(second.link, first.link);
    assert.equal(statusOfLink, 200);
    const output = second.server.output.stdout + second.server.output.stderr;
    assert.ok(!output.includes('rst_') && !output.includes(codeIn(second.link)), output);
    assert.deepEqual(
      namesAtLast.filter((name) => name.endsWith('.txt')),
      [],
    );
  });

  test('a file of that name is not overwritten: nothing is created until it is gone', () => {
    assert.equal(failed.code, 1);
    assert.ok(failed.stderr.includes(`Cannot write ${files.secret}: a file of that name exists`), failed.stderr);
    assert.doesNotMatch(failed.stderr, /^\s+at /m, 'a stack trace');
    assert.equal(otherFile, 'of another database');
    assert.ok(findFirstRun(first.secret), 'the next start is the first');
  });

  for (const host of ['0.0.0.0', '::']) {
    test(`on ${host} the link and the command name this machine`, async (t) => {
      const home = await makeHomeHere(t);
      const { url, deps } = await home.start({ ROSTER_PRINT_SECRETS: 'false', ROSTER_HOST: host });
      await makeSetUpLink(deps, url);
      const { port } = new URL(url);
      assert.equal(url, `http://localhost:${port}`);
      const { link, secret } = filesOf(home.dataDir);
      assert.ok((await read(link)).startsWith(`http://localhost:${port}/console#/setup/`));
      assert.ok((await read(secret)).includes(`curl -X PUT http://localhost:${port}/v1/`));
    });
  }
});
