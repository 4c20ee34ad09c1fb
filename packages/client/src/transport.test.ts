// How requests are sent, how they are cancelled, and which answers are rejected, with the real server behind a proxy.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { suite, test } from 'node:test';
import { type Fault, startFaultProxy } from '../test/fault-proxy.ts';
import { unavailable } from '../test/faults.ts';
import { clientOf, clientThrough, rejectionOf, startServer, wholeFile } from '../test/harness.ts';
import { AbortError, ConnectionError, TimeoutError, UnexpectedAnswerError, UsageError } from './index.ts';

const server = await startServer(wholeFile);
const direct = clientOf(server);

suite('a request', () => {
  test('names the client and the accepted type, and reuses connections', async () => {
    const { roster, proxy } = await clientThrough(server, []);
    for (let n = 0; n < 20; n++) await roster.contacts.search();
    await roster.contacts.upsert([]);
    // Node's fetch may open a second connection when the first is not idle yet.
    assert.ok(proxy.connections <= 2, `${proxy.connections} connections`);
    const [search] = proxy.arrivals;
    assert.match(search?.headers['user-agent'] ?? '', /^roster-node\/\d+\.\d+\.\d+$/);
    assert.equal(search?.headers.accept, 'application/json');
    assert.equal(search.headers['content-type'], undefined);
    assert.equal(proxy.arrivals.at(-1)?.headers['content-type'], 'application/json');
  });

  test('is sent by a custom fetch when one is given', async () => {
    const urls: string[] = [];
    const roster = clientOf(server, {
      fetch(url, init) {
        urls.push(url);
        return fetch(url, init);
      },
    });
    await roster.contacts.search({ query: 'a b' });
    assert.deepEqual(urls, [`${server.url}/v1/bots/${server.mine.bot.id}/contacts?query=a%20b`]);
  });

  test('has its own copy of the headers, so that a custom fetch cannot affect the next try', async () => {
    const { roster, proxy } = await clientThrough(server, ['drop request'], {
      fetch(url, init) {
        init.headers['x-tries'] = `${init.headers['x-tries'] ?? ''}+`;
        return fetch(url, init);
      },
    });
    await roster.contacts.search();
    assert.deepEqual(
      proxy.arrivals.map(({ headers }) => headers['x-tries']),
      ['+', '+'],
    );
  });

  test('keeps the path of baseUrl', async () => {
    const { roster, proxy } = await clientThrough(server, [{ status: 200, body: '{"data":[]}' }]);
    await roster.withOptions({ baseUrl: `${proxy.url}/roster/` }).contacts.search();
    assert.equal(proxy.arrivals[0]?.url, `/roster/v1/bots/${server.mine.bot.id}/contacts`);
  });

  test('does not follow a redirect to another address', async () => {
    const elsewhere = await startFaultProxy(wholeFile, server.url);
    const redirect = { status: 308, headers: { location: `${elsewhere.url}/secret/path` } };
    const { roster } = await clientThrough(server, [redirect]);
    const error = await rejectionOf(roster.contacts.upsert([]));
    assert.ok(error instanceof UnexpectedAnswerError);
    assert.deepEqual([error.status, error.isOutcomeUnknown], [308, false]);
    assert.match(error.message, new RegExp(`leads to ${elsewhere.url}\\.`));
    assert.equal(elsewhere.arrivals.length, 0);
  });

  test('does not succeed with an answer that is not from Roster', async () => {
    const page: Fault = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' };
    for (const answer of [page, { status: 200, body: '{}' }, { status: 200, body: 'null' }]) {
      const { roster, proxy } = await clientThrough(server, [answer, answer]);
      assert.ok((await rejectionOf(roster.contacts.search())) instanceof UnexpectedAnswerError);
      const error = await rejectionOf(roster.contacts.delete('con_nobody'));
      assert.ok(error instanceof UnexpectedAnswerError);
      assert.equal(error.isOutcomeUnknown, true);
      assert.equal(proxy.arrivals.length, 2);
    }
  });

  test('that cannot be written as JSON is refused before it is sent', async () => {
    const { roster, proxy } = await clientThrough(server, []);
    // @ts-expect-error A BigInt is no phone number.
    const error = await rejectionOf(roster.contacts.create({ name: 'Big', email: 'big@example.com', phone: 5n }));
    assert.ok(error instanceof UsageError);
    assert.equal(proxy.arrivals.length, 0);
  });
});

