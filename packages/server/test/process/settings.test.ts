// What the real process says when it cannot start: clear lines on stderr, an exit code, no stack trace.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { callFirstBot, type Exit, makeHome, type Output, startFirst } from './server-process.ts';

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
    const home = await makeHome(t);
    // 203.0.113.0/24 is kept for documentation (RFC 5737), so no machine has it.
    const [line, ...rest] = linesOf(await home.run({ env: { ROSTER_HOST: '203.0.113.1' } }));
    assert.deepEqual(rest, []);
    assert.match(line ?? '', /203\.0\.113\.1.*ROSTER_HOST/);
  });

  // Neither can be written by any user, not even by root, whom permission bits do not bind.
  for (const where of ['below a regular file', 'in /proc']) {
    test(`on a data folder ${where} names the folder and the setting`, async (t) => {
      const home = await makeHome(t);
      await writeFile(join(home.folder, 'file'), '');
      const dataDir = where === 'in /proc' ? '/proc/roster-data' : join(home.folder, 'file', 'data');
      const [line = '', ...rest] = linesOf(await home.run({ env: { ROSTER_DATA_DIR: dataDir } }));
      assert.deepEqual(rest, []);
      assert.ok(line.startsWith(`Cannot write to the data folder ${dataDir}: `), line);
      assert.match(line, /ROSTER_DATA_DIR/);
    });
  }

  test('on data that another process uses says so, and leaves that one alone', async (t) => {
    const home = await makeHome(t);
    const { firstRun, url } = await startFirst(home);
    const [line, ...rest] = linesOf(await home.run());
    assert.deepEqual(rest, []);
    assert.ok(line?.startsWith(`Another process is using the data folder ${home.dataDir}.`), line);
    const reply = await callFirstBot(url, firstRun, 'PUT', 'contacts', { name: 'Jane', email: 'jane@example.com' });
    assert.equal(reply.status, 201);
  });

  test('on a file that is not ours says so in one line', async (t) => {
    const home = await makeHome(t);
    const file = join(home.folder, 'roster.db');
    await writeFile(file, 'Dear diary');
    const [line, ...rest] = linesOf(await home.run({ env: { ROSTER_DATA_DIR: home.folder } }));
    assert.deepEqual(rest, []);
    assert.ok(line?.startsWith(`${file} is not a Roster database.`), line);
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

suite('settings of a process', () => {
  test('come from a .env file in the working folder, and the environment takes precedence', async (t) => {
    const home = await makeHome(t);
    const token = 'canary-metrics-token';
    await writeFile(
      join(home.folder, '.env'),
      `ROSTER_PORT=http\nROSTER_PUBLIC_URL=https://contacts.example.com\nROSTER_METRICS_TOKEN=${token}\n`,
      { mode: 0o600 },
    );
    // The port of the file would be refused; the one that `start` sets goes before it.
    const server = await startFirst(home, { env: { ROSTER_LOG_LEVEL: 'trace' } });
    const widget = await callFirstBot(server.url, server.firstRun, 'GET', 'widget');
    const { data } = (await widget.json()) as { data: { widgetUrl: string } };
    assert.ok(data.widgetUrl.startsWith('https://contacts.example.com/'), data.widgetUrl);
    const metrics = (bearer: string) =>
      fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${bearer}` } });
    assert.equal((await metrics(token)).status, 200);
    assert.equal((await metrics('another-metrics-token')).status, 401);
    await server.stop();
    assert.doesNotMatch(server.output.stdout + server.output.stderr, /canary|another-metrics-token/);
  });
});

test('a start on a public interface without TLS is warned of, and one behind it or for this machine is not', async (t) => {
  const home = await makeHome(t);
  for (const [env, isWarned] of [
    [{ ROSTER_HOST: '0.0.0.0', ROSTER_PUBLIC_URL: 'http://contacts.example.com' }, true],
    [{ ROSTER_HOST: '0.0.0.0', ROSTER_PUBLIC_URL: 'https://contacts.example.com' }, false],
    [{}, false],
  ] as const) {
    const server = await home.start({ env });
    await server.stop();
    assert.equal(/without TLS.*ROSTER_PUBLIC_URL/.test(server.output.stderr), isWarned, server.output.stderr);
  }
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
