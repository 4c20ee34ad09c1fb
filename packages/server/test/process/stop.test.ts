// Stopping: requests in flight are finished, no new one begins, and no client delays it for ever. What a signal has to do with it is
// tried with the real process, everything else with a server in this one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { makeHomeHere, type ServerHere } from './serve-here.ts';
import { callFirstBot, makeHome, startFirst } from './server-process.ts';
import { patientStop, untilStopping } from './stopping.ts';
import { beginUpsert, openConnection } from './unfinished-requests.ts';
import { until } from './waiting.ts';

/** More than it takes on any machine. A connection that nobody uses ends by itself after 65 seconds, or after 90 without a request. */
const inTimeMs = 45_000;
/** Timers of Node may be a millisecond early. */
const earlyMs = 5;

suite('SIGTERM', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal}: an upsert in flight is answered and stored, and its connection closed`, async (t) => {
      const home = await makeHome(t);
      const server = await startFirst(home, { env: patientStop });
      const upsert = await beginUpsert(t, server, server.firstRun, 1000);
      const exited = server.stop(signal);
      await untilStopping(server);
      upsert.finish();
      const answer = await upsert.answer;
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
      assert.match(answer, /^connection: close\r$/im);
      assert.deepEqual(await exited, { code: 0, signal: null });
      assert.match(server.output.stderr, /"msg":"stopped"/);

      const again = await (await makeHomeHere(t)).start({ ROSTER_DATA_DIR: home.dataDir });
      const reply = await callFirstBot(again.url, server.firstRun, 'GET', 'contacts?limit=1');
      const { pagination } = (await reply.json()) as { pagination: { total: number } };
      assert.equal(pagination.total, 1000);
    });
  }

  test('with a delay, it is not ready at once, and goes on serving', async (t) => {
    // Longer than the test takes on any machine. The end of the test kills the server.
    const server = await startFirst(await makeHome(t), { env: { ...patientStop, ROSTER_STOP_DELAY: '300' } });
    const call = (method: string, path: string, body?: unknown) =>
      callFirstBot(server.url, server.firstRun, method, path, body);
    server.stop();
    await until('the server to be not ready', async () => (await call('GET', '/readyz')).status === 503);
    const contact = { name: 'Jane', email: 'jane@example.com' };
    assert.equal((await call('PUT', 'contacts', contact)).status, 201);
  });
});

suite('a server that stops', { concurrency: 2 }, () => {
  test('closes idle connections and refuses new ones while a request is in flight', async (t) => {
    const server = await startHere(t);
    const idle = openConnection(t, server.url);
    idle.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('the first answer', () => idle.received().includes('"ok"'));
    assert.match(idle.received(), /^connection: keep-alive\r$/im);
    const upsert = await beginUpsert(t, server, server.firstRun, 1);
    const finishMeanwhile = async () => {
      await idle.closed;
      await until('a refusal', () => isRefused(server.url));
      upsert.finish();
      assert.match(await upsert.answer, /^HTTP\/1\.1 200 OK\r\n/);
    };
    await stopInTime(server, finishMeanwhile());
  });

  test('without a request in flight ends at once, though a connection was opened and never used', async (t) => {
    const server = await startHere(t);
    const silent = openConnection(t, server.url);
    await once(silent.socket, 'connect');
    await callFirstBot(server.url, server.firstRun, 'GET', '/healthz');
    await stopInTime(server);
  });

  test('after a delay ends in order', async (t) => {
    const server = await startHere(t, { ROSTER_STOP_DELAY: '1' });
    assert.ok((await stopInTime(server)) >= 1000 - earlyMs);
  });

  test('cuts off a client that never finishes its body, after the timeout', async (t) => {
    const server = await startHere(t, { ROSTER_STOP_TIMEOUT: '8' });
    const upsert = await beginUpsert(t, server, server.firstRun, 1);
    assert.ok((await stopInTime(server, upsert.answer)) >= 8000 - earlyMs);
    assert.equal(await upsert.answer, '');
  });
});

async function startHere(t: TestContext, env: Record<string, string> = {}) {
  return (await makeHomeHere(t)).startFirst({ ...patientStop, ...env });
}

/** Stops it, waits for `other` too, and returns how long both took. */
async function stopInTime(server: ServerHere, other?: Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await Promise.all([server.stop(), other]);
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs < inTimeMs, `it took ${tookMs} ms`);
  return tookMs;
}

async function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}
