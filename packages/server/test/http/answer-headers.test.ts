// The headers that programs read: each answer carries only those that the OpenAPI document declares for its status.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { answerHeaders, type Operation } from '@roster/contract';
import { OutcomeUnknownError, type Store } from '../../src/store/store.ts';
import { codeOf, createContact, type Reply, startServer } from '../harness.ts';
import { allOperations, lettingIn, makeTargets, pathOf, wholeFile } from './every-operation.ts';

let isDatabaseLost = false;
async function loseDatabase(): Promise<never> {
  throw new OutcomeUnknownError('the database was lost while it wrote');
}

const server = await startServer(wholeFile, {
  config: { rateLimitPerMinute: 1_000_000 },
  wrapStore: (store): Store => ({
    ...store,
    createContact: (...given) => (isDatabaseLost ? loseDatabase() : store.createContact(...given)),
    findContact: (...given) => (isDatabaseLost ? loseDatabase() : store.findContact(...given)),
  }),
});
const { call } = server;
const targets = await makeTargets(server);

type Declared = Record<string, { headers?: Record<string, unknown> }>;
const { paths } = (await call('GET', '/openapi.json', { token: null })).json as {
  paths: Record<string, Record<string, { responses: Declared }>>;
};

function declaredFor({ method, path }: Operation, status: number): string[] {
  return Object.keys(paths[path]?.[method.toLowerCase()]?.responses[status]?.headers ?? {});
}

function sentIn({ headers }: Reply): string[] {
  return Object.keys(answerHeaders).filter((name) => headers.has(name));
}

function assertDeclared(operation: Operation, reply: Reply): void {
  const declared = declaredFor(operation, reply.status);
  for (const name of sentIn(reply)) {
    assert.ok(declared.includes(name), `${operation.id} declares ${name} for ${reply.status}: ${reply.text}`);
  }
  assert.ok(reply.headers.has('x-request-id'), operation.id);
}

const rateLimitHeaders = ['RateLimit', 'RateLimit-Policy'];

suite('headers of answers', () => {
  for (const operation of allOperations) {
    test(`${operation.id}: those that are sent are declared`, async () => {
      const path = pathOf(operation, targets);
      const { credentials, method } = operation;
      assertDeclared(operation, await call(method, path, await lettingIn(operation, server, targets)));
      if (credentials.includes('public') || credentials.includes('signIn')) return;
      const refused = await call(method, path, { token: 'wrong' });
      assert.equal(refused.status, 401);
      assertDeclared(operation, refused);
      for (const name of [...rateLimitHeaders, 'WWW-Authenticate']) assert.ok(refused.headers.has(name), name);
    });
  }

  test('with a limit, every answer to a secret says what is left of it, the errors too', async () => {
    const contact = await createContact(call);
    const unknown = pathOf({ ...operation('contacts.retrieve') }, { ...targets, contactId: 'con_unknown' });
    for (const [id, reply] of [
      ['contacts.retrieve', await call('GET', `contacts/${contact.id}`)],
      ['contacts.retrieve', await call('GET', unknown)],
      ['contacts.create', await call('PUT', 'contacts', { body: {} })],
      ['contacts.create', await call('PUT', 'contacts', { body: 'x', headers: { 'content-type': 'text/plain' } })],
      ['contacts.delete', await call('DELETE', `contacts/${contact.id}`)],
    ] as const) {
      const declared = declaredFor(operation(id), reply.status);
      for (const name of rateLimitHeaders) assert.ok(reply.headers.has(name) && declared.includes(name), reply.text);
    }
  });

  test('ignored names are a header of successes', async () => {
    const body = { name: 'Jane', email: 'ignored@example.com', nmae: 'Jane' };
    const reply = await call('PUT', 'contacts', { body });
    assert.equal(reply.headers.get('roster-ignored'), 'nmae');
    assertDeclared(operation('contacts.create'), reply);
  });

  test('429 and 503 say when to try again, and a write whose outcome is unknown says so', async (t) => {
    for (const each of allOperations) {
      for (const status of [429, 503]) {
        const isAnswered = status in (paths[each.path]?.[each.method.toLowerCase()]?.responses ?? {});
        assert.equal(declaredFor(each, status).includes('Retry-After'), isAnswered, each.id);
      }
    }
    isDatabaseLost = true;
    t.after(() => {
      isDatabaseLost = false;
    });
    const body = { name: 'Jane', email: 'lost@example.com' };
    const reply = await call('PUT', 'contacts', { body });
    assert.deepEqual(codeOf(reply), [503, 'unavailable']);
    assert.deepEqual([reply.headers.get('retry-after'), reply.headers.get('roster-outcome')], ['1', 'unknown']);
    assertDeclared(operation('contacts.create'), reply);
    // A read has no outcome, so the header would be a fault of ours, which a strict server reports.
    const read = await call('GET', `contacts/${targets.contactId}`);
    assert.equal(read.status, 500);
    assert.match(read.json.detail, /contacts\.retrieve does not declare roster-outcome/);
  });

  test('reads declare no outcome, writes do', () => {
    const declaring = allOperations.filter((each) => declaredFor(each, 503).includes('Roster-Outcome'));
    const reads = ['contacts.search', 'webhooks.test']
      .flatMap((id) => [id, `account.${id}`])
      .concat('account.readLink');
    for (const { id, method, audit } of allOperations) {
      const isWrite = method === 'GET' ? audit !== undefined : !reads.includes(id);
      assert.equal(
        declaring.some((each) => each.id === id),
        isWrite,
        id,
      );
    }
  });
});

function operation(id: string): Operation {
  const found = allOperations.find((each) => each.id === id);
  assert.ok(found, id);
  return found;
}
