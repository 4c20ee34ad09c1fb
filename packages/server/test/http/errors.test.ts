// Every row of the error table, in the one shape, from a parser error to a 500; and what is checked first.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type ErrorCode, errorCodes } from '@roster/contract';
import { ApiError } from '../../src/http/api-error.ts';
import { makeId } from '../../src/ids.ts';
import { type Store, StoreUnavailableError } from '../../src/store/store.ts';
import { type CallOptions, codeOf, createContact, type Reply, startServer } from '../harness.ts';
import { allOperations, makeTargets, parseProblem, pathOf, wholeFile } from './every-operation.ts';
import { exchange, head, RawClient } from './raw-client.ts';

const bodyLimitBytes = 4096;

/** What the next read of a contact does instead of reading. */
let failure: (() => Promise<never>) | undefined;
let isExtended = false;
const server = await startServer(wholeFile, {
  config: { bodyLimitBytes, rateLimitPerMinute: 1_000_000 },
  wrapStore: (store): Store => ({
    ...store,
    async findContact(botId, id) {
      if (failure !== undefined) return failure();
      const contact = await store.findContact(botId, id);
      return contact && isExtended ? ({ ...contact, extra: 'x' } as typeof contact) : contact;
    },
  }),
});
const { call, mine, theirs, url } = server;
const targets = await makeTargets(server);
const json = { 'content-type': 'application/json' };
const authorized = { Authorization: `Bearer ${mine.secret}` };
const collection = `/v1/bots/${mine.bot.id}/contacts`;

/** The status, title and shape of a row of the table. */
function assertProblem(reply: Reply, code: ErrorCode): void {
  const problem = parseProblem({ ...reply, body: reply.text });
  assert.equal(problem.code, code, reply.text);
  assert.equal(reply.status, errorCodes[code].status);
  assert.equal(problem.title, errorCodes[code].title);
  assert.ok(problem.detail.length > 0);
  assert.equal(problem.errors !== undefined, code === 'invalid_request');
  assert.equal(problem.contactId !== undefined, code === 'email_taken');
}

suite('the rows of the table', () => {
  test('the statuses of the contract have the codes of the contract', () => {
    const statuses: Record<string, number> = {
      ...{ invalid_json: 400, invalid_request: 400, email_taken: 400, too_many_contacts: 400, unauthorized: 401 },
      ...{ not_found: 404, method_not_allowed: 405, body_too_large: 413, unsupported_media_type: 415 },
      ...{ rate_limited: 429, internal: 500, unavailable: 503 },
    };
    for (const [code, status] of Object.entries(statuses)) assert.equal(errorCodes[code as ErrorCode]?.status, status);
  });

  test('400 invalid_json: what is not JSON in UTF-8, and the answer does not quote it', async () => {
    const latin1 = Buffer.from('{"name":"Jos\u00e9"}', 'latin1');
    for (const body of ['{broken', '{"name":', 'undefined', "{'a':1}", '{"a":1}x', '\0', '   ', latin1]) {
      const reply = await call('PUT', 'contacts', { body, headers: json });
      assertProblem(reply, 'invalid_json');
      assert.ok(!reply.text.includes('broken'));
    }
  });

  test('400 invalid_request, email_taken and too_many_contacts', async () => {
    assertProblem(await call('PUT', 'contacts', { body: {} }), 'invalid_request');
    assertProblem(await call('GET', 'contacts?page=0'), 'invalid_request');
    const { email } = await createContact(call);
    assertProblem(await call('PUT', 'contacts', { body: { name: 'x', email } }), 'email_taken');
    assertProblem(await call('PATCH', 'contacts', { body: { data: Array(1001).fill(0) } }), 'too_many_contacts');
  });

  test('401 unauthorized', async () => assertProblem(await call('GET', 'contacts', { token: null }), 'unauthorized'));

  test('404 not_found: path, bot, contact and token', async () => {
    const paths = [
      '/',
      '//',
      '/v1',
      '/v2/bots',
      '/v1/bots',
      '/v1/bots/x',
      '/healthz/',
      '/HEALTHZ',
      '/.env',
      '/v1/account',
    ];
    for (const path of [...paths, `${collection}/a/b`, '/docs/', '/docs/x', '/docs/..%2f..%2fetc/passwd']) {
      assertProblem(await call('GET', path, { token: null }), 'not_found');
    }
    assertProblem(await call('GET', 'contacts/'), 'not_found');
    assertProblem(await call('GET', '/v1/bots//contacts'), 'not_found');
    assertProblem(await call('GET', `/v1/bots/${makeId('bot', 1)}/contacts`), 'not_found');
    assertProblem(await call('GET', `contacts/${makeId('contact', 1)}`), 'not_found');
    assertProblem(await call('DELETE', 'auth/contacts/c:x'), 'not_found');
  });

  test('500 internal: the text of an unexpected error is logged, never sent', async () => {
    const texts = ['disk password hunter2', 'SQLITE_CORRUPT at /var/lib/secret'];
    const [first = '', second = ''] = texts;
    for (const thrown of [
      new Error(first),
      Object.assign(new TypeError(second), { statusCode: 599 }),
      'not an error',
    ]) {
      failure = () => Promise.reject(thrown);
      const reply = await call('GET', `contacts/${targets.contactId}`);
      failure = undefined;
      assertProblem(reply, 'internal');
      for (const text of [...texts, 'not an error', '    at ']) assert.ok(!reply.text.includes(text));
      if (thrown instanceof Error) {
        const line = server.logged.find((each) => each.includes(thrown.message)) ?? '';
        assert.ok(line.includes(reply.json.requestId), 'the log holds the cause under the same request id');
      }
    }
  });

  test('500 internal: the text of an unexpected error with a status of its own is not sent either', async () => {
    failure = () => Promise.reject(Object.assign(new Error('inner text'), { statusCode: 418 }));
    const reply = await call('GET', `contacts/${targets.contactId}`);
    failure = undefined;
    assertProblem(reply, 'internal');
    assert.ok(!reply.text.includes('inner text'));
  });

  test('503 unavailable: storage out of reach, with Retry-After', async () => {
    failure = () => Promise.reject(new StoreUnavailableError('the storage is away'));
    const reply = await call('GET', `contacts/${targets.contactId}`);
    failure = undefined;
    assertProblem(reply, 'unavailable');
    assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  });

  test('503 unavailable: more requests at once than the server takes, and then it recovers', async (t) => {
    const release = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const busy = await startServer(t, {
      requestsMax: 1,
      wrapStore: (store) => ({
        ...store,
        async findContact(...args) {
          arrived.resolve();
          await release.promise;
          return store.findContact(...args);
        },
      }),
    });
    const { id } = await createContact(busy.call);
    const slow = busy.call('GET', `contacts/${id}`);
    await arrived.promise;
    const refused = await busy.call('GET', 'contacts');
    assertProblem(refused, 'unavailable');
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    release.resolve();
    assert.equal((await slow).status, 200);
    assert.equal((await busy.call('GET', 'contacts')).status, 200);
  });
});

