// Set-up, sign-in, sign-out, passwords and one-time links, over HTTP.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConsolePage, consoleOrigin, plantSetUpCode, signInAs } from '../../test/console-client.ts';
import { codeOf, quickHash, type Reply, startServer, type TestServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { sampleContext, sampleHash, sampleInvitation, sampleJoining, sampleSession } from '../../test/sample.ts';
import { makeLink } from '../account/one-time-links.ts';
import { Passwords } from '../account/passwords.ts';
import { sessionIdleMs, sessionTtlMs } from '../account/sessions.ts';

/** Its store is that of all tests but those of the set-up, which works once in a store. */
const shared = await startServer(wholeFile);

const password = 'correct horse battery staple';
const newPassword = 'Tr0ub4dor & three more';

/** Of a server behind TLS. */
const secureOrigin = 'https://roster.example';
const secureCookie = /^__Host-roster=[\w-]{43}; .*Path=\/; HttpOnly; SameSite=Strict; Secure$/;

const tokenOf = (link: string) => /#\/link\/([\w-]+)$/.exec(link)?.[1] as string;

function pageOf(server: TestServer): ConsolePage {
  return new ConsolePage(server, server.mine);
}

async function setUp(server: TestServer, origin = consoleOrigin): Promise<{ page: ConsolePage; reply: Reply }> {
  await plantSetUpCode(server, 'the-code');
  const page = pageOf(server);
  const owner = { name: 'Olivia', email: 'owner@example.com', password };
  const body = { code: 'the-code', organizationName: 'Example Ltd', ...owner };
  const reply = await page.call('POST', 'setup', { body, headers: { origin } });
  assert.equal(reply.status, 200, reply.text);
  return { page, reply };
}

const passwordHash = await new Passwords(quickHash).hash(password);

/** An owner who is signed in, and knows the password. */
async function makeOwner(server: TestServer): Promise<{ page: ConsolePage; email: string }> {
  const { page, member } = await signInAs(server, 'owner', server.mine, passwordHash);
  return { page, email: member.email };
}

suite('set-up', () => {
  test('makes the owner of the first organization, signed in by a secure cookie, and renames it', async (t) => {
    const server = await startServer(t, { config: { publicUrl: secureOrigin } });
    assert.deepEqual((await pageOf(server).call('GET', 'state')).json, { data: { isSetUp: false } });
    const { page, reply } = await setUp(server, secureOrigin);
    assert.match(reply.headers.getSetCookie()[0] ?? '', secureCookie);
    const { json } = await page.call('GET', 'session');
    const [first] = await server.store.listOrganizations();
    assert.deepEqual(json.data.organization, { id: first?.id, name: 'Example Ltd' });
    assert.deepEqual([json.data.member.name, json.data.member.role], ['Olivia', 'owner']);
    assert.deepEqual((await page.call('GET', 'state')).json, { data: { isSetUp: true } });
  });

  test('works once, and not with another code', async (t) => {
    const server = await startServer(t);
    await plantSetUpCode(server, 'the-code');
    const body = { code: 'another', organizationName: 'Evil', name: 'Eve', email: 'eve@example.com', password };
    const wrong = await pageOf(server).call('POST', 'setup', { body });
    assert.deepEqual(codeOf(wrong), [401, 'sign_in_failed']);
    assert.equal(wrong.headers.get('set-cookie'), null);
    await setUp(server);
    const again = await pageOf(server).call('POST', 'setup', { body: { ...body, code: 'the-code' } });
    assert.deepEqual(codeOf(again), [401, 'sign_in_failed']);
  });

  test('reports all that is wrong with the input at once, and does not quote the password', async () => {
    const server = shared;
    const body = { code: 'x', organizationName: '', name: '', email: 'nobody', password: 'short' };
    const reply = await pageOf(server).call('POST', 'setup', { body });
    const fields = reply.json.errors.map(({ field }: { field: string }) => field);
    assert.deepEqual(fields.toSorted(), ['email', 'name', 'organizationName', 'password']);
    assert.ok(!reply.text.includes('short'));
  });
});

suite('sign-in', () => {
  test('answers with the session and sets a cookie that scripts and other sites cannot use', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { email } = await makeOwner(server);
    const page = pageOf(server);
    server.clock.nowMs += 5000;
    const reply = await page.call('POST', 'session', { body: { email: `${email.toUpperCase()} `, password } });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    const [cookie = ''] = reply.headers.getSetCookie();
    assert.match(cookie, /^roster=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
    const { member, createdAt, expiresAt, csrfToken } = reply.json.data;
    assert.equal(member.lastSignInAt, createdAt);
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), sessionTtlMs);
    assert.ok(!cookie.includes(csrfToken));
    assert.deepEqual((await page.call('GET', 'session')).json, reply.json);
  });

  test('behind TLS the cookie is for this host alone, and only the secure one is read', async (t) => {
    const server = await startServer(t, { storeOf: shared, config: { publicUrl: secureOrigin } });
    const { email } = await makeOwner(server);
    const page = pageOf(server);
    const headers = { origin: secureOrigin };
    const reply = await page.call('POST', 'session', { body: { email, password }, headers });
    assert.match(reply.headers.getSetCookie()[0] ?? '', secureCookie);
    assert.equal((await page.call('GET', 'session')).status, 200);
    page.cookie = page.cookie?.replace('__Host-', '');
    assert.deepEqual(codeOf(await page.call('GET', 'session')), [401, 'unauthorized']);
  });

  test('a wrong password and an unknown email are the same answer', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { email } = await makeOwner(server);
    const replies = [
      await pageOf(server).call('POST', 'session', { body: { email, password: newPassword } }),
      await pageOf(server).call('POST', 'session', { body: { email: 'nobody@example.com', password } }),
      await pageOf(server).call('POST', 'session', { body: { email: '', password: '' } }),
    ];
    for (const reply of replies) {
      assert.deepEqual(codeOf(reply), [401, 'sign_in_failed']);
      assert.equal(reply.headers.get('set-cookie'), null);
    }
    assert.equal(new Set(replies.map(({ text, json }) => text.replace(json.requestId, ''))).size, 1);
  });

  test('every sign-in has a token of its own, also with the cookie of an earlier one', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page, email } = await makeOwner(server);
    const before = page.cookie;
    const body = { email, password };
    assert.equal((await page.call('POST', 'session', { body })).status, 200);
    assert.notEqual(page.cookie, before);
  });

  test('calls before the sign-in are limited per address, whichever they are', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    for (let time = 0; time < 100; time++) {
      const reply = await pageOf(server).call('POST', 'links/read', { body: { token: `guess ${time}` } });
      assert.deepEqual(codeOf(reply), [404, 'not_found']);
      assert.match(reply.headers.get('ratelimit') ?? '', /^"sign-in";r=\d+/);
    }
    for (const [path, body] of [
      ['links/read', { token: 'x' }],
      ['setup', {}],
      ['session', {}],
      ['invitations/accept', {}],
      ['password/reset', {}],
    ] as const) {
      assert.deepEqual(codeOf(await pageOf(server).call('POST', path, { body })), [429, 'rate_limited']);
    }
    assert.equal((await pageOf(server).call('GET', 'state')).status, 200);
  });
});

