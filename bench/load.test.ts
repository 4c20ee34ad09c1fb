// A server whose responses are wrong is never measured: the load fails, and names the operation and the response.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { type Exchange, type Load, run } from './load.ts';
import { empty, exportOf, oneContact, pageOf, upsertedOf } from './response-checks.ts';

const contact = {
  id: 'con_1',
  name: 'José',
  email: 'jose@example.com',
  phone: '',
  mid: '',
  wid: '',
  createdAt: '2026-11-14T09:30:00.123Z',
  updatedAt: '2026-11-14T09:30:00.123Z',
};
const bytes = 'GET /v1/x HTTP/1.1\r\nHost: bench\r\n\r\n';

async function serve(t: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const answering =
  (body: unknown, status = 200): RequestListener =>
  (_, response) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).end(text);
  };

function load(port: number, exchange: Partial<Exchange>, options: Partial<Load> = {}) {
  const whole = { bytes, status: 200, ...exchange };
  return run({ name: 'retrieve, 2 connections', port, connections: 2, requests: 20, next: () => whole, ...options });
}

suite('a load', () => {
  test('measures every response of a correct server', async (t) => {
    const port = await serve(t, answering({ data: contact }));
    const { latenciesMs, elapsedMs, refused } = await load(port, { check: oneContact('con_1') });
    assert.equal(latenciesMs.length, 20);
    assert.ok(latenciesMs.every((ms) => ms > 0 && ms <= elapsedMs));
    assert.equal(refused, 0);
  });

  test('ends after its time, with at least one response', async (t) => {
    const port = await serve(t, answering({ data: contact }));
    const { latenciesMs } = await load(port, {}, { seconds: 0, requests: 1000 });
    assert.ok(latenciesMs.length >= 1 && latenciesMs.length <= 3, String(latenciesMs.length));
  });

  test('does not measure requests that only prepare a measured one', async (t) => {
    const port = await serve(t, answering({ data: contact }));
    assert.equal((await load(port, { isUnmeasured: true })).latenciesMs.length, 0);
  });

  test('reads a response that arrives in several chunks as one', async (t) => {
    const port = await serve(t, (_, response) => {
      const text = JSON.stringify({ data: contact });
      response.writeHead(200, { 'content-length': Buffer.byteLength(text) });
      response.write(text.slice(0, 20));
      setImmediate(() => response.end(text.slice(20)));
    });
    assert.equal((await load(port, { check: oneContact('con_1') })).latenciesMs.length, 20);
  });

  const failures: [what: string, listener: RequestListener, exchange: Partial<Exchange>, said: RegExp][] = [
    ['an error', answering({ code: 'internal' }, 500), {}, /expected status 200, got HTTP\/1\.1 500 .*"internal"/s],
    ['a refusal', answering({ code: 'unavailable' }, 503), {}, /expected status 200, got HTTP\/1\.1 503/],
    ['another success', answering({ data: contact }, 201), {}, /expected status 200, got HTTP\/1\.1 201/],
    ['no body', answering(undefined), { check: oneContact() }, /expected a contact with id/],
    ['a body that is no JSON', (_, r) => r.setHeader('content-length', 4).end('oops'), { check: oneContact() }, /oops/],
    [
      'a contact without a member',
      answering({ data: { ...contact, wid: undefined } }),
      { check: oneContact() },
      /expected a contact with wid/,
    ],
    ['another contact', answering({ data: contact }), { check: oneContact('con_2') }, /expected the contact con_2/],
    [
      'a wrong total',
      answering({ data: [contact], pagination: { total: 41 } }),
      { check: pageOf(42, 1) },
      /expected a total of 42, got 41/,
    ],
    [
      'a short page',
      answering({ data: [contact], pagination: { total: 42 } }),
      { check: pageOf(42, 10) },
      /expected 10 contacts, got 1/,
    ],
    [
      'a page of something else',
      answering({ pagination: { total: 1 } }),
      { check: pageOf(1, 1) },
      /expected 1 contacts/,
    ],
    [
      'an export from elsewhere',
      answering({ data: [contact], next: null }),
      { check: exportOf(1, 'con_2') },
      /expected con_2 first/,
    ],
    [
      'rows out of order',
      answering({ data: [{ index: 1, id: 'con_1' }] }),
      { check: upsertedOf(1) },
      /expected row 0 at its index/,
    ],
    ['a body where there is none', answering({}), { check: empty }, /expected no body/],
    ['no answer at all', (_, response) => response.destroy(), {}, /closed a connection|ECONNRESET/],
  ];
  for (const [what, listener, exchange, said] of failures) {
    test(`fails on ${what}, and names the operation and the response`, async (t) => {
      const port = await serve(t, listener);
      await assert.rejects(load(port, exchange), (error: Error) => {
        assert.equal(error.name, 'ResponseError');
        assert.match(error.message, /^retrieve, 2 connections: /);
        assert.match(error.message, said);
        return true;
      });
    });
  }

  test('fails on one wrong response among many', async (t) => {
    let answered = 0;
    const port = await serve(t, (request, response) => {
      answering({ data: { ...contact, id: ++answered === 15 ? 'con_2' : 'con_1' } })(request, response);
    });
    await assert.rejects(load(port, { check: oneContact('con_1') }), /expected the contact con_1, got con_2/);
  });

  test('sends a refused request again after Retry-After where it may be refused, and counts refusals apart', async (t) => {
    let requests = 0;
    const port = await serve(t, (request, response) => {
      if (++requests > 3) answering({ data: contact })(request, response);
      else response.writeHead(503, { 'content-length': 0, 'retry-after': '0' }).end();
    });
    const { latenciesMs, refused } = await load(port, {}, { mayBeRefused: true });
    assert.deepEqual([latenciesMs.length, refused, requests], [20, 3, 23]);
  });
});
