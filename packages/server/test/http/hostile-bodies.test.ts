// Bodies that come slowly or not at all, from callers without a credential and from customers: what they may fill, and
// who is served meanwhile.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { limits } from '@roster/contract';
import { consoleOrigin, signInAs } from '../console-client.ts';
import { callerOf, codeOf, createContact, patientTimeouts, startServer, type TestServer } from '../harness.ts';
import { until } from '../process/waiting.ts';
import { sampleContext } from '../sample.ts';
import { parseProblem, wholeFile } from './every-operation.ts';
import { head, RawClient } from './raw-client.ts';

/** Its store is that of all tests. What bodies take is counted by each server. */
const shared = await startServer(wholeFile);

const json = { 'Content-Type': 'application/json' };
const signIn = 'POST /v1/account/session';
const console = { ...json, Origin: consoleOrigin };

/** A client that has sent `bytes` of a body whose end never comes. */
async function sendHalf(url: string, line: string, headers: Record<string, string>, bytes: number): Promise<RawClient> {
  const client = await RawClient.open(url);
  client.write(head(line, { ...headers, 'Transfer-Encoding': 'chunked' }));
  client.write(`${bytes.toString(16)}\r\n`);
  client.write(Buffer.alloc(bytes, ' '));
  client.write('\r\n');
  return client;
}

suite('before a credential is known', () => {
  test('a body is refused beyond 16 KiB, by its announced and by its real length', async (t) => {
    const { url } = await startServer(t, { storeOf: shared });
    const announced = await RawClient.open(url);
    announced.write(head(signIn, { ...console, 'Content-Length': String(limits.anonymousBodyBytes + 1) }));
    assert.equal(parseProblem(await announced.answer()).code, 'body_too_large');
    const chunked = await sendHalf(url, signIn, console, limits.anonymousBodyBytes + 1);
    assert.equal(parseProblem(await chunked.answer()).code, 'body_too_large');
    for (const client of [announced, chunked]) await client.closed();
  });

  test('one address fills its own share, and the writes of a valid secret go on', async (t) => {
    const { url, call } = await startServer(t, { storeOf: shared, config: { trustProxy: 1 } });
    const clients: RawClient[] = [];
    t.after(() => {
      for (const client of clients) client.destroy();
    });
    const from = (address: string) => ({ ...console, 'X-Forwarded-For': address });
    // Sixty-four of them are 1 MiB, which is the share of an address.
    for (let sent = 0; sent < 70; sent++) {
      clients.push(await sendHalf(url, signIn, from('203.0.113.7'), limits.anonymousBodyBytes));
    }
    const refused = await Promise.race(clients.map((client) => client.answer()));
    assert.equal(parseProblem(refused).code, 'unavailable');
    await createContact(call);
    const body = { email: 'nobody@example.com', password: 'wrong horse battery' };
    const headers = { origin: consoleOrigin, 'x-forwarded-for': '203.0.113.8' };
    const other = await call('POST', '/v1/account/session', { token: null, body, headers });
    assert.deepEqual(codeOf(other), [401, 'sign_in_failed']);
  });
});

