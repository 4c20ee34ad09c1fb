// Guessing passwords over HTTP: what it costs the guesser, and whom it does not keep out.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { emailKey } from '@roster/contract';
import { ConsolePage, signInAs } from '../../test/console-client.ts';
import { codeOf, quickHash, type Reply, startServer, type TestServer } from '../../test/harness.ts';
import { sampleContext } from '../../test/sample.ts';
import { wholeFile } from '../../test/whole-file.ts';
import { type HashCaller, Passwords, PasswordsBusyError } from '../account/passwords.ts';
import { countsOfStranger } from '../account/sign-in-throttle.ts';
import type { Counted } from '../store/account/backoff.ts';

const password = 'correct horse battery staple';
const newPassword = 'Tr0ub4dor & three more';

/** Real hashes, which are counted. */
class CountingPasswords extends Passwords {
  compared = 0;
  isBusy = false;

  constructor() {
    super(quickHash);
  }

  override async verifyEach(given: string, stored: readonly string[], caller?: HashCaller): Promise<boolean[]> {
    if (this.isBusy) throw new PasswordsBusyError('too many passwords are waiting');
    this.compared++;
    return super.verifyEach(given, stored, caller);
  }
}

const shared = await startServer(wholeFile);

/** Of all servers here. Guesses are counted in the store that they share, and forgiven within a day. */
const { clock } = shared;
const dayMs = 86_400_000;

interface GuardedServer extends TestServer {
  /** Of its owner. */
  email: string;
}

/** A server behind a proxy, so that tests choose addresses, and the browser in which its owner has signed in. */
async function startGuarded(t: TestContext, options: Parameters<typeof startServer>[1] = {}) {
  const passwords = new CountingPasswords();
  clock.nowMs += dayMs;
  const settings = { storeOf: shared, clock, config: { trustProxy: 1 }, passwords };
  const started = await startServer(t, { ...settings, ...options });
  const { member } = await signInAs(started, 'owner', started.mine, await passwords.hash(password));
  const server: GuardedServer = { ...started, email: member.email };
  const owner = new ConsolePage(server, server.mine);
  assert.equal((await signIn(server, { from: '203.0.113.1', password, page: owner })).status, 200);
  passwords.compared = 0;
  return { server, passwords, owner, email: member.email };
}

/** A sign-in from an address, by a browser that nobody knows unless one is given. */
function signIn(
  server: GuardedServer,
  given: { from: string; email?: string; password?: string; page?: ConsolePage },
): Promise<Reply> {
  const page = given.page ?? new ConsolePage(server, server.mine);
  const body = { email: given.email ?? server.email, password: given.password ?? 'wrong' };
  return page.call('POST', 'session', { body, headers: { 'x-forwarded-for': given.from } });
}

/** Guesses from so many addresses, one each. */
async function guessFromEverywhere(server: GuardedServer, addresses: number): Promise<void> {
  for (let first = 0; first < addresses; first += 50) {
    const guesses = Array.from({ length: Math.min(50, addresses - first) }, (_, index) =>
      signIn(server, { from: `10.1.${Math.floor((first + index) / 250)}.${(first + index) % 250}` }),
    );
    for (const reply of await Promise.all(guesses)) assert.ok([401, 429].includes(reply.status), reply.text);
  }
}

/** As many wrong guesses at the owner's password as strangers have, which `guessFromEverywhere` would make over HTTP. */
async function useUpGuesses(server: GuardedServer): Promise<void> {
  const [, ofAccount] = countsOfStranger(emailKey(server.email), '10.1.0.0');
  const guess = () => server.store.reserveAttempt([ofAccount as Counted], sampleContext({ nowMs: clock.nowMs }));
  for (let guesses = 0; (await guess()).kind === 'counted'; guesses++) assert.ok(guesses < 1000, 'they have no limit');
  assert.equal((await signIn(server, { from: '198.51.100.8', password })).status, 429, 'strangers have none left');
}

const told = ({ status, headers, text, json }: Reply) => ({
  status,
  text: text.replace(json.requestId, ''),
  headers: Object.fromEntries(
    [...headers].filter(([name]) => !['x-request-id', 'date', 'content-length'].includes(name)),
  ),
});

