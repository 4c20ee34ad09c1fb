// Every row of the error table, in the one shape; and what is checked first. What is not even HTTP is tested in
// malformed-http.test.ts.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type ErrorCode, errorCodes } from '@roster/contract';
import { makeId } from '../../src/contacts/ids.ts';
import { ApiError } from '../../src/http/api-error.ts';
import { type Store, StoreUnavailableError } from '../../src/store/store.ts';
import { type CallOptions, createContact, heldContactReads, type Reply, startServer } from '../harness.ts';
import { allOperations, lettingIn, makeTargets, parseProblem, pathOf, wholeFile } from './every-operation.ts';
import { head, RawClient } from './raw-client.ts';

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
      '//',
      '/console/',
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
    const internals = Object.assign(new TypeError('SQLITE_CORRUPT at /var/lib/secret'), { statusCode: 599 });
    for (const thrown of [new Error('disk password hunter2'), internals]) {
      failure = () => Promise.reject(thrown);
      const reply = await call('GET', `contacts/${targets.contactId}`);
      failure = undefined;
      assertProblem(reply, 'internal');
      for (const text of [thrown.message, '    at ']) assert.ok(!reply.text.includes(text));
      const line = server.logged.find((each) => each.includes(thrown.message)) ?? '';
      assert.ok(line.includes(reply.json.requestId), 'the log holds the cause under the same request id');
    }
  });

  test('500 internal: what was thrown need not be an error', async () => {
    for (const thrown of ['thrown text', 5, null, undefined, { message: 'thrown text' }]) {
      failure = () => Promise.reject(thrown);
      const reply = await call('GET', `contacts/${targets.contactId}`);
      failure = undefined;
      assertProblem(reply, 'internal');
      assert.ok(!reply.text.includes('thrown text'));
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
    const { release, arrived, wrapStore } = heldContactReads();
    const busy = await startServer(t, { storeOf: server, requestsMax: 1, wrapStore });
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
  const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const methodsOf = Map.groupBy(allOperations, ({ path }) => path);
  for (const [path, served] of methodsOf) {
    test(`${path} names its methods in Allow`, async () => {
      const target = pathOf(served[0] as (typeof served)[0], targets);
      // One word may be a path of its own and also stand where another path has an id.
      const fitting = allOperations.filter((each) => patternOf(each.path).test(target));
      const methods = new Set<string>(fitting.map(({ method }) => method));
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
      const { headers, ...options } = await lettingIn(operation, server, fresh);
      const reply = await call(operation.method, path, {
        ...options,
        body: tooLarge,
        headers: { ...headers, ...json },
      });
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
    headers_too_large: 'malformed-http.test.ts',
    attribute_type_fixed: 'src/operations/attributes.test.ts',
    tag_taken: 'src/operations/attributes.test.ts',
    events_expired: 'src/operations/events.test.ts',
    precondition_failed: 'src/operations/contact-versions.test.ts',
    limit_reached: 'src/operations/bots.test.ts',
    member_exists: 'sign-in.test.ts',
    organization_required: 'memberships.test.ts',
    last_owner: 'members.test.ts',
    sign_in_failed: 'sign-in.test.ts',
    forbidden: 'credentials.test.ts',
    password_required: 'own-account.test.ts',
  };
  const here: ErrorCode[] = [
    ...(['invalid_json', 'invalid_request', 'email_taken', 'too_many_contacts', 'unauthorized', 'not_found'] as const),
    ...(['method_not_allowed', 'body_too_large', 'unsupported_media_type'] as const),
    ...(['internal', 'unavailable'] as const),
  ];
  assert.deepEqual([...here, ...Object.keys(elsewhere)].toSorted(), Object.keys(errorCodes).toSorted());
});
