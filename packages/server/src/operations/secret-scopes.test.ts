// What secrets may do to the account, over HTTP: no more than they were created for, and nothing to wider ones.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultPermissions, type Permission, permissionNames } from '@roster/contract';
import { signInAs } from '../../test/console-client.ts';
import { addTenant, callerOf, codeOf, type Reply, startServer, type Tenant } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { sampleBot, sampleContext } from '../../test/sample.ts';
import { makeId } from '../contacts/ids.ts';

const server = await startServer(wholeFile);
const { call, clock, store } = server;

interface Scope {
  permissions?: readonly Permission[];
  bots?: readonly string[] | null;
  expiresAt?: string;
}

/** An organization of its own with two bots, its owner, and what one of its secrets can be made to do. */
async function prepare() {
  const tenant = await addTenant(store);
  const second = sampleBot(tenant.organizationId);
  await store.createBot(second, undefined, sampleContext());
  const owner = await signInAs(server, 'owner', tenant);
  const create = async (scope: Scope, name = 'Scoped') =>
    (await owner.page.call('POST', 'secrets', { body: { name, ...scope } })).json.data;
  return { tenant, bot: tenant.bot, second, ...owner, create };
}

const ask = (token: string, method: string, path: string, body?: object): Promise<Reply> =>
  call(method, `/v1/account/${path}`, { token, ...(body && { body }) });

const isAlive = async (token: string, { bot }: Pick<Tenant, 'bot'>) =>
  (await call('GET', `/v1/bots/${bot.id}/contacts`, { token })).status !== 401;

const ids = ({ json }: Reply): string[] => json.data.map(({ id }: { id: string }) => id);
const refused = (reply: Reply) => [...codeOf(reply), reply.json.permission];

suite('a secret is created', () => {
  test('with the permissions and bots that were asked for, in the order of the contract and once each', async () => {
    const { page, create, bot, second } = await prepare();
    const permissions = ['account:read', 'contacts:read', 'account:read'] as const;
    const made = await create({ permissions, bots: [second.id, bot.id, second.id] });
    assert.deepEqual(made.permissions, ['contacts:read', 'account:read']);
    assert.deepEqual(made.bots, [second.id, bot.id]);
    const { secret: _, ...state } = made;
    assert.deepEqual((await page.call('GET', 'secrets')).json.data[0], state);
    const left = await create({});
    assert.deepEqual([left.permissions, left.bots], [defaultPermissions, null]);
  });

  test('with no permission that does not exist, no bot of others, and no empty list', async () => {
    const { page, second } = await prepare();
    await store.deleteBot(second.id, sampleContext({ nowMs: clock.nowMs }));
    const faults = async (body: object) => {
      const reply = await page.call('POST', 'secrets', { body: { name: 'Wrong', ...body } });
      assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
      return reply.json.errors.map(({ field }: { field: string }) => field);
    };
    for (const permissions of [[], ['contacts:delete'], ['contacts:read', 7], 'contacts:read', null]) {
      assert.match((await faults({ permissions }))[0], /^permissions/);
    }
    for (const bots of [[], ['x'], [second.id], [server.theirs.bot.id], 'all', [7]]) {
      assert.match((await faults({ bots }))[0], /^bots/);
    }
    const past = new Date(clock.nowMs).toISOString();
    const unknown = [makeId('bot', 1), makeId('bot', 2)];
    assert.deepEqual(await faults({ bots: unknown, expiresAt: past }), ['expiresAt', 'bots.0', 'bots.1']);
  });

  test('for a bot that is deleted later, and then reaches no other for it', async () => {
    const { create, bot, second, tenant } = await prepare();
    const { secret, id } = await create({ permissions: permissionNames, bots: [second.id] });
    await store.deleteBot(second.id, sampleContext({ nowMs: clock.nowMs }));
    assert.deepEqual((await ask(secret, 'GET', 'bots')).json.data, []);
    assert.deepEqual(codeOf(await ask(secret, 'GET', `bots/${bot.id}`)), [404, 'not_found']);
    assert.deepEqual(refused(await ask(secret, 'POST', 'bots', { name: 'New' })), [403, 'forbidden', 'all_bots']);
    const listed = (await store.listSecrets(tenant.organizationId)).find((each) => each.id === id);
    assert.deepEqual(listed?.bots, [second.id]);
  });
});

