// What the service reports about itself, and to whom.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { codeOf, createContact, metricsToken, startServer } from '../../test/harness.ts';
import { allOperations, wholeFile } from '../../test/http/every-operation.ts';
import { exchange, head, RawClient } from '../../test/http/raw-client.ts';
import { DiskFullError, StoreUnavailableError } from '../store/store.ts';
import { referenceScript } from './reference-page.ts';
import { type ServiceDeps, serviceHandlers } from './service.ts';

const server = await startServer(wholeFile);
const { call } = server;
const behindProxy = await startServer(wholeFile, {
  storeOf: server,
  config: { trustProxy: 1, publicUrl: 'https://contacts.example.com' },
});

suite('health and readiness', () => {
  test('a running server is alive and ready, and says so to anybody', async () => {
    const health = await call('GET', '/healthz', { token: null });
    assert.deepEqual([health.status, health.json], [200, { status: 'ok' }]);
    const ready = await call('GET', '/readyz', { token: null });
    assert.deepEqual([ready.status, ready.json], [200, { status: 'ready' }]);
  });

  test('a server whose storage does not answer is alive but not ready, and a stopping one refuses all', async (t) => {
    const isAway = { now: false };
    const { app, call, clock } = await startServer(t, {
      storeOf: server,
      wrapStore: (store) => ({
        ...store,
        ping: () => (isAway.now ? Promise.reject(new StoreUnavailableError('the disk is away')) : store.ping()),
      }),
    });
    assert.equal((await call('GET', '/readyz')).status, 200);
    isAway.now = true;
    clock.nowMs += 1000;
    const reply = await call('GET', '/readyz');
    assert.deepEqual(codeOf(reply), [503, 'unavailable']);
    assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await call('GET', '/healthz')).status, 200);
    isAway.now = false;
    clock.nowMs += 1000;
    assert.equal((await call('GET', '/readyz')).status, 200);

    app.beginStop();
    for (const path of ['/readyz', 'contacts']) {
      const refused = await call('GET', path);
      assert.deepEqual(codeOf(refused), [503, 'unavailable'], path);
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
      assert.equal(refused.headers.get('connection'), 'close');
    }
  });
});

test('a server whose disk is full is ready for reads, and says so as long as that is so', async (t) => {
  let isFull = true;
  const { call, clock } = await startServer(t, {
    storeOf: server,
    wrapStore: (store) => ({
      ...store,
      ping: () => (isFull ? Promise.reject(new DiskFullError('the disk is full')) : store.ping()),
    }),
  });
  const full = await call('GET', '/readyz', { token: null });
  assert.deepEqual([full.status, full.json], [200, { status: 'ready', mode: 'read-only' }]);
  isFull = false;
  clock.nowMs += 1000;
  assert.deepEqual((await call('GET', '/readyz')).json, { status: 'ready' });
});

test('a request whose head is half sent when the server stops is refused with 503, and its connection closed', async (t) => {
  const { url, app, mine } = await startServer(t, { storeOf: server });
  const client = await RawClient.open(url);
  t.after(() => client.destroy());
  // The half head is written together with a whole request before it, whose answer shows that the server has read both.
  client.write(`${head('GET /healthz')}GET /v1/bots/${mine.bot.id}/contacts HTTP/1.1\r\n`);
  assert.equal((await client.answer()).status, 200);
  app.beginStop();
  const stopped = app.http.close();
  client.write(`Host: roster.test\r\nAuthorization: Bearer ${mine.secret}\r\n\r\n`);
  const { status, headers, body } = await client.answer();
  assert.equal(status, 503);
  assert.equal(headers['connection'], 'close');
  assert.match(headers['retry-after'] ?? '', /^\d+$/);
  assert.match(body, /"code":"unavailable"/);
  assert.equal(await client.closed(), '');
  await stopped;
});

