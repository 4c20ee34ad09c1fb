// Canaries in every header, parameter, path segment and body field of every operation, at the most talkative log
// level: none may reach the log, and none an error beyond what the contract lets it quote.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Operation } from '@roster/contract';
import * as z from 'zod';
import { makeContactToken, makeSecret, makeToken } from '../../src/account/credentials.ts';
import { makeId } from '../../src/contacts/ids.ts';
import type { Store } from '../../src/store/store.ts';
import { type CallOptions, createContact, metricsToken, type Reply, startServer } from '../harness.ts';
import {
  allOperations,
  fillSchema,
  keepTargets,
  lettingIn,
  pathOf,
  type Targets,
  wholeFile,
} from './every-operation.ts';
import { head, RawClient } from './raw-client.ts';

/** What the next call of the store throws, on every method that a request reaches. */
let storeFailure: Error | undefined;

const server = await startServer(wholeFile, {
  wrapStore: (store) =>
    new Proxy(store, {
      get(target, name: keyof Store) {
        const method = target[name];
        if (!['searchContacts', 'createContact', 'upsertContacts', 'updateContact'].includes(name)) return method;
        return (...args: unknown[]) =>
          storeFailure ? Promise.reject(storeFailure) : (method as (...all: unknown[]) => unknown)(...args);
      },
    }),
});
const { call, mine, theirs, url } = server;
const kept = keepTargets(server);

/** Looks for thousands of words at once: one after the other, in every answer, they would take half of this file's time. */
class Seeds {
  /** The shortest canary. */
  static readonly startLength = 14;
  readonly #byStart = new Map<string, string[]>();

  constructor(seeds: readonly string[]) {
    this.add(...seeds);
  }

