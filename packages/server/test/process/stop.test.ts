// Stopping the real process: requests in flight are finished, no new one begins, and no client delays it for ever.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { callFirstBot, type Exit, makeHome, type ServerProcess, startFirst } from './server-process.ts';
import { patientStop, stoppedAfterMs, untilStopping } from './stopping.ts';
import { beginUpsert, openConnection } from './unfinished-requests.ts';
import { until } from './waiting.ts';

/** More than it takes on any machine. A connection that nobody uses ends by itself after 65 seconds, or after 90 without a request. */
const inTimeMs = 45_000;

// Side by side: two of them wait for a time.
suite('SIGTERM', { concurrency: 4 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal}: an upsert in flight is answered and stored, and its connection closed`, async (t) => {
      const { home, server, firstRun } = await startServer(t);
      const upsert = await beginUpsert(t, server, firstRun, 1000);
      const exited = server.stop(signal);
      await untilStopping(server);
      upsert.finish();
      const answer = await upsert.answer;
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
      assert.match(answer, /^connection: close\r$/im);
      assert.deepEqual(await exited, { code: 0, signal: null });
      assert.match(server.output.stderr, /"msg":"stopped"/);

      const again = await home.start();
      const reply = await callFirstBot(again.url, firstRun, 'GET', 'contacts?limit=1');
      const { pagination } = (await reply.json()) as { pagination: { total: number } };
      assert.equal(pagination.total, 1000);
    });
  }

  test('idle connections are closed and new ones refused while a request is in flight', async (t) => {
    const { server, firstRun } = await startServer(t);
    const idle = openConnection(t, server.url);
    idle.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('the first answer', () => idle.received().includes('"ok"'));
    assert.match(idle.received(), /^connection: keep-alive\r$/im);
    const upsert = await beginUpsert(t, server, firstRun, 1);
    const exited = server.stop();
    await idle.closed;
    await until('a refusal', () => isRefused(server.url));
    upsert.finish();
    assert.match(await upsert.answer, /^HTTP\/1\.1 200 OK\r\n/);
    assertStoppedInTime(server, await exited);
  });

  test('without a request in flight it ends at once', async (t) => {
    const { server } = await startServer(t);
    assertStoppedInTime(server, await server.stop());
  });

  test('a connection that was opened and never used does not delay it', async (t) => {
    const { server, firstRun } = await startServer(t);
    const silent = openConnection(t, server.url);
    await once(silent.socket, 'connect');
    await callFirstBot(server.url, firstRun, 'GET', '/healthz');
    assertStoppedInTime(server, await server.stop());
  });

  test('with a delay, it is not ready at once, and goes on serving', async (t) => {
    // Longer than the test takes on any machine. The end of the test kills the server.
    const { server, firstRun } = await startServer(t, { ROSTER_STOP_DELAY: '300' });
    const call = (method: string, path: string, body?: unknown) =>
      callFirstBot(server.url, firstRun, method, path, body);
    server.stop();
    await until('the server to be not ready', async () => (await call('GET', '/readyz')).status === 503);
    const contact = { name: 'Jane', email: 'jane@example.com' };
    assert.equal((await call('PUT', 'contacts', contact)).status, 201);
  });

  test('after the delay it ends in order', async (t) => {
    const { server } = await startServer(t, { ROSTER_STOP_DELAY: '1' });
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    assert.ok(stoppedAfterMs(server) >= 1000);
  });

  test('a client that never finishes its body is cut off after the timeout', async (t) => {
    const { server, firstRun } = await startServer(t, { ROSTER_STOP_TIMEOUT: '10' });
    const upsert = await beginUpsert(t, server, firstRun, 1);
    assertStoppedInTime(server, await server.stop());
    assert.ok(stoppedAfterMs(server) >= 10_000);
    assert.equal(await upsert.answer, '');
  });
});

async function startServer(t: TestContext, env: Record<string, string> = {}) {
  const home = await makeHome(t);
  const server = await startFirst(home, { env: { ...patientStop, ...env } });
  return { home, server, firstRun: server.firstRun };
}

function assertStoppedInTime(server: ServerProcess, exit: Exit): void {
  assert.deepEqual(exit, { code: 0, signal: null });
  const tookMs = stoppedAfterMs(server);
  assert.ok(tookMs < inTimeMs, `it took ${tookMs} ms`);
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
