// Connections are bounded for each address, and not for proxies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsToken, startServer } from '../harness.ts';
import { wholeFile } from '../whole-file.ts';
import { head, RawClient } from './raw-client.ts';

const shared = await startServer(wholeFile);

test('an address has so many connections, and a new one when one of them ends', async (t) => {
  const { url, app } = await startServer(t, { storeOf: shared, config: { connectionsPerAddress: 3 } });
  const clients = await Promise.all([1, 2, 3].map(() => RawClient.open(url)));
  t.after(() => {
    for (const client of clients) client.destroy();
  });
  for (const client of clients) {
    client.write(head('GET /healthz'));
    assert.equal((await client.answer()).status, 200);
  }
  const fourth = await RawClient.open(url);
  assert.equal(await fourth.closed(), '');
  const page = await app.http.inject({ url: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } });
  assert.match(page.payload, /^roster_http_refused_connections_total 1$/m);
  const ended = new Promise((resolve) => {
    app.http.server.getConnections((_error, count) => resolve(count));
  });
  assert.equal(await ended, 3);
  clients[0]?.write(head('GET /healthz', { Connection: 'close' }));
  await clients[0]?.answer();
  await clients[0]?.closed();
  const next = await RawClient.open(url);
  clients.push(next);
  next.write(head('GET /healthz'));
  assert.equal((await next.answer()).status, 200);
});

test('a proxy stands for many clients, and is not counted', async (t) => {
  for (const trustProxy of [1, ['loopback']]) {
    const { url } = await startServer(t, { storeOf: shared, config: { connectionsPerAddress: 1, trustProxy } });
    const clients = await Promise.all([1, 2, 3].map(() => RawClient.open(url)));
    for (const client of clients) {
      client.write(head('GET /healthz'));
      assert.equal((await client.answer()).status, 200);
      client.destroy();
    }
  }
});
