// Clients that are slow, silent or deaf: the server ends the connection by itself, and says why where it can.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultTimeouts } from '../../src/deps.ts';
import { metricsToken, patientTimeouts, startServer, type TestServer } from '../harness.ts';
import { until } from '../process/waiting.ts';
import { sampleContext, sampleFields } from '../sample.ts';
import { parseProblem, wholeFile } from './every-operation.ts';
import { head, RawClient } from './raw-client.ts';

/** Far above every timeout under test, and far below the patient ones: what is later than this never fires in time. */
const deadlineMs = 300_000;

const authorized = ({ mine }: TestServer) => ({
  Authorization: `Bearer ${mine.secret}`,
  'Content-Type': 'application/json',
});

const collectionOf = ({ mine }: TestServer) => `/v1/bots/${mine.bot.id}/contacts`;

/** Sends a byte now and then until the server has had enough, as slow-loris attackers do. */
function drip(client: RawClient, bytes: string): { stop(): void } {
  const timer = setInterval(() => client.write(bytes), 50);
  return { stop: () => clearInterval(timer) };
}

async function assertTimedOut(client: RawClient): Promise<void> {
  const answer = await client.answer({ deadlineMs });
  assert.equal(answer.status, 408);
  assert.equal(parseProblem(answer).code, 'request_timeout');
  assert.equal(answer.headers['connection'], 'close');
  assert.equal(await client.closed(deadlineMs), '', 'there is no second answer');
}

// Long enough for what must succeed on a busy machine, which has client and server in one process.
const timeouts = { ...patientTimeouts, headersMs: 2000, requestMs: 2500 };
const impatient = await startServer(wholeFile, { timeouts });
const closing = await startServer(wholeFile, { storeOf: impatient, timeouts: { ...patientTimeouts, idleMs: 200 } });

// Each test waits for a timeout, so they wait together.
suite('a request that does not come to its end', { concurrency: true }, () => {
  const server = impatient;

  /** The first request of a connection and its answer: again on another one when a busy machine was too late with it. */
  const sendInTime = async (bytes: string, options: { allowHalfOpen?: boolean } = {}) => {
    for (let triesLeft = 20; ; triesLeft--) {
      const client = await RawClient.open(server.url, options);
      client.write(bytes);
      const { status } = await client.answer({ deadlineMs });
      if (status !== 408 || triesLeft === 0) return { client, status };
      client.destroy();
    }
  };

  for (const isDripping of [false, true]) {
    const how = isDripping ? 'its bytes keep coming' : 'nothing more comes';

    test(`a head that never ends is answered with 408 and cut off, when ${how}`, async () => {
      const client = await RawClient.open(server.url);
      client.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ');
      const dripping = isDripping ? drip(client, 'a') : undefined;
      await assertTimedOut(client).finally(() => dripping?.stop());
    });

    test(`a body that never ends is answered with 408 and cut off, when ${how}`, async () => {
      const client = await RawClient.open(server.url);
      client.write(head(`PUT ${collectionOf(server)}`, { ...authorized(server), 'Content-Length': '100000' }));
      client.write('{"name":"');
      const dripping = isDripping ? drip(client, 'a') : undefined;
      await assertTimedOut(client).finally(() => dripping?.stop());
      assert.equal(await server.store.countContacts(server.mine.bot.id), 0);
    });
  }

  test('chunks that never end are cut off too', async () => {
    const client = await RawClient.open(server.url);
    client.write(head(`PUT ${collectionOf(server)}`, { ...authorized(server), 'Transfer-Encoding': 'chunked' }));
    const dripping = drip(client, '1\r\na\r\n');
    await assertTimedOut(client).finally(() => dripping.stop());
  });

  const tooLarge = head(`PUT ${collectionOf(server)}`, { ...authorized(server), 'Content-Length': '1000000000' });
  for (const [status, bytes] of [
    [413, tooLarge],
    [400, 'no HTTP\r\n\r\n'],
  ] as const) {
    test(`a client that goes on sending after a ${status} and the end of the connection is cut off`, async () => {
      const sent = await sendInTime(bytes, { allowHalfOpen: true });
      assert.equal(sent.status, status);
      const dripping = drip(sent.client, 'a');
      await sent.client.closed(deadlineMs).finally(() => dripping.stop());
    });
  }

  test('a connection on which nothing is sent is closed', async () => {
    const client = await RawClient.open(server.url);
    await client.closed(deadlineMs);
  });

  test('the second request of a connection has the same time for its head', async () => {
    const { client, status } = await sendInTime(head('GET /healthz'));
    assert.equal(status, 200);
    client.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    await assertTimedOut(client);
  });

  test('the server has the timeouts that it was given', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server.app.http.server;
    const { headersMs, requestMs, idleMs, stalledMs } = timeouts;
    assert.deepEqual(
      [headersTimeout, requestTimeout, keepAliveTimeout, timeout],
      [headersMs, requestMs, idleMs, stalledMs],
    );
  });
});

