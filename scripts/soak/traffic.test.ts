import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { Traffic, type Weather } from './traffic.ts';

const firstRun = { organizationId: 'org_1', botId: 'bot_1', secret: 'rst_1' };

suite('an answer', () => {
  test('of 500 is always a problem', async (t) => {
    assert.match(await problemOf(t, 'all may be refused', 'GET', 500), /^search: 500/);
  });

  test('of 503 is a problem in calm times, and for a read as long as only writes may be refused', async (t) => {
    assert.match(await problemOf(t, 'calm', 'PUT', 503), /^create: 503/);
    assert.equal(await problemOf(t, 'writes may be refused', 'PUT', 503), '');
    assert.match(await problemOf(t, 'writes may be refused', 'GET', 503), /^search: 503/);
    assert.equal(await problemOf(t, 'all may be refused', 'GET', 503), '');
  });

  test('of 503 to a request that waited too long is a problem, unless the machine is busy', async (t) => {
    for (const reason of ['searches take too long', 'the database is busy']) {
      const detail = `The service is unavailable: ${reason}. Try again shortly.`;
      assert.match(await problemOf(t, 'calm', 'GET', 503, { detail }), /^search: 503/);
      assert.equal(await problemOf(t, 'calm', 'GET', 503, { detail, isMachineBusy: true }), '');
    }
    assert.match(await problemOf(t, 'calm', 'GET', 503, { isMachineBusy: true }), /^search: 503/);
  });

  test('that does not come is a problem unless the server was killed', async (t) => {
    assert.match(await problemOf(t, 'all may be refused', 'GET', undefined), /^search: no answer/);
    assert.equal(await problemOf(t, 'the server is gone', 'GET', undefined), '');
  });

  test('is measured in calm times only', async (t) => {
    const traffic = new Traffic({ isMachineBusy: false });
    const { send } = traffic.linkTo({ url: await listen(t, 200) }, firstRun);
    await send('GET', 'contacts');
    traffic.weather = 'writes may be refused';
    await send('GET', 'contacts');
    assert.equal(traffic.figures.get('search')?.latencies.count, 1);
    assert.equal(traffic.requests, 2);
  });
});

/** What is reported of one request to a server that answers so, or not at all. */
async function problemOf(
  t: TestContext,
  weather: Weather,
  method: string,
  status: number | undefined,
  { detail, isMachineBusy = false }: { detail?: string; isMachineBusy?: boolean } = {},
) {
  const traffic = new Traffic({ isMachineBusy });
  traffic.weather = weather;
  const { send } = traffic.linkTo({ url: await listen(t, status, { detail }) }, firstRun);
  await Promise.allSettled([send(method, 'contacts')]);
  return traffic.problems.join();
}

async function listen(t: TestContext, status: number | undefined, body: object = {}): Promise<string> {
  const server: Server = createServer((request, reply) => {
    if (status === undefined) request.socket.destroy();
    else reply.writeHead(status, { connection: 'close' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
