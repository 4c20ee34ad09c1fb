// No secret in anything that the client shows: errors, their causes, inspections and JSON.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { inspect } from 'node:util';
import { closedAddress, type Fault } from '../test/fault-proxy.ts';
import { badGateway } from '../test/faults.ts';
import { clientOf, clientThrough, rejectionOf, startServer, wholeFile } from '../test/harness.ts';
import type { Roster } from './index.ts';
import { makeRedactor, reasonOf, redactCause } from './redaction.ts';

const server = await startServer(wholeFile);
const { secret } = server.mine;
const contactToken = `c:${'x'.repeat(43)}`;
const secrets = [secret, contactToken, encodeURIComponent(contactToken)];

/** Everything that a log could make of a value. */
function showings(value: unknown): string {
  const error = value as Partial<Error>;
  return [
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
    JSON.stringify(value),
    JSON.stringify(Object.getOwnPropertyDescriptors(value)),
    String(value),
    error?.stack,
  ].join('\n');
}

function assertKeepsSecrets(value: unknown): void {
  const shown = showings(value);
  for (const text of secrets) assert.ok(!shown.includes(text), `a secret is in ${shown}`);
}

suite('a client', () => {
  test('shows its address and bot when it is inspected or written as JSON, and no secret', () => {
    const roster = clientOf(server);
    assertKeepsSecrets(roster);
    assertKeepsSecrets([roster.contacts, roster.auth.contacts]);
    assert.match(inspect(roster), new RegExp(`botId: '${server.mine.bot.id}'`));
    assert.deepEqual(JSON.parse(JSON.stringify(roster)).baseUrl, server.url);
  });

  test('that cannot be made does not repeat the secret it was given', () => {
    for (const orgToken of [`${secret}\n`, ` ${secret}`, `Bearer ${secret}`, `${secret}é`]) {
      assert.throws(
        () => clientOf(server, { orgToken }),
        (error) => {
          assertKeepsSecrets(error);
          return /orgToken/.test(String(error));
        },
      );
    }
    for (const orgToken of ['', undefined, 7]) {
      assert.throws(() => clientOf(server, { orgToken: orgToken as string }), /orgToken is missing/);
    }
  });
});

suite('an error', () => {
  const revoke = (roster: Roster) => rejectionOf(roster.auth.contacts.revoke({ contactToken }));

  test('of the server, a gateway, a redirect or a broken connection holds no secret', async () => {
    const gossip = `you sent ${secret} to /auth/contacts/${encodeURIComponent(contactToken)} for ${contactToken}`;
    const problem = {
      type: 'about:blank',
      title: 'Teapot',
      status: 418,
      code: gossip,
      detail: gossip,
      requestId: gossip,
    };
    const faults: Fault[] = [
      'pass',
      'drop request',
      badGateway,
      { status: 418, body: JSON.stringify(problem) },
      { status: 500, body: gossip, headers: { 'x-request-id': gossip } },
      { status: 302, headers: { location: `https://elsewhere.example/${contactToken}` } },
      { status: 200, body: gossip },
    ];
    for (const fault of faults) {
      const { roster } = await clientThrough(server, [fault], { maxRetries: 0 });
      assertKeepsSecrets(await revoke(roster));
    }
    const unreachable = clientOf(server, { baseUrl: await closedAddress(), maxRetries: 0 });
    assertKeepsSecrets(await revoke(unreachable));
    assertKeepsSecrets(await rejectionOf(unreachable.contacts.search({}, { timeoutMs: 1 })));
  });

  test('of a fetch that quotes the whole request holds no secret', async () => {
    const roster = clientOf(server, {
      maxRetries: 0,
      fetch(url, init) {
        const inner = Object.assign(new Error(`${url} failed`), { code: `E ${init.headers['Authorization']}` });
        return Promise.reject(Object.assign(new Error(JSON.stringify(init), { cause: inner }), { url, init }));
      },
    });
    const error = await revoke(roster);
    assertKeepsSecrets(error);
    assert.match(showings(error), /\[redacted\]/);
    const throwing = clientOf(server, { maxRetries: 0, fetch: (url) => Promise.reject(url) });
    assertKeepsSecrets(await revoke(throwing));
  });
});

suite('redaction', () => {
  test('leaves nothing of a secret that contains another', () => {
    assert.equal(makeRedactor(['abc', 'abcdef'])('xabcdefx abc'), 'x[redacted]x [redacted]');
  });

  test('keeps the chain of causes with names and codes, up to a depth, and ends on a cycle', () => {
    const cycle = Object.assign(new TypeError('outer'), { code: 'E_OUTER' });
    cycle.cause = cycle;
    const copy = redactCause(cycle, (text) => text);
    assert.deepEqual([copy?.name, copy?.message, (copy as { code?: string }).code], ['TypeError', 'outer', 'E_OUTER']);
    assert.equal(reasonOf(copy), 'outer');
  });
});
