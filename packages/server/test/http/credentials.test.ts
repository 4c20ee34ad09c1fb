// Every credential against every operation of the contract: a new operation is in this matrix by itself.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type Credential,
  type IdKind,
  isAtLeast,
  type Operation,
  operationsFor,
  operatorCredentials,
  parametersOf,
  portCredentials,
  roleOf,
} from '@roster/contract';
import { pino } from 'pino';
import * as z from 'zod';
import { hashCredential, makeContactToken, makeSecret, makeToken } from '../../src/account/credentials.ts';
import { FirstUses, LastSeen, LastUsed } from '../../src/account/last-used.ts';
import { defaultQuotas } from '../../src/account/quotas.ts';
import { sessionIdOf } from '../../src/account/sessions.ts';
import { buildApp } from '../../src/app.ts';
import { makeId } from '../../src/contacts/ids.ts';
import { type Deps, defaultTimeouts } from '../../src/deps.ts';
import { prepareAccess } from '../../src/http/access.ts';
import { HeavyCalls } from '../../src/http/heavy-calls.ts';
import { mount } from '../../src/http/mount.ts';
import { TimeSlices } from '../../src/http/time-slices.ts';
import { newAttribute } from '../conformance/attributes.ts';
import { consoleOrigin, signInAs } from '../console-client.ts';
import {
  addTenant,
  type CallOptions,
  codeOf,
  createContact,
  metricsToken,
  type Reply,
  startServer,
} from '../harness.ts';
import { sampleContext, sampleSecret, sampleToken } from '../sample.ts';
import {
  allOperations,
  fillSchema,
  keepTargets,
  lettingIn,
  makeTargets,
  parseProblem,
  pathOf,
  type Targets,
  wholeFile,
} from './every-operation.ts';

const server = await startServer(wholeFile);
const { call, clock, mine, theirs, store } = server;
/** For requests that are refused. */
const targets = await makeTargets(server);
/** For those that are let in. */
const kept = keepTargets(server);

async function addSecret(changes: Parameters<typeof sampleSecret>[1]): Promise<string> {
  const secret = makeSecret();
  await store.createSecret(
    sampleSecret(mine.organizationId, { ...changes, hash: hashCredential(secret) }),
    undefined,
    sampleContext(),
  );
  return secret;
}

async function addToken(expiresAtMs: number): Promise<string> {
  const token = makeContactToken();
  await store.createContactToken(
    targets.botId,
    targets.contactId,
    sampleToken({ hash: hashCredential(token), expiresAtMs }),
    undefined,
    sampleContext(),
  );
  return token;
}

const revokedToken = await addToken(clock.nowMs + 1_000_000);
await store.revokeContactToken(mine.bot.id, hashCredential(revokedToken), sampleContext());

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

const bearers = {
  secret: mine.secret,
  contactToken: targets.token,
  metrics: metricsToken,
} as const;

const owner = await signInAs(server, 'owner');
const ended = await signInAs(server, 'owner');
await store.endSession(hashCredential(ended.token), sampleContext());
const cookies = (cookie: string): CallOptions => ({ token: null, headers: { ...owner.page.headers(), cookie } });

/** Worth nothing to an operation that takes a session. */
const worthlessSessions: Record<string, CallOptions> = {
  'a session as bearer': { token: owner.token, headers: { origin: consoleOrigin } },
  'an empty cookie': cookies('roster='),
  'a malformed session': cookies('roster=nonsense'),
  'an unknown session': cookies(`roster=${makeToken()}`),
  'a session that has ended': cookies(`roster=${ended.token}`),
  'a session in the cookie of another origin': cookies(`__Host-roster=${owner.token}`),
  'a session in another cookie': cookies(`session=${owner.token}; xroster=${owner.token}`),
  'a secret in the cookie': cookies(`roster=${mine.secret}`),
  'a session beside an Authorization header': {
    token: null,
    headers: { ...owner.page.headers(), authorization: 'Bearer x' },
  },
};

