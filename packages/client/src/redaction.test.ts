// No secret is in anything that a log may contain: errors, their causes, inspections and JSON.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { inspect } from 'node:util';
import { closedAddress, type Fault } from '../test/fault-proxy.ts';
import { badGateway } from '../test/faults.ts';
import { clientOf, clientThrough, rejectionOf, startServer, wholeFile } from '../test/harness.ts';
import { Roster, UnauthorizedError } from './index.ts';
import { makeRedactor, reasonOf, redactCause } from './redaction.ts';

const server = await startServer(wholeFile);
const { secret } = server.mine;
const contactToken = `c:${'x'.repeat(43)}`;
const secrets = [secret, contactToken, encodeURIComponent(contactToken)];

/** Every form in which a log may contain a value. */
function logForms(value: unknown): string {
  const error = value as Partial<Error>;
  return [
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
    JSON.stringify(value),
    JSON.stringify(Object.getOwnPropertyDescriptors(value)),
    String(value),
    error?.stack,
  ].join('\n');
}

function assertHasNoSecret(value: unknown): void {
  const logged = logForms(value);
  for (const text of secrets) assert.ok(!logged.includes(text), `a secret is in ${logged}`);
}

suite('a client', () => {
  test('shows its address and bot, and no secret, when it is inspected or written as JSON', () => {
    const roster = clientOf(server);
    assertHasNoSecret(roster);
    assertHasNoSecret([roster.contacts, roster.auth.contacts]);
    assert.match(inspect(roster), new RegExp(`botId: '${server.mine.bot.id}'`));
    assert.deepEqual(JSON.parse(JSON.stringify(roster)).baseUrl, server.url);
  });

  test('takes the secret by its earlier name too, and does not show it', async () => {
    const roster = new Roster({ orgToken: secret, botId: server.mine.bot.id, baseUrl: server.url });
    assert.equal((await roster.contacts.search({ limit: 1 })).status, 200);
    assertHasNoSecret(roster);
    const changed = roster.withOptions({ orgToken: `rst_${'0'.repeat(46)}` });
    await assert.rejects(changed.contacts.search({ limit: 1 }), UnauthorizedError);
    assert.equal((await changed.withOptions({ secret }).contacts.search({ limit: 1 })).status, 200);
  });

  test('that rejects its options does not quote the secret', () => {
    for (const wrong of [`${secret}\n`, ` ${secret}`, `Bearer ${secret}`, `${secret}é`]) {
      assert.throws(
        () => clientOf(server, { secret: wrong }),
        (error) => {
          assertHasNoSecret(error);
          return /secret/.test(String(error));
        },
      );
    }
    for (const wrong of ['', undefined, 7]) {
      assert.throws(() => clientOf(server, { secret: wrong as string }), /secret is missing/);
    }
  });
});

suite('an error', () => {
  const revoke = (roster: Roster) => rejectionOf(roster.auth.contacts.revoke({ contactToken }));

  test('of the server, a gateway, a redirect or a broken connection contains no secret', async () => {
    const leak = `you sent ${secret} to /auth/contacts/${encodeURIComponent(contactToken)} for ${contactToken}`;
    const problem = {
      type: 'about:blank',
      title: 'Teapot',
      status: 418,
      code: leak,
      detail: leak,
      requestId: leak,
    };
    const faults: Fault[] = [
      'pass',
      'drop request',
      badGateway,
      { status: 418, body: JSON.stringify(problem) },
      { status: 500, body: leak, headers: { 'x-request-id': leak } },
      { status: 302, headers: { location: `https://elsewhere.example/${contactToken}` } },
      { status: 200, body: leak },
    ];
    for (const fault of faults) {
      const { roster } = await clientThrough(server, [fault], { maxRetries: 0 });
      assertHasNoSecret(await revoke(roster));
    }
    const unreachable = clientOf(server, { baseUrl: await closedAddress(), maxRetries: 0 });
    assertHasNoSecret(await revoke(unreachable));
    assertHasNoSecret(await rejectionOf(unreachable.contacts.search({}, { timeoutMs: 1 })));
  });

  test('of a fetch that quotes the whole request contains no secret', async () => {
    const roster = clientOf(server, {
      maxRetries: 0,
      fetch(url, init) {
        const inner = Object.assign(new Error(`${url} failed`), { code: `E ${init.headers['Authorization']}` });
        return Promise.reject(Object.assign(new Error(JSON.stringify(init), { cause: inner }), { url, init }));
      },
    });
    const error = await revoke(roster);
    assertHasNoSecret(error);
    assert.match(logForms(error), /\[redacted\]/);
    const throwing = clientOf(server, { maxRetries: 0, fetch: (url) => Promise.reject(url) });
    assertHasNoSecret(await revoke(throwing));
  });
});

suite('redaction', () => {
  test('removes the whole of a secret that contains another one', () => {
    assert.equal(makeRedactor(['abc', 'abcdef'])('xabcdefx abc'), 'x[redacted]x [redacted]');
  });

  test('keeps the chain of causes with names and codes up to a depth, so that a cycle ends', () => {
    const cycle = Object.assign(new TypeError('outer'), { code: 'E_OUTER' });
    cycle.cause = cycle;
    const copy = redactCause(cycle, (text) => text);
    assert.deepEqual([copy?.name, copy?.message, (copy as { code?: string }).code], ['TypeError', 'outer', 'E_OUTER']);
    assert.equal(reasonOf(copy), 'outer');
  });
});
