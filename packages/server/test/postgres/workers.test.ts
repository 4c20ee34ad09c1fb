// Several processes that share a port (--workers): they answer as one, are looked after, and end together.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { before, suite, type TestContext, test } from 'node:test';
import type { FirstRun } from '../../src/process/first-run.ts';
import { makeHomeHere } from '../process/serve-here.ts';
import { callFirstBot, makeHome, type ServerProcess, startFirst } from '../process/server-process.ts';
import { patientStop } from '../process/stopping.ts';
import { beginUpsert } from '../process/unfinished-requests.ts';
import { unlessBusy } from '../process/unless-busy.ts';
import { until } from '../process/waiting.ts';
import { wholeFile } from '../whole-file.ts';
import { createDatabase } from './databases.ts';

suite('serve --workers 2 while it serves', async () => {
  const prepared = await prepare(wholeFile);
  let server: Serving;
  before(async () => {
    server = await startWorkers(prepared);
  });

  test('both answer, and the metrics of either are those of both', async () => {
    const before = countLists(await scrape(server));
    const processes = await untilBothAnswer(server);
    for (const text of await Promise.all(Array.from({ length: 6 }, () => scrape(server)))) {
      assert.equal(countLists(text) - before, processes.length, text);
    }
  });

  test('a worker that is killed is replaced, and the service keeps answering meanwhile', async () => {
    const [killed, other] = workersOf(server) as [number, number];
    process.kill(killed, 'SIGKILL');
    await until('the end of the worker to be noticed', () => /"msg":"a worker exited/.test(server.output.stderr));
    assert.equal((await unlessBusy(() => callFirstBot(server.url, server.firstRun, 'GET', 'contacts'))).status, 200);
    await until('another worker', () => workersOf(server).length === 2);
    assert.ok(workersOf(server).includes(other) && !workersOf(server).includes(killed));
    await untilBothAnswer(server);
    await scrape(server);
  });

  // The last one: it ends the server.
  test('SIGTERM: a request in flight is answered and stored, and no process is left', (t) =>
    endInOrder(t, prepared, server, 'SIGTERM'));
});

suite('serve --workers 2', () => {
  test('SIGINT: a request in flight is answered and stored, and no process is left', async (t) => {
    const prepared = await prepare(t);
    await endInOrder(t, prepared, await startWorkers(prepared), 'SIGINT');
  });

  test('a leader that is killed leaves no worker behind', async (t) => {
    const server = await startWorkers(await prepare(t));
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
    const ended = await home.run({ args: ['serve', '--workers', '2'], env: { ...env, ROSTER_PORT: String(port) } });
    assert.equal(
      ended.stderr,
      `roster: Port ${port} on 127.0.0.1 is already in use. Stop the other program, or set ROSTER_PORT.\n`,
    );
    assert.equal(ended.code, 1);
    assert.equal(ended.stdout, '');
    await (await (await makeHomeHere(t)).startFirst(env)).stop();
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

type Serving = ServerProcess & { firstRun: FirstRun };
type Prepared = Awaited<ReturnType<typeof prepare>>;

function startWorkers({ home, env }: Prepared) {
  return startFirst(home, { args: ['serve', '--workers', '2'], env });
}

async function prepare(t: Pick<TestContext, 'after'>) {
  // What is made first goes first: the processes, then their database.
  const home = await makeHome(t);
  const { url, drop } = await createDatabase('plain');
  t.after(drop);
  return { home, env: { ...patientStop, DATABASE_URL: url } };
}

async function endInOrder(
  t: TestContext,
  { env }: Prepared,
  server: Serving,
  signal: 'SIGTERM' | 'SIGINT',
): Promise<void> {
  const workers = workersOf(server);
  const upsert = await beginUpsert(t, server, server.firstRun, 100);
  // Control-C reaches every process of the terminal.
  for (const pid of signal === 'SIGINT' ? workers : []) process.kill(pid, signal);
  const exited = server.stop(signal);
  await until('the workers to begin stopping', () => server.output.stderr.split('"msg":"stopping"').length === 4);
  upsert.finish();
  assert.match(await upsert.answer, /^HTTP\/1\.1 200 OK\r\n/);
  assert.deepEqual(await exited, { code: 0, signal: null });
  for (const pid of workers) assert.ok(!isAlive(pid), `${pid} is left`);
  const again = await (await makeHomeHere(t)).start(env);
  const reply = await unlessBusy(() => callFirstBot(again.url, server.firstRun, 'GET', 'contacts?limit=1'));
  assert.equal(((await reply.json()) as { pagination: { total: number } }).pagination.total, 100);
  await again.stop();
}

/** Asks until both workers have answered. Returns who answered each time. */
async function untilBothAnswer(server: Serving): Promise<string[]> {
  const processes: string[] = [];
  await until('both to answer', async () => {
    const asked = Array.from({ length: 8 }, () => whoAnswers(server, server.firstRun));
    processes.push(...(await Promise.all(asked)));
    return new Set(processes).size === 2;
  });
  return processes;
}

function countLists(metrics: string): number {
  const counted = /^roster_http_request_duration_seconds_count\{operation="contacts.list",status="200"\} (\d+)$/m;
  return Number(counted.exec(metrics)?.[1] ?? 0);
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