  add(...seeds: readonly string[]): void {
    for (const seed of seeds) {
      assert.ok(seed.length >= Seeds.startLength, seed);
      const start = seed.slice(0, Seeds.startLength);
      this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), seed]);
    }
  }

  findIn(text: string): string | undefined {
    for (let at = 0; at <= text.length - Seeds.startLength; at++) {
      const found = this.#byStart
        .get(text.slice(at, at + Seeds.startLength))
        ?.find((seed) => text.startsWith(seed, at));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

let planted = 0;

/** What must not turn up: canaries, secrets, contact tokens, sessions and what belongs to them. */
const seeds = new Seeds([mine.secret, theirs.secret]);

/**
 * A word that nothing else contains. Digits only where a phone number is wanted: of any shape but those that the
 * rounding of a sum leaves in a metric, such as 0.030995770000000446.
 */
function canary(field = ''): string {
  const number = String(++planted).padStart(6, '0');
  // The value of a channel of the first type is a number of WhatsApp too.
  const isNumber = field === 'wid' || field === 'value';
  const seed = isNumber ? `314159265${number}` : `kanarie${number}q`;
  seeds.add(seed);
  if (isNumber) return `+${seed}`;
  // Where a word that nothing else contains would not be valid.
  if (field === 'color') return '#2f6fed';
  if (field === 'organizationId') return makeId('organization', 1);
  if (['gte', 'gt', 'lte', 'lt'].includes(field)) return '-30d';
  if (field === 'expiresAt') return '2099-12-31T00:00:00.000Z';
  if (field === 'allowedOrigins' || field === 'url') return `https://${seed}.example`;
  // Of a replay: from the oldest event on.
  if (field === 'after') return '';
  return field === 'email' ? `${seed}@example.com` : seed;
}

/** Lines that were looked at. A seed that is planted later cannot be in them. */
let checkedLines = 0;

function assertNotLogged(what: string): void {
  const log = server.logged.slice(checkedLines).join('');
  checkedLines = server.logged.length;
  const seed = seeds.findIn(log);
  if (seed === undefined) return;
  assert.fail(`${what}: ${seed} is in the log: ${server.logged.find((line) => line.includes(seed))}`);
}

/** Names of the query parameters of an operation, those that it does not know included. */
function queryOf(operation: Operation): URLSearchParams {
  const known =
    operation.query === undefined
      ? {}
      : (z.toJSONSchema(operation.query, { io: 'input', unrepresentable: 'any' }).properties ?? {});
  const parameters = new URLSearchParams({ token: canary(), [canary()]: canary() });
  for (const name of Object.keys(known)) parameters.set(name, canary());
  return parameters;
}

function headersWithCanaries(): Record<string, string> {
  return Object.fromEntries(
    [
      'user-agent',
      'referer',
      'cookie',
      'x-request-id',
      'request-id',
      'traceparent',
      'x-forwarded-for',
      'forwarded',
      'origin',
    ]
      .concat(['accept', 'accept-language', 'x-api-key', 'if-none-match', `x-${canary()}`])
      .map((name) => [name, canary()]),
  );
}

/** An error may quote nothing that was sent, but the email of `email_taken`. */
function assertQuotesNothing(reply: Reply, what: string): void {
  if (reply.status < 400) return;
  const text = reply.json.code === 'email_taken' ? reply.text.replace(/the email \S+ already/, '') : reply.text;
  const seed = seeds.findIn(text);
  if (seed !== undefined) assert.fail(`${what} quotes ${seed}: ${reply.text}`);
}

for (const operation of allOperations) {
  suite(operation.id, () => {
    const { body } = operation;

    test('a valid request leaves no trace in the log', async () => {
      const targets = await kept.current();
      seeds.add(targets.token);
      const { headers: needed, ...credential } = await lettingIn(operation, server, targets);
      seeds.add(...tokensIn(needed));
      const sent = body && fillSchema(body.schema, canary);
      const reply = await call(operation.method, pathOf(operation, targets), {
        ...credential,
        headers: { ...headersWithCanaries(), ...needed, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: sent }),
      });
      kept.note(operation, reply);
      if (typeof reply.json?.token === 'string') seeds.add(reply.json.token);
      for (const line of reply.headers.getSetCookie()) seeds.add(...tokensIn({ cookie: line.split(';')[0] ?? '' }));
      seeds.add(...Object.values(reply.json?.data ?? {}).filter(isTold));
      // An identity made of canaries names no contact, and a forwarded request is no operator's.
      const ofPassword = ['signIn', 'changePassword', 'confirmPassword', 'update'].map((name) => `account.${name}`);
      const isGuess = ['account.setUp', ...ofPassword].includes(operation.id);
      const expected = [
        operation.answer.status,
        ...(operation.answer.changed ? [operation.answer.changed.status] : []),
        ...(body ? [404] : []),
        ...(operation.credentials.includes('metrics') || isGuess ? [401] : []),
      ];
      assert.ok(expected.includes(reply.status), reply.text);
      assertQuotesNothing(reply, 'the answer');
      assertNotLogged('a valid request');
    });

    test('an invalid request leaves no trace in the log, and its error quotes nothing', async () => {
      const targets = await kept.current();
      seeds.add(targets.token);
      const path = pathOf(operation, targets);
      const oddPath = pathOf(operation, { ...strangeTargets(), botId: mine.bot.id, deletedBotId: canary() });
      const strangePath = pathOf(operation, { ...strangeTargets(), token: `c:${canary()}` });
      const { headers: needed, ...credential } = await lettingIn(operation, server, targets);
      seeds.add(...tokensIn(needed));
      // Each is tried by whoever is let in, unless it is about the credential itself.
      const asSelf = (options: CallOptions = {}): CallOptions => ({
        ...credential,
        ...options,
        headers: { ...needed, ...options.headers },
      });
      const asSecret = { token: null, headers: { authorization: `Bearer ${canary()}` } };
      const json = { 'content-type': 'application/json' };
      const attempts: [path: string, options: CallOptions][] = [
        [`${path}?${queryOf(operation)}`, asSelf()],
        [oddPath, asSelf()],
        [strangePath, asSelf()],
        [`${path}/${canary()}`, asSelf()],
        [`${path}%zz${canary()}`, asSelf()],
        [
          path,
          { token: null, headers: { ...needed, cookie: `roster=${canary()}; __Host-roster=${makeCookieCanary()}` } },
        ],
        [path, { token: null, headers: { ...needed, origin: `https://${canary()}.example` } }],
        [path, { token: null, headers: { ...needed, 'roster-csrf': canary() } }],
        [path, asSecret],
        [path, { token: makeSecretCanary() }],
        [path, { token: makeTokenCanary() }],
        [path, { token: null, headers: { authorization: canary(), 'proxy-authorization': canary() } }],
      ];
      if (operation.method !== 'GET') {
        attempts.push(
          [path, asSelf({ body: `{"name":"${canary()}`, headers: json })],
          [path, asSelf({ body: `${canary()}`, headers: json })],
          [path, asSelf({ body: { [canary()]: canary(), data: [{ [canary()]: 1 }, canary()] } })],
          [
            path,
            asSelf({ body: body ? fillSchema(body.schema, (field) => `${canary(field)}\0${canary()}`) : canary() }),
          ],
          [path, asSelf({ body: body ? fillSchema(body.schema, () => canary().repeat(100)) : canary() })],
          [path, asSelf({ body: canary(), headers: { 'content-type': `text/${canary()}` } })],
          [path, asSelf({ body: canary(), headers: { 'content-type': canary() } })],
          [path, asSelf({ body: canary(), headers: { 'content-type': `multipart/form-data; boundary=${canary()}` } })],
          [path, asSelf({ body: new URLSearchParams({ id: canary(), email: canary('email'), [canary()]: canary() }) })],
          [path, asSelf({ body: new URLSearchParams(`${canary()}=1&id=${canary()}&id=${canary()}`) })],
          [path, asSelf({ body: canary(), headers: { ...json, 'content-encoding': canary() } })],
        );
      }
      server.clock.nowMs += 60_000;
      for (const [target, options] of attempts) {
        const reply = await call(operation.method, target, options);
        kept.note(operation, reply);
        assertQuotesNothing(reply, `${operation.method} ${target}`);
        assertNotLogged(`${operation.method} ${target} ${JSON.stringify(options)}`);
      }
    });

    test('a method that the path does not take leaves no trace', async () => {
      const path = pathOf(operation, strangeTargets());
      assertQuotesNothing(await call('PROPFIND', `${path}?${canary()}`, { token: canary() }), path);
      assertNotLogged('another method');
    });
  });
}

function strangeTargets(): Targets {
  const names = [
    'botId',
    'contactId',
    'token',
    'tokenId',
    'key',
    'tag',
    'webhookId',
    'eventId',
    'secretId',
    'memberId',
    'sessionId',
    'invitationId',
    'version',
    'file',
    'page',
    'section',
    'subpage',
    'guideFile',
  ];
  return Object.fromEntries(names.map((name) => [name, canary()])) as unknown as Targets;
}

/** The values of a session's headers. */
function tokensIn(headers: Record<string, string> = {}): string[] {
  const [, session = ''] = (headers['cookie'] ?? '').split('=');
  return [session, headers['Roster-Csrf'] ?? ''].filter((value) => value !== '');
}

/** What an answer shows once: a secret, a link, a session's token. */
function isTold(value: unknown): value is string {
  return (
    typeof value === 'string' && [/^rst_\w{46}$/, /^whsec_/, /^[\w-]{43}$/, /#\//].some((form) => form.test(value))
  );
}

function makeCookieCanary(): string {
  const token = makeToken();
  seeds.add(token);
  return token;
}

/** In the right form, so that they are looked up; the lookups must not tell either. */
function makeSecretCanary(): string {
  const secret = makeSecret();
  seeds.add(secret);
  return secret;
}

function makeTokenCanary(): string {
  const token = makeContactToken();
  seeds.add(token);
  return token;
}

suite('what is stored or malformed', () => {
  test('an email that is taken is quoted to the caller, and not to the log', async () => {
    const email = canary('email');
    const { id } = await createContact(call, {
      email,
      name: canary(),
      phone: canary(),
      mid: canary(),
      wid: canary('wid'),
    });
    const reply = await call('PUT', 'contacts', { body: { name: canary(), email } });
    assert.equal(reply.json.code, 'email_taken');
    const other = await createContact(call);
    await call('PATCH', `contacts/${other.id}`, { body: { email } });
    await call('PATCH', 'contacts', { body: { data: [{ email, phone: canary() }] } });
    await call('GET', `contacts?query=${canary()}`);
    await call('POST', `contacts?query=${encodeURIComponent(`"${canary()}' OR 1=1 \0`)}`);
    await call('GET', `contacts/${id}`);
    await call('GET', 'export');
    assertNotLogged('stored contacts');
  });

  test('contact tokens are issued, used, revoked and refused without a trace', async () => {
    const email = canary('email');
    const { id } = await createContact(call, { email });
    for (const [method, path, body] of [
      ['POST', 'auth/contact', { id }],
      ['PUT', 'auth/contacts', { email }],
      ['POST', 'auth/contacts', new URLSearchParams({ email })],
    ] as const) {
      const { json } = await call(method, path, { body });
      const token: string = (json.data ?? json).token;
      seeds.add(token);
      assert.equal((await call('GET', 'auth/contact', { token })).status, 200);
      assertQuotesNothing(await call('GET', 'contacts', { token }), 'a contact token as a secret');
      assertQuotesNothing(await call('GET', `contacts?token=${token}&page=${token}`), 'a contact token as a page');
      assert.equal((await call('DELETE', `auth/contacts/${token}`)).status, 204);
      assertQuotesNothing(await call('DELETE', `auth/contacts/${token}`), 'a revoked token in a path');
      assertQuotesNothing(await call('GET', `auth/contacts/${token}`), 'a token in a path of another method');
      assertQuotesNothing(await call('DELETE', `auth/contacts/${mine.secret}`), 'a secret in a path');
      assertQuotesNothing(await call('PUT', 'contacts', { body: { name: token, email: mine.secret } }), 'in a field');
    }
    assertNotLogged('contact tokens');
  });

  test('a token in the address of the widget’s script leaves no trace, whatever comes of it', async () => {
    const token = makeTokenCanary();
    const query = `?bot=${mine.bot.id}&token=${token}`;
    for (const path of ['/widget.js', '/widget/integrity.json', `/widget/${token}/widget.js`, '/widget.js/x']) {
      const replies = [
        await call('GET', path + query, { token: null, headers: headersWithCanaries() }),
        await call('GET', path + query, { token: null, headers: { referer: `http://site.example/${query}` } }),
        await call('POST', path + query, { token: null }),
      ];
      for (const reply of replies) {
        assert.ok(!reply.text.includes(token) && ![...reply.headers.values()].join().includes(token), path);
      }
    }
    assertNotLogged('the widget’s script');
  });

  test('malformed HTTP leaves no trace in the log, and its error quotes nothing', async () => {
    const requests = [
      `${canary()}\r\n\r\n`,
      `GET /${canary()} ${canary()}\r\n\r\n`,
      `GET /v1/bots/${canary()}?q=a ${canary()} HTTP/1.1\r\nHost: x\r\n\r\n`,
      head(`${canary().toUpperCase()} /`),
      `GET / HTTP/1.1\r\n${canary()} ${canary()}: x\r\nAuthorization: Bearer ${mine.secret}\r\n\r\n`,
      head(`GET /${canary()}`, { Authorization: `Bearer ${mine.secret}`, a: canary().repeat(2000) }),
      head(`PUT /v1/bots/${mine.bot.id}/contacts`, {
        'Content-Length': canary(),
        Authorization: `Bearer ${mine.secret}`,
      }),
      `${head(`PUT /v1/bots/${mine.bot.id}/contacts`, { 'Transfer-Encoding': 'chunked', Authorization: `Bearer ${mine.secret}` })}${canary()}\r\n`,
      head('GET /healthz', { Expect: canary() }),
    ];
    for (const request of requests) {
      const client = await RawClient.open(url);
      client.write(request);
      const { body } = await client.answer();
      client.destroy();
      assert.equal(seeds.findIn(body), undefined, body);
      assertNotLogged(request.slice(0, 80));
    }
  });

  test('an unexpected failure is logged with its cause, and with nothing of the request', async () => {
    storeFailure = new Error('the cause that an operator needs');
    const path = `contacts/${(await makeTargetsWithoutStore()).contactId}`;
    const fields = () => ({ name: canary(), email: canary('email'), phone: canary() });
    const replies = [
      await call('GET', `contacts?query=${canary()}`, { headers: headersWithCanaries() }),
      await call('PUT', 'contacts', { body: fields() }),
      await call('PATCH', 'contacts', { body: { data: [fields()] } }),
      await call('PATCH', path, { body: fields() }),
    ];
    storeFailure = undefined;
    for (const reply of replies) {
      assert.equal(reply.status, 500);
      assertQuotesNothing(reply, 'a failure');
      const line = server.logged.find((each) => each.includes(reply.json.requestId) && each.includes('"err"')) ?? '';
      assert.match(line, /the cause that an operator needs/);
    }
    assertNotLogged('a failure');
  });

  test('every request is logged, by operation and status, so that the silence above means something', async () => {
    const operations = new Set(server.logged.map((line) => JSON.parse(line).operation));
    for (const { id } of allOperations) assert.ok(operations.has(id), id);
    assert.ok(planted > 500, `${planted} canaries`);
  });

  test('metrics hold no canary either', async () => {
    const { text } = await call('GET', '/metrics', { token: metricsToken });
    assert.equal(seeds.findIn(text), undefined);
    assert.ok(!text.includes(mine.bot.id));
  });
});

async function makeTargetsWithoutStore(): Promise<{ contactId: string }> {
  const failure = storeFailure;
  storeFailure = undefined;
  const contact = await createContact(call);
  storeFailure = failure;
  return { contactId: contact.id };
}
