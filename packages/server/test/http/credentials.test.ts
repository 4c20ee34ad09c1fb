// Every credential against every operation of the contract: a new operation is in this matrix by itself.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Operation } from '@roster/contract';
import { pino } from 'pino';
import { buildApp } from '../../src/app.ts';
import { hashCredential, makeContactToken, makeSecret } from '../../src/credentials.ts';
import { defaultTimeouts } from '../../src/deps.ts';
import { mount } from '../../src/http/mount.ts';
import { makeId } from '../../src/ids.ts';
import { addTenant, type CallOptions, codeOf, createContact, type Reply, startServer } from '../harness.ts';
import { sampleSecret, sampleToken } from '../sample.ts';
import { allOperations, makeTargets, parseProblem, pathOf, type Targets, wholeFile } from './every-operation.ts';

const server = await startServer(wholeFile, { config: { metricsToken: 'the-metrics-token' } });
const { call, clock, mine, theirs, store } = server;
const targets = await makeTargets(server);

async function addSecret(changes: Parameters<typeof sampleSecret>[1]): Promise<string> {
  const secret = makeSecret();
  await store.createSecret(sampleSecret(mine.organizationId, { ...changes, hash: hashCredential(secret) }));
  return secret;
}

async function addToken(expiresAtMs: number): Promise<string> {
  const token = makeContactToken();
  await store.createContactToken(
    mine.bot.id,
    targets.contactId,
    sampleToken({ hash: hashCredential(token), expiresAtMs }),
  );
  return token;
}

const revokedToken = await addToken(clock.nowMs + 1_000_000);
await store.revokeContactToken(mine.bot.id, hashCredential(revokedToken));

/** The last character of the checksum, wrong. */
const mistyped = mine.secret.slice(0, -1) + (mine.secret.endsWith('0') ? '1' : '0');

/** Worth nothing anywhere. */
const worthless: Record<string, CallOptions> = {
  'no credential': { token: null },
  'an empty credential': { token: null, headers: { authorization: '' } },
  'a scheme alone': { token: null, headers: { authorization: 'Bearer' } },
  'another scheme': { token: null, headers: { authorization: `Basic ${btoa(`${mine.secret}:`)}` } },
  'a secret without a scheme': { token: null, headers: { authorization: mine.secret } },
  'a secret in another header': { token: null, headers: { 'x-api-key': mine.secret, cookie: `token=${mine.secret}` } },
  'two words': { token: null, headers: { authorization: `Bearer ${mine.secret} ${mine.secret}` } },
  'a malformed secret': { token: 'rst_nonsense' },
  'a secret with a typo in its checksum': { token: mistyped },
  'an unknown secret with a right checksum': { token: makeSecret() },
  'a revoked secret': { token: await addSecret({ revokedAtMs: clock.nowMs - 1 }) },
  'a secret that expires now': { token: await addSecret({ expiresAtMs: clock.nowMs }) },
  'an expired secret': { token: await addSecret({ expiresAtMs: clock.nowMs - 1 }) },
  'a malformed contact token': { token: 'c:nonsense' },
  'an unknown contact token': { token: makeContactToken() },
  'a revoked contact token': { token: revokedToken },
  'an expired contact token': { token: await addToken(clock.nowMs) },
};

const right = {
  organization: mine.secret,
  contact: targets.token,
  operator: 'the-metrics-token',
} as const;

/** Right for one kind of operation, wrong for the others. */
const wrongKind = (operation: Operation): Record<string, CallOptions> =>
  Object.fromEntries(
    Object.entries(right)
      .filter(([kind]) => kind !== operation.credential)
      .map(([kind, token]) => [`the credential of ${kind} operations`, { token }]),
  );

/** Input that would be an error, so that nobody takes a 400 for a check of the credential. */
const badInput = { body: '{broken', headers: { 'content-type': 'text/nonsense' } };

function ask(operation: Operation, options: CallOptions, where: Targets = targets): Promise<Reply> {
  const hasBody = operation.body !== undefined;
  const headers = { ...(hasBody && badInput.headers), ...options.headers };
  return call(operation.method, pathOf(operation, where), { ...(hasBody && badInput), ...options, headers });
}

const withoutId = ({ text, json }: Reply) => text.replace(json.requestId, '');
const guarded = allOperations.filter(({ credential }) => credential !== 'public');

for (const operation of guarded) {
  suite(`${operation.id}: ${operation.method} ${operation.path}`, () => {
    test('every credential that is missing, malformed, unknown, revoked, expired or of the wrong kind is the same 401', async () => {
      const bodies = new Set<string>();
      for (const [what, options] of Object.entries({ ...worthless, ...wrongKind(operation) })) {
        const reply = await ask(operation, options);
        assert.deepEqual(codeOf(reply), [401, 'unauthorized'], what);
        assert.equal(reply.headers.get('www-authenticate'), 'Bearer', what);
        parseProblem({ ...reply, body: reply.text });
        bodies.add(withoutId(reply));
      }
      assert.equal(bodies.size, 1);
    });

    test('its own credential is let in, whatever the case of the scheme', async () => {
      const token = right[operation.credential as keyof typeof right];
      for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
        const reply = await ask(
          operation,
          { token: null, headers: { authorization: `${scheme} ${token}` } },
          await makeTargets(server),
        );
        // The token of other targets is unknown to the path, so a visitor asks with the shared one.
        assert.notEqual(reply.status, 401, scheme);
        assert.notEqual(reply.status, 404, scheme);
        assert.ok(reply.status < 500, scheme);
      }
    });
  });
}

