// Query strings as clients send them, encoded and half encoded; and addresses that are no HTTP, with raw spaces and
// UTF-8, which are refused: a second parser that reads more than Node's would let requests be smuggled past a proxy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@roster/contract';
import { createContact, heldContactReads, startServer } from '../harness.ts';
import { parseProblem, wholeFile } from './every-operation.ts';
import { exchange, head, RawClient } from './raw-client.ts';

const server = await startServer(wholeFile);
const { mine } = server;

const jose = await createContact(server.call, { name: 'José Doe', email: 'jose@x.example' });
const requestOf = (query: Buffer | string): Buffer => {
  const start = `POST /v1/bots/${mine.bot.id}/contacts?query=`;
  const rest = ` HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${mine.secret}\r\nContent-Length: 0\r\n\r\n`;
  return Buffer.concat([Buffer.from(start), Buffer.from(query), Buffer.from(rest)]);
};
const send = async (query: Buffer | string) => {
  const answer = await exchange(server.url, requestOf(query));
  assert.equal(answer.status, 200, answer.body);
  return JSON.parse(answer.body).data.map(({ id }: Contact) => id);
};
const found: [what: string, query: Buffer | string][] = [
  ['a plus for a space', 'jos+doe'],
  ['an escaped space', 'jos%20doe'],
  ['an unencoded @', 'jose@x.example'],
  ['escaped UTF-8', 'jos%C3%A9'],
];
for (const [what, query] of found) {
  test(`${what} is read as it is meant`, async () => assert.deepEqual(await send(query), [jose.id]));
}
for (const query of ['50%', '%zz', '%', '%E0%A4%A', '[x]', '{"a"|b}', 'a=b', "it's"]) {
  test(`${query} is plain text and no error`, async () => assert.deepEqual(await send(query), []));
}

const refused: [what: string, query: Buffer | string][] = [
  ['raw UTF-8', Buffer.from('jos\u00e9+doe')],
  ['an unencoded space', 'jos doe'],
  ['an unencoded space and @', 'doe jose@x'],
];
for (const [what, query] of refused) {
  test(`${what} in an address is a plain 400, and the connection is closed`, async () => {
    const client = await RawClient.open(server.url);
    client.write(requestOf(query));
    const answer = await client.answer();
    assert.deepEqual([answer.status, parseProblem(answer).code], [400, 'invalid_request']);
    assert.equal(answer.headers['connection'], 'close');
    assert.equal(await client.closed(), '', 'there is no second answer');
  });
}

test('whatever the path and the credential, an address with a space is a 400', async () => {
  for (const line of ['GET /v1/bots/x/contacts?query=a b', 'GET /metrics?a b', 'GET /no where']) {
    assert.equal((await exchange(server.url, head(line))).status, 400, line);
  }
});

test('answers come in the order of the requests, also when the later one is refused', async (t) => {
  const { release, arrived, wrapStore } = heldContactReads();
  const slow = await startServer(t, { storeOf: server, wrapStore });
  const { id } = await createContact(slow.call);
  const client = await RawClient.open(slow.url);
  const authorized = { Authorization: `Bearer ${slow.mine.secret}` };
  const collection = `/v1/bots/${slow.mine.bot.id}/contacts`;
  client.write(head(`GET ${collection}/${id}`, authorized));
  await arrived.promise;
  client.write(head(`GET ${collection}?query=a b`, authorized));
  // The second request is long answered, if it is answered out of turn, when these two are.
  for (let i = 0; i < 2; i++) await slow.call('GET', 'contacts');
  release.resolve();
  const { body } = await client.answer();
  client.destroy();
  assert.equal(JSON.parse(body).data?.id, id, `the first answer is that of the first request, and not ${body}`);
});

test('a raw query string reaches GET in the same way', async () => {
  const line = `GET /v1/bots/${mine.bot.id}/contacts?limit=1&query=jose@x`;
  const answer = await exchange(server.url, head(line, { Authorization: `Bearer ${mine.secret}` }));
  assert.equal(JSON.parse(answer.body).data[0].id, jose.id);
});

test('a head full of spaces costs no time: the server goes on answering', async () => {
  const spaces = ' '.repeat(15_000);
  const answer = await exchange(server.url, `GET /a b HTTP/1.1\r\nHost: x\r\nX:${spaces}\n\r\n\r\n`);
  assert.equal(answer.status, 400);
  assert.equal((await server.call('GET', '/healthz')).status, 200);
});

test('a head larger than other requests may have is refused', async () => {
  const answer = await exchange(server.url, head(`GET /healthz?a b${'c'.repeat(20_000)}`));
  assert.notEqual(answer.status, 200);
});

test('a packet that goes on with an address begun before is not taken for a request of its own', async () => {
  const client = await RawClient.open(server.url);
  const body = JSON.stringify({ name: 'Smuggled', email: 'smuggled@x.example' });
  client.write('GET /foo');
  // The server must have read the first part before the second comes.
  await server.call('GET', '/healthz');
  client.write(
    `PUT /v1/bots/${mine.bot.id}/contacts?a b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${mine.secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await client.closed();
  const { json } = await server.call('GET', 'contacts?query=smuggled');
  assert.equal(json.pagination.total, 0);
});

test('a control character in a header is refused, and nothing fails inside', async () => {
  const answer = await exchange(server.url, head(`GET /v1/bots/${mine.bot.id}/widget?a b`, { Origin: 'a\x01b' }));
  assert.equal(answer.status, 400);
});
