// Limits: none on valid secrets unless asked for, and never on one caller for another's sins.
import assert from 'node:assert/strict';
import { beforeEach, suite, test } from 'node:test';
import { makeContactToken } from '../../src/account/credentials.ts';
import { signInAs } from '../console-client.ts';
import { callerOf, codeOf, createContact, type Reply, startServer } from '../harness.ts';
import { callerOfNewBot, makeTargets, parseProblem, wholeFile } from './every-operation.ts';
import { head, RawClient } from './raw-client.ts';

interface Stated {
  policy: string;
  remaining: number;
  resetSeconds: number;
}

/** What the RateLimit headers say, by draft-ietf-httpapi-ratelimit-headers. */
function statedBy(headers: Headers): Stated | undefined {
  const [, policy, remaining, reset] = /^"([\w-]+)";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  if (policy === undefined) return undefined;
  assert.match(headers.get('ratelimit-policy') ?? '', new RegExp(`^"${policy}";q=\\d+;w=60$`));
  return { policy, remaining: Number(remaining), resetSeconds: Number(reset) };
}

function assertRefused(reply: Reply): void {
  assert.deepEqual(codeOf(reply), [429, 'rate_limited']);
  parseProblem({ ...reply, body: reply.text });
  const stated = statedBy(reply.headers);
  assert.equal(stated?.remaining, 0);
  assert.equal(reply.headers.get('retry-after'), String(stated?.resetSeconds));
  assert.ok(Number(reply.headers.get('retry-after')) >= 1);
}

