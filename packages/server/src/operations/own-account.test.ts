// What members do to themselves, over HTTP: sessions, the password asked for again, name and email, leaving.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { type AuditEntry, emailKey, limits } from '@roster/contract';
import { operatorOf } from '../../../cli/test/operator/in-process.ts';
import { ConsolePage, signInAs } from '../../test/console-client.ts';
import {
  codeOf,
  createContact,
  metricsToken,
  quickHash,
  type Reply,
  startServer,
  type TestServer,
} from '../../test/harness.ts';
import { until } from '../../test/process/waiting.ts';
import { wholeFile } from '../../test/whole-file.ts';
import { Passwords } from '../account/passwords.ts';
import { sessionIdleMs, sessionIdOf } from '../account/sessions.ts';
import { makeId } from '../contacts/ids.ts';

const password = 'correct horse battery staple';
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';
const dayMs = 86_400_000;

const shared = await startServer(wholeFile);
const passwordHash = await new Passwords(quickHash).hash(password);

interface OwnedServer extends TestServer {
  /** Of its owner. */
  email: string;
}

/** The owner has signed in with Firefox, and has no other session. */
async function startOwned(t: TestContext) {
  const started = await startServer(t, { storeOf: shared });
  const { mine: tenant, theirs: others } = started;
  const { page, member } = await signInAs(started, 'owner', tenant, passwordHash);
  assert.equal((await page.call('DELETE', 'session')).status, 204);
  const server: OwnedServer = { ...started, email: member.email };
  const owner = await signIn(server, { 'user-agent': firefox });
  return { server, owner, member, tenant, others, botId: tenant.bot.id };
}

async function signIn(server: OwnedServer, headers: Record<string, string> = {}): Promise<ConsolePage> {
  const page = new ConsolePage(server, server.mine);
  const reply = await page.call('POST', 'session', { body: { email: server.email, password }, headers });
  assert.equal(reply.status, 200, reply.text);
  return page;
}

const listed = async (page: ConsolePage) => {
  const reply = await page.call('GET', 'sessions');
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data as { id: string; browser: string; address: string; isCurrent: boolean; lastUsedAt: string }[];
};

suite('sessions', () => {
  test('a member sees their own, by browser, address and times, and no token or hash of them', async (t) => {
    const { server, owner } = await startOwned(t);
    server.clock.nowMs += 5000;
    const other = await signIn(server, { 'user-agent': 'curl/8.5.0' });
    await signInAs(server, 'member');
    const sessions = await listed(owner);
    assert.deepEqual(
      sessions.map(({ browser, address, isCurrent }) => ({ browser, address, isCurrent })),
      [
        { browser: 'curl', address: '127.0.0.1', isCurrent: false },
        { browser: 'Firefox on Windows', address: '127.0.0.1', isCurrent: true },
      ],
    );
    assert.deepEqual(
      (await listed(other)).map(({ isCurrent }) => isCurrent),
      [true, false],
    );
    assert.equal(new Set(sessions.map(({ id }) => id)).size, 2);
    const text = JSON.stringify(sessions);
    for (const page of [owner, other]) assert.ok(!text.includes(page.cookie?.split('=')[1] as string));
    server.clock.nowMs += sessionIdleMs - 5000;
    assert.equal((await listed(other)).length, 1, 'one that was not used has ended');
  });

  test('a member ends one, or all others, at once, and none of another member', async (t) => {
    const { server, owner } = await startOwned(t);
    const [one, two] = [await signIn(server), await signIn(server)];
    const stranger = await signInAs(server, 'owner');
    const [strangers] = await listed(stranger.page);
    assert.deepEqual(codeOf(await owner.call('DELETE', `sessions/${strangers?.id}`)), [404, 'not_found']);
    const id = (await listed(one)).find(({ isCurrent }) => isCurrent)?.id;
    assert.equal((await owner.call('DELETE', `sessions/${id}`)).status, 204);
    assert.equal((await one.call('GET', 'session')).status, 401);
    assert.equal((await owner.call('DELETE', `sessions/${id}`)).status, 404);
    assert.equal((await owner.call('DELETE', 'session/others')).status, 204);
    assert.equal((await two.call('GET', 'session')).status, 401);
    assert.equal((await owner.call('GET', 'session')).status, 200);
    assert.equal((await stranger.page.call('GET', 'session')).status, 200);
  });
});