suite('sessions', () => {
  test('signing out ends this session at once, and no other', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page, email } = await makeOwner(server);
    const other = pageOf(server);
    await other.call('POST', 'session', { body: { email, password } });
    const { cookie } = page;
    const reply = await page.call('DELETE', 'session');
    assert.equal(reply.status, 204);
    assert.match(reply.headers.get('set-cookie') ?? '', /^roster=; Max-Age=0; /);
    page.cookie = cookie;
    assert.deepEqual(codeOf(await page.call('GET', 'session')), [401, 'unauthorized']);
    assert.equal((await other.call('GET', 'session')).status, 200);
  });

  test('signing out everywhere ends all sessions of the member, and of no other', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page, email } = await makeOwner(server);
    const [other, colleague] = [pageOf(server), await signInAs(server, 'member')];
    await other.call('POST', 'session', { body: { email, password } });
    assert.equal((await page.call('DELETE', 'sessions')).status, 204);
    assert.equal((await other.call('GET', 'session')).status, 401);
    assert.equal((await colleague.page.call('GET', 'session')).status, 200);
  });

  test('a session ends when it was not used for twelve hours, and thirty days after it began', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page } = await signInAs(server, 'member');
    const idle = await signInAs(server, 'member');
    const beganAtMs = server.clock.nowMs;
    server.clock.nowMs += sessionIdleMs - 1;
    assert.equal((await page.call('GET', 'session')).status, 200);
    server.clock.nowMs += 1;
    assert.equal((await idle.page.call('GET', 'session')).status, 401);
    while (server.clock.nowMs + sessionIdleMs / 2 < beganAtMs + sessionTtlMs) {
      server.clock.nowMs += sessionIdleMs / 2;
      assert.equal((await page.call('GET', 'session')).status, 200);
    }
    server.clock.nowMs = beganAtMs + sessionTtlMs - 1;
    assert.equal((await page.call('GET', 'session')).status, 200);
    server.clock.nowMs += 1;
    assert.equal((await page.call('GET', 'session')).status, 401);
  });

  test('a session in use is written once a minute, and a store that cannot write does not end it', async (t) => {
    let notes = 0;
    const server = await startServer(t, {
      storeOf: shared,
      wrapStore: (store) => ({
        ...store,
        async noteSessionSeen() {
          notes++;
          throw new Error('the disk is full');
        },
      }),
    });
    const { page } = await signInAs(server, 'member');
    for (let time = 0; time < 5; time++) await page.call('GET', 'session');
    assert.equal(notes, 0);
    server.clock.nowMs += 60_000;
    assert.equal((await page.call('GET', 'session')).status, 200);
    assert.equal(notes, 1);
  });

  test('a member who is removed is signed out at once', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page: owner } = await signInAs(server, 'owner');
    const { page, member } = await signInAs(server, 'member');
    assert.equal((await owner.call('DELETE', `members/${member.id}`)).status, 204);
    assert.equal((await page.call('GET', 'session')).status, 401);
  });
});