for (const operation of allOperations.filter(({ credential }) => credential === 'public')) {
  test(`${operation.id}: takes no credential and looks at none`, async () => {
    for (const [what, options] of Object.entries(worthless)) {
      assert.equal((await ask(operation, options)).status, operation.answer.status, what);
    }
  });
}

const ofBots = allOperations.filter(({ path }) => path.includes('{botId}'));

for (const operation of ofBots.filter(({ credential }) => credential === 'organization')) {
  test(`${operation.id}: another organization’s bot is the same 404 as no bot, byte for byte but the request id`, async () => {
    const foreign = await ask(operation, { token: theirs.secret });
    const missing = await ask(operation, { token: theirs.secret }, { ...targets, botId: makeId('bot', 1) });
    const malformed = await ask(operation, { token: theirs.secret }, { ...targets, botId: 'x' });
    for (const reply of [foreign, missing, malformed]) {
      assert.deepEqual(codeOf(reply), [404, 'not_found']);
      assert.equal(withoutId(reply), withoutId(foreign));
      const names = (each: Reply) => [...each.headers.keys()].filter((name) => name !== 'date').sort();
      assert.deepEqual(names(reply), names(foreign));
    }
  });

  test(`${operation.id}: never sends CORS headers, whatever the outcome`, async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': operation.method };
    const fresh = await makeTargets(server);
    const attempts = [mine.secret, theirs.secret, 'wrong'].map((token) => ask(operation, { token, headers }, fresh));
    for (const reply of await Promise.all(attempts)) {
      const sent = [...reply.headers.keys()].filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(sent, []);
      assert.notEqual(reply.headers.get('cross-origin-resource-policy'), 'cross-origin');
    }
    const preflight = await call('OPTIONS', pathOf(operation, fresh), { token: null, headers });
    const methods = preflight.headers.get('access-control-allow-methods') ?? '';
    assert.ok(operation.method === 'GET' ? methods === '' : !methods.includes(operation.method), methods);
  });
}

test('the list of operations without an organization’s secret is exactly that of the contract', () => {
  const others = allOperations.filter(
    ({ path, credential }) => path.startsWith('/v1') && credential !== 'organization',
  );
  assert.deepEqual(
    others.map(({ method, path }) => `${method} ${path}`),
    ['GET /v1/bots/{botId}/auth/contact', 'GET /v1/bots/{botId}/widget'],
  );
});

test('a revoked secret is refused at once', async () => {
  const tenant = await addTenant(store);
  const path = `/v1/bots/${tenant.bot.id}/contacts`;
  const options = { token: tenant.secret };
  assert.equal((await call('GET', path, options)).status, 200);
  assert.equal(await server.app.directory.revokeSecret(tenant.secretId, clock.nowMs), true);
  assert.deepEqual(codeOf(await call('GET', path, options)), [401, 'unauthorized']);
});

test('a secret works until the millisecond before its expiry', async () => {
  const token = await addSecret({ expiresAtMs: clock.nowMs + 1 });
  assert.equal((await call('GET', 'contacts', { token })).status, 200);
  clock.nowMs += 1;
  assert.deepEqual(codeOf(await call('GET', 'contacts', { token })), [401, 'unauthorized']);
});

test('an organization may have several secrets, and revoking one leaves the others', async () => {
  const second = await addSecret({ id: makeId('secret', 1) });
  await server.app.directory.revokeSecret(makeId('secret', 2), clock.nowMs);
  assert.equal((await call('GET', 'contacts', { token: second })).status, 200);
  assert.equal((await call('GET', 'contacts')).status, 200);
});

test('nothing is written with a wrong credential', async () => {
  const contact = await createContact(call);
  await call('DELETE', `contacts/${contact.id}`, { token: theirs.secret });
  await call('PATCH', `contacts/${contact.id}`, { token: mistyped, body: { name: 'Changed' } });
  assert.deepEqual((await call('GET', `contacts/${contact.id}`)).json.data, contact);
});

suite('a route without a declared credential does not start', () => {
  const config = {
    publicUrl: 'http://x',
    trustProxy: false,
    bodyLimitBytes: 1024,
    rateLimitPerMinute: undefined,
    metricsToken: undefined,
  } as const;
  const build = () =>
    buildApp({
      config,
      store,
      logger: pino({ level: 'silent' }),
      clock: () => 0,
      timeouts: defaultTimeouts,
      requestsMax: 1,
      isStrict: true,
    });

  test('added by hand', () => {
    const { http } = build();
    assert.throws(() => http.get('/open', () => 'secrets'), /\/open declares no credential/);
    assert.throws(() => http.route({ method: 'GET', url: '/open', config: {}, handler: () => 'x' }), /credential/);
  });

  test('added in a plugin', async () => {
    const { http } = build();
    http.register(async (child) => {
      child.get('/open', () => 'secrets');
    });
    await assert.rejects(async () => await http.ready(), /credential/);
  });

  test('mounted from an operation that forgot it', () => {
    const { http } = build();
    const forgetful = {
      id: 'x.y',
      method: 'GET',
      path: '/open',
      summary: '',
      answer: { status: 204, description: '' },
    };
    const mounting = {
      http,
      isStrict: true,
      checkAccess: async () => ({ bot: undefined, visitor: undefined, session: undefined }),
    };
    assert.throws(() => mount(mounting, forgetful as unknown as Operation, () => ({}) as never), /credential/);
  });
});