suite('the session that a browser had', () => {
  test('ends when the browser signs in again, and no other session does', async (t) => {
    const { server, owner } = await startOwned(t);
    const elsewhere = await signIn(server);
    const before = new ConsolePage(server, server.mine);
    Object.assign(before, { cookie: owner.cookie, csrfToken: owner.csrfToken });
    const body = { email: server.email, password };
    assert.equal((await owner.call('POST', 'session', { body: { ...body, password: 'wrong horse' } })).status, 401);
    assert.equal((await before.call('GET', 'session')).status, 200, 'a failed sign-in ends nothing');
    assert.equal((await owner.call('POST', 'session', { body })).status, 200);
    assert.equal((await before.call('GET', 'session')).status, 401);
    for (const page of [owner, elsewhere]) assert.equal((await page.call('GET', 'session')).status, 200);
  });

  test('ends when somebody else signs in there', async (t) => {
    const { server, owner, tenant } = await startOwned(t);
    const { page } = await signInAs(server, 'member', tenant);
    const before = page.cookie;
    const body = { email: server.email, password };
    assert.equal((await page.call('POST', 'session', { body })).status, 200);
    page.cookie = before;
    assert.equal((await page.call('GET', 'session')).status, 401);
    assert.equal((await owner.call('GET', 'session')).status, 200);
  });

  test('leaves nothing in the browser when it is signed out, and no cookie of another site is touched', async (t) => {
    const { server, tenant } = await startOwned(t);
    for (const path of ['session', 'sessions', 'member']) {
      const { page } = await signInAs(server, 'member', tenant);
      const reply = await page.call('DELETE', path);
      assert.deepEqual([reply.status, reply.headers.get('clear-site-data')], [204, '"storage"'], path);
    }
  });
});

suite('the operator', () => {
  test('sees the sessions of any member, and ends one or all of them at once', async (t) => {
    const { server, owner, tenant, others } = await startOwned(t);
    const operator = operatorOf(server);
    const [one, two] = [await signIn(server), await signIn(server)];
    const stranger = await signInAs(server, 'member', tenant);
    const { id } = (await owner.call('GET', 'session')).json.data.member;
    const olivia = { id, organizationId: tenant.organizationId };
    const seen = (await listed(owner)).map((each) => ({ ...each, isCurrent: false }));
    assert.deepEqual(await operator.listSessions(olivia), seen);
    assert.equal(seen.length, 3);

    const elsewhere = { ...olivia, organizationId: others.organizationId };
    const ofOne = (await listed(one)).find(({ isCurrent }) => isCurrent)?.id as string;
    const missing = { code: 'not_found' };
    await assert.rejects(operator.listSessions(elsewhere), missing);
    await assert.rejects(operator.endSession(elsewhere, ofOne), missing);
    await assert.rejects(operator.endSessions(elsewhere), missing);
    const [strangers] = await listed(stranger.page);
    await assert.rejects(operator.endSession(olivia, strangers?.id as string), missing);
    assert.equal((await listed(owner)).length, 3, 'nothing has ended');

    await operator.endSession(olivia, ofOne);
    assert.deepEqual(
      [(await one.call('GET', 'session')).status, (await two.call('GET', 'session')).status],
      [401, 200],
    );
    await assert.rejects(operator.endSession(olivia, ofOne), missing);
    await operator.endSessions(olivia);
    for (const page of [owner, two]) assert.equal((await page.call('GET', 'session')).status, 401);
    assert.equal((await stranger.page.call('GET', 'session')).status, 200);
    assert.deepEqual(await operator.listSessions(olivia), []);
  });

  test('leaves an entry for each session that it ends and each role that it changes, and none when refused', async (t) => {
    const { server, owner, tenant, others } = await startOwned(t);
    const operator = operatorOf(server);
    const { member, session } = await signInAs(server, 'member', tenant);
    await assert.rejects(operator.endSessions({ ...member, organizationId: others.organizationId }));
    await assert.rejects(operator.endSession(member, `${sessionIdOf(session.hash)}a1`));
    server.clock.nowMs += 10;
    assert.equal((await operator.changeRole(member, 'viewer')).role, 'viewer');
    server.clock.nowMs += 10;
    await operator.endSession(member, sessionIdOf(session.hash));
    server.clock.nowMs += 10;
    await operator.endSessions(member);
    const { json } = await owner.call('GET', 'audit');
    const entry = (action: string) => ({
      action,
      actor: { kind: 'operator', id: null, name: 'operator' },
      object: { id: member.id, name: member.name },
      address: null,
      count: 1,
      filter: null,
      task: null,
    });
    const [signedOut, signedIn, ...acted] = (json.data as AuditEntry[]).toReversed();
    assert.deepEqual([signedOut?.action, signedIn?.action], ['member.signOut', 'member.signIn']);
    assert.deepEqual(
      acted.map(({ id: _, at: _at, ...each }) => each),
      ['member.makeViewer', 'member.endSession', 'member.signOutEverywhere'].map(entry),
    );
  });
});