suite('a secret that is limited to bots', () => {
  test('lists those alone, and secrets that reach no other', async () => {
    const { create, bot, second, tenant } = await prepare();
    const limited = await create({ permissions: ['account:read'], bots: [bot.id] });
    const other = await create({ bots: [second.id] });
    assert.deepEqual(ids(await ask(limited.secret, 'GET', 'bots')), [bot.id]);
    assert.deepEqual(ids(await ask(limited.secret, 'GET', 'secrets')), [limited.id]);
    const wide = await create({ permissions: ['account:read'] });
    assert.deepEqual(ids(await ask(wide.secret, 'GET', 'bots')), [bot.id, second.id].toSorted());
    assert.deepEqual(
      ids(await ask(wide.secret, 'GET', 'secrets')).toSorted(),
      [wide.id, other.id, limited.id, tenant.secretId].toSorted(),
    );
  });

  test('neither renames nor revokes a secret that it does not see', async () => {
    const { create, bot, second, tenant } = await prepare();
    const { secret } = await create({ permissions: permissionNames, bots: [bot.id] });
    const other = await create({ permissions: ['contacts:read'], bots: [bot.id, second.id] });
    for (const id of [other.id, tenant.secretId]) {
      assert.deepEqual(codeOf(await ask(secret, 'PATCH', `secrets/${id}`, { name: 'New' })), [404, 'not_found']);
      assert.deepEqual(codeOf(await ask(secret, 'DELETE', `secrets/${id}`)), [404, 'not_found']);
    }
    assert.ok((await isAlive(tenant.secret, tenant)) && (await isAlive(other.secret, tenant)));
  });
});

suite('a secret that a secret creates', () => {
  test('may do no more than it', async () => {
    const { create, bot, second } = await prepare();
    const parent = await create({ permissions: ['contacts:read', 'account:write'], bots: [bot.id] });
    const make = (scope: Scope) => ask(parent.secret, 'POST', 'secrets', { name: 'Child', ...scope });
    const within = { permissions: ['contacts:read'], bots: [bot.id] } as const;
    assert.deepEqual(refused(await make({ ...within, permissions: ['account:read'] })), [
      ...[403, 'forbidden', 'account:read'],
    ]);
    assert.deepEqual(refused(await make({ bots: [bot.id] })), [403, 'forbidden', 'contacts:write']);
    for (const bots of [null, undefined]) {
      const wider = { permissions: within.permissions, ...(bots === null && { bots }) };
      assert.deepEqual(refused(await make(wider)), [403, 'forbidden', 'all_bots']);
    }
    // The same as for a bot that does not exist.
    const outside = await make({ ...within, bots: [second.id] });
    assert.deepEqual(codeOf(outside), [400, 'invalid_request']);
    const made = await make(within);
    assert.equal(made.status, 201, made.text);
    const { createdBy, createdById, permissions, bots } = made.json.data;
    assert.deepEqual({ createdBy, createdById }, { createdBy: 'Scoped', createdById: parent.id });
    assert.deepEqual({ permissions, bots }, within);
  });

  test('expires no later than it', async () => {
    const { create } = await prepare();
    const at = (ms: number) => new Date(clock.nowMs + ms).toISOString();
    const parent = await create({ permissions: ['account:write'], expiresAt: at(5000) });
    const make = (expiresAt?: string | null) =>
      ask(parent.secret, 'POST', 'secrets', { name: 'Child', permissions: ['account:write'], expiresAt });
    assert.equal((await make()).json.data.expiresAt, at(5000));
    assert.equal((await make(null)).json.data.expiresAt, at(5000));
    assert.equal((await make(at(4999))).json.data.expiresAt, at(4999));
    const late = await make(at(5001));
    assert.deepEqual(codeOf(late), [400, 'invalid_request']);
    assert.match(late.json.errors[0].message, /must not be after/);
  });

  test('is revoked with it at once, and so are those that it created itself', async () => {
    const { page, create, tenant } = await prepare();
    const parent = await create({ permissions: permissionNames });
    const make = async (token: string) =>
      (await ask(token, 'POST', 'secrets', { name: 'Child', permissions: permissionNames })).json.data;
    const child = await make(parent.secret);
    const grandchild = await make(child.secret);
    const other = await create({ permissions: permissionNames });
    for (const { secret } of [parent, child, grandchild]) assert.ok(await isAlive(secret, tenant));
    assert.equal((await page.call('DELETE', `secrets/${parent.id}`)).status, 204);
    for (const { secret } of [parent, child, grandchild]) assert.equal(await isAlive(secret, tenant), false);
    assert.ok(await isAlive(other.secret, tenant));
  });
});

