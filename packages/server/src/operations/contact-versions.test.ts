// Versions of contacts over HTTP: the ETag of answers, and If-Match of updates and deletions.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Contact } from '@roster/contract';
import { signInAs } from '../../test/console-client.ts';
import { callerOf, codeOf, createContact, type Reply, startServer } from '../../test/harness.ts';
import { callerOfNewBot, wholeFile } from '../../test/http/every-operation.ts';
import { makeId } from '../contacts/ids.ts';

const server = await startServer(wholeFile);
const { call, mine, theirs } = server;

const etagOf = ({ headers }: Reply) => headers.get('etag');
const versionOf = ({ updatedAt }: Contact) => `"${Date.parse(updatedAt)}"`;
const ifMatch = (etag: string) => ({ 'if-match': etag });
const read = async (id: string): Promise<Contact> => (await call('GET', `contacts/${id}`)).json.data;

suite('the ETag of a contact', () => {
  test('comes with every answer of one contact, and names its updatedAt', async () => {
    const { page } = await signInAs(server, 'member');
    const email = 'version@example.com';
    const created = await call('PUT', 'contacts', { body: { name: 'Version', email } });
    const { id } = created.json.data;
    const replies = [
      created,
      await call('GET', `contacts/${id}`),
      await call('GET', `contacts/${id}?include=attributes,tags`),
      await call('PATCH', `contacts/${id}`, { body: { phone: '1' } }),
      await call('PATCH', `contacts/${id}?include=tags`, { body: { addTags: ['vip'] } }),
      await page.call('GET', `bots/${mine.bot.id}/contacts/${id}?include=lastSeenAt`),
      await page.call('PATCH', `bots/${mine.bot.id}/contacts/${id}`, { body: { phone: '2' } }),
      await page.call('PUT', `bots/${mine.bot.id}/contacts`, { body: { name: 'Other', email: `other-${email}` } }),
    ];
    for (const reply of replies) assert.equal(etagOf(reply), versionOf(reply.json.data), reply.text);
    assert.equal(
      new Set(replies.slice(0, -1).map(etagOf)).size,
      4,
      'each change is another version, and reading is none',
    );
  });

  test('is on no list, and a reader who has it already gets the contact all the same', async () => {
    const contact = await createContact(call);
    const again = await call('GET', `contacts/${contact.id}`, { headers: { 'if-none-match': versionOf(contact) } });
    assert.deepEqual([again.status, again.json.data], [200, contact]);
    const upserted = await call('PATCH', 'contacts', { body: { data: [{ email: contact.email, name: 'New' }] } });
    const deleted = await call('DELETE', `contacts/${contact.id}`);
    for (const reply of [await call('GET', 'contacts'), await call('GET', 'export'), upserted, deleted]) {
      assert.equal(etagOf(reply), null);
    }
  });
});