suite('the password asked for again', () => {
  const sensitive = (
    botId: string,
    memberId: string,
    sessionId: string,
  ): [string, (page: ConsolePage) => Promise<Reply>][] => [
    ['creating a secret', (page) => page.call('POST', 'secrets', { body: { name: 'X' } })],
    ['inviting', (page) => page.call('POST', 'invitations', { body: { email: 'new@example.com', role: 'viewer' } })],
    ['changing a role', (page) => page.call('PATCH', `members/${memberId}`, { body: { role: 'owner' } })],
    ['exporting contacts', (page) => page.call('GET', `bots/${botId}/export`)],
    ['ending another session', (page) => page.call('DELETE', `sessions/${sessionId}`)],
    ['ending all others', (page) => page.call('DELETE', 'session/others')],
    ['deleting a bot', (page) => page.call('DELETE', `bots/${botId}`)],
    ['ending all sessions', (page) => page.call('DELETE', 'sessions')],
  ];

  test('what could do most harm needs a sign-in or a confirmation of the last 15 minutes', async (t) => {
    const { server, owner, tenant, botId } = await startOwned(t);
    const { member } = await signInAs(server, 'member', tenant);
    await signIn(server);
    const session = (await listed(owner)).find(({ isCurrent }) => !isCurrent)?.id as string;
    server.clock.nowMs += limits.recentPasswordMs;
    for (const [what, act] of sensitive(botId, member.id, session)) {
      assert.deepEqual(codeOf(await act(owner)), [403, 'password_required'], what);
    }
    assert.equal((await owner.call('GET', `bots/${botId}/contacts`)).status, 200);
    const paged = await owner.call('POST', 'secrets?after=x', { body: { name: 'X' } });
    assert.deepEqual(codeOf(paged), [403, 'password_required'], 'only an export has later pages');
    const confirm = (typed: string) => owner.call('POST', 'session/confirm', { body: { password: typed } });
    assert.deepEqual(codeOf(await confirm('another')), [401, 'sign_in_failed']);
    assert.equal((await owner.call('GET', 'session')).status, 200, 'a wrong one ends no session');
    assert.deepEqual(codeOf(await owner.call('POST', 'secrets', { body: { name: 'X' } })), [403, 'password_required']);
    assert.equal((await confirm(password)).status, 204);
    server.clock.nowMs += limits.recentPasswordMs - 1;
    for (const [what, act] of sensitive(botId, member.id, session)) assert.ok((await act(owner)).status < 300, what);
  });

  test('another session is not confirmed by it, and a bot of others is still unknown', async (t) => {
    const { server, owner, others } = await startOwned(t);
    const other = await signIn(server);
    server.clock.nowMs += limits.recentPasswordMs;
    assert.equal((await owner.call('POST', 'session/confirm', { body: { password } })).status, 204);
    const create = (page: ConsolePage) => page.call('POST', 'secrets', { body: { name: 'X' } });
    assert.equal((await create(owner)).status, 201);
    assert.deepEqual(codeOf(await create(other)), [403, 'password_required']);
    assert.equal((await other.call('GET', `bots/${others.bot.id}/export`)).status, 404);
  });

  /** An export of two pages, whose first one was read. */
  async function beginExport(t: TestContext) {
    const started = await startOwned(t);
    const { owner, botId } = started;
    for (const name of ['A', 'B', 'C']) {
      await owner.call('PUT', `bots/${botId}/contacts`, { body: { name, email: `${name}@example.com` } });
    }
    const page = (after: string, by = owner) => by.call('GET', `bots/${botId}/export?limit=1&after=${after}`);
    const first = await owner.call('GET', `bots/${botId}/export?limit=1`);
    return { ...started, page, first: first.json.data[0], next: first.json.next as string };
  }
  const namesOf = ({ json }: Reply): string[] => json.data.map(({ name }: { name: string }) => name);

  test('an export that began in time goes on for two hours by its own positions', async (t) => {
    const { server, page, next } = await beginExport(t);
    server.clock.nowMs += limits.recentPasswordOfPagesMs - 1;
    const second = await page(next);
    assert.deepEqual(namesOf(second), ['B']);
    const third = await page(second.json.next);
    assert.deepEqual([...namesOf(third), third.json.next], ['C', null]);
    server.clock.nowMs += 1;
    for (const late of [next, second.json.next]) assert.deepEqual(codeOf(await page(late)), [403, 'password_required']);
  });

  test('no other position is one of an export that began in time', async (t) => {
    const { server, page, first, next, owner } = await beginExport(t);
    const another = await signIn(server);
    const otherBot = (await owner.call('POST', 'bots', { body: { name: 'Other' } })).json.data.id;
    server.clock.nowMs += limits.recentPasswordMs;
    const [contactId = '', start = '', proof = ''] = next.split('.');
    const forged = [
      first.id,
      makeId('contact', 1),
      `${makeId('contact', 1)}.${start}.${proof}`,
      `${contactId}.${(Number.parseInt(start, 36) + 1000).toString(36)}.${proof}`,
      `${contactId}.${start}.${proof.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))}`,
    ];
    for (const after of forged) assert.deepEqual(codeOf(await page(after)), [403, 'password_required'], after);
    assert.equal((await page('')).status, 403, 'an empty one is a first page');
    assert.deepEqual(codeOf(await page(next, another)), [403, 'password_required'], 'of another session');
    const elsewhere = await owner.call('GET', `bots/${otherBot}/export?after=${next}`);
    assert.deepEqual(codeOf(elsewhere), [403, 'password_required'], 'of another bot');
    for (const after of ['x', `${contactId}.`, `${contactId}.${start}`, `${contactId}.${start}.${proof}x`]) {
      assert.deepEqual(codeOf(await page(after)), [400, 'invalid_request'], after);
    }
    assert.deepEqual(namesOf(await page(next)), ['B']);
  });

  test('a position goes on after the password was confirmed, and after the session got another token by it', async (t) => {
    const { server, page, next, owner } = await beginExport(t);
    server.clock.nowMs += limits.recentPasswordMs;
    await owner.call('POST', 'session/confirm', { body: { password } });
    assert.deepEqual(namesOf(await page(next)), ['B']);
    server.clock.nowMs += limits.recentPasswordMs;
    assert.deepEqual(namesOf(await page(next)), ['B']);
    server.clock.nowMs += limits.recentPasswordOfPagesMs;
    await owner.call('POST', 'session/confirm', { body: { password } });
    assert.deepEqual(namesOf(await page(next)), ['B'], 'it begins anew there');
  });

  test('a confirmed password replaces the cookie, and the old one works for ten more seconds', async (t) => {
    const { server, owner } = await startOwned(t);
    const old = new ConsolePage(server, server.mine);
    Object.assign(old, { cookie: owner.cookie, csrfToken: owner.csrfToken });
    const [{ id } = { id: '' }] = await listed(owner);
    server.clock.nowMs += 60_000;
    assert.equal((await owner.call('POST', 'session/confirm', { body: { password } })).status, 204);
    assert.notEqual(owner.cookie, old.cookie);
    server.clock.nowMs += 9_999;
    for (const page of [owner, old]) {
      assert.equal((await page.call('PATCH', 'organization', { body: { name: 'New' } })).status, 200);
    }
    server.clock.nowMs += 1;
    assert.equal((await old.call('GET', 'session')).status, 401);
    assert.deepEqual(
      (await listed(owner)).map((each) => [each.id, each.isCurrent]),
      [[id, true]],
    );
    assert.equal((await owner.call('DELETE', 'session')).status, 204);
    assert.equal((await owner.call('GET', 'session')).status, 401);
  });

  test('what was let in with the old cookie is answered, however long it takes', async (t) => {
    const { server, owner } = await startOwned(t);
    const old = new ConsolePage(server, server.mine);
    Object.assign(old, { cookie: owner.cookie, csrfToken: owner.csrfToken });
    const feed = `bots/${server.mine.bot.id}/events`;
    const { next } = (await owner.call('GET', `${feed}?after=now`)).json;
    const held = old.call('GET', `${feed}?after=${next}&wait=30`);
    await until('a waiting reader', async () => {
      const { text } = await server.call('GET', '/metrics', { token: metricsToken });
      return text.includes('\nroster_waiting_readers 1\n');
    });
    assert.equal((await owner.call('POST', 'session/confirm', { body: { password } })).status, 204);
    server.clock.nowMs += 10_000;
    assert.equal((await old.call('GET', 'session')).status, 401);
    await createContact(server.call);
    const reply = await held;
    assert.deepEqual([reply.status, reply.json.data.length], [200, 1]);
  });

  test('two tabs that confirm at once share a cookie that works', async (t) => {
    const { server, owner } = await startOwned(t);
    const tab = new ConsolePage(server, server.mine);
    Object.assign(tab, { cookie: owner.cookie, csrfToken: owner.csrfToken });
    const replies = [owner, tab].map((page) => page.call('POST', 'session/confirm', { body: { password } }));
    const cookies = (await Promise.all(replies)).flatMap((reply) => reply.headers.getSetCookie());
    assert.equal(cookies.length, 1);
    server.clock.nowMs += 10_000;
    owner.cookie = cookies[0]?.split(';', 1)[0];
    assert.equal((await owner.call('GET', 'session')).status, 200);
  });

  test('guesses are limited as at the sign-in, and recorded', async (t) => {
    const { owner } = await startOwned(t);
    const confirm = (typed: string) => owner.call('POST', 'session/confirm', { body: { password: typed } });
    for (let time = 0; time < 10; time++) assert.equal((await confirm('another')).status, 401);
    assert.equal((await confirm(password)).status, 429);
    const { json } = await owner.call('GET', 'audit');
    const failures = json.data.filter(({ action }: { action: string }) => action === 'member.signInFailed');
    assert.equal(failures[0].count, 10);
  });
});

