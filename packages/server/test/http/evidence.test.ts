// What a secret does leaves evidence in the log: which secret and from where, at the level that is on by default.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { addTenant, callerOf, createContact, startServer, type TestServer } from '../harness.ts';
import { until } from '../process/waiting.ts';
import { wholeFile } from '../whole-file.ts';

interface Line {
  level: number;
  operation?: string;
  status?: number;
  secretId?: string;
  address?: string;
}

const shared = await startServer(wholeFile);

const infoLevel = 30;

/** Answers may arrive before their lines: a last request, whose line is awaited, comes after all others. */
async function evidenceOf({ logged, call }: TestServer): Promise<Line[]> {
  const marker = (await call('GET', '/healthz')).headers.get('x-request-id') as string;
  await until('the last request to be logged', () => logged.some((line) => line.includes(marker)));
  return logged.map((line) => JSON.parse(line) as Line).filter(({ level }) => level >= infoLevel);
}

suite('evidence', () => {
  test('each change and each export by a secret is logged with its id and the address, and reads are not', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { call, mine } = server;
    const { id } = await createContact(call);
    await call('PATCH', `contacts/${id}`, { body: { phone: '1' } });
    await call('PATCH', 'contacts', { body: { data: [{ name: 'Joe', email: 'joe@example.com' }] } });
    const { json } = await call('POST', 'auth/contact', { body: { id } });
    await call('PUT', 'auth/contacts', { body: { id } });
    await call('DELETE', `auth/contacts/${json.token}`);
    await call('GET', 'export');
    await call('DELETE', `contacts/${id}`);
    for (const [method, path] of [
      ['GET', 'contacts'],
      ['POST', 'contacts?query=jane'],
      ['GET', `contacts/${(await createContact(call)).id}`],
    ] as const) {
      assert.equal((await call(method, path)).status, 200);
    }
    const lines = await evidenceOf(server);
    assert.deepEqual(
      lines.map(({ operation, status }) => [operation, status]),
      [
        ['contacts.create', 201],
        ['contacts.update', 200],
        ['contacts.upsert', 200],
        ['auth.contact', 200],
        ['auth.contacts.tokenize', 200],
        ['auth.contacts.revoke', 204],
        ['contacts.export', 200],
        ['contacts.delete', 204],
        ['contacts.create', 201],
      ],
    );
    for (const line of lines) assert.deepEqual([line.secretId, line.address], [mine.secretId, '127.0.0.1']);
  });

  test('each refusal of a valid secret is logged, and a credential that is none names no secret', async (t) => {
    const server = await startServer(t, { storeOf: shared, config: { rateLimitPerMinute: 5 } });
    const { call, mine, theirs } = server;
    const body = { name: 'Jane', email: 'jane@example.com' };
    await call('GET', `/v1/bots/${theirs.bot.id}/contacts`);
    await call('GET', 'contacts?page=x');
    await call('GET', 'contacts/con_unknown');
    await call('PUT', 'contacts', { body, headers: { 'content-type': 'text/plain' } });
    await call('PUT', 'contacts', { body: { name: 'x' } });
    await call('GET', 'contacts');
    await call('PUT', 'contacts', { body, token: null });
    await call('PUT', 'contacts', { body, token: `${mine.secret}x` });
    const lines = await evidenceOf(server);
    assert.deepEqual(
      lines.map(({ operation, status, secretId }) => [operation, status, secretId]),
      [
        ['contacts.list', 404, mine.secretId],
        ['contacts.list', 400, mine.secretId],
        ['contacts.retrieve', 404, mine.secretId],
        ['contacts.create', 415, mine.secretId],
        ['contacts.create', 400, mine.secretId],
        ['contacts.list', 429, mine.secretId],
      ],
    );
  });

  test('behind a proxy the address is the client’s, and what is no address is left out', async (t) => {
    const server = await startServer(t, { storeOf: shared, config: { trustProxy: 1 } });
    const tenant = await addTenant(server.store);
    const call = callerOf(server.url, tenant);
    for (const stated of ['192.0.2.7', '[2001:db8::7]:4711', 'fe80::7%canary', 'canary']) {
      await createContact((method, path, options) =>
        call(method, path, { ...options, headers: { 'x-forwarded-for': stated } }),
      );
    }
    const lines = await evidenceOf(server);
    assert.deepEqual(
      lines.map(({ secretId, address }) => [secretId, address]),
      ['192.0.2.7', '2001:db8::7', 'fe80::7', undefined].map((address) => [tenant.secretId, address]),
    );
  });
});