/** Right for one kind of operation, wrong for the others. */
const wrongKind = (operation: Operation): Record<string, CallOptions> => ({
  ...Object.fromEntries(
    Object.entries(bearers)
      .filter(([kind]) => !operation.credentials.includes(kind as Credential))
      .map(([kind, token]) => [`the credential of ${kind} operations`, { token }]),
  ),
  ...(operation.credentials.includes('session')
    ? worthlessSessions
    : { 'the session of an owner': { token: null, headers: owner.page.headers() } }),
});

/** Input that would be an error, so that a 400 is not taken for a check of the credential. */
const badInput = { body: '{broken', headers: { 'content-type': 'text/nonsense' } };

function ask(operation: Operation, options: CallOptions, where: Targets = targets): Promise<Reply> {
  const hasBody = operation.body !== undefined;
  const headers = { ...(hasBody && badInput.headers), ...options.headers };
  return call(operation.method, pathOf(operation, where), { ...(hasBody && badInput), ...options, headers });
}

const withoutId = ({ text, json }: Reply) => text.replace(json.requestId, '');
const taking = (credential: Credential) => allOperations.filter(({ credentials }) => credentials.includes(credential));
const guarded = allOperations.filter(
  ({ credentials }) => !credentials.some((each) => ['public', 'signIn'].includes(each)),
);

for (const operation of guarded) {
  suite(`${operation.id}: ${operation.method} ${operation.path}`, () => {
    test('every credential that is missing, malformed, unknown, revoked, expired or of the wrong kind is the same 401', async () => {
      const bodies = new Set<string>();
      for (const [what, options] of Object.entries({ ...worthless, ...wrongKind(operation) })) {
        // Wrong credentials are limited per minute.
        clock.nowMs += 1000;
        const reply = await ask(operation, options);
        assert.deepEqual(codeOf(reply), [401, 'unauthorized'], what);
        // Only where nothing but a session helps.
        const scheme = operation.credentials.join() === 'session' ? 'Session' : 'Bearer';
        assert.equal(reply.headers.get('www-authenticate'), scheme, what);
        parseProblem({ ...reply, body: reply.text });
        bodies.add(withoutId(reply));
      }
      assert.equal(bodies.size, 1);
    });

    if (operation.credentials.includes('session')) {
      testSession(operation);
      return;
    }
    test('its own credential is let in, whatever the case of the scheme', async () => {
      const token = bearers[operation.credentials[0] as keyof typeof bearers];
      for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
        const options = { token: null, headers: { authorization: `${scheme} ${token}` } };
        const reply = await ask(operation, options, await kept.current());
        kept.note(operation, reply);
        // The token of other targets is unknown to the path, so a visitor asks with the shared one.
        assert.notEqual(reply.status, 401, scheme);
        assert.notEqual(reply.status, 404, scheme);
        assert.ok(reply.status < 500, scheme);
      }
    });
  });
}