suite('405 method_not_allowed', () => {
  const methodsOf = Map.groupBy(allOperations, ({ path }) => path);
  for (const [path, served] of methodsOf) {
    test(`${path} names its methods in Allow`, async () => {
      const methods = new Set<string>(served.map(({ method }) => method));
      const target = pathOf(served[0] as (typeof served)[0], targets);
      for (const method of ['PUT', 'PATCH', 'POST', 'DELETE', 'PROPFIND', 'GET'].filter((each) => !methods.has(each))) {
        const reply = await call(method, target, { token: null });
        assertProblem(reply, 'method_not_allowed');
        const allow = reply.headers.get('allow')?.split(/, */) ?? [];
        assert.deepEqual(
          allow.filter((each) => !['HEAD', 'OPTIONS'].includes(each)).toSorted(),
          [...methods].toSorted(),
        );
        assert.equal(allow.includes('HEAD'), methods.has('GET'));
      }
    });
  }

  test('a query string does not hide the path', async () => {
    assertProblem(await call('DELETE', 'contacts?query=x&page=/', { token: null }), 'method_not_allowed');
  });

  test('an escaped path is the path that it stands for', async () => {
    assertProblem(await call('DELETE', '/%68ealthz', { token: null }), 'method_not_allowed');
    assert.equal((await call('GET', '/%68ealthz', { token: null })).status, 200);
  });
});