suite('a timeout', () => {
  test('ends a try whose answer does not arrive, or not completely, and the retry may succeed', async () => {
    for (const fault of ['stall', 'stall in body'] as const) {
      // On a busy machine even a forwarded try may time out, so more retries are allowed.
      const { roster, retries } = await clientThrough(server, [fault], { timeoutMs: 1000, maxRetries: 100 });
      assert.equal((await roster.contacts.search()).status, 200);
      assert.ok(retries[0]?.error instanceof TimeoutError, fault);
    }
  });

  test('rejects when no try is answered, and leaves no request open', async () => {
    const { roster, proxy } = await clientThrough(server, ['stall', 'stall']);
    const error = await rejectionOf(roster.contacts.search({}, { timeoutMs: 50, maxRetries: 1 }));
    assert.ok(error instanceof TimeoutError && error instanceof ConnectionError);
    assert.match(error.message, /^contacts\.search: no answer within 50 ms$/);
    await Promise.all(proxy.arrivals.map(({ ended }) => ended));
  });

  test('ends a try whose fetch ignores its signal', async () => {
    const roster = clientOf(server, { fetch: () => new Promise(() => {}), maxRetries: 0, timeoutMs: 20 });
    assert.ok((await rejectionOf(roster.contacts.search())) instanceof TimeoutError);
  });

  test('out of range is refused', async () => {
    for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
      const error = await rejectionOf(direct.contacts.search({}, { timeoutMs }));
      assert.ok(error instanceof UsageError, String(timeoutMs));
      assert.throws(() => clientOf(server, { timeoutMs }), UsageError);
    }
    assert.throws(() => clientOf(server, { maxRetries: 0.5 }), UsageError);
  });
});

suite('a signal', () => {
  test('that is aborted already sends nothing', async () => {
    const { roster, proxy } = await clientThrough(server, []);
    const error = await rejectionOf(roster.contacts.upsert([], { signal: AbortSignal.abort('enough') }));
    assert.ok(error instanceof AbortError);
    assert.deepEqual([error.name, error.cause, error.isOutcomeUnknown], ['AbortError', 'enough', false]);
    assert.equal(proxy.arrivals.length, 0);
  });

  test('ends the request in flight', async () => {
    const controller = new AbortController();
    const { roster, proxy } = await clientThrough(server, ['stall']);
    const call = rejectionOf(roster.contacts.upsert([], { signal: controller.signal }));
    while (proxy.arrivals.length === 0) await new Promise(setImmediate);
    controller.abort();
    const error = await call;
    assert.ok(error instanceof AbortError);
    assert.equal(error.isOutcomeUnknown, true);
  });

  test('ends the delay before a retry', async () => {
    const controller = new AbortController();
    const busy = { status: 503, headers: { 'retry-after': '30' } };
    const { roster, proxy } = await clientThrough(server, [busy], {
      onRetry: () => setImmediate(() => controller.abort()),
    });
    const error = await rejectionOf(roster.contacts.search({}, { signal: controller.signal }));
    assert.ok(error instanceof AbortError);
    assert.equal(proxy.arrivals.length, 1);
  });

  test('that outlives many calls keeps no listener of them', async () => {
    const { signal } = new AbortController();
    const { roster } = await clientThrough(server, [unavailable]);
    for (let n = 0; n < 5; n++) await roster.contacts.search({}, { signal });
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });
});
