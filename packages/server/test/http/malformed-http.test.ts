// What is not even HTTP, or hardly: answered in the one shape of errors, on raw sockets.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { errorCodes } from '@roster/contract';
import { startServer } from '../harness.ts';
import { parseProblem, wholeFile } from './every-operation.ts';
import { exchange, head, RawClient } from './raw-client.ts';

const { call, mine, url } = await startServer(wholeFile);
const json = { 'content-type': 'application/json' };
const authorized = { Authorization: `Bearer ${mine.secret}` };
const collection = `/v1/bots/${mine.bot.id}/contacts`;

const requests: [what: string, bytes: string, status: number][] = [
  ['garbage', 'garbage\r\n\r\n', 400],
  ['TLS on the plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['an unknown method', head('BREW /healthz'), 400],
  ['a lower-case method', head('get /healthz'), 400],
  ['a header without a name', 'GET /healthz HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n', 400],
  ['a header with a control character', 'GET /healthz HTTP/1.1\r\nHost: x\r\na: \x00\r\n\r\n', 400],
  ['two lengths', head(`PUT ${collection}`, { 'Content-Length': '1, 2' }), 400],
  ['a length and chunks', head(`PUT ${collection}`, { 'Content-Length': '1', 'Transfer-Encoding': 'chunked' }), 400],
  ['a bad length', head(`PUT ${collection}`, { 'Content-Length': 'x' }), 400],
  ['headers of more than 16 KiB', head('GET /healthz', { a: 'x'.repeat(17_000) }), 431],
  ['an address of more than 16 KiB', head(`GET /${'x'.repeat(17_000)}`), 431],
  ['a bad escape in a path', head('GET /v1/bots/%zz/contacts', authorized), 404],
  ['a cut escape in a path', head(`GET ${collection}/%E0%A4%A`, authorized), 404],
  ['an escape that is not UTF-8', head(`GET ${collection}/%FF`, authorized), 404],
  ['an asterisk for a path', head('OPTIONS *'), 404],
  ['a path parameter of a thousand characters', head(`GET ${collection}/${'x'.repeat(1000)}`, authorized), 404],
];
for (const [what, bytes, status] of requests) {
  test(`${what} is answered with ${status} in the one shape`, async () => {
    const answer = await exchange(url, bytes);
    assert.equal(answer.status, status, answer.body);
    const problem = parseProblem(answer);
    assert.equal(problem.title, errorCodes[problem.code].title);
  });
}

test('a bad chunk in a body is answered in the one shape, and the connection is closed', async () => {
  const client = await RawClient.open(url);
  client.write(head(`PUT ${collection}`, { ...authorized, ...json, 'Transfer-Encoding': 'chunked' }));
  client.write('zz\r\nnot a chunk\r\n');
  const answer = await client.answer();
  assert.equal(answer.status, 400);
  parseProblem(answer);
  assert.equal(await client.closed(), '', 'there is no second answer');
});

for (const coding of ['xchunked', 'identity', 'chunked, identity']) {
  test(`a request that is answered before its ${coding} body turns out malformed gets no second answer`, async () => {
    const client = await RawClient.open(url);
    client.write(
      `${head(`GET ${collection}?limit=0`, { ...authorized, 'Transfer-Encoding': coding })}0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    await client.answer();
    assert.equal(await client.closed(), '');
  });
}

test('what is malformed takes no answer from the requests before it on its connection', async () => {
  const client = await RawClient.open(url);
  client.pauseReading();
  client.write(head(`GET ${collection}`, authorized) + head('GET /openapi.json') + head(`GET /${'x'.repeat(17_000)}`));
  // By then the server has sent what the connection takes: the second answer is a megabyte.
  for (let served = 0; served < 100; served++) assert.equal((await call('GET', 'tags')).status, 200);
  assert.equal(await client.readToEnd(), undefined, 'the connection is closed in order');
  for (let answers = 0; answers < 2; answers++) assert.equal((await client.answer()).status, 200);
  assert.equal(await client.closed(), '');
});

test('what is not even HTTP is answered with the headers of every other answer', async () => {
  const answer = await exchange(url, 'NONSENSE\r\n\r\n');
  assert.equal(answer.status, 400);
  const { headers } = await call('GET', '/nowhere');
  for (const name of ['cache-control', 'content-security-policy', 'x-content-type-options']) {
    assert.equal(answer.headers[name], headers.get(name), name);
  }
  assert.match(answer.headers['x-request-id'] ?? '', /^req-/);
});

suite('the Host header', () => {
  const cases: [what: string, request: string, status: number][] = [
    ['a missing one is a 400', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['two are a 400', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400],
    ['two that are the same are a 400', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 400],
    ['two are a 400 on a path that does not exist', 'GET /nowhere HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['a client of HTTP/1.0 needs none', 'GET /healthz HTTP/1.0\r\n\r\n', 200],
    ['a client of HTTP/1.0 may not send two', 'GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400],
  ];
  for (const [what, request, status] of cases) {
    test(what, async () => {
      const answer = await exchange(url, request);
      assert.equal(answer.status, status);
      if (status === 400) assert.equal(parseProblem(answer).errors?.[0]?.field, 'Host');
    });
  }
});

test('an Expect header that cannot be met is answered with a problem document', async () => {
  const answer = await exchange(url, head('GET /healthz', { Expect: 'the-impossible' }));
  assert.ok(answer.headers['x-request-id'] !== undefined, `${answer.status} ${answer.body}`);
  if (answer.status >= 400) parseProblem(answer);
});

test('CONNECT opens no tunnel: the connection is closed', async () => {
  const client = await RawClient.open(url);
  client.write('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.doesNotMatch(await client.closed(), /^HTTP\/1\.1 2/);
});

test('an error of a HEAD has the status and headers of one, and no body', async () => {
  const client = await RawClient.open(url);
  client.write(head('HEAD /nowhere') + head('GET /healthz'));
  const answer = await client.answer({ isHead: true });
  assert.equal(answer.status, 404);
  assert.match(answer.headers['content-type'] ?? '', /^application\/problem\+json/);
  assert.equal((await client.answer()).status, 200);
  client.destroy();
});

test('the server goes on after all of it', async () => assert.equal((await call('GET', 'contacts')).status, 200));