test('readiness is looked at once a second, however often it is asked for', async (t) => {
  let pings = 0;
  const { call, clock } = await startServer(t, {
    storeOf: server,
    wrapStore: (store) => ({
      ...store,
      ping() {
        pings++;
        return store.ping();
      },
    }),
  });
  const ask = async () => assert.equal((await call('GET', '/readyz', { token: null })).status, 200);
  for (const [afterMs, wanted] of [
    [0, 1],
    [999, 1],
    [1, 2],
    [1000, 3],
  ] as const) {
    clock.nowMs += afterMs;
    await ask();
    await Promise.all([ask(), ask()]);
    assert.equal(pings, wanted);
  }
  // A clock that was set back does not make an old answer last.
  clock.nowMs -= 3_600_000;
  await ask();
  assert.equal(pings, 4);
});

suite('metrics', () => {
  test('they are in Prometheus form and count by operation and status', async () => {
    const { id } = await createContact(call);
    await call('GET', `contacts/${id}`);
    const reply = await call('GET', '/metrics', { token: metricsToken });
    assert.equal(reply.status, 200);
    assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(
      reply.text,
      /^roster_http_request_duration_seconds_count\{operation="contacts\.create",status="201"\} 1$/m,
    );
    assert.match(reply.text, /^roster_http_requests_in_flight 1$/m);
    assert.match(reply.text, /^process_resident_memory_bytes /m);
  });

  test('each number of the store is read once for a page', async (t) => {
    const reads = new Map<string, number>();
    const { call, store } = await startServer(t, {
      storeOf: server,
      wrapStore: (store) => ({
        ...store,
        gauges: () =>
          Object.fromEntries(
            Object.entries(store.gauges()).map(([name, read]) => {
              const counted = () => {
                reads.set(name, (reads.get(name) ?? 0) + 1);
                return read();
              };
              return [name, counted];
            }),
          ),
      }),
    });
    for (const pages of [1, 2]) {
      await call('GET', '/metrics', { token: metricsToken });
      assert.deepEqual(reads, new Map(Object.keys(store.gauges()).map((name) => [name, pages])));
    }
  });

  test('no label holds anything of a caller', async () => {
    await call('GET', '/no/such/metricscanary', { token: 'metricscanary' });
    await call('GET', `/v1/bots/metricscanary/contacts?query=metricscanary`);
    const { text } = await call('GET', '/metrics', { token: metricsToken });
    assert.ok(!text.includes('metricscanary'));
    assert.ok(!text.includes(server.mine.bot.id));
  });

  suite('without ROSTER_METRICS_TOKEN', () => {
    const config = { publicUrl: 'http://127.0.0.1:8080', metricsToken: undefined };

    test('they are for the same machine only: a forwarded request is refused', async (t) => {
      const { call } = await startServer(t, { storeOf: server, config });
      assert.equal((await call('GET', '/metrics', { token: null })).status, 200);
      for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
        for (const value of ['127.0.0.1', 'for=127.0.0.1', '203.0.113.7', '::1']) {
          const reply = await call('GET', '/metrics', { token: null, headers: { [name]: value } });
          assert.deepEqual(codeOf(reply), [401, 'unauthorized'], `${name}: ${value}`);
        }
      }
    });

    test('a page that was led to this machine by a name of its own is refused', async (t) => {
      const { url } = await startServer(t, { storeOf: server, config });
      const statusFor = async (host: string) => (await exchange(url, head('GET /metrics', { Host: host }))).status;
      for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:8080']) assert.equal(await statusFor(host), 200, host);
      for (const host of ['rebound.example.com', '127.0.0.1.example.com', '']) {
        assert.equal(await statusFor(host), 401, host);
      }
    });

    test('a service that is public, or behind a proxy, has none', async (t) => {
      for (const more of [{ publicUrl: 'https://contacts.example.com' }, { trustProxy: 1 }, { host: '0.0.0.0' }]) {
        const { call } = await startServer(t, { storeOf: server, config: { ...config, ...more } });
        for (const headers of [{}, { 'x-forwarded-for': '127.0.0.1' }, { 'x-forwarded-for': '203.0.113.7' }]) {
          const reply = await call('GET', '/metrics', { token: null, headers });
          assert.deepEqual(codeOf(reply), [401, 'unauthorized']);
        }
      }
    });
  });

  test('with ROSTER_METRICS_TOKEN the token is needed, from the same machine too, and is enough from elsewhere', async (t) => {
    const { call, mine } = await startServer(t, { storeOf: server });
    for (const token of [null, 'wrong', `${metricsToken}x`, mine.secret]) {
      const reply = await call('GET', '/metrics', { token });
      assert.deepEqual(codeOf(reply), [401, 'unauthorized']);
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
    }
    assert.equal((await call('GET', '/metrics', { token: metricsToken })).status, 200);
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    assert.equal((await call('GET', '/metrics', { token: metricsToken, headers })).status, 200);
    assert.deepEqual(codeOf(await call('GET', 'contacts', { token: metricsToken })), [401, 'unauthorized']);
  });
});