suite('name and email', () => {
  test('change with the password, and the new email signs in', async (t) => {
    const { server, owner, tenant, others } = await startOwned(t);
    const { email } = server;
    const update = (body: object) => owner.call('PATCH', 'member', { body });
    assert.deepEqual(codeOf(await update({ name: 'X', password: 'another' })), [401, 'sign_in_failed']);
    assert.deepEqual(codeOf(await update({ name: 'X' })), [400, 'invalid_request']);
    const renamed = await update({ name: 'Olivia Stone', password });
    assert.deepEqual([renamed.json.data.name, renamed.json.data.email], ['Olivia Stone', email]);
    const moved = await update({ email: 'olivia@example.com', password });
    assert.deepEqual([moved.json.data.name, moved.json.data.email], ['Olivia Stone', 'olivia@example.com']);
    const [here, elsewhere] = [await signInAs(server, 'member', tenant), await signInAs(server, 'member', others)];
    assert.deepEqual(codeOf(await update({ email: here.member.email, password })), [400, 'member_exists']);
    assert.equal((await update({ email: elsewhere.member.email, password })).status, 200, 'others do not matter');
    assert.equal((await update({ email: 'olivia@example.com', password })).status, 200);
    const page = new ConsolePage(server, server.mine);
    const sign = async (typed: string) =>
      (await page.call('POST', 'session', { body: { email: typed, password } })).status;
    assert.deepEqual([await sign(email), await sign('olivia@example.com')], [401, 200]);
    assert.equal((await owner.call('GET', 'session')).json.data.member.name, 'Olivia Stone');
  });
});