suite('a client that stays, leaves or does not listen', { concurrency: true }, () => {
  const server = closing;

  test('a connection that asks nothing more is closed', async () => {
    const client = await RawClient.open(server.url);
    client.write(head('GET /healthz'));
    assert.equal((await client.answer({ deadlineMs })).status, 200);
    assert.equal(await client.closed(deadlineMs), '');
  });

  test('a slow but living client is served', async () => {
    const client = await RawClient.open(server.url);
    const request = head('GET /healthz');
    const middle = Math.floor(request.length / 2);
    client.write(request.slice(0, middle));
    await server.call('GET', 'contacts');
    client.write(request.slice(middle));
    assert.equal((await client.answer({ deadlineMs })).status, 200);
    client.destroy();
  });

  test('a client that leaves in the middle of its body leaves nothing behind', async () => {
    const isCreation = (line: string) => line.includes('"contacts.create"');
    for (let i = 0; i < 5; i++) {
      const client = await RawClient.open(server.url);
      client.write(head(`PUT ${collectionOf(server)}`, { ...authorized(server), 'Content-Length': '1000' }));
      client.write('{"name":"x","email":"left@example.com"}');
      client.destroy();
    }
    // Each departure is logged as its request ends: five lines say that all were noticed.
    await until('all departures', () => server.logged.filter(isCreation).length === 5);
    const departures = server.logged.filter(isCreation).map((line) => JSON.parse(line).status);
    assert.deepEqual(departures, [499, 499, 499, 499, 499]);
    assert.equal((await server.call('GET', 'contacts')).json.pagination.total, 0);
  });

  test('a client that does not read a file is cut off sooner, and one that goes on reading is not', async (t) => {
    const server = await startServer(t, { storeOf: impatient, timeouts: { ...patientTimeouts, unreadMs: 500 } });
    const silent = await RawClient.open(server.url);
    const isClosed = Promise.withResolvers<void>();
    server.app.http.server.once('request', (request) => request.socket.once('close', () => isClosed.resolve()));
    silent.pauseReading();
    // More than any socket buffer holds.
    silent.write(head('GET /docs/reference.js').repeat(10));
    await isClosed.promise;
    // The server's kernel keeps nothing of it, as it would after a plain close.
    assert.equal(await silent.readToEnd(), 'ECONNRESET');
    // On a busy machine the client in this process may not read for so long, and is cut off as well: then with another one.
    await until('a client to read the file to its end', async () => {
      const reading = await RawClient.open(server.url);
      const isRead = async (path: string) => {
        reading.write(head(`GET ${path}`));
        const answer = await reading.answer({ deadlineMs }).catch(() => undefined);
        if (answer !== undefined) assert.equal(answer.status, 200);
        return answer !== undefined;
      };
      // The time is for what is being read, and not for the connection.
      const areRead = (await isRead('/docs/reference.js')) && (await isRead('/healthz'));
      reading.destroy();
      return areRead;
    });
  });

  test('files that nobody reads are bounded for an address, whatever other addresses read', async (t) => {
    const server = await startServer(t, { storeOf: impatient, unreadFilesMax: 3, config: { trustProxy: 1 } });
    const path = '/docs/reference.js';
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const read = (address: string) => server.call('GET', path, { headers: from(address) });
    const client = await RawClient.open(server.url);
    t.after(() => client.destroy());
    client.pauseReading();
    // The first ones may fit into the buffers of the socket.
    client.write(head(`GET ${path}`, from('192.0.2.1')).repeat(10));
    await until('three to be left', async () => (await read('192.0.2.1')).status === 503);
    const refused = await read('192.0.2.1');
    assert.deepEqual([refused.json.code, refused.headers.get('retry-after')], ['unavailable', '1']);
    assert.equal((await read('192.0.2.2')).status, 200);
    client.destroy();
    await until('room for more', async () => (await read('192.0.2.1')).status === 200);
  });

  test('answers that nobody reads, of many requests on one connection, take no place of other requests', async (t) => {
    const server = await startServer(t, { storeOf: impatient, requestsMax: 20 });
    const client = await RawClient.open(server.url);
    t.after(() => client.destroy());
    client.pauseReading();
    // The first answer fills the buffers of the socket, and the others wait behind it.
    client.write(head('GET /docs/reference.js').repeat(2) + head('GET /nothing').repeat(40));
    const isAnswered = (line: string) => line.includes('"status":404');
    await until('all to be answered', async () => {
      const page = await server.call('GET', '/metrics', { token: metricsToken });
      const [, inFlight] = /^roster_http_requests_in_flight (\d+)$/m.exec(page.text) ?? [];
      return page.status === 200 || Number(inFlight) > 20;
    });
    assert.equal((await server.call('GET', 'contacts')).status, 200);
    assert.ok(!server.logged.some(isAnswered), 'none was read');
  });

  test('a client that does not read its answers is cut off', async (t) => {
    const server = await startServer(t, { storeOf: impatient, timeouts: { ...patientTimeouts, stalledMs: 1500 } });
    const items = Array.from({ length: 1000 }, () => sampleFields({ name: 'n'.repeat(256) }));
    await server.store.upsertContacts(server.mine.bot.id, items, sampleContext());
    const isClosed = Promise.withResolvers<void>();
    // On a busy machine the connection may be cut off before its first request is read.
    server.app.http.server.once('connection', (socket) => socket.once('close', () => isClosed.resolve()));
    const client = await RawClient.open(server.url);
    client.pauseReading();
    // More than any socket buffer holds.
    client.write(head(`GET /v1/bots/${server.mine.bot.id}/export`, authorized(server)).repeat(40));
    const timer = setTimeout(() => isClosed.reject(new Error('the server still waits')), deadlineMs);
    await isClosed.promise.finally(() => clearTimeout(timer));
    client.destroy();
  });
});

test('every default timeout is set, and an idle connection outlives the 60 seconds of load balancers', () => {
  for (const [name, ms] of Object.entries(defaultTimeouts)) assert.ok(ms > 0 && ms <= 120_000, name);
  assert.ok(defaultTimeouts.idleMs > 60_000);
  assert.ok(defaultTimeouts.headersMs < defaultTimeouts.requestMs);
  assert.ok(defaultTimeouts.stalledMs > defaultTimeouts.idleMs);
});
