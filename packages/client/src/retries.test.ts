// Which operations are retried after which failures, against the real server behind a proxy that injects faults.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { closedAddress, type Fault } from '../test/fault-proxy.ts';
import { badGateway, nameOf, tooManyRequests, unavailable } from '../test/faults.ts';
import { clientOf, clientThrough, rejectionOf, startServer, wholeFile } from '../test/harness.ts';
import {
  ApiError,
  ConnectionError,
  NotFoundError,
  type Retry,
  type Roster,
  RosterError,
  ServerError,
  UnavailableError,
} from './index.ts';

const server = await startServer(wholeFile);
const direct = clientOf(server);

let made = 0;
const sample = () => ({ name: 'Sample', email: `sample${++made}@example.com` });

const { data: jane } = await direct.contacts.create(sample());

suite('an idempotent operation is retried after every temporary failure', () => {
  const temporary: Fault[] = [
    'drop request',
    'drop answer',
    'cut answer',
    unavailable,
    badGateway,
    tooManyRequests,
    { status: 408 },
    { status: 500 },
    { status: 504 },
  ];
  const calls: Record<string, (roster: Roster) => Promise<{ status: number }>> = {
    'contacts.search': (roster) => roster.contacts.search({ query: 'sample' }),
    'contacts.retrieve': (roster) => roster.contacts.retrieve(jane.id),
    'contacts.export': (roster) => roster.contacts.export(),
    'contacts.update': (roster) => roster.contacts.update(jane.id, { phone: '1' }),
    'contacts.upsert': (roster) => roster.contacts.upsert([jane]),
    'auth.contacts.tokenize': (roster) => roster.auth.contacts.tokenize({ id: jane.id }),
  };
  for (const [operation, call] of Object.entries(calls)) {
    test(operation, async () => {
      for (const fault of temporary) {
        const { roster, proxy, retries } = await clientThrough(server, [fault, fault]);
        assert.equal((await call(roster)).status, 200, nameOf(fault));
        assert.equal(proxy.arrivals.length, 3);
        assert.deepEqual(
          retries.map((retry) => `${retry.operation} ${retry.retry}`),
          [`${operation} 1`, `${operation} 2`],
        );
      }
    });
  }

  test('each try sends the same request', async () => {
    const { roster, proxy } = await clientThrough(server, ['drop request', 'drop answer']);
    await roster.contacts.update(jane.id, { phone: '2' });
    const sent = proxy.arrivals.map(({ method, url, body }) => ({ method, url, body }));
    assert.deepEqual(sent, Array(3).fill(sent[0]));
  });
});

suite('a removal', () => {
  for (const fault of ['drop answer', 'cut answer'] as const) {
    test(`whose answer was lost (${fault}) succeeds with 204`, async () => {
      const { data: contact } = await direct.contacts.create(sample());
      const { data } = await direct.auth.contacts.tokenize({ id: contact.id });
      const { roster, proxy } = await clientThrough(server, [fault, 'pass', fault, 'pass']);
      const done = { status: 204, data: null };
      assert.deepEqual(await roster.auth.contacts.revoke({ contactToken: data.token }), done);
      assert.deepEqual(await roster.contacts.delete(contact.id), done);
      assert.equal(proxy.arrivals.length, 4);
      assert.ok((await rejectionOf(direct.contacts.retrieve(contact.id))) instanceof NotFoundError);
    });
  }

  test('of something that does not exist is a 404, also after tries that certainly wrote nothing', async () => {
    for (const faults of [[], [unavailable], [tooManyRequests]]) {
      const { roster } = await clientThrough(server, faults);
      assert.ok((await rejectionOf(roster.contacts.delete('con_nobody'))) instanceof NotFoundError);
    }
  });

  test("does not succeed on a proxy's own 404", async () => {
    const notFoundPage = { status: 404, body: '<h1>Not Found</h1>' };
    const { roster } = await clientThrough(server, ['drop answer', notFoundPage]);
    const error = await rejectionOf(roster.contacts.delete('con_nobody'));
    assert.ok(error instanceof NotFoundError);
    assert.deepEqual([error.error, error.isOutcomeUnknown], [undefined, true]);
  });
});