suite('a guesser', () => {
  test('waits ever longer, and learns nothing of whether the account exists, from refusals either', async (t) => {
    const { server, email } = await startGuarded(t);
    const accounts = [
      { from: '198.51.100.1', email },
      { from: '198.51.100.2', email: 'nobody@example.com' },
    ];
    const [known, unknown] = await Promise.all(accounts.map(async (account) => [await signIn(server, account)]));
    for (const retryAfter of [undefined, 1, 2, 4]) {
      const pauseMs = (retryAfter ?? 0) * 1000;
      server.clock.nowMs += pauseMs;
      for (let time = 0; time < (retryAfter === undefined ? 10 : 2); time++) {
        known?.push(await signIn(server, accounts[0] as { from: string }));
        unknown?.push(await signIn(server, accounts[1] as { from: string }));
      }
    }
    const statuses = known?.map(({ status, headers }) => headers.get('retry-after') ?? status);
    assert.deepEqual(statuses, [...Array<number>(10).fill(401), '1', 401, '2', 401, '4', 401, '8']);
    assert.deepEqual(known?.map(told), unknown?.map(told));
    const refusal = known?.at(-1) as Reply;
    assert.deepEqual(codeOf(refusal), [429, 'rate_limited']);
    assert.equal(refusal.headers.get('ratelimit'), '"password";r=0;t=8');
    assert.match(refusal.headers.get('ratelimit-policy') ?? '', /^"password";q=10;w=\d+$/);
    assert.equal((await signIn(server, { from: '198.51.100.1', password })).status, 429, 'a right one has to wait too');
    assert.equal((await signIn(server, { from: '198.51.100.3', password })).status, 200, 'elsewhere nobody waits');
  });

  test('gets the answer and the work of an unknown account for an email that no member can have', async (t) => {
    const { server, passwords, email } = await startGuarded(t);
    const unknown = told(await signIn(server, { from: '198.51.100.1', email: 'nobody@example.com' }));
    assert.equal(unknown.status, 401);
    const odd = ['\0', `${email}\0`, 'own\0er@example.com', '\ud800', `${email}\udc00`, '\u{10ffff}', 'x'.repeat(512)];
    for (const [index, guessed] of odd.entries()) {
      passwords.compared = 0;
      // As many at once as a pool has connections: if one of them broke a connection, the next attempts would notice.
      const attempts = Array.from({ length: 8 }, (_, attempt) =>
        signIn(server, { from: `10.2.${index}.${attempt}`, email: guessed }),
      );
      for (const reply of await Promise.all(attempts)) assert.deepEqual(told(reply), unknown, JSON.stringify(guessed));
      assert.equal(passwords.compared, 8);
    }
    assert.equal((await signIn(server, { from: '198.51.100.3', password })).status, 200);
  });

  test('is refused before a password is hashed, for an account that exists and for one that does not', async (t) => {
    for (const guessed of [undefined, 'nobody@example.com']) {
      const { server, passwords, email } = await startGuarded(t);
      const replies = await Promise.all(
        Array.from({ length: 40 }, () => signIn(server, { from: '198.51.100.1', email: guessed ?? email })),
      );
      assert.equal(replies.filter(({ status }) => status === 429).length, 30);
      assert.equal(passwords.compared, 10, 'parallel guesses do not slip through');
    }
  });

  test('is known to every server, and after a restart', async (t) => {
    const { server, email } = await startGuarded(t);
    const startAnother = async () => ({
      ...(await startServer(t, { config: { trustProxy: 1 }, beside: server })),
      email,
    });
    const another = await startAnother();
    for (let time = 0; time < 10; time++) {
      const reply = await signIn(time % 2 === 0 ? server : another, { from: '198.51.100.1' });
      assert.equal(reply.status, 401);
    }
    const restarted = await startAnother();
    for (const one of [server, another, restarted]) {
      assert.equal((await signIn(one, { from: '198.51.100.1' })).status, 429);
    }
  });

  test('who signs in is forgiven, and an attempt that could not be compared is none', async (t) => {
    const { server, passwords } = await startGuarded(t);
    const from = '198.51.100.1';
    passwords.isBusy = true;
    for (let time = 0; time < 30; time++) assert.equal((await signIn(server, { from })).status, 503);
    passwords.isBusy = false;
    for (let round = 0; round < 3; round++) {
      for (let time = 0; time < 9; time++) assert.equal((await signIn(server, { from })).status, 401);
      assert.equal((await signIn(server, { from, password })).status, 200);
    }
  });

  test('who tries many accounts from one address has to wait, and what was typed is not stored', async (t) => {
    const stored: string[] = [];
    const { server } = await startGuarded(t, {
      config: { trustProxy: 1 },
      passwords: new CountingPasswords(),
      wrapStore: (store) => ({
        ...store,
        reserveAttempt(counts, nowMs) {
          stored.push(...counts.map(({ key }) => key));
          return store.reserveAttempt(counts, nowMs);
        },
      }),
    });
    let tries = 0;
    let reply: Reply;
    do {
      // Calls before sign-in are limited per minute.
      if (++tries % 90 === 0) server.clock.nowMs += 60_000;
      reply = await signIn(server, { from: '198.51.100.1', email: `member${tries}@example.com` });
    } while (reply.status === 401);
    assert.match(reply.headers.get('ratelimit') ?? '', /^"password"/);
    assert.ok(tries > 100 && tries < 110, `${tries}`);
    assert.ok(stored.every((key) => /^[\w-]{43}$/.test(key)));
  });
});