suite('413 body_too_large', () => {
  const tooLarge = `{"data":[],"x":"${'x'.repeat(bodyLimitBytes)}"}`;

  test('by its Content-Length, before it is read', async () => {
    const client = await RawClient.open(url);
    client.write(head(`PATCH ${collection}`, { ...authorized, ...json, 'Content-Length': String(10 ** 15) }));
    const answer = await client.answer();
    assert.equal(parseProblem(answer).code, 'body_too_large');
    await client.closed();
  });

  test('by what arrives in chunks', async () => {
    const client = await RawClient.open(url);
    client.write(head(`PATCH ${collection}`, { ...authorized, ...json, 'Transfer-Encoding': 'chunked' }));
    for (let i = 0; i < 5; i++) client.write(`400\r\n${'x'.repeat(0x400)}\r\n`);
    const answer = await client.answer();
    assert.equal(parseProblem(answer).code, 'body_too_large');
    await client.closed();
  });

  test('a body of exactly the limit is taken, one byte more is not', async () => {
    const start = '{"data":[],"x":"';
    const body = (bytes: number) => `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
    assert.equal((await call('PATCH', 'contacts', { body: body(bodyLimitBytes), headers: json })).status, 200);
    assertProblem(await call('PATCH', 'contacts', { body: body(bodyLimitBytes + 1), headers: json }), 'body_too_large');
  });

  test('on every operation that takes a body, and on no other', async () => {
    for (const operation of allOperations.filter(({ path, method }) => path.startsWith('/v1') && method !== 'GET')) {
      const fresh = await makeTargets(server);
      const path = pathOf(operation, fresh);
      const reply = await call(operation.method, path, { body: tooLarge, headers: json });
      if (operation.body === undefined) assert.equal(reply.status, operation.answer.status, operation.id);
      else assertProblem(reply, 'body_too_large');
    }
  });
});

suite('415 unsupported_media_type', () => {
  const types = [
    'text/plain',
    'application/xml',
    'application/jsonx',
    'application/octet-stream',
    'nonsense',
    'a/b/c',
    ';',
  ];
  test('a type that the operation does not take, or a compressed body', async () => {
    for (const type of [...types, 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      assertProblem(
        await call('PUT', 'contacts', { body: '{}', headers: { 'content-type': type } }),
        'unsupported_media_type',
      );
    }
    for (const type of types) {
      assertProblem(
        await call('POST', 'auth/contact', { body: '{}', headers: { 'content-type': type } }),
        'unsupported_media_type',
      );
    }
    for (const encoding of ['gzip', 'br', 'zstd']) {
      const headers = { ...json, 'content-encoding': encoding };
      assertProblem(await call('PUT', 'contacts', { body: '{}', headers }), 'unsupported_media_type');
    }
  });
});

suite('what is checked first', () => {
  const broken = { 'content-type': 'text/nonsense' };
  const large = 'x'.repeat(bodyLimitBytes + 1);
  const steps: [what: string, path: string, method: string, options: CallOptions, code: ErrorCode][] = [
    ['path before all', '/v1/nowhere', 'DELETE', { token: null, body: large, headers: broken }, 'not_found'],
    [
      'method before credential',
      'contacts',
      'DELETE',
      { token: null, body: large, headers: broken },
      'method_not_allowed',
    ],
    [
      'credential before bot',
      '/v1/bots/x/contacts',
      'PUT',
      { token: null, body: large, headers: broken },
      'unauthorized',
    ],
    ['bot before size', '/v1/bots/x/contacts', 'PUT', { body: large, headers: broken }, 'not_found'],
    ['size before type', 'contacts', 'PUT', { body: large, headers: broken }, 'body_too_large'],
    ['type before input', 'contacts', 'PUT', { body: '{broken', headers: broken }, 'unsupported_media_type'],
    ['JSON before fields', 'contacts', 'PUT', { body: '{broken', headers: json }, 'invalid_json'],
    [
      'input before the contact',
      `contacts/${makeId('contact', 1)}`,
      'PATCH',
      { body: { name: '' } },
      'invalid_request',
    ],
  ];
  for (const [what, path, method, options, code] of steps) {
    test(what, async () => assertProblem(await call(method, path, options), code));
  }

  test('another organization’s bot before size, type and input', async () => {
    const target = `/v1/bots/${theirs.bot.id}/contacts`;
    assertProblem(await call('PUT', target, { body: large, headers: broken }), 'not_found');
  });
});

suite('what is not even HTTP', () => {
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

  test('a request without Host is answered by us, not by Node', async () => {
    const answer = await exchange(url, 'GET /healthz HTTP/1.1\r\n\r\n');
    assert.ok(answer.headers['x-request-id'] !== undefined);
    if (answer.status !== 200) parseProblem(answer);
  });

  test('an expectation that nobody can meet is answered in the one shape', async () => {
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
});

suite('an answer that the contract does not declare fails in tests', () => {
  test('a member too many', async () => {
    isExtended = true;
    const reply = await call('GET', `contacts/${targets.contactId}`);
    isExtended = false;
    assertProblem(reply, 'internal');
  });

  test('an error that the operation does not declare', async () => {
    failure = () => Promise.reject(new ApiError('email_taken', 'x', { contactId: 'x' }));
    const reply = await call('GET', `contacts/${targets.contactId}`);
    failure = undefined;
    assertProblem(reply, 'internal');
    assert.match(reply.json.detail, /contacts\.retrieve does not declare email_taken/);
  });
});

test('every error code of the contract was seen by this file, or by the one named here', () => {
  const elsewhere: Partial<Record<ErrorCode, string>> = {
    rate_limited: 'rate-limits.test.ts',
    request_timeout: 'slow-clients.test.ts',
  };
  const here: ErrorCode[] = [
    ...(['invalid_json', 'invalid_request', 'email_taken', 'too_many_contacts', 'unauthorized', 'not_found'] as const),
    ...(['method_not_allowed', 'body_too_large', 'unsupported_media_type', 'headers_too_large'] as const),
    ...(['internal', 'unavailable'] as const),
  ];
  assert.deepEqual([...here, ...Object.keys(elsewhere)].toSorted(), Object.keys(errorCodes).toSorted());
  assert.deepEqual(codeOf({ status: 0, json: undefined } as Reply), [0, undefined]);
});
