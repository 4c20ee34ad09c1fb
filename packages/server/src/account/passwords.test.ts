// Hashes of passwords: in a standard form, of what was typed, and never too many at once.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type HashCaller, Passwords, PasswordsBusyError } from './passwords.ts';

const cheap = { memory: 64, passes: 1, parallelism: 1 };

suite('passwords', () => {
  test('a hash is a PHC string at the cost that OWASP recommends, and no two are alike', async () => {
    const passwords = new Passwords();
    const [one, other] = await Promise.all([passwords.hash('same'), passwords.hash('same')]);
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(one, other);
    assert.equal(passwords.isOutdated(one), false);
  });

  test('a hash of the reference implementation is understood', async () => {
    // phc-winner-argon2, src/test.c
    const known = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    const passwords = new Passwords();
    assert.equal(await passwords.verify('password', known), true);
    assert.equal(await passwords.verify('differentpassword', known), false);
  });

  test('the password that was hashed is right, in whatever form of Unicode it is typed, and no other is', async () => {
    const passwords = new Passwords(cheap);
    const hash = await passwords.hash(' Zoë’s ﬁne password ');
    assert.equal(await passwords.verify(' Zoe\u0308’s fine password ', hash), true);
    for (const wrong of ['Zoë’s fine password', ' zoë’s fine password ', '', ' Zoe’s fine password ']) {
      assert.equal(await passwords.verify(wrong, hash), false, wrong);
    }
  });

  test('an account that does not exist has no password, and costs as much as one that does', async () => {
    const passwords = new Passwords({ ...cheap, memory: 19_456 });
    const hash = await passwords.hash('right');
    // The least of several, since whatever else the process does at that moment is counted too.
    const cpuOf = async (stored: string | undefined) => {
      let leastUs = Number.POSITIVE_INFINITY;
      for (let time = 0; time < 5; time++) {
        const before = process.cpuUsage();
        assert.equal(await passwords.verify('wrong', stored), false);
        const { user, system } = process.cpuUsage(before);
        leastUs = Math.min(leastUs, user + system);
      }
      return leastUs;
    };
    const [known, unknown] = [await cpuOf(hash), await cpuOf(undefined)];
    assert.ok(unknown > known / 4, `${unknown} µs without an account, ${known} µs with one`);
  });

  test('passwords of one email are compared by one computation, and each hash answers for itself', async () => {
    const passwords = new Passwords({ ...cheap, memory: 19_456 });
    const first = await passwords.hash('first');
    const others = await Promise.all(['second', 'first', 'third'].map((each) => passwords.hash(each, first)));
    const all = [first, ...others];
    assert.deepEqual(await passwords.verifyEach('first', all), [true, false, true, false]);
    assert.deepEqual(await passwords.verifyEach('third', all), [false, false, false, true]);
    assert.deepEqual(await passwords.verifyEach('fourth', all), [false, false, false, false]);
    assert.deepEqual(await passwords.verifyEach('first', []), []);
    const cpuOf = async (stored: readonly string[]) => {
      let leastUs = Number.POSITIVE_INFINITY;
      for (let time = 0; time < 5; time++) {
        const before = process.cpuUsage();
        await passwords.verifyEach('wrong', stored);
        const { user, system } = process.cpuUsage(before);
        leastUs = Math.min(leastUs, user + system);
      }
      return leastUs;
    };
    const [one, many] = [
      await cpuOf([first]),
      await cpuOf(Array.from({ length: 20 }, (_, at) => all[at % 4] as string)),
    ];
    assert.ok(many < one * 4, `${many} µs for 20 memberships, ${one} µs for one`);
  });

  test('hashes with salts of their own are compared too, but never more than a few of them', async () => {
    const passwords = new Passwords(cheap);
    const apart = await Promise.all(Array.from({ length: 6 }, () => passwords.hash('right')));
    assert.deepEqual(await passwords.verifyEach('right', apart), [true, true, true, true, false, false]);
    const [one, other] = apart as [string, string];
    assert.equal(passwords.isOutdated(one), false);
    assert.equal(passwords.isOutdated(one, other), true, 'so that they come together at the next sign-in');
    assert.equal(passwords.isOutdated(await passwords.hash('right', other), other), false);
  });

  test('a hash of another cost is outdated, and still compared at its own', async () => {
    const hash = await new Passwords(cheap).hash('right');
    const dearer = new Passwords({ ...cheap, passes: 2 });
    assert.equal(dearer.isOutdated(hash), true);
    assert.equal(await dearer.verify('right', hash), true);
  });

  test('what is no hash of ours is an error, not a wrong password', async () => {
    await assert.rejects(new Passwords(cheap).verify('x', '$2b$10$abc'), /not one of ours/);
  });

  test('a flood is refused at some point, and those that waited are served', async () => {
    const passwords = new Passwords(cheap);
    const tries = await Promise.allSettled(Array.from({ length: 200 }, () => passwords.hash('x')));
    const refused = tries.filter((each) => each.status === 'rejected');
    assert.ok(refused.length > 0 && refused.length < 150, String(refused.length));
    for (const { reason } of refused) assert.ok(reason instanceof PasswordsBusyError);
    await passwords.hash('later');
  });

  test('a flood of strangers refuses nobody who is known, and lets them go first', async () => {
    const passwords = new Passwords(cheap);
    const hash = await passwords.hash('right');
    const order: HashCaller[] = [];
    const verify = async (caller: HashCaller, password: string) => {
      const isRight = await passwords.verify(password, hash, caller);
      order.push(caller);
      return isRight;
    };
    const flood = Promise.allSettled(Array.from({ length: 200 }, () => verify('stranger', 'x')));
    const known = await Promise.all(Array.from({ length: 10 }, () => verify('known', 'right')));
    assert.deepEqual(known, Array(10).fill(true));
    assert.ok((await flood).some(({ status }) => status === 'rejected'));
    // Two strangers had begun before. No other begins before all known callers have, of whom at most one is then still in flight.
    const first = order.slice(0, 11).filter((caller) => caller === 'known');
    assert.ok(first.length >= 9, order.join());
  });
});