suite('a secret', () => {
  test('revokes one that may do no more than itself, also itself, and no wider one', async () => {
    const { create, tenant } = await prepare();
    const narrow = await create({ permissions: ['account:write', 'contacts:read'] });
    assert.deepEqual(refused(await ask(narrow.secret, 'DELETE', `secrets/${tenant.secretId}`)), [
      ...[403, 'forbidden', 'contacts:write'],
    ]);
    assert.ok(await isAlive(tenant.secret, tenant));
    const narrower = await create({ permissions: ['contacts:read'] });
    assert.equal((await ask(narrow.secret, 'DELETE', `secrets/${narrower.id}`)).status, 204);
    assert.equal(await isAlive(narrower.secret, tenant), false);
    assert.equal((await ask(narrow.secret, 'DELETE', `secrets/${narrow.id}`)).status, 204);
    assert.equal(await isAlive(narrow.secret, tenant), false);
  });

  test('is the actor of what it does to the account, in the audit log', async () => {
    const { page, create, bot } = await prepare();
    const made = await create({ permissions: permissionNames }, 'Provisioning');
    const run = async (method: string, path: string, body?: object) => {
      clock.nowMs += 10;
      const reply = await ask(made.secret, method, path, body);
      assert.ok(reply.status < 300, reply.text);
      return reply.json?.data;
    };
    const created = await run('POST', 'bots', { name: 'New' });
    await run('PATCH', `bots/${created.id}`, { name: 'Newer' });
    await run('DELETE', `bots/${created.id}`);
    const child = await run('POST', 'secrets', { name: 'Child' });
    await run('PATCH', `secrets/${child.id}`, { name: 'Kid' });
    await run('DELETE', `secrets/${child.id}`);
    const { id } = await run('POST', 'invitations', { email: 'new@example.com', role: 'member' });
    await run('DELETE', `invitations/${id}`);
    const refusal = await ask(made.secret, 'DELETE', `bots/${created.id}`);
    assert.equal(refusal.status, 404);
    await call('GET', `/v1/bots/${bot.id}/contacts`, { token: made.secret });
    const { json } = await page.call('GET', 'audit');
    const byIt = json.data.filter(({ actor }: { actor: { id: string } }) => actor.id === made.id);
    assert.deepEqual(byIt.map(({ action }: { action: string }) => action).toReversed(), [
      ...['bot.create', 'bot.update', 'bot.delete', 'secret.create', 'secret.rename', 'secret.revoke'],
      ...['invitation.create', 'invitation.revoke'],
    ]);
    for (const { actor, address } of byIt) {
      assert.deepEqual([actor.kind, actor.name, address], ['secret', 'Provisioning', '127.0.0.1']);
    }
  });

  test('needs neither origin nor CSRF token, and a cookie beside it is not read', async () => {
    const { page, create } = await prepare();
    const { secret } = await create({ permissions: ['account:write'] });
    assert.equal((await ask(secret, 'POST', 'bots', { name: 'New' })).status, 201);
    const beside = (token: string) => call('GET', '/v1/account/bots', { token, headers: page.headers() });
    assert.deepEqual(refused(await beside(secret)), [403, 'forbidden', 'account:read']);
    assert.deepEqual(codeOf(await beside('wrong')), [401, 'unauthorized']);
  });

  test('is answered 401 where no permission reaches, whatever it may do', async () => {
    const { create, bot } = await prepare();
    const { secret } = await create({ permissions: permissionNames });
    for (const [method, path] of [
      ['GET', 'session'],
      ['PATCH', 'organization'],
      ['DELETE', 'sessions'],
      ['POST', 'password'],
      ['GET', `bots/${bot.id}/contacts`],
    ] as const) {
      assert.deepEqual(codeOf(await ask(secret, method, path)), [401, 'unauthorized'], path);
    }
  });

  test('makes nobody an owner', async () => {
    const { create, tenant } = await prepare();
    const { member } = await signInAs(server, 'member', tenant);
    const { secret } = await create({ permissions: permissionNames });
    const invite = { email: 'owner@example.com', role: 'owner' };
    assert.deepEqual(refused(await ask(secret, 'POST', 'invitations', invite)), [403, 'forbidden', 'owner']);
    const promotion = await ask(secret, 'PATCH', `members/${member.id}`, { role: 'owner' });
    assert.deepEqual(refused(promotion), [403, 'forbidden', 'owner']);
    assert.equal((await ask(secret, 'PATCH', `members/${member.id}`, { role: 'member' })).status, 200);
  });

  test('makes a viewer a member only if it may do all that a member may', async () => {
    const { create, tenant } = await prepare();
    const { member } = await signInAs(server, 'viewer', tenant);
    const { secret } = await create({ permissions: ['account:write'] });
    const promotion = await ask(secret, 'PATCH', `members/${member.id}`, { role: 'member' });
    assert.deepEqual(refused(promotion), [403, 'forbidden', 'contacts:read']);
    assert.equal((await ask(secret, 'PATCH', `members/${member.id}`, { role: 'viewer' })).status, 200);
  });

  test('invites until it is revoked or expires', async () => {
    const { page, create } = await prepare();
    const expiresAt = new Date(clock.nowMs + 60_000).toISOString();
    const { secret, id } = await create({ permissions: permissionNames, expiresAt });
    const invited = await ask(secret, 'POST', 'invitations', { email: 'new@example.com', role: 'member' });
    assert.deepEqual([invited.status, invited.json.data.expiresAt], [201, expiresAt]);
    const { json } = await page.call('GET', 'invitations');
    assert.deepEqual(
      json.data.map(({ invitedBy }: { invitedBy: string }) => invitedBy),
      ['Scoped'],
    );
    const token = invited.json.data.link.split('/').at(-1);
    const read = () => page.call('POST', 'links/read', { body: { token } });
    assert.equal((await read()).status, 200);
    assert.equal((await page.call('DELETE', `secrets/${id}`)).status, 204);
    assert.equal((await read()).status, 404);
  });
});

