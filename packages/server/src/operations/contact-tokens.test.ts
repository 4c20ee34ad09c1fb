// Contact tokens over HTTP: exchanged by a server, shown to the visitor's browser, worth nothing afterwards.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { contactTokenPattern } from '@roster/contract';
import { signInAs } from '../../test/console-client.ts';
import { type Caller, callerOf, codeOf, createContact, type Reply, startServer } from '../../test/harness.ts';
import { callerOfNewBot, wholeFile } from '../../test/http/every-operation.ts';
import { until } from '../../test/process/waiting.ts';
import { makeContactToken } from '../account/credentials.ts';
import { defaultQuotas } from '../account/quotas.ts';
import { makeId } from '../contacts/ids.ts';

const server = await startServer(wholeFile);
const { call, clock } = server;
const yearMs = 365 * 86_400_000;

async function tokenFor(identity: object, ask: Caller = call): Promise<string> {
  const reply = await ask('POST', 'auth/contact', { body: identity });
  assert.equal(reply.status, 200, reply.text);
  return reply.json.token;
}

const visitorBy = (token: string, ask: Caller = call) => ask('GET', 'auth/contact', { token });

/** The three ways to ask for a token, and where each puts it. */
const exchanges: [name: string, method: string, path: string, unwrap: (reply: Reply) => Record<string, string>][] = [
  ['POST auth/contact', 'POST', 'auth/contact', ({ json }) => json],
  ['PUT auth/contacts', 'PUT', 'auth/contacts', ({ json }) => json.data],
  ['POST auth/contacts', 'POST', 'auth/contacts', ({ json }) => json.data],
];

for (const [name, method, path, unwrap] of exchanges) {
  suite(name, () => {
    test('an id or an email, or both of one contact, is exchanged for a token of three members', async () => {
      const { id, email } = await createContact(call, { email: `Mixed-${method}-${path.length}@Example.com` });
      const identities = [{ id }, { email }, { id, email }, { email: ` ${email.toUpperCase()} ` }, { id, email: '' }];
      for (const body of [...identities, { id, email: null }]) {
        const reply = await call(method, path, { body });
        assert.equal(reply.status, 200, reply.text);
        const issued = unwrap(reply);
        assert.deepEqual(Object.keys(reply.json), path === 'auth/contact' ? Object.keys(issued) : ['data']);
        assert.deepEqual(Object.keys(issued), ['token', 'createdAt', 'expiresAt']);
        assert.match(issued['token'] ?? '', contactTokenPattern);
        assert.equal(issued['createdAt'], new Date(clock.nowMs).toISOString());
        assert.equal(issued['expiresAt'], new Date(clock.nowMs + yearMs).toISOString());
        assert.equal((await visitorBy(issued['token'] ?? '')).json.data.id, id);
      }
    });

    test('a form and multipart text fields are taken like JSON', async () => {
      const { id, email } = await createContact(call, { email: `form+${method}${path.length}@example.com` });
      const multipart = new FormData();
      multipart.set('email', email);
      const forms = [new URLSearchParams({ id }), new URLSearchParams({ email }), multipart];
      const bytes = new TextEncoder().encode(JSON.stringify({ id }));
      for (const body of [...forms, new URLSearchParams({ id, email: '' }), bytes]) {
        const reply = await call(method, path, { body });
        assert.equal(reply.status, 200, reply.text);
        assert.equal((await visitorBy(unwrap(reply)['token'] ?? '')).json.data.id, id);
      }
    });

    test('expiresIn is the life of the token in seconds, as a number in JSON and as digits in a form', async () => {
      const { id } = await createContact(call);
      const multipart = new FormData();
      multipart.set('id', id);
      multipart.set('expiresIn', ' 60 ');
      const lives: [number, unknown][] = [
        [60, { id, expiresIn: 60 }],
        [31_536_000, { id, expiresIn: 31_536_000 }],
        [31_536_000, { id, expiresIn: null }],
        [3600, new URLSearchParams({ id, expiresIn: '3600' })],
        [31_536_000, new URLSearchParams({ id, expiresIn: '' })],
        [60, multipart],
      ];
      for (const [seconds, body] of lives) {
        const reply = await call(method, path, { body });
        assert.equal(reply.status, 200, reply.text);
        assert.equal(unwrap(reply)['expiresAt'], new Date(clock.nowMs + seconds * 1000).toISOString());
        assert.equal(reply.headers.get('roster-ignored'), null);
      }
    });

    test('an expiresIn that is no whole number from 60 to a year is 400, and says so', async () => {
      const { id } = await createContact(call);
      const inJson = [59, 31_536_001, 60.5, -60, '3600', '', true, [60], {}].map((expiresIn) => ({ id, expiresIn }));
      const inForms = ['59', '31536001', '1e3', '60.5', '-60', '0x60', 'hour'].map(
        (expiresIn) => new URLSearchParams({ id, expiresIn }),
      );
      for (const body of [...inJson, ...inForms]) {
        const reply = await call(method, path, { body });
        assert.deepEqual(codeOf(reply), [400, 'invalid_request'], `${JSON.stringify(body)} ${body}`);
        assert.deepEqual(reply.json.errors, [
          { field: 'expiresIn', message: 'must be a whole number of seconds from 60 to 31536000' },
        ]);
      }
    });

    test('neither id nor email is 400, in every form', async () => {
      const typed = { headers: { 'content-type': 'application/json' } };
      const blanks = [{ body: {} }, { body: { id: '', email: null } }, { body: new URLSearchParams({ id: ' ' }) }];
      for (const options of [{}, typed, ...blanks]) {
        assert.deepEqual(codeOf(await call(method, path, options)), [400, 'invalid_request']);
      }
    });

    test('values that are not strings, fields twice and broken multipart are 400', async () => {
      const file = new FormData();
      file.set('id', new Blob(['x']), 'x.txt');
      const twice = new URLSearchParams('id=a&id=b');
      for (const body of [{ id: 5 }, { email: ['x'] }, [], file, twice]) {
        assert.deepEqual(codeOf(await call(method, path, { body })), [400, 'invalid_request']);
      }
      const headers = { 'content-type': 'multipart/form-data' };
      assert.deepEqual(codeOf(await call(method, path, { body: 'x', headers })), [400, 'invalid_request']);
    });

    test('a contact that does not exist, or is of another bot, is 404', async () => {
      const foreign = await createContact(await callerOfNewBot(server));
      const unknown = [{ id: makeId('contact', 1) }, { id: 'x' }, { email: 'nobody@example.com' }, { email: 'x' }];
      for (const body of [...unknown, { id: foreign.id }, { email: foreign.email }]) {
        assert.deepEqual(codeOf(await call(method, path, { body })), [404, 'not_found'], JSON.stringify(body));
      }
    });

    test('an id and an email of different contacts are 400', async () => {
      const [one, other] = [await createContact(call), await createContact(call)];
      const reply = await call(method, path, { body: { id: one.id, email: other.email } });
      assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
    });

    test('an id of a contact with an email of none, and the reverse, are 400', async () => {
      const { id, email } = await createContact(call);
      const none = makeId('contact', 0);
      for (const body of [
        { id, email: 'none@x.example' },
        { id: none, email },
      ]) {
        assert.deepEqual(codeOf(await call(method, path, { body })), [400, 'invalid_request']);
      }
    });

    test('unknown fields are named in Roster-Ignored', async () => {
      const { id } = await createContact(call);
      const reply = await call(method, path, { body: { id, emial: 'x' } });
      assert.equal(reply.headers.get('roster-ignored'), 'emial');
    });
  });
}