suite('If-Match', () => {
  test('lets an update and a deletion of the same version pass, and refuses every other with 412', async () => {
    const contact = await createContact(call, { name: 'First' });
    const path = `contacts/${contact.id}`;
    const update = (etag: string, name: string) => call('PATCH', path, { body: { name }, headers: ifMatch(etag) });
    const updated = await update(versionOf(contact), 'Second');
    assert.deepEqual([updated.status, updated.json.data.name], [200, 'Second'], updated.text);
    const stale = await update(versionOf(contact), 'Third');
    assert.deepEqual(codeOf(stale), [412, 'precondition_failed']);
    assert.match(stale.json.detail, /Retrieve it, then repeat/);
    const refused = await call('DELETE', path, { headers: ifMatch(versionOf(contact)) });
    assert.deepEqual(codeOf(refused), [412, 'precondition_failed']);
    assert.deepEqual(await read(contact.id), updated.json.data);
    const deleted = await call('DELETE', path, { headers: ifMatch(String(etagOf(updated))) });
    assert.equal(deleted.status, 204);
    assert.deepEqual(codeOf(await call('GET', path)), [404, 'not_found']);
  });

  test('takes * and lists of tags, and compares strongly', async () => {
    const contact = await createContact(call);
    const path = `contacts/${contact.id}`;
    const version = versionOf(contact);
    const digits = version.slice(1, -1);
    const status = async (etag: string) => (await call('PATCH', path, { body: {}, headers: ifMatch(etag) })).status;
    for (const etag of ['*', ' * ', version, `"1", ${version}`, `,${version} ,, "a,b"`, `W/"x",${version}`]) {
      assert.equal(await status(etag), 200, etag);
    }
    const others = [`W/${version}`, '"1"', '""', `"0${digits}"`, `"${digits}.0"`, `" ${digits}"`.replace(' ', '+')];
    for (const etag of [...others, `"1", W/${version}`, `"${digits}0"`, `"a,${digits}"`, '"\u00e9"']) {
      assert.equal(await status(etag), 412, etag);
    }
  });

  test('that is malformed is 400 and says what to send, and changes nothing', async () => {
    const contact = await createContact(call);
    const path = `contacts/${contact.id}`;
    const digits = versionOf(contact).slice(1, -1);
    const wrong = [digits, `"${digits}`, `${digits}"`, `'${digits}'`, `w/"${digits}"`, `"${digits}" "1"`, '*, "1"'];
    for (const etag of [...wrong, contact.updatedAt, `"${digits} "`, ',', '', `"${digits}"x`, `"1""${digits}"`]) {
      for (const [method, options] of [
        ['PATCH', { body: { name: 'Other' } }],
        ['DELETE', {}],
      ] as const) {
        const reply = await call(method, path, { ...options, headers: ifMatch(etag) });
        assert.deepEqual(codeOf(reply), [400, 'invalid_request'], `${method} ${etag}`);
        assert.equal(reply.json.errors[0].field, 'If-Match');
        assert.match(reply.json.detail, /must be the ETag of the contact, quotes included/);
      }
    }
    assert.deepEqual(await read(contact.id), contact);
  });

  test('does not matter for a contact that does not exist: it is 404 first', async () => {
    const foreign = await createContact(callerOf(server.url, theirs));
    const ofOtherBot = await createContact(await callerOfNewBot(server));
    for (const id of [makeId('contact', 1), 'x', foreign.id, ofOtherBot.id]) {
      for (const etag of ['*', '"1"', versionOf(ofOtherBot), 'malformed']) {
        for (const method of ['PATCH', 'DELETE']) {
          const reply = await call(method, `contacts/${id}`, { headers: ifMatch(etag) });
          assert.deepEqual(codeOf(reply), [404, 'not_found'], `${method} ${id} ${etag}`);
        }
      }
    }
  });

  test('is checked before the email, and a fault of the body before it', async () => {
    const [contact, other] = [await createContact(call), await createContact(call)];
    const update = (body: object) => call('PATCH', `contacts/${contact.id}`, { body, headers: ifMatch('"1"') });
    assert.deepEqual(codeOf(await update({ email: other.email })), [412, 'precondition_failed']);
    assert.deepEqual(codeOf(await update({ name: '' })), [400, 'invalid_request']);
  });

  test('holds for an update that changes nothing, which makes no new version', async () => {
    const contact = await createContact(call);
    const update = (etag: string) =>
      call('PATCH', `contacts/${contact.id}`, { body: { name: contact.name }, headers: ifMatch(etag) });
    const same = await update(versionOf(contact));
    assert.deepEqual([same.status, etagOf(same)], [200, versionOf(contact)]);
    assert.equal((await update(versionOf(contact))).status, 200);
    assert.equal((await update('"1"')).status, 412);
  });

  test('lets exactly one of many updates of the same version win, by one bot or many callers', async () => {
    for (let round = 0; round < 5; round++) {
      const contact = await createContact(call);
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          call('PATCH', `contacts/${contact.id}`, { body: { name: `${n}` }, headers: ifMatch(versionOf(contact)) }),
        ),
      );
      const won = replies.filter(({ status }) => status === 200);
      assert.equal(won.length, 1);
      assert.equal(replies.filter(({ status }) => status === 412).length, 7);
      assert.deepEqual(await read(contact.id), won[0]?.json.data);
    }
  });

  test('is no matter of operations on many contacts', async () => {
    const contact = await createContact(call);
    const headers = ifMatch('malformed');
    const body = { data: [{ email: contact.email, name: 'Many' }] };
    assert.equal((await call('PATCH', 'contacts', { body, headers })).status, 200);
    const deleted = await call('POST', 'contacts/delete', { body: { ids: [contact.id] }, headers });
    assert.deepEqual(deleted.json.data, [{ index: 0, id: contact.id, isDeleted: true }]);
  });

  test('that is refused leaves neither an event nor an audit entry', async () => {
    const { page } = await signInAs(server, 'owner');
    const contact = await createContact(call);
    const { next } = (await call('GET', 'events?after=now')).json;
    const entries = async () => (await page.call('GET', 'audit?limit=200')).json.data.length;
    const before = await entries();
    const path = `bots/${mine.bot.id}/contacts/${contact.id}`;
    const options = { body: { name: 'Other' }, headers: ifMatch('"1"') };
    assert.deepEqual(codeOf(await page.call('PATCH', path, options)), [412, 'precondition_failed']);
    assert.deepEqual(codeOf(await page.call('DELETE', path, { headers: ifMatch('"1"') })), [
      412,
      'precondition_failed',
    ]);
    assert.equal(await entries(), before);
    assert.deepEqual((await call('GET', `events?after=${next}`)).json.data, []);
  });
});

suite('a secret that may write contacts and not read them', () => {
  test('learns no version but that of what it created, nor from a refusal what the contact is', async () => {
    const { page } = await signInAs(server, 'owner');
    const { secret: token } = (
      await page.call('POST', 'secrets', { body: { name: 'Form', permissions: ['contacts:write'] } })
    ).json.data;
    const created = await call('PUT', 'contacts', { token, body: { name: 'Own', email: 'own@example.com' } });
    assert.equal(etagOf(created), versionOf(created.json.data));
    const { id } = created.json.data;
    const update = (etag: string | undefined, phone: string) =>
      call('PATCH', `contacts/${id}`, { token, body: { phone }, headers: etag === undefined ? {} : ifMatch(etag) });
    for (const etag of [String(etagOf(created)), '*', undefined]) {
      const updated = await update(etag, `1${etag}`);
      assert.deepEqual([updated.status, updated.json, etagOf(updated)], [200, { data: { id } }, null]);
    }
    const now = await read(id);
    const [stale, never] = [await update(String(etagOf(created)), '3'), await update('"1"', '3')];
    const removed = await call('DELETE', `contacts/${id}`, { token, headers: ifMatch('"1"') });
    const bodyOf = ({ json: { requestId: _, ...rest } }: Reply) => rest;
    for (const refused of [stale, never, removed]) {
      assert.deepEqual([...codeOf(refused), etagOf(refused)], [412, 'precondition_failed', null]);
      assert.deepEqual(bodyOf(refused), bodyOf(stale), 'the same whatever the version is');
      for (const value of [...Object.values(now), versionOf(now)]) {
        assert.ok(value === '' || !refused.text.includes(value), value);
      }
    }
  });
});