suite('with a credential', () => {
  test('a client that is still sending when its body is refused reads why', async (t) => {
    const { url, mine, logged } = await startServer(t, { storeOf: shared });
    const client = await RawClient.open(url);
    client.pauseReading();
    const headers = { ...json, Authorization: `Bearer ${mine.secret}`, 'Content-Length': String(3 * limits.bodyBytes) };
    client.write(head(`PUT /v1/bots/${mine.bot.id}/contacts`, headers));
    await until('the answer', () => logged.some((line) => line.includes('"status":413')));
    client.write(Buffer.alloc(3 * limits.bodyBytes, ' '));
    assert.equal(await client.readToEnd(), undefined, 'the connection is closed in order');
    assert.equal(parseProblem(await client.answer()).code, 'body_too_large');
  });

  test('a client that reads late gets every answer, also those before the one to a body that nobody reads', async (t) => {
    const { url, mine, call } = await startServer(t, { storeOf: shared });
    const authorized = { ...json, Authorization: `Bearer ${mine.secret}` };
    const length = limits.accountBodyBytes + 1;
    const bot = `/v1/bots/${mine.bot.id}`;
    const requests = [
      head('GET /docs'),
      head(`DELETE ${bot}/attributes/unknown`, authorized),
      head(`POST ${bot}/auth/contact`, { ...authorized, 'Content-Length': `${length}` }) + ' '.repeat(length),
    ];
    // It was lost for every second one of them.
    const clients = await Promise.all(Array.from({ length: 6 }, () => RawClient.open(url)));
    for (const client of clients) {
      t.after(() => client.destroy());
      client.pauseReading();
      client.write(requests.join(''));
    }
    // The server has done all that it can by then: a megabyte for each of them is on its way.
    for (let served = 0; served < 100; served++) assert.equal((await call('GET', 'tags')).status, 200);
    for (const client of clients) {
      assert.equal(await client.readToEnd(), undefined, 'the connection is closed in order');
      for (const status of [200, 404, 413]) assert.equal((await client.answer()).status, status);
    }
  });

  test('only bodies with contacts may be larger than 256 KiB', async (t) => {
    const { call } = await startServer(t, { storeOf: shared });
    const { id } = await createContact(call);
    const padding = 'x'.repeat(limits.accountBodyBytes);
    assert.equal((await call('PATCH', 'contacts', { body: { data: [], padding } })).status, 200);
    assert.equal((await call('PATCH', `contacts/${id}`, { body: { padding } })).status, 200);
    assert.deepEqual(codeOf(await call('POST', 'auth/contact', { body: { id, padding } })), [413, 'body_too_large']);
  });

  test('a list that the operation does not know is ignored, however large the body', async (t) => {
    const { call } = await startServer(t, { storeOf: shared });
    const data = Array.from({ length: limits.contactsPerUpsert + 1 }, () => ({ padding: 'x'.repeat(100) }));
    const created = await call('PUT', 'contacts', { body: { name: 'List', email: 'list@example.com', data } });
    assert.equal(created.status, 201, created.text);
  });

  test('large bodies of one organization that never end keep each other waiting, and no body of another', async (t) => {
    const { url, mine, theirs } = await startServer(t, { storeOf: shared });
    const clients: RawClient[] = [];
    t.after(() => {
      for (const client of clients) client.destroy();
    });
    const authorized = { ...json, Authorization: `Bearer ${mine.secret}` };
    const line = `PATCH /v1/bots/${mine.bot.id}/contacts`;
    for (let sent = 0; sent < 14; sent++) clients.push(await sendHalf(url, line, authorized, limits.bodyBytes));
    const call = callerOf(url, theirs);
    const data = Array.from({ length: 1000 }, (_, at) => ({ name: 'A'.repeat(200), email: `large${at}@example.com` }));
    assert.equal((await call('PATCH', 'contacts', { body: { data } })).status, 200);
    const mineToo = await callerOf(url, mine)('GET', 'contacts');
    assert.equal(mineToo.status, 200, 'and the organization itself can search');
  });

  test('a body counts with what parsing it costs: one of many small values does not fit, one as long of text does', async (t) => {
    const { call } = await startServer(t, { storeOf: shared });
    const { id } = await createContact(call);
    const itemsOf = (x: unknown) =>
      Array.from({ length: limits.contactsPerUpsert }, () => ({ email: 'costly@example.com', name: 'A', x }));
    const values = Array(2400).fill(0);
    const refused = await call('PATCH', 'contacts', { body: { data: itemsOf(values) } });
    assert.deepEqual(codeOf(refused), [503, 'unavailable']);
    const text = 'x'.repeat(JSON.stringify(values).length);
    assert.equal((await call('PATCH', 'contacts', { body: { data: itemsOf(text) } })).status, 200);
    assert.equal((await call('GET', `contacts/${id}`)).status, 200, 'and what it took is given back');
  });

  test('a large body that waited too long is refused, and its client can read why after it has sent all', async (t) => {
    const timeouts = { ...patientTimeouts, heavyQueueMs: 100 };
    const { url, mine } = await startServer(t, { storeOf: shared, timeouts });
    const authorized = { ...json, Authorization: `Bearer ${mine.secret}` };
    const line = `PATCH /v1/bots/${mine.bot.id}/contacts`;
    const first = await sendHalf(url, line, authorized, limits.bodyBytes);
    t.after(() => first.destroy());
    // More than any socket buffer holds: its client reads nothing before it has sent all.
    const body = `{"data":[]${' '.repeat(limits.bodyBytes - 100)}}`;
    const client = await RawClient.open(url);
    t.after(() => client.destroy());
    client.write(head(line, { ...authorized, 'Content-Length': String(body.length) }) + body);
    assert.equal(parseProblem(await client.answer()).code, 'unavailable');
    assert.equal(await client.closed(), '');
  });
});

type SignedInAs = Awaited<ReturnType<typeof signInAs>>;
type Refusal = [status: number, code: string];