suite('the visitor', () => {
  test('a contact token gives the id, the name and the expiry of its contact, and no more', async () => {
    const contact = await createContact(call, { name: 'Vera', phone: '1' });
    const reply = await visitorBy(await tokenFor({ id: contact.id }));
    const expiresAt = new Date(clock.nowMs + yearMs).toISOString();
    assert.deepEqual([reply.status, reply.json], [200, { data: { id: contact.id, name: 'Vera', expiresAt } }]);
  });

  test('a contact may hold several tokens, and revoking one leaves the others', async () => {
    const { id } = await createContact(call);
    const [one, other] = [await tokenFor({ id }), await tokenFor({ id })];
    assert.notEqual(one, other);
    const revoked = await call('DELETE', `auth/contacts/${one}`);
    assert.deepEqual([revoked.status, revoked.text], [204, '']);
    assert.deepEqual(codeOf(await visitorBy(one)), [401, 'unauthorized']);
    assert.equal((await visitorBy(other)).status, 200);
  });

  test('of more tokens than the server allows the oldest goes', async (t) => {
    const limited = await startServer(t, {
      storeOf: server,
      config: { quotas: { ...defaultQuotas, tokensPerContact: 2 } },
    });
    const { id } = await createContact(limited.call);
    const tokens: string[] = [];
    for (let count = 0; count < 3; count++) {
      tokens.push((await limited.call('POST', 'auth/contact', { body: { id } })).json.token);
      limited.clock.nowMs += 1;
    }
    const statuses = tokens.map(async (token) => (await limited.call('GET', 'auth/contact', { token })).status);
    assert.deepEqual(await Promise.all(statuses), [401, 200, 200]);
  });

  test('a token is expired from the instant of its expiry on', async () => {
    const { id } = await createContact(call);
    const token = await tokenFor({ id });
    const issuedMs = clock.nowMs;
    try {
      clock.nowMs = issuedMs + yearMs - 1;
      assert.equal((await visitorBy(token)).status, 200);
      clock.nowMs = issuedMs + yearMs;
      assert.deepEqual(codeOf(await visitorBy(token)), [401, 'unauthorized']);
    } finally {
      clock.nowMs = issuedMs;
    }
  });

  test('a token of a minute is refused as every other wrong one from the minute’s end on', async () => {
    const { id } = await createContact(call);
    const token = await tokenFor({ id, expiresIn: 60 });
    const issuedMs = clock.nowMs;
    try {
      clock.nowMs = issuedMs + 59_999;
      assert.equal((await visitorBy(token)).status, 200);
      clock.nowMs = issuedMs + 60_000;
      const [expired, unknown] = [await visitorBy(token), await visitorBy(makeContactToken())];
      const bodyOf = ({ json: { requestId: _, ...rest } }: Reply) => rest;
      assert.deepEqual([expired.status, bodyOf(expired)], [401, bodyOf(unknown)]);
    } finally {
      clock.nowMs = issuedMs;
    }
  });

  test('the bot’s tokenMaxSeconds shortens new tokens, and those that exist keep their end', async () => {
    const { page } = await signInAs(server, 'owner');
    const made = (await page.call('POST', 'bots', { body: { name: 'Short' } })).json.data;
    const ask: Caller = (method, path, options) => call(method, `/v1/bots/${made.id}/${path}`, options);
    const { id } = await createContact(ask);
    const issue = async (body: object) => {
      const { token, expiresAt } = (await ask('POST', 'auth/contact', { body })).json;
      assert.equal((await visitorBy(token, ask)).json.data.expiresAt, expiresAt);
      return { token, seconds: (Date.parse(expiresAt) - clock.nowMs) / 1000 };
    };
    const older = await issue({ id });
    assert.deepEqual([made.tokenMaxSeconds, older.seconds], [31_536_000, 31_536_000]);
    const set = await page.call('PATCH', `bots/${made.id}`, { body: { tokenMaxSeconds: 3600 } });
    assert.deepEqual([set.status, set.json.data.tokenMaxSeconds], [200, 3600], set.text);
    // The server remembers a bot for half a second at most.
    await until('the setting is in force', async () => (await issue({ id })).seconds === 3600);
    assert.equal((await issue({ id, expiresIn: 7200 })).seconds, 3600);
    assert.equal((await issue({ id, expiresIn: 60 })).seconds, 60);
    const { expiresAt } = (await visitorBy(older.token, ask)).json.data;
    assert.equal(expiresAt, new Date(clock.nowMs + yearMs).toISOString());
    for (const tokenMaxSeconds of [59, 31_536_001, null, '3600', 60.5]) {
      const refused = await page.call('PATCH', `bots/${made.id}`, { body: { tokenMaxSeconds } });
      assert.deepEqual(codeOf(refused), [400, 'invalid_request']);
    }
    const widget = await ask('GET', 'widget', { token: null });
    assert.ok(!widget.text.includes('tokenMax'), widget.text);
  });

  test('the tokens of a deleted contact are refused, also when its email is used again', async () => {
    const { id, email } = await createContact(call);
    const token = await tokenFor({ id });
    await call('DELETE', `contacts/${id}`);
    assert.deepEqual(codeOf(await visitorBy(token)), [401, 'unauthorized']);
    await createContact(call, { email });
    assert.deepEqual(codeOf(await visitorBy(token)), [401, 'unauthorized']);
    assert.deepEqual(codeOf(await call('DELETE', `auth/contacts/${token}`)), [404, 'not_found']);
  });

  test('a token is refused in another bot', async () => {
    const { id } = await createContact(call);
    const token = await tokenFor({ id });
    const neighbour = await callerOfNewBot(server);
    assert.deepEqual(codeOf(await visitorBy(token, neighbour)), [401, 'unauthorized']);
    assert.deepEqual(codeOf(await visitorBy(token, callerOf(server.url, server.theirs))), [401, 'unauthorized']);
    assert.deepEqual(codeOf(await neighbour('DELETE', `auth/contacts/${token}`)), [404, 'not_found']);
    assert.equal((await visitorBy(token)).status, 200);
  });

  test('a new name of the contact is returned at once', async () => {
    const { id } = await createContact(call);
    const token = await tokenFor({ id });
    await call('PATCH', `contacts/${id}`, { body: { name: 'Renamed' } });
    assert.equal((await visitorBy(token)).json.data.name, 'Renamed');
  });
});

suite('revoke', () => {
  test('a token that is unknown, malformed or revoked already is 404', async () => {
    const { id } = await createContact(call);
    const token = await tokenFor({ id });
    assert.equal((await call('DELETE', `auth/contacts/${encodeURIComponent(token)}`)).status, 204);
    for (const unknown of [token, makeContactToken(), 'c:', 'x', 'c%3Ax', `${token}x`]) {
      assert.deepEqual(codeOf(await call('DELETE', `auth/contacts/${unknown}`)), [404, 'not_found'], unknown);
    }
  });
});
