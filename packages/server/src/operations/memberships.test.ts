// One email in several organizations: memberships that know nothing of each other, and the sign-in that chooses among them.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Member } from '@roster/contract';
import { ConsolePage, signInAs } from '../../test/console-client.ts';
import { addTenant, codeOf, type Reply, startServer, type Tenant, type TestServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/whole-file.ts';
import { makeId } from '../contacts/ids.ts';

const shared = await startServer(wholeFile);
const passwords = { here: 'correct horse battery', there: 'staple of another house' };

interface SharedServer extends TestServer {
  /** An email of this test alone. */
  victim: string;
}

let started = 0;

/** Two organizations with an owner each: the server's own, and one that somebody else runs. */
async function startTwo(t: TestContext) {
  const victim = `dana${++started}@example.com`;
  const server: SharedServer = { ...(await startServer(t, { storeOf: shared })), victim };
  const other = await addTenant(server.store);
  const [here, there] = [await signInAs(server, 'owner'), await signInAs(server, 'owner', other)];
  return { server, victim, other, here: here.page, there: there.page };
}

const tokenOf = ({ json }: Reply) => /#\/link\/([\w-]+)$/.exec(json.data.link)?.[1] as string;

function invite(owner: ConsolePage, email: string, role = 'member'): Promise<Reply> {
  return owner.call('POST', 'invitations', { body: { email, role } });
}

/** Invites, and accepts with the link, as whoever holds it. */
async function join(
  server: SharedServer,
  owner: ConsolePage,
  password: string,
  email = server.victim,
): Promise<ConsolePage> {
  const invited = await invite(owner, email);
  assert.equal(invited.status, 201, invited.text);
  const page = new ConsolePage(server, server.mine);
  const body = { token: tokenOf(invited), name: 'Dana', password };
  const joined = await page.call('POST', 'invitations/accept', { body });
  assert.equal(joined.status, 200, joined.text);
  return page;
}

async function signIn(server: SharedServer, password: string, more: object = {}) {
  const page = new ConsolePage(server, server.mine);
  const reply = await page.call('POST', 'session', { body: { email: server.victim, password, ...more } });
  return { page, reply, organizationId: reply.json.data?.organization?.id as string | undefined };
}

const idOf = ({ organizationId }: Tenant) => organizationId;

test('whoever takes an email in one organization keeps nobody out of another, and opens nothing there', async (t) => {
  const { server, other, here, there } = await startTwo(t);
  await join(server, there, passwords.there);
  await join(server, here, passwords.here);
  assert.equal((await signIn(server, passwords.here)).organizationId, idOf(server.mine));
  assert.equal((await signIn(server, passwords.there)).organizationId, idOf(other));
  for (const [password, organizationId] of [
    [passwords.there, idOf(server.mine)],
    [passwords.here, idOf(other)],
  ] as const) {
    assert.deepEqual(codeOf((await signIn(server, password, { organizationId })).reply), [401, 'sign_in_failed']);
  }
});

test('an invitation is answered alike for an email that is a member elsewhere and for one that is not', async (t) => {
  const { server, victim, here, there } = await startTwo(t);
  await join(server, there, passwords.there);
  const replies = [await invite(here, victim), await invite(here, 'nobody@example.com')];
  const [known, unknown] = replies.map((reply) => {
    const { id, link, email } = reply.json.data;
    const token = link.slice(link.lastIndexOf('/') + 1);
    const body = reply.text.replace(id, 'ID').replace(token, 'TOKEN').replace(email, 'EMAIL');
    const headers = [...reply.headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
    return { status: reply.status, body, headers };
  });
  assert.deepEqual(known, unknown);
  const joined = replies.map(async (reply) => {
    const page = new ConsolePage(server, server.mine);
    const body = { token: tokenOf(reply), name: 'Same', password: passwords.here };
    const { status, json } = await page.call('POST', 'invitations/accept', { body });
    return { status, keys: Object.keys(json.data), member: Object.keys(json.data.member) };
  });
  assert.deepEqual(await joined[0], await joined[1]);
  assert.deepEqual(
    codeOf(await invite(here, victim.toUpperCase())),
    [400, 'member_exists'],
    'its owners see its members',
  );
});

test('who has one password in several organizations is asked for one of them, and told of no other', async (t) => {
  const { server, other, here, there } = await startTwo(t);
  const third = await addTenant(server.store);
  const { page: elsewhere } = await signInAs(server, 'owner', third);
  await join(server, elsewhere, passwords.there);
  await join(server, here, passwords.here);
  server.clock.nowMs += 1000;
  await join(server, there, passwords.here);
  const { reply } = await signIn(server, passwords.here);
  assert.deepEqual(codeOf(reply), [400, 'organization_required']);
  assert.equal(reply.headers.get('set-cookie'), null);
  const nameOf = async (id: string) => (await server.store.findOrganization(id))?.name;
  const listed = [idOf(other), idOf(server.mine)];
  assert.deepEqual(
    reply.json.organizations,
    await Promise.all(listed.map(async (id) => ({ id, name: await nameOf(id) }))),
  );
  for (const organizationId of listed) {
    const chosen = await signIn(server, passwords.here, { organizationId });
    assert.deepEqual([chosen.reply.status, chosen.organizationId], [200, organizationId]);
    assert.equal((await chosen.page.call('GET', 'session')).json.data.organization.id, organizationId);
  }
});

test('an organization that is unknown, or that the email is no member of, is a failed sign-in like any other', async (t) => {
  const { server, other, here } = await startTwo(t);
  await join(server, here, passwords.here);
  const unknown = makeId('organization', 1);
  const replies = [];
  for (const organizationId of [unknown, idOf(other)]) {
    replies.push((await signIn(server, passwords.here, { organizationId })).reply);
  }
  replies.push((await signIn(server, 'a wrong password')).reply);
  for (const reply of replies) assert.deepEqual(codeOf(reply), [401, 'sign_in_failed']);
  assert.equal(new Set(replies.map(({ text, json }) => text.replace(json.requestId, ''))).size, 1);
  for (const organizationId of ['x', '', null, 1, { $ne: '' }]) {
    const { reply } = await signIn(server, passwords.here, { organizationId });
    assert.deepEqual(codeOf(reply), [400, 'invalid_request'], JSON.stringify(organizationId));
  }
});

test('passwords, sessions and removals of one membership leave the other as it is', async (t) => {
  const { server, victim, other, here, there } = await startTwo(t);
  const mine = await join(server, here, passwords.here);
  const theirs = await join(server, there, passwords.there);
  const changed = 'an entirely new phrase';
  const change = { currentPassword: passwords.here, newPassword: changed };
  assert.deepEqual(
    codeOf(await theirs.call('POST', 'password', { body: change })),
    [401, 'sign_in_failed'],
    'the password of another membership is a wrong one',
  );
  const own = { currentPassword: passwords.there, newPassword: changed };
  assert.equal((await theirs.call('POST', 'password', { body: own })).status, 200);
  assert.equal((await mine.call('GET', 'session')).status, 200);
  assert.equal((await signIn(server, changed)).organizationId, idOf(other));
  assert.equal((await signIn(server, passwords.here)).organizationId, idOf(server.mine));
  assert.equal((await theirs.call('DELETE', 'sessions')).status, 204);
  assert.equal((await mine.call('GET', 'session')).status, 200);
  const [listed] = (await there.call('GET', 'members')).json.data.filter((each: Member) => each.email === victim);
  assert.equal((await here.call('DELETE', `members/${listed.id}`)).status, 404);
  assert.equal((await there.call('DELETE', `members/${listed.id}`)).status, 204);
  assert.deepEqual(codeOf((await signIn(server, changed)).reply), [401, 'sign_in_failed']);
  assert.equal((await signIn(server, passwords.here)).organizationId, idOf(server.mine));
});

test('a sign-in computes one hash, whether the email has no, one or many memberships, and joining takes the same salt', async (t) => {
  const { server, victim, here, there } = await startTwo(t);
  await join(server, here, passwords.here);
  await join(server, there, passwords.there);
  const stored = await server.store.findMembersByEmail(victim);
  assert.equal(new Set(stored.map(({ passwordHash }) => passwordHash.split('$')[4])).size, 1);
  assert.equal(new Set(stored.map(({ passwordHash }) => passwordHash)).size, 2);
  await join(server, here, passwords.here, 'eric@example.com');
  const [eric] = await server.store.findMembersByEmail('eric@example.com');
  assert.notEqual(eric?.passwordHash.split('$')[4], stored[0]?.passwordHash.split('$')[4], 'others have their own');
});

test('a membership of one’s own is no way to guess at another of the same email more often', async (t) => {
  const { server, here, there } = await startTwo(t);
  await join(server, here, passwords.here);
  const attacker = await join(server, there, 'guess number zero');
  const statuses = [];
  for (let at = 0; at < 11; at++) {
    const [from, to] = [`guess number ${at === 0 ? 'zero' : at - 1}`, `guess number ${at}`];
    const body = { currentPassword: from, newPassword: to };
    const changed = await attacker.call('POST', 'password', { body });
    statuses.push(changed.status === 200 ? (await signIn(server, to)).reply.status : changed.status);
  }
  assert.equal(statuses.at(-1), 429);
});

test('failed sign-ins are in the log of each organization whose member may have been meant, and of no other', async (t) => {
  const { server, other, here, there } = await startTwo(t);
  await join(server, here, passwords.here);
  await join(server, there, passwords.there);
  const failures = async (owner: ConsolePage) => {
    const { data } = (await owner.call('GET', 'audit')).json as { data: { action: string; count: number }[] };
    return data.filter(({ action }) => action === 'member.signInFailed').reduce((sum, { count }) => sum + count, 0);
  };
  await signIn(server, 'a wrong password');
  assert.deepEqual([await failures(here), await failures(there)], [1, 1]);
  await signIn(server, 'a wrong password', { organizationId: idOf(other) });
  assert.deepEqual([await failures(here), await failures(there)], [1, 2]);
});

test('a browser that is known to one membership has no more tries at another than a stranger', async (t) => {
  const { server, victim, other, here, there } = await startTwo(t);
  await join(server, here, passwords.here);
  const attacker = await join(server, there, passwords.there);
  const device = attacker.headers()['cookie'];
  assert.match(device ?? '', /device/, 'the browser is known');
  const guess = async (password: string, organizationId?: string) => {
    const body = { email: victim, password, organizationId };
    const { status } = await attacker.call('POST', 'session', { body });
    return status;
  };
  // Wrong at both, then right at the attacker's own membership, in turn: the guesses at the other must still be counted.
  const statuses = [];
  for (let at = 0; at < 12; at++) statuses.push(await guess(at % 2 === 0 ? `wrong guess ${at}` : passwords.there));
  assert.deepEqual(
    statuses,
    Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? 401 : 200)),
  );
  assert.equal(
    (await signIn(server, passwords.here)).reply.status,
    429,
    'strangers from this address have used up theirs',
  );
  assert.equal(await guess(passwords.there, idOf(other)), 200, 'their own membership stays open');
  assert.equal((await signIn(server, passwords.here)).reply.status, 429, 'which forgives no guess at the other');
});
