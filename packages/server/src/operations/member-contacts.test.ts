// Contacts as members reach them: the same as by a secret, and their tokens besides.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { signInAs } from '../../test/console-client.ts';
import { codeOf, createContact, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';

const server = await startServer(wholeFile);
const { call, clock, mine } = server;
const { page } = await signInAs(server, 'member');
const contacts = `bots/${mine.bot.id}/contacts`;

suite('contacts of members', () => {
  test('are created with the path by which members find them, updated, searched, exported and deleted', async () => {
    const body = { name: 'Jane Doe', email: 'jane@example.com', typo: 1 };
    const created = await page.call('PUT', contacts, { body });
    assert.equal(created.status, 201, created.text);
    const { id } = created.json.data;
    assert.equal(created.headers.get('location'), `/v1/account/${contacts}/${id}`);
    assert.equal(created.headers.get('roster-ignored'), 'typo');
    const found = await page.call('GET', created.headers.get('location') as string);
    assert.deepEqual(found.json, created.json);
    assert.deepEqual((await call('GET', `contacts/${id}`)).json, created.json, 'the same as by a secret');
    const taken = await page.call('PUT', contacts, { body });
    assert.deepEqual([...codeOf(taken), taken.json.contactId], [400, 'email_taken', id]);
    const updated = await page.call('PATCH', `${contacts}/${id}`, { body: { phone: '110' } });
    assert.equal(updated.json.data.phone, '110');
    const imported = await page.call('PATCH', contacts, {
      body: { data: [{ name: 'Joe', email: 'joe@example.com' }] },
    });
    assert.equal(imported.json.data.length, 1);
    for (const method of ['GET', 'POST']) {
      const { json } = await page.call(method, `${contacts}?query=doe`);
      assert.deepEqual([json.data, json.pagination.total], [[updated.json.data], 1]);
    }
    const { json: exported } = await page.call('GET', `bots/${mine.bot.id}/export`);
    assert.equal(exported.data.length, 2);
    assert.equal((await page.call('DELETE', `${contacts}/${id}`)).status, 204);
    assert.deepEqual(codeOf(await page.call('GET', `${contacts}/${id}`)), [404, 'not_found']);
  });

  test('an import with bad rows reports all of them, and changes nothing', async () => {
    const body = { data: [{ email: 'new@example.com' }, { name: 'X', email: 'nowhere' }] };
    const reply = await page.call('PATCH', contacts, { body });
    const reported = reply.json.errors.map(({ index, field }: { index: number; field: string }) => [index, field]);
    assert.deepEqual(reported, [
      [0, 'name'],
      [1, 'email'],
    ]);
  });

  test('the secret’s own paths know no session', async () => {
    const reply = await page.call('GET', `/v1/bots/${mine.bot.id}/contacts`);
    assert.deepEqual(codeOf(reply), [401, 'unauthorized']);
  });
});

suite('tokens of a contact', () => {
  test('live ones are listed without themselves, oldest first, and all are revoked together', async () => {
    const { id } = await createContact(call);
    const issue = async () => (await call('POST', 'auth/contact', { body: { id } })).json;
    const expiring = await issue();
    clock.nowMs += 365 * 86_400_000 - 10_000;
    // The earlier session has expired in that year.
    const { page } = await signInAs(server, 'member');
    const [one, two] = [await issue(), await issue()];
    const path = `${contacts}/${id}/tokens`;
    const list = async () => (await page.call('GET', path)).json.data;
    assert.equal((await list()).length, 3);
    clock.nowMs += 10_000;
    await call('GET', 'auth/contact', { token: two.token });
    await server.app.flush();
    const { text, json } = await page.call('GET', path);
    const seen = new Date(clock.nowMs).toISOString();
    assert.deepEqual(
      json.data.map(({ lastSeenAt }: { lastSeenAt: string | null }) => lastSeenAt).toSorted(),
      [seen, null].toSorted(),
    );
    assert.deepEqual(Object.keys(json.data[0]), ['id', 'createdAt', 'expiresAt', 'lastSeenAt']);
    for (const { token } of [expiring, one, two]) assert.ok(!text.includes(token));
    assert.equal((await page.call('DELETE', path)).status, 204);
    for (const { token } of [one, two]) assert.equal((await call('GET', 'auth/contact', { token })).status, 401);
    assert.deepEqual(await list(), []);
    assert.equal((await page.call('DELETE', path)).status, 204, 'none is no error');
  });

  test('one is revoked by its id in the list, and no other', async () => {
    const [{ id }, other] = [await createContact(call), await createContact(call)];
    const { page } = await signInAs(server, 'member');
    // All of the same millisecond.
    const tokens: string[] = [];
    for (let count = 0; count < 4; count++)
      tokens.push((await call('POST', 'auth/contact', { body: { id } })).json.token);
    const path = `${contacts}/${id}/tokens`;
    const list = async () => (await page.call('GET', path)).json.data as { id: string }[];
    const [first, second, ...rest] = await list();
    assert.ok(first && second);
    const neighbour = `${contacts}/${other.id}/tokens/${second.id}`;
    for (const wrong of [neighbour, `${path}/${second.id.slice(0, -1)}`, `${path}/x`, `${path}/1-0000000000000000`]) {
      assert.deepEqual(codeOf(await page.call('DELETE', wrong)), [404, 'not_found'], wrong);
    }
    assert.equal((await page.call('DELETE', `${path}/${second.id}`)).status, 204);
    assert.deepEqual(await list(), [first, ...rest]);
    const statuses = await Promise.all(
      tokens.map(async (token) => (await call('GET', 'auth/contact', { token })).status),
    );
    assert.deepEqual(statuses.toSorted(), [200, 200, 200, 401]);
    assert.deepEqual(codeOf(await page.call('DELETE', `${path}/${second.id}`)), [404, 'not_found']);
  });

  test('are listed in pages, oldest first, and a page names the position after it', async () => {
    const { id } = await createContact(call);
    const { page } = await signInAs(server, 'member');
    const made: string[] = [];
    for (let count = 0; count < 7; count++) {
      const { json } = await call('POST', 'auth/contact', { body: { id } });
      made.push(json.createdAt);
      // Some share their millisecond.
      clock.nowMs += count % 2;
    }
    const path = `${contacts}/${id}/tokens`;
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const { json } = await page.call('GET', `${path}?limit=3&after=${after}`);
      seen.push(...json.data.map(({ createdAt }: { createdAt: string }) => createdAt));
      assert.ok(json.next === null || json.data.length === 3);
      after = json.next;
    }
    assert.deepEqual(seen, made);
    for (const bad of ['after=x', 'after=1', 'after=1-xyz', 'limit=0', 'limit=1001', 'after=&after=']) {
      assert.equal((await page.call('GET', `${path}?${bad}`)).status, 400, bad);
    }
  });
});