function testSession(operation: Operation): void {
  test('an owner’s session is let in', async () => {
    const live = await kept.current();
    const reply = await ask(operation, await lettingIn(operation, server, live), live);
    kept.note(operation, reply);
    assert.ok(reply.status < 500 && ![401, 403, 404].includes(reply.status), reply.text);
  });

  const needed = roleOf(operation);
  for (const role of ['member', 'viewer'] as const) {
    const isAllowed = isAtLeast(role, needed);
    test(
      isAllowed ? `a ${role} is let in` : `a ${role} is refused, and told that it takes the role ${needed}`,
      async () => {
        const { page, session } = await signInAs(server, role);
        const live = { ...(await kept.current()), sessionId: sessionIdOf(session.hash) };
        const reply = await ask(operation, { token: null, headers: page.headers() }, live);
        kept.note(operation, reply);
        if (isAllowed) assert.ok(reply.status < 500 && ![401, 403, 404].includes(reply.status), reply.text);
        else assert.deepEqual([...codeOf(reply), reply.json.permission], [403, 'forbidden', needed]);
        if (operation.path.includes('{botId}')) {
          const unknown = await ask(
            operation,
            { token: null, headers: page.headers() },
            { ...live, botId: theirs.bot.id, deletedBotId: theirs.bot.id },
          );
          assert.deepEqual(codeOf(unknown), [404, 'not_found'], 'the bot is looked for before the role');
        }
      },
    );
  }

  if (operation.method !== 'GET') {
    test('without the origin of the console, or without the session’s own token, it is refused', async () => {
      const { headers } = await lettingIn(operation, server, targets);
      const without = (name: string, value?: string): CallOptions => {
        const { [name]: _, ...rest } = headers as Record<string, string>;
        return { token: null, headers: { ...rest, ...(value !== undefined && { [name]: value }) } };
      };
      for (const options of [
        without('origin'),
        without('origin', 'https://evil.example'),
        without('Roster-Csrf'),
        without('Roster-Csrf', owner.page.csrfToken),
      ]) {
        assert.deepEqual(codeOf(await ask(operation, options)), [403, 'forbidden']);
      }
    });
  }

  const parameters = parametersOf(operation.path) as (keyof Targets)[];
  const kinds = {
    botId: 'bot',
    contactId: 'contact',
    webhookId: 'webhook',
    eventId: 'event',
    secretId: 'secret',
    memberId: 'member',
    invitationId: 'invitation',
    sessionId: 'session',
  };
  /** What is not known by an id of its own. */
  const others: Partial<Targets> = { tokenId: '1-0000000000000000', key: 'none', tag: 'none' };
  for (const name of parameters) {
    // One that is not there is made.
    if (name === 'key' && operation.answer.changed !== undefined) continue;
    test(`a ${name} of another organization is the same 404 as one that does not exist, or is malformed`, async (t) => {
      const stranger = await signInAs(server, 'owner', theirs);
      const isOfBot = ['contactId', 'tokenId', 'key', 'tag', 'webhookId', 'eventId'].includes(name);
      const { deletedBotId: _, ...live } = await kept.current();
      if (name === 'contactId') {
        await store.defineAttribute(theirs.bot.id, newAttribute(live.key), sampleContext());
        t.after(() => store.deleteAttribute(theirs.bot.id, live.key, sampleContext()));
      }
      const own: Partial<Targets> = isOfBot ? { botId: theirs.bot.id } : {};
      const asStranger = (target: Partial<Targets>) =>
        ask(operation, { token: null, headers: { ...stranger.page.headers() } }, { ...live, ...own, ...target });
      const { body } = operation;
      const valid = body && { body: fillSchema(body.schema, (field) => sampleInput[field] ?? 'x') };
      const askValid = (target: Partial<Targets>) =>
        call(operation.method, pathOf(operation, { ...live, ...own, ...target }), {
          token: null,
          headers: { ...stranger.page.headers() },
          ...valid,
        });
      const send = body === undefined ? asStranger : askValid;
      const missing = others[name] ?? makeId(kinds[name as keyof typeof kinds] as IdKind, 1);
      const replies = [await send({}), await send({ [name]: missing }), await send({ [name]: 'x' })];
      for (const reply of replies) assert.deepEqual(codeOf(reply), [404, 'not_found'], reply.text);
      assert.equal(new Set(replies.map(withoutId)).size, 1);
    });
  }
}

/** Something valid for fields where a word is not. */
const sampleInput: Record<string, string> = {
  email: 'jane@example.com',
  color: '#123456',
  wid: '+15550100123',
  allowedOrigins: 'https://example.com',
  url: 'https://example.com/hooks',
  // Of a replay: from the oldest event on.
  after: '',
  // Of the first type of channel.
  value: '+15550100123',
};

