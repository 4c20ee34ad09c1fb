// Characters that engines treat differently, and values as long as they may be: the same answers from every engine.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { limits } from '@roster/contract';
import { codeOf, createContact, startServer } from '../harness.ts';
import { allOperations, fillSchema, keepTargets, lettingIn, pathOf, wholeFile } from './every-operation.ts';

const server = await startServer(wholeFile);
const { call } = server;
const kept = keepTargets(server);

suite('odd characters', () => {
  test('a NUL or half a character in an id, a position or a token is one that does not exist', async () => {
    const { id } = await createContact(call);
    for (const odd of ['%00', 'con_%00', `${id}%00`, `${id.slice(0, -1)}%00`, '%ED%A0%80', `${id}%ED%A0%80`]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        assert.deepEqual(codeOf(await call(method, `contacts/${odd}`)), [404, 'not_found'], `${method} ${odd}`);
      }
      assert.deepEqual(codeOf(await call('DELETE', `auth/contacts/${odd}`)), [404, 'not_found'], odd);
      const page = await call('GET', `export?after=${odd}`);
      assert.ok(page.status === 200 || page.status === 400, page.text);
    }
    assert.deepEqual(codeOf(await call('GET', '/v1/bots/bot_%00/contacts')), [404, 'not_found']);
  });

  test('a NUL or half a character in the identity of a visitor matches no contact, or is an error: never a failure', async () => {
    for (const odd of ['\0', 'con_\0', '\ud800', 'jane\0@example.com', '\udc00jane@example.com']) {
      for (const body of [{ id: odd }, { email: odd }, { id: odd, email: odd }]) {
        const { status, text } = await call('POST', 'auth/contact', { body });
        assert.ok(status === 404 || status === 400, text);
      }
    }
  });

  test('a NUL or half a character in a search finds nothing', async () => {
    await createContact(call, { name: 'Findable' });
    for (const query of ['%00', 'findable%00', 'findable %00', '5%00', 'findable %ED%A0%80x%00']) {
      const { status, json } = await call('POST', `contacts?query=${query}`);
      assert.equal(status, 200);
      assert.equal(json.pagination.total, 0, query);
    }
  });

  const odd = ['\0', 'jane\0@example.com', '\ud800', '\x7f', '\u{10ffff}\uffff', '"\\%', 'x'.repeat(5000)];
  for (const operation of allOperations.filter(({ path }) => path.startsWith('/v1'))) {
    test(`no text in a path, a query or a body is a failure of the server: ${operation.id}`, async () => {
      for (const value of odd) {
        const targets = await kept.current();
        const path = pathOf(operation, targets);
        const options = await lettingIn(operation, server, targets);
        const body = operation.body && fillSchema(operation.body.schema, () => value);
        const inPath = path.replace(/(_|c:|\/)[\w-]+$/, `$1${encodeURIComponent(value.toWellFormed())}`);
        const names = Object.keys(operation.query?.shape ?? {});
        const query = new URLSearchParams(Object.fromEntries(names.map((name) => [name, value])));
        for (const target of [`${path}?${query}`, inPath]) {
          const reply = await call(operation.method, target, { ...options, body });
          assert.ok(reply.status < 500, `${operation.id} ${JSON.stringify(value.slice(0, 20))}: ${reply.text}`);
          kept.note(operation, reply);
        }
        // Each is within the limits of its minute.
        server.clock.nowMs += 60_000;
      }
    });
  }

  test('the longest values, of the longest characters, are stored, found and unique', async () => {
    const long = (length: number) =>
      Array.from({ length }, (_, index) => String.fromCodePoint(0x20000 + index)).join('');
    const domain = '@x.org';
    // Each of these becomes three characters of four bytes in the key of an email.
    const expanding = (length: number) =>
      Array.from({ length }, (_, index) => String.fromCodePoint(0x1d160 + ((index * index) % 5))).join('');
    for (const start of [long(limits.emailLength - domain.length), expanding(limits.emailLength - domain.length)]) {
      const fields = {
        name: long(limits.nameLength),
        email: start + domain,
        phone: long(limits.phoneLength),
        mid: long(limits.messengerIdLength),
      };
      const contact = await createContact(call, fields);
      assert.equal(contact.email, fields.email);
      assert.deepEqual((await call('GET', `contacts/${contact.id}`)).json.data, contact);
      const again = await call('PUT', 'contacts', { body: fields });
      assert.deepEqual(codeOf(again), [400, 'email_taken']);
      const upserted = await call('PATCH', 'contacts', { body: { data: [fields] } });
      assert.deepEqual(upserted.json.data, [{ index: 0, id: contact.id }]);
      const found = await call('POST', `contacts?query=${encodeURIComponent(start.slice(20, 60))}`);
      assert.equal(found.json.pagination.total, 1);
      assert.equal((await call('POST', 'auth/contact', { body: { email: fields.email } })).status, 200);
    }
  });
});