suite('security.txt', () => {
  const path = '/.well-known/security.txt';

  test('it names the contact, the day from which a copy is stale, and its own address', async (t) => {
    const { call, clock } = await startServer(t, {
      storeOf: server,
      config: { publicUrl: 'https://contacts.example.com' },
    });
    const { status, headers, text } = await call('GET', path, { token: null });
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    const expires = new Date(clock.nowMs + 30 * 86_400_000).toISOString();
    assert.equal(
      text,
      `Contact: mailto:security@example.com\nExpires: ${expires}\nCanonical: https://contacts.example.com${path}\n`,
    );
  });

  test('it names no address of its own that is not https, which RFC 9116 forbids', async () => {
    assert.doesNotMatch((await call('GET', path, { token: null })).text, /Canonical/);
  });

  test('without ROSTER_SECURITY_CONTACT there is nothing at its path', async (t) => {
    const { call } = await startServer(t, { storeOf: server, config: { securityContact: undefined } });
    const reply = await call('GET', path, { token: null });
    assert.deepEqual(codeOf(reply), [404, 'not_found']);
    assert.equal(reply.json.detail, (await call('GET', '/nowhere', { token: null })).json.detail);
  });
});

suite('the API description', () => {
  test('openapi.json names this server and describes exactly the operations that it serves', async () => {
    const { status, json } = await call('GET', '/openapi.json', { token: null });
    assert.equal(status, 200);
    assert.match(json.openapi, /^3\.1\./);
    assert.deepEqual(json.servers, [{ url: 'http://roster.test' }]);
    const described = Object.entries(json.paths as Record<string, object>).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(described.toSorted(), allOperations.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  test('the reference page loads everything from this origin, and its policy allows nothing else', async () => {
    const { status, headers, text } = await call('GET', '/docs', { token: null });
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.doesNotMatch(text, /(?:src|href)="(?:https?:)?\/\//);
    assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)/, 'no script in the page itself');
    const policy = Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split(';').map((part) => {
        const [name = '', ...sources] = part.trim().split(/\s+/);
        return [name, sources];
      }),
    );
    assert.deepEqual(policy['default-src'], ["'none'"]);
    assert.deepEqual(policy['script-src'], ["'self'"]);
    assert.equal(policy['connect-src'], undefined, 'nothing is fetched');
    assert.deepEqual(policy['sandbox'], ['allow-scripts', 'allow-popups'], 'the page has an origin of its own');
    assert.deepEqual(policy['frame-ancestors'], ["'none'"]);
    for (const [name, sources] of Object.entries(policy)) {
      assert.ok(!sources.some((source) => source === '*' || /^https?:/.test(source)), `${name} ${sources}`);
    }
    assert.ok(!(headers.get('content-security-policy') ?? '').includes('unsafe-eval'));
  });

  test('the document and the page are made once, however often they are asked for, and compressed', async () => {
    const draining = new AbortController().signal;
    const { readOpenApi, readReference } = serviceHandlers({ publicUrl: 'http://x', draining } as ServiceDeps);
    for (const accepted of ['identity', 'gzip']) {
      const call = { request: { headers: { 'accept-encoding': accepted } } } as Parameters<typeof readOpenApi>[0] &
        Parameters<typeof readReference>[0];
      assert.equal(readOpenApi(call).body, readOpenApi(call).body);
      assert.equal(readReference(call).body, readReference(call).body);
    }
    for (const url of ['/openapi.json', '/docs']) {
      const plain = await server.app.http.inject({ url, headers: { 'accept-encoding': 'identity' } });
      const gzipped = await server.app.http.inject({ url, headers: { 'accept-encoding': 'gzip' } });
      assert.deepEqual([plain.headers['content-encoding'], gzipped.headers['content-encoding']], [undefined, 'gzip']);
      assert.equal(gunzipSync(gzipped.rawPayload).toString('utf8'), plain.payload);
    }
  });

  test('the document, the page and its script are not sent again to whoever has them', async () => {
    for (const url of ['/openapi.json', '/docs', '/docs/reference.js']) {
      const first = await server.app.http.inject({ url, headers: { 'accept-encoding': 'gzip' } });
      const etag = String(first.headers['etag']);
      assert.match(etag, /^W\/"[\w-]{22}"$/);
      assert.doesNotMatch(String(first.headers['cache-control']), /no-store/);
      const again = await server.app.http.inject({ url, headers: { 'if-none-match': etag } });
      assert.deepEqual([again.statusCode, again.payload], [304, '']);
      const other = await server.app.http.inject({ url, headers: { 'if-none-match': 'W/"other"' } });
      assert.equal(other.statusCode, 200);
    }
  });

  test('every script of the page is served, compressed for those who can read it', async () => {
    const { text } = await call('GET', '/docs', { token: null });
    const sources = Array.from(text.matchAll(/<script[^>]*\bsrc="([^"]+)"/g), (match) => match[1] as string);
    assert.ok(sources.length > 0);
    for (const source of sources) {
      const plain = await call('GET', source, { token: null, headers: { 'accept-encoding': 'identity' } });
      assert.equal(plain.status, 200);
      assert.match(plain.headers.get('content-type') ?? '', /^text\/javascript/);
      assert.equal(plain.headers.get('content-encoding'), null);
      const gzipped = await server.app.http.inject({ url: source, headers: { 'accept-encoding': 'gzip, br' } });
      assert.equal(gzipped.headers['content-encoding'], 'gzip');
      assert.equal(gunzipSync(gzipped.rawPayload).toString('utf8'), plain.text);
      for (const headers of [plain.headers.get('vary'), gzipped.headers['vary']])
        assert.equal(headers, 'Accept-Encoding');
    }
  });

  test('the script is built compressed, and decompressed a part at a time as it is read', async () => {
    const bodyFor = (accepted: string) => referenceScript({ headers: { 'accept-encoding': accepted } }).body;
    const gzip = bodyFor('gzip');
    assert.ok(Buffer.isBuffer(gzip) && gzip.length < 2 * 1024 * 1024);
    assert.equal(bodyFor('gzip'), gzip);
    const plain = bodyFor('identity');
    assert.ok(plain instanceof Readable);
    const chunks: Buffer[] = await plain.toArray();
    assert.ok(Math.max(...chunks.map(({ length }) => length)) <= 64 * 1024);
    assert.deepEqual(Buffer.concat(chunks), gunzipSync(gzip));
  });

  test('the script refuses gzip to those who say that they do not take it', async () => {
    const reply = await server.app.http.inject({
      url: '/docs/reference.js',
      headers: { 'accept-encoding': 'gzip;q=0' },
    });
    assert.equal(reply.headers['content-encoding'], undefined);
  });
});

suite('headers of every answer', () => {
  test('answers are not cached, sniffed or framed, and carry a request id of their own', async () => {
    const seen = new Set<string>();
    for (const path of ['contacts', '/healthz', '/nowhere', 'contacts/x', 'widget']) {
      const { headers } = await call('GET', path, { headers: { 'x-request-id': 'mine', 'request-id': 'mine' } });
      assert.equal(headers.get('cache-control'), 'no-store', path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
      const id = headers.get('x-request-id') ?? '';
      assert.match(id, /^req-/);
      assert.ok(!seen.has(id));
      seen.add(id);
    }
  });

  test('transport security is demanded exactly when the public address is https', async () => {
    const secure = await behindProxy.call('GET', '/healthz');
    assert.match(secure.headers.get('strict-transport-security') ?? '', /max-age=\d+/);
    assert.equal((await call('GET', '/healthz')).headers.get('strict-transport-security'), null);
    const { app } = await startServer(wholeFile, {
      storeOf: server,
      config: { publicUrl: 'https://contacts.example.com', hstsSubdomains: true },
    });
    const { headers } = await app.http.inject('/healthz');
    assert.match(String(headers['strict-transport-security']), /; includeSubDomains$/);
  });
});