suite('an owner', () => {
  test('is not kept out by one address that guesses all day, with whatever browser', async (t) => {
    const { server } = await startGuarded(t);
    const endMs = server.clock.nowMs + dayMs;
    let guesses = 0;
    while (server.clock.nowMs < endMs) {
      const reply = await signIn(server, { from: '198.51.100.1' });
      guesses += reply.status === 401 ? 1 : 0;
      server.clock.nowMs += Number(reply.headers.get('retry-after') ?? 0) * 1000;
    }
    assert.ok(guesses < 130, `${guesses}`);
    assert.equal((await signIn(server, { from: '198.51.100.9', password })).status, 200);
  });

  test('whose browser has signed in before is not kept out by any number of addresses, nor by their own', async (t) => {
    const { server, owner, passwords } = await startGuarded(t);
    await guessFromEverywhere(server, 400);
    assert.equal(passwords.compared, 300);
    const stranger = await signIn(server, { from: '198.51.100.9', password });
    assert.deepEqual([stranger.status, stranger.headers.get('retry-after')], [429, '30']);
    for (const from of ['198.51.100.9', '10.1.0.1']) {
      assert.equal((await signIn(server, { from, password, page: owner })).status, 200, from);
    }
    // Another browser shares the attempts that strangers regain with time.
    server.clock.nowMs += 30_000;
    assert.equal((await signIn(server, { from: '198.51.100.9', password })).status, 200);
  });

  test('is asked for the password again while strangers guess, and guesses there are limited too', async (t) => {
    const { server, owner } = await startGuarded(t);
    await useUpGuesses(server);
    const change = (currentPassword: string) =>
      owner.call('POST', 'password', { body: { currentPassword, newPassword } });
    for (let time = 0; time < 10; time++) assert.equal((await change('wrong')).status, 401);
    assert.equal((await change(password)).status, 429);
    server.clock.nowMs += 1000;
    assert.equal((await change(password)).status, 200);
  });
});

suite('a known browser', () => {
  test('keeps a cookie that scripts and other sites cannot use, and that a sign-out does not end', async (t) => {
    const { server, owner } = await startGuarded(t);
    const reply = await signIn(server, { from: '198.51.100.1', password, page: owner });
    const [, cookie = ''] = reply.headers.getSetCookie();
    assert.match(cookie, /^roster-device=[\w.~-]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.equal((await owner.call('DELETE', 'session')).headers.getSetCookie().length, 1);
    owner.cookie = undefined;
    assert.equal((await owner.call('GET', 'session')).status, 401, 'it opens nothing');
  });

  test('has its own count, and is a stranger once the password is another one', async (t) => {
    const { server, owner } = await startGuarded(t);
    const other = new ConsolePage(server, server.mine);
    const from = '198.51.100.1';
    assert.equal((await signIn(server, { from, password, page: other })).status, 200);
    for (let time = 0; time < 10; time++) {
      assert.equal((await signIn(server, { from, page: other })).status, 401);
    }
    assert.equal((await signIn(server, { from, password, page: other })).status, 429);
    assert.equal((await signIn(server, { from, password, page: owner })).status, 200);

    await useUpGuesses(server);
    server.clock.nowMs += 1000;
    assert.equal((await signIn(server, { from, password, page: other })).status, 200);
    const body = { currentPassword: password, newPassword };
    assert.equal((await owner.call('POST', 'password', { body })).status, 200);
    assert.equal((await signIn(server, { from, password: newPassword, page: other })).status, 429);
    assert.equal((await signIn(server, { from, password: newPassword, page: owner })).status, 200);
  });
});
