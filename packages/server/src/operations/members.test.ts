// The organization, its members and their roles, over HTTP.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { suite, test } from 'node:test';
import { signInAs } from '../../test/console-client.ts';
import { addTenant, codeOf, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';

const server = await startServer(wholeFile);

/** An organization of its own, so that a test can count its owners. */
async function newOwner() {
  const tenant = await addTenant(server.store);
  return { tenant, ...(await signInAs(server, 'owner', tenant)) };
}

suite('members', () => {
  test('are listed in the order of joining, with the members of the contract alone', async () => {
    const { page, tenant, member } = await newOwner();
    const { member: second } = await signInAs(server, 'member', tenant);
    const { json } = await page.call('GET', 'members');
    assert.deepEqual(
      json.data.map(({ id }: { id: string }) => id),
      [member.id, second.id],
    );
    const members = ['id', 'name', 'email', 'role', 'createdAt', 'lastSignInAt'];
    for (const each of json.data) assert.deepEqual(Object.keys(each), members);
  });

  test('a new role is in force with the next request', async () => {
    const { page, tenant } = await newOwner();
    const { page: theirs, member } = await signInAs(server, 'member', tenant);
    assert.deepEqual(codeOf(await theirs.call('GET', 'invitations')), [403, 'forbidden']);
    const reply = await page.call('PATCH', `members/${member.id}`, { body: { role: 'owner' } });
    assert.deepEqual([reply.status, reply.json.data.role], [200, 'owner']);
    assert.equal((await theirs.call('GET', 'invitations')).status, 200);
    await page.call('PATCH', `members/${member.id}`, { body: { role: 'member' } });
    assert.deepEqual(codeOf(await theirs.call('GET', 'invitations')), [403, 'forbidden']);
  });

  test('who is no owner any more when the body has come does nothing by it', async () => {
    const { page, tenant } = await newOwner();
    const { page: theirs, member } = await signInAs(server, 'owner', tenant);
    const body = JSON.stringify({ role: 'owner' });
    const held = request(`${server.url}/v1/account/members/${member.id}`, {
      method: 'PATCH',
      headers: { ...theirs.headers(), 'content-type': 'application/json', 'content-length': body.length },
    });
    const answered = once(held, 'response');
    // The head has arrived when the server answers what was sent behind it on another connection.
    await new Promise((resolve) => held.write(body.slice(0, 1), resolve));
    assert.equal((await theirs.call('GET', 'invitations')).status, 200);
    await page.call('PATCH', `members/${member.id}`, { body: { role: 'member' } });
    held.end(body.slice(1));
    const [response] = (await answered) as [IncomingMessage];
    response.resume();
    assert.equal(response.statusCode, 403);
    assert.deepEqual(codeOf(await theirs.call('GET', 'invitations')), [403, 'forbidden']);
  });

  test('an owner may leave only when another stays', async () => {
    const { page, tenant, member } = await newOwner();
    await signInAs(server, 'member', tenant);
    for (const reply of [
      await page.call('PATCH', `members/${member.id}`, { body: { role: 'member' } }),
      await page.call('DELETE', `members/${member.id}`),
    ]) {
      assert.deepEqual(codeOf(reply), [400, 'last_owner']);
    }
    await signInAs(server, 'owner', tenant);
    assert.equal((await page.call('DELETE', `members/${member.id}`)).status, 204);
    assert.equal((await page.call('GET', 'session')).status, 401);
  });

  test('a role that does not exist is rejected as such', async () => {
    const { page, member } = await newOwner();
    const reply = await page.call('PATCH', `members/${member.id}`, { body: { role: 'king' } });
    assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
  });
});

suite('the organization', () => {
  test('is renamed for everybody', async () => {
    const { page, tenant } = await newOwner();
    const { page: theirs } = await signInAs(server, 'member', tenant);
    const reply = await page.call('PATCH', 'organization', { body: { name: ' Grün & Söhne ' } });
    assert.deepEqual(reply.json.data, { id: tenant.organizationId, name: 'Grün & Söhne' });
    assert.deepEqual((await theirs.call('GET', 'session')).json.data.organization, reply.json.data);
  });
});