test('a member who takes an email that others have signs in with the password, by one comparison', async (t) => {
  const { server, owner, member: moved, others } = await startOwned(t);
  const { page, member } = await signInAs(server, 'member', others);
  await page.call('DELETE', 'session');
  assert.equal((await owner.call('PATCH', 'member', { body: { email: member.email, password } })).status, 200);
  const hashes = (await server.store.findMembersByEmail(emailKey(member.email))).map(
    ({ passwordHash }) => passwordHash,
  );
  assert.equal(hashes.length, 2);
  const saltOf = (passwordHash: string) => passwordHash.split('$').at(-2);
  assert.equal(saltOf(hashes[0] as string), saltOf(hashes[1] as string));
  const again = new ConsolePage(server, server.mine);
  assert.equal((await again.call('POST', 'session', { body: { email: member.email, password } })).status, 200);
  assert.equal((await again.call('GET', 'session')).json.data.member.id, moved.id);
});

suite('leaving', () => {
  test('ends the membership and its sessions, but the last owner stays', async (t) => {
    const { server, owner, tenant } = await startOwned(t);
    assert.deepEqual(codeOf(await owner.call('DELETE', 'member')), [400, 'last_owner']);
    const { page, member } = await signInAs(server, 'owner', tenant);
    const reply = await page.call('DELETE', 'member');
    assert.equal(reply.status, 204, reply.text);
    assert.match(reply.headers.getSetCookie()[0] ?? '', /^roster=; Max-Age=0/);
    assert.ok(!(await server.store.listMembers()).some(({ id }) => id === member.id));
    const { json } = await owner.call('GET', 'audit');
    assert.equal(json.data[0].action, 'member.leave');
    assert.equal(json.data[0].actor.id, member.id);
    server.clock.nowMs += dayMs / 48;
    const { page: another } = await signInAs(server, 'owner', tenant);
    server.clock.nowMs += limits.recentPasswordMs;
    assert.deepEqual(codeOf(await another.call('DELETE', 'member')), [403, 'password_required']);
  });
});