suite('a secret that may write contacts and not read them', () => {
  const contact = { name: 'Jane Doe', email: 'jane@example.com', phone: '+1 555 0100' };

  /** A contact that others have made, and calls of such a secret. */
  async function writeOnly() {
    const { tenant, create } = await prepare();
    const known = await callerOf(server.url, tenant)('PUT', 'contacts', { body: contact });
    const { secret } = await create({ permissions: ['contacts:write'] });
    return { id: known.json.data.id, call: callerOf(server.url, { ...tenant, secret }) };
  }

  test('is answered with what it sent when it creates one, and with the id when it updates one', async () => {
    const { id, call } = await writeOnly();
    const taken = await call('PUT', 'contacts', { body: contact });
    assert.deepEqual([...codeOf(taken), taken.json.contactId], [400, 'email_taken', id]);
    const created = await call('PUT', 'contacts', { body: { ...contact, email: 'john@example.com' } });
    assert.equal(created.json.data.phone, contact.phone);
    for (const body of [{}, { name: 'New' }, undefined]) {
      const updated = await call('PATCH', `contacts/${id}`, { ...(body && { body }) });
      assert.deepEqual([updated.status, updated.json], [200, { data: { id } }]);
    }
    const upserted = await call('PATCH', 'contacts?include=outcome', { body: { data: [{ email: contact.email }] } });
    assert.deepEqual(upserted.json.data, [{ index: 0, id, outcome: 'unchanged' }]);
  });

  test('includes nothing of a contact, whatever else is wrong with the request', async () => {
    const { id, call } = await writeOnly();
    for (const include of ['attributes', 'tags', 'attributes,tags', '', 'x']) {
      for (const [method, path] of [
        ['PUT', 'contacts'],
        ['PATCH', `contacts/${id}`],
      ] as const) {
        const reply = await call(method, `${path}?include=${include}`, { body: '{broken' });
        assert.deepEqual(refused(reply), [403, 'forbidden', 'contacts:read'], `${method} ${include}`);
      }
    }
  });
});

suite('removing a member', () => {
  test('with a secret revokes what they created only if none can be wider than it', async () => {
    const { create, tenant } = await prepare();
    const colleague = await signInAs(server, 'owner', tenant);
    const { json } = await colleague.page.call('POST', 'secrets', { body: { name: 'Theirs' } });
    const narrow = await create({ permissions: ['account:write'] });
    const path = `members/${colleague.member.id}?revokeSecrets=true`;
    assert.deepEqual(refused(await ask(narrow.secret, 'DELETE', path)), [403, 'forbidden', 'contacts:read']);
    assert.ok(await isAlive(json.data.secret, tenant));
    assert.equal((await colleague.page.call('GET', 'session')).status, 200);
    const full = await create({ permissions: permissionNames });
    assert.equal((await ask(full.secret, 'DELETE', path)).status, 204);
    assert.equal(await isAlive(json.data.secret, tenant), false);
  });

  test('leaves the secrets that they created, or revokes them at once', async () => {
    const { page, tenant } = await prepare();
    for (const revokeSecrets of [undefined, 'false', 'true']) {
      const colleague = await signInAs(server, 'owner', tenant);
      const { json } = await colleague.page.call('POST', 'secrets', { body: { name: 'Theirs' } });
      assert.equal(json.data.createdById, colleague.member.id);
      assert.ok(await isAlive(json.data.secret, tenant));
      const query = revokeSecrets === undefined ? '' : `?revokeSecrets=${revokeSecrets}`;
      const wrong = await page.call('DELETE', `members/${colleague.member.id}?revokeSecrets=yes`);
      assert.deepEqual(codeOf(wrong), [400, 'invalid_request']);
      assert.equal((await page.call('DELETE', `members/${colleague.member.id}${query}`)).status, 204);
      assert.equal(await isAlive(json.data.secret, tenant), revokeSecrets !== 'true');
    }
    const actions = (await page.call('GET', 'audit')).json.data.map(({ action }: { action: string }) => action);
    assert.deepEqual(
      actions.filter((action: string) => action.startsWith('member.remove')),
      ['member.removeWithSecrets', 'member.remove', 'member.remove'],
    );
  });
});