suite('a create', () => {
  const ambiguous: Fault[] = [
    'drop answer',
    'cut answer',
    'drop request',
    badGateway,
    { status: 500 },
    { status: 503 },
  ];
  for (const fault of ambiguous) {
    test(`is not retried when its outcome is unknown (${nameOf(fault)})`, async () => {
      const { roster, proxy } = await clientThrough(server, [fault]);
      const error = await rejectionOf(roster.contacts.create(sample()));
      assert.ok(error instanceof RosterError);
      assert.equal(error.isOutcomeUnknown, true);
      assert.equal(proxy.arrivals.length, 1);
    });
  }

  for (const fault of [unavailable, tooManyRequests, { status: 408 }]) {
    test(`is retried when it is certain that nothing was written (${nameOf(fault)})`, async () => {
      const { roster, proxy } = await clientThrough(server, [fault]);
      assert.equal((await roster.contacts.create(sample())).status, 201);
      assert.equal(proxy.arrivals.length, 2);
    });
  }

  test('is retried when no connection was established', async () => {
    const retries: Retry[] = [];
    const closed = await closedAddress();
    const roster = clientOf(server, {
      fetch: (url, init) => fetch(retries.length > 0 ? url : url.replace(server.url, closed), init),
      onRetry: (retry) => retries.push(retry),
    });
    assert.equal((await roster.contacts.create(sample())).status, 201);
    assert.equal(retries.length, 1);
    assert.ok(retries[0]?.error instanceof ConnectionError);
    assert.equal(retries[0].error.isOutcomeUnknown, false);
    assert.match(retries[0].error.message, /ECONNREFUSED/);
  });
});

suite('retries', () => {
  test('end after maxRetries, with the last error', async () => {
    const { roster, proxy } = await clientThrough(server, Array(9).fill(badGateway), { maxRetries: 2 });
    const error = await rejectionOf(roster.contacts.search());
    assert.ok(error instanceof ServerError);
    assert.deepEqual([error.status, error.error, proxy.arrivals.length], [502, undefined, 3]);
    await rejectionOf(roster.contacts.search({}, { maxRetries: 0 }));
    assert.equal(proxy.arrivals.length, 4);
  });

  test('do not follow a client error', async () => {
    const { roster, proxy } = await clientThrough(server, []);
    await rejectionOf(roster.contacts.retrieve('con_nobody'));
    await rejectionOf(roster.contacts.search({ limit: 1000 }));
    assert.equal(proxy.arrivals.length, 2);
  });

  test('wait at least as long as Retry-After', async () => {
    const { roster, proxy, retries } = await clientThrough(server, [{ status: 503, headers: { 'retry-after': '1' } }]);
    await roster.contacts.search();
    const [first, second] = proxy.arrivals;
    assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 990);
    assert.ok((retries[0]?.waitMs ?? 0) >= 1000);
  });

  test('do not happen when Retry-After is longer than a minute: the call rejects at once', async () => {
    const { roster, proxy } = await clientThrough(server, [{ status: 429, headers: { 'retry-after': '61' } }]);
    const error = await rejectionOf(roster.contacts.search());
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.retryAfterMs, proxy.arrivals.length], [61_000, 1]);
  });

  test('leave the outcome unknown when an earlier try may have been applied', async () => {
    const { roster } = await clientThrough(server, ['drop answer', unavailable], { maxRetries: 1 });
    const error = await rejectionOf(roster.contacts.upsert([sample()]));
    assert.ok(error instanceof UnavailableError);
    assert.equal(error.isOutcomeUnknown, true);
  });

  test('of a read never leave the outcome unknown', async () => {
    const { roster } = await clientThrough(server, ['drop answer'], { maxRetries: 0 });
    const error = await rejectionOf(roster.contacts.search());
    assert.ok(error instanceof ConnectionError);
    assert.deepEqual([error.status, error.error, error.isOutcomeUnknown], [undefined, undefined, false]);
  });
});