/** Sends one request many times on one connection, without waiting between them, and counts the statuses. */
async function flood(url: string, request: string, count: number): Promise<Record<number, number>> {
  const client = await RawClient.open(url);
  const statuses: Record<number, number> = {};
  for (let sent = 0; sent < count; sent += 100) {
    const batch = Math.min(100, count - sent);
    client.write(request.repeat(batch));
    for (let i = 0; i < batch; i++) {
      const { status } = await client.answer();
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }
  client.destroy();
  return statuses;
}

const plain = await startServer(wholeFile);
const limited = await startServer(wholeFile, { storeOf: plain, config: { rateLimitPerMinute: 4 } });
const proxied = await startServer(wholeFile, { storeOf: plain, config: { trustProxy: 1 } });

/** The suites share the servers, so each test starts in another minute. Outside of a suite, other files of the process would run it too. */
const beginWithNewMinutes = () =>
  beforeEach(() => {
    for (const { clock } of [plain, limited, proxied]) clock.nowMs += 60_000;
  });

suite('organizations', () => {
  beginWithNewMinutes();

  test('there is no limit on valid secrets by default', async () => {
    const { url, mine } = plain;
    const request = head(`GET /v1/bots/${mine.bot.id}/contacts/x`, { Authorization: `Bearer ${mine.secret}` });
    assert.deepEqual(await flood(url, request, 1500), { 404: 1500 });
  });

  test('ROSTER_RATE_LIMIT counts per organization and minute, over all its bots', async () => {
    const { call, clock, theirs, url } = limited;
    const otherBot = await callerOfNewBot(limited);
    for (const [i, ask] of [call, otherBot, call, otherBot].entries()) {
      const reply = await ask('GET', 'contacts');
      assert.equal(reply.status, 200);
      assert.deepEqual(statedBy(reply.headers), { policy: 'organization', remaining: 3 - i, resetSeconds: 60 });
    }
    clock.nowMs += 15_000;
    assertRefused(await call('GET', 'contacts'));
    assertRefused(await otherBot('PUT', 'contacts', { body: {} }));
    assert.equal((await call('GET', 'contacts')).headers.get('retry-after'), '45');
    assert.equal((await callerOf(url, theirs)('GET', 'contacts')).status, 200, 'another organization has its own');
    clock.nowMs += 45_000;
    assert.equal((await call('GET', 'contacts')).status, 200);
  });

  test('ROSTER_RATE_LIMIT counts what members do in the console, with what secrets do', async () => {
    const { page } = await signInAs(limited, 'owner');
    assert.equal((await limited.call('GET', 'contacts')).status, 200);
    for (let count = 0; count < 3; count++) assert.equal((await page.call('GET', 'bots')).status, 200);
    assertRefused(await page.call('GET', 'bots'));
    assertRefused(await page.call('PATCH', 'organization', { body: { name: 'New' } }));
    assertRefused(await limited.call('GET', 'contacts'));
  });

  test('errors of a limited organization carry the headers too', async () => {
    for (const [method, path] of [
      ['GET', 'contacts/x'],
      ['GET', '/v1/bots/x/contacts'],
      ['PUT', 'contacts'],
      ['GET', 'contacts?page=0'],
    ] as const) {
      const reply = await limited.call(method, path);
      assert.ok(reply.status >= 400 && reply.status < 429, reply.text);
      assert.equal(statedBy(reply.headers)?.policy, 'organization');
    }
  });

  test('a wrong credential does not use up the limit of an organization', async () => {
    const { call, mine } = limited;
    const mistyped = mine.secret.slice(0, -1);
    for (let i = 0; i < 5; i++) assert.equal((await call('GET', 'contacts', { token: mistyped })).status, 401);
    assert.equal(statedBy((await call('GET', 'contacts')).headers)?.remaining, 3);
  });
});

suite('wrong credentials', () => {
  beginWithNewMinutes();

  test('600 a minute and address are answered with 401, more with 429, and a valid secret is never refused', async () => {
    const { call, clock, url, mine } = plain;
    const { token } = await makeTargets(plain);
    const target = `GET /v1/bots/${mine.bot.id}/contacts`;
    assert.deepEqual(await flood(url, head(target, { Authorization: 'Bearer wrong' }), 599), { 401: 599 });
    const last = await call('GET', 'contacts', { token: null });
    assert.deepEqual(codeOf(last), [401, 'unauthorized']);
    assert.deepEqual(statedBy(last.headers), { policy: 'credentials', remaining: 0, resetSeconds: 60 });
    assertRefused(await call('GET', 'contacts', { token: 'wrong' }));
    assertRefused(await call('PUT', 'contacts', { token: null }));
    assertRefused(await call('GET', 'auth/contact', { token: 'wrong' }));
    for (let i = 0; i < 20; i++) assert.equal((await call('GET', 'contacts')).status, 200);
    assert.equal((await call('GET', 'auth/contact', { token })).status, 200);
    assert.equal((await call('GET', '/healthz', { token: null })).status, 200);
    clock.nowMs += 60_000;
    assert.deepEqual(codeOf(await call('GET', 'contacts', { token: 'wrong' })), [401, 'unauthorized']);
  });

  test('a client cannot choose its address: X-Forwarded-For is not believed without a proxy', async () => {
    const { call, url, mine } = plain;
    await flood(url, head(`GET /v1/bots/${mine.bot.id}/contacts`), 600);
    const headers = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7' };
    assertRefused(await call('GET', 'contacts', { token: null, headers }));
  });

  const from = (address: string) => ({ 'X-Forwarded-For': address });
  /** Of the attempts of a client that the proxy states like this, after one more. */
  const remainingOf = async (stated: string) => {
    const reply = await proxied.call('GET', 'contacts', { token: null, headers: from(stated) });
    return statedBy(reply.headers)?.remaining;
  };

  test('behind a trusted proxy each client has its own count, by the address that the proxy added', async () => {
    const { call, url, mine } = proxied;
    await flood(url, head(`GET /v1/bots/${mine.bot.id}/contacts`, from('203.0.113.7')), 600);
    assertRefused(await call('GET', 'contacts', { token: null, headers: from('203.0.113.7') }));
    assertRefused(await call('GET', 'contacts', { token: null, headers: from('198.51.100.1, 203.0.113.7') }));
    const neighbour = await call('GET', 'contacts', { token: null, headers: from('203.0.113.8') });
    assert.deepEqual(codeOf(neighbour), [401, 'unauthorized']);
  });

  test('a port is no part of an address, and whatever is no address shares one count', async () => {
    assert.equal(await remainingOf('198.51.100.20:1'), 599);
    assert.equal(await remainingOf('198.51.100.20:2'), 598);
    assert.equal(await remainingOf('[2001:db8:9::1]:443'), 599);
    assert.equal(await remainingOf('2001:db8:9::2'), 598);
    assert.equal(await remainingOf('unknown'), 599);
    assert.equal(await remainingOf('_another'), 598);
  });

  test('whoever reaches the port from elsewhere than a private network is no proxy, and invents no address', async () => {
    const remainingOf = async (address: string) => {
      const url = `/v1/bots/${proxied.mine.bot.id}/contacts`;
      const { headers } = await proxied.app.http.inject({ url, remoteAddress: '203.0.113.99', headers: from(address) });
      return statedBy(new Headers(headers as Record<string, string>))?.remaining;
    };
    assert.equal(await remainingOf('198.51.100.30'), 599);
    assert.equal(await remainingOf('198.51.100.31'), 598);
  });

  test('IPv6 clients are counted by their /64', async () => {
    assert.equal(await remainingOf('2001:db8:1:2::1'), 599);
    assert.equal(await remainingOf('2001:db8:1:2:ffff:ffff:ffff:ffff'), 598);
    assert.equal(await remainingOf('2001:db8:1:3::1'), 599);
  });

  test('a named proxy is believed, another one is not', async (t) => {
    for (const [network, isBelieved] of [
      ['127.0.0.0/8', true],
      ['10.0.0.0/8', false],
    ] as const) {
      const { call } = await startServer(t, { storeOf: plain, config: { trustProxy: [network] } });
      await call('GET', 'contacts', { token: null, headers: from('203.0.113.7') });
      const other = await call('GET', 'contacts', { token: null, headers: from('203.0.113.8') });
      assert.equal(statedBy(other.headers)?.remaining, isBelieved ? 599 : 598, network);
    }
  });
});

suite('the widget’s operations', () => {
  beginWithNewMinutes();

  test('they are counted per address, say so, and refuse beyond the limit with headers that a page can read', async () => {
    const { call, url, mine, clock } = plain;
    const first = await call('GET', 'widget', { token: null });
    const stated = statedBy(first.headers);
    assert.equal(stated?.policy, 'widget');
    const rest = stated?.remaining ?? 0;
    assert.ok(rest >= 1000, 'an office behind one address is not hit');
    assert.deepEqual(await flood(url, head(`GET /v1/bots/${mine.bot.id}/widget`), rest), { 200: rest });
    const refused = await call('GET', 'widget', { token: null, headers: { origin: 'https://shop.example' } });
    assertRefused(refused);
    assert.ok(refused.headers.has('access-control-allow-origin'));
    assert.match(refused.headers.get('access-control-expose-headers') ?? '', /retry-after/i);
    assertRefused(await call('GET', 'auth/contact', { token: 'x' }));
    assert.equal((await call('GET', 'contacts')).status, 200, 'an organization is not hit');
    clock.nowMs += 60_000;
    assert.equal((await call('GET', 'widget', { token: null })).status, 200);
  });
});

suite('an office and a guesser behind one address', () => {
  beginWithNewMinutes();

  test('a page full of visitors is served while a guesser of tokens is stopped', async (t) => {
    const { url, call, mine, clock } = await startServer(t, { storeOf: plain });
    const visitors = 1000;
    const tokens = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { id } = await createContact(call);
        return (await call('POST', 'auth/contact', { body: { id } })).json.token as string;
      }),
    );
    const identify = `GET /v1/bots/${mine.bot.id}/auth/contact`;
    const guess = () => head(identify, { Authorization: `Bearer ${makeContactToken()}` });
    // The guesser tries as many as it may, and is refused with 429 from then on.
    assert.deepEqual(await flood(url, guess(), 700), { 401: 600, 429: 100 });

    // Each visitor's page asks for the settings and for the visitor.
    assert.deepEqual(await flood(url, head(`GET /v1/bots/${mine.bot.id}/widget`), visitors), { 200: visitors });
    for (const token of tokens) {
      const share = visitors / tokens.length;
      assert.deepEqual(await flood(url, head(identify, { Authorization: `Bearer ${token}` }), share), { 200: share });
    }
    assertRefused(await call('GET', 'auth/contact', { token: makeContactToken() }));
    clock.nowMs += 60_000;
    assert.deepEqual(codeOf(await call('GET', 'auth/contact', { token: makeContactToken() })), [401, 'unauthorized']);
  });

  test('the script itself is never refused: it costs no more than the refusal', async () => {
    const { url } = plain;
    assert.deepEqual(await flood(url, head('GET /widget.js'), 700), { 200: 700 });
  });
});
