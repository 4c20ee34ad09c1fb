// Requests in the form in which the Node SDK of the original service sends them, and what it reads of the answers: what
// docs/migrating.md says works unchanged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Reply, startServer } from '../harness.ts';
import { wholeFile } from './every-operation.ts';

const server = await startServer(wholeFile);

/** It says JSON with every request, with or without a body, and encodes nothing in the address but what fetch does. */
async function send(method: string, path: string, body?: object) {
  const answer = await fetch(`${server.url}/v1/bots/${server.mine.bot.id}/${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${server.mine.secret}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  // It parses what says it is JSON, and takes the rest for text.
  const isJson = (answer.headers.get('content-type') ?? '').includes('json');
  const json: Reply['json'] = isJson ? await answer.json() : undefined;
  return { status: answer.status, ignored: answer.headers.get('roster-ignored'), json };
}

test('a contact is created, read, changed, found and deleted by the requests of the original SDK', async () => {
  const created = await send('PUT', 'contacts', { name: 'José Doe', email: 'jose@example.com' });
  assert.equal(created.status, 201);
  const { id } = created.json.data;
  assert.deepEqual(await send('GET', `contacts/${id}`), { status: 200, ignored: null, json: created.json });

  const upserted = await send('PATCH', 'contacts', { data: [{ name: 'José Doe', email: 'JOSE@example.com' }] });
  assert.deepEqual([upserted.status, upserted.json], [200, { data: [{ index: 0, id }] }]);
  const updated = await send('PATCH', `contacts/${id}`, { ...created.json.data, phone: '1' });
  assert.deepEqual([updated.status, updated.json.data.phone], [200, '1']);

  for (const query of [
    '&query=José doe&page=1&limit=10',
    '&query=jose@example.com&page=1&limit=10',
    '&page=1&limit=10',
  ]) {
    const { status, ignored, json } = await send('POST', `contacts?${query}`);
    assert.deepEqual([status, ignored, json.data, json.pagination.total], [200, null, [updated.json.data], 1], query);
  }

  const taken = await send('PUT', 'contacts', { name: 'Another', email: 'jose@example.com' });
  assert.deepEqual([taken.status, taken.json.code], [400, 'email_taken']);
  assert.deepEqual(await send('DELETE', `contacts/${id}`), { status: 204, ignored: null, json: undefined });
  assert.equal((await send('GET', `contacts/${id}`)).status, 404);
});

test('a contact token is issued by id and by email, and revoked, by the requests of the original SDK', async () => {
  const { json } = await send('PUT', 'contacts', { name: 'Jane', email: 'jane@example.com' });
  for (const contact of [{ id: json.data.id }, { id: undefined, email: 'jane@example.com' }]) {
    const issued = await send('PUT', 'auth/contacts', contact);
    assert.equal(issued.status, 200);
    assert.deepEqual(Object.keys(issued.json.data), ['token', 'createdAt', 'expiresAt']);
    assert.equal((await send('DELETE', `auth/contacts/${issued.json.data.token}`)).status, 204);
  }
});
