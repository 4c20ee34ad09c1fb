// Deleting many contacts over HTTP: which are deleted, and what is refused.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { limits } from '@roster/contract';
import { signInAs } from '../../test/console-client.ts';
import { type Caller, codeOf, createContact, startServer } from '../../test/harness.ts';
import { callerOfNewBot, wholeFile } from '../../test/http/every-operation.ts';
import { makeId } from '../contacts/ids.ts';

const server = await startServer(wholeFile);

const deleteMany = (call: Caller, ids: unknown) => call('POST', 'contacts/delete', { body: { ids } });

suite('deleting many contacts', () => {
  test('every id yields one row, in order, and says whether it deleted a contact', async () => {
    const call = await callerOfNewBot(server);
    const [kept, one, two] = [await createContact(call), await createContact(call), await createContact(call)];
    const ids = [two.id, makeId('contact', 1), 'no id\u0000', one.id, two.id, ''];
    const reply = await deleteMany(call, ids);
    assert.equal(reply.status, 200);
    const isDeleted = [true, false, false, true, false, false];
    assert.deepEqual(reply.json, { data: ids.map((id, index) => ({ index, id, isDeleted: isDeleted[index] })) });
    assert.deepEqual((await call('GET', 'contacts')).json.data, [kept]);
  });

  test('the tokens of a contact go with it', async () => {
    const call = await callerOfNewBot(server);
    const { id } = await createContact(call);
    const { token } = (await call('POST', 'auth/contact', { body: { id } })).json;
    await deleteMany(call, [id]);
    assert.equal((await call('GET', 'auth/contact', { token })).status, 401);
  });

  test('a contact of another bot is not deleted', async () => {
    const [call, other] = [await callerOfNewBot(server), await callerOfNewBot(server)];
    const contact = await createContact(other);
    assert.equal((await deleteMany(call, [contact.id])).json.data[0].isDeleted, false);
    assert.deepEqual((await other('GET', `contacts/${contact.id}`)).json.data, contact);
  });

  test('an empty list is answered with one, and what it does not know is named', async () => {
    const call = await callerOfNewBot(server);
    const reply = await call('POST', 'contacts/delete', { body: { ids: [], dryRun: true } });
    assert.deepEqual([reply.status, reply.json], [200, { data: [] }]);
    assert.equal(reply.headers.get('roster-ignored'), 'dryRun');
  });

  test('what is no list of strings is refused, each fault with its index, and nothing is deleted', async () => {
    const call = await callerOfNewBot(server);
    const { id } = await createContact(call);
    for (const [body, message] of [
      [{}, 'is required'],
      [{ ids: id }, 'must be an array'],
      [{ ids: null }, 'must be an array'],
      [[id], 'is required'],
    ] as const) {
      const reply = await call('POST', 'contacts/delete', { body });
      assert.deepEqual([...codeOf(reply), reply.json.errors], [400, 'invalid_request', [{ field: 'ids', message }]]);
    }
    const { json } = await deleteMany(call, [id, 7, id, null]);
    const message = 'must be a string';
    assert.deepEqual(json.errors, [
      { index: 1, field: 'ids', message },
      { index: 3, field: 'ids', message },
    ]);
    assert.equal((await call('GET', `contacts/${id}`)).status, 200);
  });

  test('more than a thousand at once are refused, and nothing is deleted', async () => {
    const call = await callerOfNewBot(server);
    const { id } = await createContact(call);
    const reply = await deleteMany(call, Array(limits.contactsPerDelete + 1).fill(id));
    assert.deepEqual(codeOf(reply), [400, 'too_many_contacts']);
    assert.equal((await call('GET', `contacts/${id}`)).status, 200);
    const most = await deleteMany(call, Array(limits.contactsPerDelete).fill(id));
    assert.equal(most.json.data.filter(({ isDeleted }: { isDeleted: boolean }) => isDeleted).length, 1);
  });

  test('no contact has the id "delete"', async () => {
    const call = await callerOfNewBot(server);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      assert.deepEqual(codeOf(await call(method, 'contacts/delete')), [404, 'not_found'], method);
    }
    assert.equal((await call('PUT', 'contacts/delete')).status, 405);
  });

  test('a member deletes many too, and the audit log counts those that were deleted', async () => {
    const { page } = await signInAs(server, 'owner');
    const [one, two] = [await createContact(server.call), await createContact(server.call)];
    const ids = [one.id, two.id, two.id, makeId('contact', 1)];
    const reply = await page.call('POST', `bots/${server.mine.bot.id}/contacts/delete`, { body: { ids } });
    assert.equal(reply.status, 200, reply.text);
    const [entry] = (await page.call('GET', 'audit')).json.data;
    assert.deepEqual([entry.action, entry.count], ['contact.delete', 2]);
  });
});
