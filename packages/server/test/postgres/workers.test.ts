// Several processes that share a port (--workers): they answer as one, are looked after, and end together.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import type { FirstRun } from '../../src/process/first-run.ts';
import { callFirstBot, makeHome, type ServerProcess, startFirst } from '../process/server-process.ts';
import { patientStop } from '../process/stopping.ts';
import { beginUpsert } from '../process/unfinished-requests.ts';
import { unlessBusy } from '../process/unless-busy.ts';
import { until } from '../process/waiting.ts';
import { createDatabase } from './databases.ts';

suite('serve --workers 2', () => {
  test('both answer, and the metrics of either are those of both', async (t) => {
    const { server, firstRun } = await startWorkers(t);
    const answeredBy = new Map<string, number>();
    let asked = 0;
    await until('both to answer', async () => {
      const processes = await Promise.all(Array.from({ length: 8 }, () => whoAnswers(server, firstRun)));
      asked += processes.length;
      for (const name of processes) answeredBy.set(name, (answeredBy.get(name) ?? 0) + 1);
      return answeredBy.size === 2;
    });
    for (const text of await Promise.all(Array.from({ length: 6 }, () => scrape(server)))) {
      const counted = /^roster_http_request_duration_seconds_count\{operation="contacts.list",status="200"\} (\d+)$/m;
      assert.equal(Number(counted.exec(text)?.[1]), asked, text);
    }
    assert.equal((await server.stop()).code, 0);
  });

  test('a worker that is killed is replaced, and the service keeps answering meanwhile', async (t) => {
    const { server, firstRun } = await startWorkers(t);
    const [killed, other] = workersOf(server) as [number, number];
    process.kill(killed, 'SIGKILL');
    await until('the end of the worker to be noticed', () => /"msg":"a worker exited/.test(server.output.stderr));
    assert.equal((await unlessBusy(() => callFirstBot(server.url, firstRun, 'GET', 'contacts'))).status, 200);
    await until('another worker', () => workersOf(server).length === 2);
    assert.ok(workersOf(server).includes(other) && !workersOf(server).includes(killed));
    const seen = new Set<string>();
    await until('both to answer', async () => {
      for (const name of await Promise.all(Array.from({ length: 8 }, () => whoAnswers(server, firstRun))))
        seen.add(name);
      return seen.size === 2;
    });
    await scrape(server);
    assert.equal((await server.stop()).code, 0);
  });

  // Control-C reaches every process of the terminal.
  for (const [signal, isForAll] of [
    ['SIGTERM', false],
    ['SIGINT', true],
  ] as const) {
    test(`${signal}: a request in flight is answered and stored, and no process is left`, async (t) => {
      const { home, env, server, firstRun } = await startWorkers(t);
      const workers = workersOf(server);
      const upsert = await beginUpsert(t, server, firstRun, 100);
      for (const pid of isForAll ? workers : []) process.kill(pid, signal);
      const exited = server.stop(signal);
      await until('the workers to begin stopping', () => server.output.stderr.split('"msg":"stopping"').length === 4);
      upsert.finish();
      assert.match(await upsert.answer, /^HTTP\/1\.1 200 OK\r\n/);
      assert.deepEqual(await exited, { code: 0, signal: null });
      for (const pid of workers) assert.ok(!isAlive(pid), `${pid} is left`);
      const again = await home.start({ env });
      const reply = await unlessBusy(() => callFirstBot(again.url, firstRun, 'GET', 'contacts?limit=1'));
      assert.equal(((await reply.json()) as { pagination: { total: number } }).pagination.total, 100);
      await again.stop();
    });
  }

  test('a leader that is killed leaves no worker behind', async (t) => {
    const { server } = await startWorkers(t);
    const workers = workersOf(server);
    await server.stop('SIGKILL');
    await until('the workers to end', () => !workers.some(isAlive));
  });

  test('on a port in use says so in one line, and leaves the first run to the next start', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { home, env } = await prepare(t);
    const options = { args: ['serve', '--workers', '2'], env };
    const ended = await home.run({ ...options, env: { ...env, ROSTER_PORT: String(port) } });
    assert.equal(
      ended.stderr,
      `roster: Port ${port} on 127.0.0.1 is already in use. Stop the other program, or set ROSTER_PORT.\n`,
    );
    assert.equal(ended.code, 1);
    assert.equal(ended.stdout, '');
    assert.equal((await (await startFirst(home, options)).stop()).code, 0);
  });

  test('is refused on SQLite, with the reason', async (t) => {
    const home = await makeHome(t);
    for (const options of [{ args: ['serve', '--workers', '2'] }, { env: { ROSTER_WORKERS: '2' } }]) {
      const { code, stdout, stderr } = await home.run(options);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
      assert.match(stderr, /^roster: ROSTER_WORKERS .*an SQLite file belongs to one process\. Set DATABASE_URL .*\n$/);
    }
  });
});

async function startWorkers(t: TestContext) {
  const { home, env } = await prepare(t);
  const server = await startFirst(home, { args: ['serve', '--workers', '2'], env });
  return { home, env, server, firstRun: server.firstRun };
}

async function prepare(t: TestContext) {
  // What is made first goes first: the processes, then their database.
  const home = await makeHome(t);
  const { url, drop } = await createDatabase('plain');
  t.after(drop);
  return { home, env: { ...patientStop, DATABASE_URL: url } };
}

/** Asks on a connection of its own. Returns the part of the request's id that the process has chosen. */
async function whoAnswers({ url }: ServerProcess, { botId, secret }: FirstRun): Promise<string> {
  const headers = { authorization: `Bearer ${secret}` };
  const { status, id } = await unlessBusy(async () => {
    const asked = get(`${url}/v1/bots/${botId}/contacts`, { agent: false, headers });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return { status: answer.statusCode ?? 0, id: String(answer.headers['x-request-id']) };
  });
  assert.equal(status, 200);
  return id.replace(/-\w+$/, '');
}

/** The metrics. Each worker has five seconds for its own, else there are none. */
async function scrape({ url }: ServerProcess): Promise<string> {
  let text = '';
  await until('the metrics', async () => {
    const reply = await fetch(`${url}/metrics`);
    text = await reply.text();
    return reply.status === 200;
  });
  return text;
}

function workersOf({ pid }: ServerProcess): number[] {
  return (readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []).map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