suite('requests of other sites', () => {
  const origins: [what: string, headers: Record<string, string | undefined>, isAllowed: boolean][] = [
    ['the public origin', { origin: consoleOrigin }, true],
    ['another origin', { origin: 'https://evil.example' }, false],
    ['another port of the same host', { origin: 'http://roster.test:8081' }, false],
    ['the same host by another scheme', { origin: 'https://roster.test' }, false],
    ['no origin', {}, false],
    ['null', { origin: 'null' }, false],
    ['no origin, but from the same one', { 'sec-fetch-site': 'same-origin' }, true],
    ['no origin, from the same site', { 'sec-fetch-site': 'same-site' }, false],
    ['no origin, from another site', { 'sec-fetch-site': 'cross-site' }, false],
    ['another origin, said to be the same', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, false],
  ];

  for (const [what, headers, isAllowed] of origins) {
    test(`${what}: ${isAllowed ? 'taken' : 'refused'}, signed in or not`, async () => {
      const server = shared;
      const { page, token } = await signInAs(server, 'owner');
      await server.store.renameOrganization(server.mine.organizationId, 'Before', sampleContext());
      const send = (method: string, path: string, body: object) =>
        fetch(`${server.url}/v1/account/${path}`, {
          method,
          headers: {
            'content-type': 'application/json',
            cookie: `roster=${token}`,
            'roster-csrf': page.csrfToken as string,
            ...(headers as Record<string, string>),
          },
          body: JSON.stringify(body),
        });
      const renamed = await send('PATCH', 'organization', { name: 'Renamed' });
      assert.equal(renamed.status, isAllowed ? 200 : 403);
      const read = await send('POST', 'links/read', { token: 'x' });
      assert.equal(read.status, isAllowed ? 404 : 403);
      if (!isAllowed) assert.match(((await read.json()) as { detail: string }).detail, /Origin/);
      const { name } = (await server.store.findOrganization(server.mine.organizationId)) as { name: string };
      assert.equal(name === 'Renamed', isAllowed);
    });
  }

  test('an origin that is the address of the request is accepted, whatever the public URL is', async () => {
    const server = shared;
    const { page } = await signInAs(server, 'owner');
    const reply = await page.call('PATCH', 'organization', { body: { name: 'X' }, headers: { origin: server.url } });
    assert.equal(reply.status, 200);
  });

  test('without the session’s own token nothing but reading is possible', async () => {
    const server = shared;
    const { page } = await signInAs(server, 'owner');
    const other = await signInAs(server, 'owner');
    for (const given of ['', 'x', other.page.csrfToken as string, `${page.csrfToken}x`]) {
      const reply = await page.call('PATCH', 'organization', {
        body: { name: 'X' },
        headers: { 'Roster-Csrf': given },
      });
      assert.deepEqual(codeOf(reply), [403, 'forbidden'], given);
    }
    page.csrfToken = undefined;
    assert.deepEqual(codeOf(await page.call('DELETE', 'session')), [403, 'forbidden']);
    assert.equal((await page.call('GET', 'members')).status, 200);
  });
});