for (const operation of taking('signIn')) {
  test(`${operation.id}: takes no credential, and ${operation.method === 'GET' ? 'anybody may ask' : 'only pages of the console may ask'}`, async () => {
    clock.nowMs += 60_000;
    for (const [what, { headers, ...options }] of Object.entries(worthless)) {
      const reply = await ask(operation, { ...options, headers: { ...headers, origin: consoleOrigin } });
      assert.ok(reply.status < 500 && ![401, 403, 404, 429].includes(reply.status), what);
      if (operation.method === 'GET') continue;
      assert.deepEqual(codeOf(await ask(operation, { ...options, ...(headers && { headers }) })), [403, 'forbidden']);
      const foreign = { ...headers, origin: 'https://evil.example' };
      assert.deepEqual(codeOf(await ask(operation, { ...options, headers: foreign })), [403, 'forbidden']);
    }
  });
}

for (const operation of taking('public')) {
  test(`${operation.id}: takes no credential and looks at none`, async () => {
    for (const [what, options] of Object.entries(worthless)) {
      assert.equal((await ask(operation, options)).status, operation.answer.status, what);
    }
  });
}

const ofBots = allOperations.filter(({ path }) => path.includes('{botId}'));

for (const operation of ofBots.filter(({ credentials }) => credentials.includes('secret'))) {
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
    const live = await kept.current();
    const attempts = [mine.secret, theirs.secret, 'wrong'].map((token) => ask(operation, { token, headers }, live));
    for (const reply of await Promise.all(attempts)) {
      kept.note(operation, reply);
      const sent = [...reply.headers.keys()].filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(sent, []);
      assert.notEqual(reply.headers.get('cross-origin-resource-policy'), 'cross-origin');
    }
    const preflight = await call('OPTIONS', pathOf(operation, live), { token: null, headers });
    const methods = preflight.headers.get('access-control-allow-methods') ?? '';
    assert.ok(operation.method === 'GET' ? methods === '' : !methods.includes(operation.method), methods);
  });
}

test('the list of operations without an organization’s secret is exactly that of the contract', () => {
  const others = allOperations.filter(
    ({ path, credentials }) => path.startsWith('/v1') && !credentials.includes('secret'),
  );
  const [ofAccount, ofWidget] = [true, false].map((isOfAccount) =>
    others.filter(({ path }) => path.startsWith('/v1/account/') === isOfAccount),
  );
  assert.deepEqual(
    ofWidget?.map(({ method, path }) => `${method} ${path}`),
    ['GET /v1/bots/{botId}/auth/contact', 'GET /v1/bots/{botId}/widget'],
  );
  // test/http/permissions.test.ts lists those of the account that do take a secret.
  for (const { id, credentials } of ofAccount ?? []) assert.match(credentials.join(), /^(?:session|signIn)$/, id);
  assert.deepEqual(
    ofAccount?.filter(({ credentials }) => credentials.includes('signIn')).map(({ id }) => id),
    [
      'account.state',
      'account.setUp',
      'account.signIn',
      'account.readLink',
      'account.acceptInvitation',
      'account.resetPassword',
    ],
  );
});

test('a revoked secret is refused at once', async () => {
  const tenant = await addTenant(store);
  const path = `/v1/bots/${tenant.bot.id}/contacts`;
  const options = { token: tenant.secret };
  assert.equal((await call('GET', path, options)).status, 200);
  assert.equal(await server.app.tenantCache.revokeSecret(tenant.secretId, sampleContext({ nowMs: clock.nowMs })), true);
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
  await server.app.tenantCache.revokeSecret(makeId('secret', 2), sampleContext({ nowMs: clock.nowMs }));
  assert.equal((await call('GET', 'contacts', { token: second })).status, 200);
  assert.equal((await call('GET', 'contacts')).status, 200);
});

test('nothing is written with a wrong credential', async () => {
  const contact = await createContact(call);
  await call('DELETE', `contacts/${contact.id}`, { token: theirs.secret });
  await call('PATCH', `contacts/${contact.id}`, { token: mistyped, body: { name: 'Changed' } });
  assert.deepEqual((await call('GET', `contacts/${contact.id}`)).json.data, contact);
});