suite('a credential that ends while the body of its request is on its way', () => {
  const late = 'late@example.com';
  const body = JSON.stringify({ name: 'Jane Doe', email: late });

  /** The head of a create, and some of its body. */
  const sendBeginning = async ({ url, mine }: TestServer, bots: string, headers: Record<string, string>) => {
    const client = await RawClient.open(url);
    const all = { ...json, ...headers, 'Content-Length': String(body.length) };
    client.write(`${head(`PUT ${bots}/${mine.bot.id}/contacts`, all)}${body.slice(0, 10)}`);
    return client;
  };

  const assertRefused = async ({ store, mine }: TestServer, client: RawClient, wanted: Refusal) => {
    client.write(body.slice(10));
    const answer = await client.answer();
    assert.deepEqual([answer.status, parseProblem(answer).code], wanted);
    assert.equal(await store.findContactByEmail(mine.bot.id, late), undefined);
  };

  const cases: [what: string, end: (server: TestServer) => Promise<unknown>, wanted: Refusal][] = [
    [
      'a secret that is revoked',
      ({ app, mine, clock }) => app.tenantCache.revokeSecret(mine.secretId, sampleContext({ nowMs: clock.nowMs })),
      [401, 'unauthorized'],
    ],
    [
      'a bot that is deleted',
      ({ app, mine, clock }) => app.tenantCache.deleteBot(mine.bot.id, sampleContext({ nowMs: clock.nowMs })),
      [404, 'not_found'],
    ],
  ];
  for (const [what, end, wanted] of cases) {
    test(`${what} writes nothing more`, async (t) => {
      const server = await startServer(t, { storeOf: shared });
      const { url, mine, app } = server;
      const isAdmitted = new Promise((resolve) => app.http.server.once('request', resolve));
      const client = await sendBeginning(server, '/v1/bots', { Authorization: `Bearer ${mine.secret}` });
      await isAdmitted;
      // Another request on another connection passes the same checks after it.
      await callerOf(url, mine)('GET', 'contacts');
      await end(server);
      await assertRefused(server, client, wanted);
    });
  }

  const sessions: [what: string, end: (server: TestServer, who: SignedInAs) => Promise<unknown>, wanted: Refusal][] = [
    [
      'a session that is ended',
      ({ store }, { session }) => store.endSession(session.hash, sampleContext()),
      [401, 'unauthorized'],
    ],
    [
      'a member who is removed',
      ({ store, mine }, { member }) =>
        store.removeMember(mine.organizationId, member.id, { revokeSecretsAtMs: undefined }, sampleContext()),
      [401, 'unauthorized'],
    ],
    [
      'a member who becomes a viewer',
      ({ store, mine }, { member }) =>
        store.changeRole(mine.organizationId, member.id, { role: 'viewer' }, sampleContext()),
      [403, 'forbidden'],
    ],
  ];
  for (const [what, end, wanted] of sessions) {
    test(`${what} writes nothing more`, async (t) => {
      let onFound = () => {};
      const server = await startServer(t, {
        storeOf: shared,
        wrapStore: (store) => ({
          ...store,
          async findSession(hash) {
            const found = await store.findSession(hash);
            onFound();
            return found;
          },
        }),
      });
      const signedIn = await signInAs(server, 'member');
      const isFound = new Promise<void>((resolve) => {
        onFound = resolve;
      });
      const client = await sendBeginning(server, '/v1/account/bots', signedIn.page.headers());
      await isFound;
      await end(server, signedIn);
      await assertRefused(server, client, wanted);
    });
  }
});

test('writes of a valid secret go on while strangers hold half-sent bodies and repeat a parameter 8,000 times', async (t) => {
  const { url, call } = await startServer(t, { storeOf: shared });
  /** Of creates one after the other, all of which succeed. */
  const measureMs = async (): Promise<number[]> => {
    const tookMs: number[] = [];
    for (let written = 0; written < 60; written++) {
      const startedAtMs = performance.now();
      await createContact(call);
      tookMs.push(performance.now() - startedAtMs);
    }
    return tookMs;
  };

  const repeating = await RawClient.open(url);
  t.after(() => repeating.destroy());
  const measureUnderAttackMs = async (): Promise<number[]> => {
    const holding = await Promise.all(
      Array.from({ length: 26 }, () => sendHalf(url, signIn, console, limits.anonymousBodyBytes)),
    );
    const attack = { isOver: false, requests: 0 };
    const attacking = (async () => {
      for (; !attack.isOver; attack.requests++) {
        repeating.write(head(`GET /healthz?${'a&'.repeat(8000)}a`));
        assert.equal((await repeating.answer()).status, 200);
      }
    })();
    const tookMs = await measureMs();
    attack.isOver = true;
    await attacking;
    assert.ok(attack.requests > 0);
    for (const client of holding) client.destroy();
    return tookMs;
  };

  await measureMs();
  const p90 = (tookMs: number[]) => tookMs.toSorted((a, b) => a - b)[tookMs.length * 0.9] as number;
  const ratios: number[] = [];
  for (let round = 0; round < 3; round++) {
    const quietMs = p90(await measureMs());
    ratios.push(p90(await measureUnderAttackMs()) / quietMs);
  }
  // What an attack stalls, it stalls in each round; what others on the machine stall, they stall in some.
  assert.ok(Math.min(...ratios) <= 8, `under attack, creates take ${ratios} times as long`);
});