suite('passwords', () => {
  test('a hash that was made at another cost is made anew at the sign-in', async (t) => {
    const server = await startServer(t, { storeOf: shared, passwords: new Passwords() });
    const hash = sampleHash();
    const invitation = sampleInvitation(server.mine.organizationId, { expiresAtMs: server.clock.nowMs + 1000 });
    await server.store.createInvitation(invitation, hash, undefined, sampleContext());
    const passwordHash = await new Passwords({ memory: 64, passes: 1, parallelism: 1 }).hash(password);
    const session = sampleSession({ createdAtMs: server.clock.nowMs });
    await server.store.acceptInvitation(hash, sampleJoining({ passwordHash }), session, sampleContext());
    const body = { email: invitation.email, password };
    const stored = async () => (await server.store.findMembersByEmail(invitation.emailKey))[0]?.passwordHash;
    assert.equal((await pageOf(server).call('POST', 'session', { body })).status, 200);
    const rehashed = await stored();
    assert.match(rehashed ?? '', /\$m=19456,t=2,p=1\$/);
    assert.equal((await pageOf(server).call('POST', 'session', { body })).status, 200);
    assert.equal(await stored(), rehashed, 'once is enough');
  });

  test('a change of the password replaces this session and ends all others', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page, email } = await makeOwner(server);
    const other = pageOf(server);
    await other.call('POST', 'session', { body: { email, password } });
    const before = page.cookie;
    const body = { currentPassword: password, newPassword };
    server.clock.nowMs += 5000;
    const reply = await page.call('POST', 'password', { body });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual((await page.call('GET', 'session')).json, reply.json);
    assert.equal((await other.call('GET', 'session')).status, 401);
    page.cookie = before;
    assert.equal((await page.call('GET', 'session')).status, 401);
    const sign = (typed: string) => pageOf(server).call('POST', 'session', { body: { email, password: typed } });
    assert.equal((await sign(password)).status, 401);
    assert.equal((await sign(newPassword)).status, 200);
  });

  test('the current password must be known, and can be guessed no more often than at the sign-in', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page } = await makeOwner(server);
    const body = { currentPassword: newPassword, newPassword };
    for (let time = 0; time < 10; time++) {
      assert.deepEqual(codeOf(await page.call('POST', 'password', { body })), [401, 'sign_in_failed']);
    }
    assert.deepEqual(codeOf(await page.call('POST', 'password', { body })), [429, 'rate_limited']);
    assert.equal((await page.call('GET', 'session')).status, 200);
  });
});