const deps: Deps = {
  config: {
    host: '127.0.0.1',
    publicUrl: 'http://x',
    hstsSubdomains: false,
    trustProxy: false,
    bodyLimitBytes: 1024,
    connectionsPerAddress: 1000,
    quotas: defaultQuotas,
    rateLimitPerMinute: undefined,
    metricsToken: undefined,
    securityContact: undefined,
    webhookNetworks: [],
  },
  store,
  logger: pino({ level: 'silent' }),
  clock: () => clock.nowMs,
  timeouts: defaultTimeouts,
  requestsMax: 1,
  unreadFilesMax: 1,
  isStrict: true,
};

const shares = () => ({ heavyReads: new HeavyCalls(defaultTimeouts), timeSlices: new TimeSlices() });

suite('a route without a declared credential does not start', () => {
  const build = () => buildApp(deps);

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
    const accessChecks = () => () => ({ credential: 'public' }) as const;
    const mounting = { http, isStrict: true, accessChecks, ...shares(), onFile() {} };
    for (const operation of [forgetful, { ...forgetful, credentials: [] }]) {
      assert.throws(() => mount(mounting, operation as unknown as Operation, () => ({}) as never), /credential/);
    }
  });
});

test('the operator’s listener serves no operation of the port, and no path of its own is in the OpenAPI document', async () => {
  const { http } = buildApp(deps, operatorCredentials);
  for (const operation of allOperations.filter(({ credentials }) => !credentials.includes('operator'))) {
    const { headers, token } = await lettingIn(operation, server, targets);
    const authorization = token && { authorization: `Bearer ${token}` };
    const { method } = operation;
    const reply = await http.inject({
      method,
      url: pathOf(operation, targets),
      headers: { ...headers, ...authorization },
    });
    assert.ok([404, 405].includes(reply.statusCode), operation.id);
  }
  await http.close();
});

test('the operator’s operations are unknown paths on the port, and not in the OpenAPI document', async () => {
  const { paths } = (await call('GET', '/openapi.json', { token: null })).json;
  for (const [, { method, path }] of operationsFor(operatorCredentials)) {
    assert.equal(paths[path]?.[method.toLowerCase()], undefined, path);
    const reply = await call(method, path.replaceAll(/\{\w+\}/g, 'x'));
    assert.deepEqual(codeOf(reply), [404, 'not_found'], path);
  }
});

test('where several credentials are taken, an Authorization header decides, and no cookie beside it is read', async () => {
  const { http, tenantCache } = buildApp(deps);
  const accessChecks = prepareAccess(deps, portCredentials, {
    tenantCache,
    lastSeen: new LastSeen(deps),
    lastUsed: new LastUsed(deps),
    firstUses: new FirstUses(deps),
  });
  const path = '/v1/either/{botId}';
  const answer = { status: 200, description: '', schema: z.strictObject({ name: z.string().optional() }) } as const;
  const credentials = ['session', 'secret'] as const;
  const permissions = ['contacts:read'] as const;
  const head = { id: 'x.y', method: 'GET', path, summary: '' } as const;
  const either = { ...head, credentials, permissions, answer } as const satisfies Operation;
  mount({ http, isStrict: true, accessChecks, ...shares(), onFile() {} }, either, ({ session }) => ({
    body: { name: session?.member.name },
  }));
  const ask = (headers: Record<string, string>) => http.inject({ url: `/v1/either/${mine.bot.id}`, headers });
  const session = owner.page.headers();
  const secret = { authorization: `Bearer ${mine.secret}` };
  assert.equal((await ask(session)).json().name, owner.member.name);
  assert.deepEqual((await ask(secret)).json(), {});
  assert.deepEqual((await ask({ ...session, ...secret })).json(), {});
  assert.equal((await ask({ ...session, authorization: 'Bearer wrong' })).statusCode, 401);
  assert.equal((await ask({})).statusCode, 401);
  await http.close();
});
