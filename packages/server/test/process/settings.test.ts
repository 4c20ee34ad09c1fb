// What the real process says when it cannot start: clear lines on stderr, an exit code, no stack trace. The reasons that differ in
// nothing but their text are tried without a process, which reports the message of any such error in the same way.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { pino } from 'pino';
import { loadConfig } from '../../src/config/config.ts';
import type { FirstRun } from '../../src/process/first-run.ts';
import { warnOfPlainHttp } from '../../src/process/serve.ts';
import { StartError } from '../../src/process/start-error.ts';
import { StoreOpenError } from '../../src/store/store.ts';
import { wholeFile } from '../whole-file.ts';
import { makeHomeHere } from './serve-here.ts';
import { callFirstBot, type Exit, makeHome, type Output, type ServerProcess, startFirst } from './server-process.ts';

suite('a process that cannot start', () => {
  test('reports every wrong setting at once, and no secret value', async (t) => {
    const home = await makeHome(t);
    const ended = await home.run({
      env: {
        ROSTER_PORT: 'http',
        ROSTER_LOG_LEVEL: 'loud',
        ROSTER_METRICS_TOKEN: 'canary-token',
        DATABASE_URL: 'mysql://canary@db/roster',
      },
    });
    const lines = linesOf(ended, 2);
    assert.deepEqual(
      lines.map((line) => line.split(' ', 1)[0]),
      ['ROSTER_PORT', 'ROSTER_LOG_LEVEL', 'ROSTER_METRICS_TOKEN', 'DATABASE_URL'],
    );
    assert.doesNotMatch(lines.join('\n'), /canary/);
  });

  test('on a port in use names the port and the setting', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const home = await makeHome(t);
    const [line, ...rest] = linesOf(await home.run({ env: { ROSTER_PORT: String(port) } }));
    assert.deepEqual(rest, []);
    assert.match(line ?? '', new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is already in use\\..*ROSTER_PORT`));
  });

  test('on an address that this machine lacks names the setting', async (t) => {
    const home = await makeHomeHere(t);
    // 203.0.113.0/24 is kept for documentation (RFC 5737), so no machine has it.
    const line = await reasonOf(home.start({ ROSTER_HOST: '203.0.113.1' }), StartError);
    assert.match(line, /203\.0\.113\.1.*ROSTER_HOST/);
  });

  // Neither can be written by any user, not even by root, whom permission bits do not bind.
  for (const where of ['below a regular file', 'in /proc']) {
    test(`on a data folder ${where} names the folder and the setting`, async (t) => {
      const home = await makeHomeHere(t);
      await writeFile(join(home.folder, 'file'), '');
      const dataDir = where === 'in /proc' ? '/proc/roster-data' : join(home.folder, 'file', 'data');
      const line = await reasonOf(home.start({ ROSTER_DATA_DIR: dataDir }), StoreOpenError);
      assert.ok(line.startsWith(`Cannot write to the data folder ${dataDir}: `), line);
      assert.match(line, /ROSTER_DATA_DIR/);
    });
  }

  test('on data that another process uses says so, and leaves that one alone', async (t) => {
    const other = await makeHomeHere(t);
    const { firstRun, url } = await other.startFirst();
    const home = await makeHome(t);
    const [line, ...rest] = linesOf(await home.run({ env: { ROSTER_DATA_DIR: other.dataDir } }));
    assert.deepEqual(rest, []);
    assert.ok(line?.startsWith(`Another process is using the data folder ${other.dataDir}.`), line);
    const reply = await callFirstBot(url, firstRun, 'PUT', 'contacts', { name: 'Jane', email: 'jane@example.com' });
    assert.equal(reply.status, 201);
  });

  test('on a file that is not ours says so in one line', async (t) => {
    const home = await makeHomeHere(t);
    const file = join(home.folder, 'roster.db');
    await writeFile(file, 'Dear diary');
    const line = await reasonOf(home.start({ ROSTER_DATA_DIR: home.folder }), StoreOpenError);
    assert.ok(line.startsWith(`${file} is not a Roster database.`), line);
  });

  for (const version of ['20.20.2', '24.6.0']) {
    test(`on Node ${version} says which Node it needs`, async (t) => {
      const home = await makeHome(t);
      const pretend = `
        Object.defineProperty(process, 'version', { value: 'v${version}' });
        Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
      const ended = await home.run({
        nodeOptions: ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`],
      });
      const [line, ...rest] = linesOf(ended);
      assert.deepEqual(rest, []);
      assert.ok(line?.startsWith(`Roster needs Node 24.7 or later; this is v${version}. `), line);
    });
  }
});

suite('settings of a process', async () => {
  const home = await makeHome(wholeFile);
  const token = 'canary-metrics-token';
  let server: ServerProcess & { firstRun: FirstRun };
  let widgetUrl: string;
  let statuses: number[];

  before(async () => {
    await writeFile(
      join(home.folder, '.env'),
      `ROSTER_PORT=http\nROSTER_PUBLIC_URL=http://contacts.example.com\nROSTER_METRICS_TOKEN=${token}\n`,
      { mode: 0o600 },
    );
    // The port of the file would be refused; the one that `start` sets goes before it.
    server = await startFirst(home, { env: { ROSTER_LOG_LEVEL: 'trace', ROSTER_HOST: '0.0.0.0' } });
    const widget = await callFirstBot(server.url, server.firstRun, 'GET', 'widget');
    widgetUrl = ((await widget.json()) as { data: { widgetUrl: string } }).data.widgetUrl;
    const bearers = [token, 'another-metrics-token'];
    statuses = await Promise.all(
      bearers.map(async (bearer) => {
        const reply = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${bearer}` } });
        await reply.arrayBuffer();
        return reply.status;
      }),
    );
    await server.stop();
  });

  test('come from a .env file in the working folder, and the environment takes precedence', () => {
    assert.ok(widgetUrl.startsWith('http://contacts.example.com/'), widgetUrl);
    assert.deepEqual(statuses, [200, 401]);
    assert.doesNotMatch(server.output.stdout + server.output.stderr, /canary|another-metrics-token/);
  });

  const warning = /without TLS.*ROSTER_PUBLIC_URL/;

  test('that make it listen on a public interface without TLS are warned of', () => {
    assert.match(server.output.stderr, warning);
  });

  test('that put it behind TLS, or serve this machine alone, are not', () => {
    const warningsOf = (env: Record<string, string>) => {
      const lines: string[] = [];
      warnOfPlainHttp(loadConfig({}, env, '/nowhere'), pino({}, { write: (line) => lines.push(line) }));
      return lines;
    };
    const open = { ROSTER_HOST: '0.0.0.0' };
    assert.match(warningsOf({ ...open, ROSTER_PUBLIC_URL: 'http://contacts.example.com' }).join(), warning);
    assert.deepEqual(warningsOf({ ...open, ROSTER_PUBLIC_URL: 'https://contacts.example.com' }), []);
    assert.deepEqual(warningsOf({}), []);
  });
});

/** The lines of stderr, after checking what every failed start has in common. Wrong settings end with code 2. */
function linesOf({ code, stdout, stderr }: Exit & Output, expectedCode = 1): string[] {
  assert.equal(code, expectedCode, stderr);
  assert.equal(stdout, '');
  assert.doesNotMatch(stderr, /^\s+at /m, 'a stack trace');
  return stderr
    .replace(/^roster: /, '')
    .trimEnd()
    .split('\n');
}

/** The one line of a start in this process that fails with an error of a kind that the command line reports as it is. */
async function reasonOf(start: Promise<unknown>, kind: typeof StartError | typeof StoreOpenError): Promise<string> {
  const error = await start.then(
    () => assert.fail('it started'),
    (error: Error) => error,
  );
  assert.ok(error instanceof kind, error.stack);
  assert.match(error.message, /^[^\n]+$/);
  return error.message;
}