suite('new passwords', () => {
  const common = '123456789012';
  const refused = (field: string, message: RegExp, reply: Reply) => {
    assert.deepEqual(codeOf(reply), [400, 'invalid_request'], reply.text);
    assert.deepEqual(
      reply.json.errors.map((error: { field: string }) => error.field),
      [field],
    );
    assert.match(reply.json.errors[0].message, message);
    assert.ok(!reply.text.includes(common));
    assert.equal(reply.headers.get('set-cookie'), null);
  };

  test('that are easy to guess, or made of what is known of the member, are refused wherever one is set', async (t) => {
    const server = await startServer(t);
    await plantSetUpCode(server, 'the-code');
    const owner = pageOf(server);
    const first = { code: 'the-code', organizationName: 'Acme Flowers', name: 'Olivia Stone', email: 'o@example.com' };
    const setUpWith = (typed: string) => owner.call('POST', 'setup', { body: { ...first, password: typed } });
    refused('password', /easy to guess/, await setUpWith(common));
    refused('password', /name, email or organization/, await setUpWith('OliviaStone1'));
    refused('password', /name, email or organization/, await setUpWith('AcmeFlowers26'));
    assert.equal((await setUpWith(password)).status, 200, 'the code was not spent');

    const change = (typed: string) =>
      owner.call('POST', 'password', { body: { currentPassword: password, newPassword: typed } });
    refused('newPassword', /easy to guess/, await change(common));
    refused('newPassword', /name, email or organization/, await change('acmeflowers!!'));
    assert.equal((await change(newPassword)).status, 200);

    const invited = await owner.call('POST', 'invitations', {
      body: { email: 'new.hire@example.com', role: 'member' },
    });
    const token = tokenOf(invited.json.data.link);
    const page = pageOf(server);
    const join = (typed: string) =>
      page.call('POST', 'invitations/accept', { body: { token, name: 'Nora Hill', password: typed } });
    refused('password', /easy to guess/, await join(common));
    refused('password', /name, email or organization/, await join('new.hire@example'));
    assert.equal((await join(password)).status, 200, 'the link was not spent');

    const id = (await server.store.listMembers()).at(-1)?.id as string;
    const { url, link } = makeLink('http://roster.test', server.clock.nowMs, 1000);
    await server.store.createPasswordReset(id, link, sampleContext());
    const reset = (typed: string) =>
      page.call('POST', 'password/reset', { body: { token: tokenOf(url), password: typed } });
    refused('password', /easy to guess/, await reset(common));
    refused('password', /name, email or organization/, await reset('norahillnorahill'));
    assert.equal((await reset(newPassword)).status, 200);
  });

  test('are not judged without a valid code or link, and not at a sign-in', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const first = { organizationName: 'A', name: 'B', email: 'c@example.com', password: common };
    const replies = [
      await pageOf(server).call('POST', 'setup', { body: { code: 'another', ...first } }),
      await pageOf(server).call('POST', 'session', { body: { email: 'c@example.com', password: common } }),
      await pageOf(server).call('POST', 'invitations/accept', { body: { token: 'x', name: 'B', password: common } }),
      await pageOf(server).call('POST', 'password/reset', { body: { token: 'x', password: common } }),
    ];
    const codes = replies.map((reply) => codeOf(reply)[1]);
    assert.deepEqual(codes, ['sign_in_failed', 'sign_in_failed', 'not_found', 'not_found']);
  });
});

suite('one-time links', () => {
  test('an invitation makes a member once, with the role and email that it was made for', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page: owner, member: inviter } = await signInAs(server, 'owner');
    const created = await owner.call('POST', 'invitations', { body: { email: 'new@example.com', role: 'member' } });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.json.data.invitedBy, inviter.name);
    const token = tokenOf(created.json.data.link);
    assert.ok(created.json.data.link.startsWith(`${consoleOrigin}/console#/`));
    const { json: listed } = await owner.call('GET', 'invitations');
    const { link: _, ...invitation } = created.json.data;
    assert.deepEqual(listed.data, [invitation]);

    const page = pageOf(server);
    const { json } = await page.call('POST', 'links/read', { body: { token } });
    assert.deepEqual([json.data.kind, json.data.email], ['invitation', 'new@example.com']);
    const joined = await page.call('POST', 'invitations/accept', { body: { token, name: 'New', password } });
    assert.equal(joined.status, 200, joined.text);
    const { member } = joined.json.data;
    assert.deepEqual([member.name, member.email, member.role], ['New', 'new@example.com', 'member']);
    assert.equal((await page.call('GET', 'members')).json.data.length, 2);
    for (const path of ['links/read', 'invitations/accept']) {
      const again = await pageOf(server).call('POST', path, { body: { token, name: 'Again', password } });
      assert.deepEqual(codeOf(again), [404, 'not_found'], path);
    }
    assert.deepEqual((await owner.call('GET', 'invitations')).json.data, []);
    const twice = await owner.call('POST', 'invitations', { body: { email: 'NEW@example.com', role: 'owner' } });
    assert.deepEqual(codeOf(twice), [400, 'member_exists']);
  });

  test('an invitation lasts seven days, unless it is withdrawn', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page: owner } = await signInAs(server, 'owner');
    const invite = async (email: string) =>
      (await owner.call('POST', 'invitations', { body: { email, role: 'member' } })).json.data;
    const [kept, withdrawn] = [await invite('a@example.com'), await invite('b@example.com')];
    assert.equal((await owner.call('DELETE', `invitations/${withdrawn.id}`)).status, 204);
    assert.equal((await owner.call('DELETE', `invitations/${withdrawn.id}`)).status, 404);
    const read = async ({ link }: { link: string }) =>
      (await pageOf(server).call('POST', 'links/read', { body: { token: tokenOf(link) } })).status;
    assert.equal(await read(withdrawn), 404);
    server.clock.nowMs += 7 * 86_400_000 - 1;
    assert.equal(await read(kept), 200);
    server.clock.nowMs += 1;
    assert.equal(await read(kept), 404);
  });
});
