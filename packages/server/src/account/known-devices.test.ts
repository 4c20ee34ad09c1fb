// Device cookies: which browser is known to which account, and that nobody can make one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDevice, deviceTtlMs, findDevice } from './known-devices.ts';

const nowMs = Date.UTC(2026, 10, 14);
const jane = { memberId: 'jane@example.com', passwordHash: '$argon2id$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA' };
const john = { memberId: 'john@example.com', passwordHash: '$argon2id$v=19$m=64,t=1,p=1$c2FsdB$aGFzaB' };

test('a browser is known to the account that it signed in to, for a year, and to no other', () => {
  const cookie = addDevice(undefined, jane, nowMs);
  assert.match(cookie, /^[\w.~-]+$/);
  assert.ok(!cookie.includes('jane'));
  const device = findDevice(cookie, jane, nowMs);
  assert.ok(device !== undefined);
  assert.equal(findDevice(cookie, jane, nowMs + deviceTtlMs - 1), device);
  assert.equal(findDevice(cookie, jane, nowMs + deviceTtlMs), undefined);
  assert.equal(findDevice(cookie, john, nowMs), undefined);
  assert.notEqual(findDevice(addDevice(undefined, jane, nowMs), jane, nowMs), device, 'each has a count of its own');
});

test('another password makes it worthless, and so does any change of it', () => {
  const cookie = addDevice(undefined, jane, nowMs);
  assert.equal(findDevice(cookie, { ...jane, passwordHash: john.passwordHash }, nowMs), undefined);
  assert.equal(findDevice(cookie, { ...jane, passwordHash: '' }, nowMs), undefined);
  for (let index = 0; index < cookie.length; index++) {
    const other = cookie[index] === 'x' ? 'y' : 'x';
    const forged = `${cookie.slice(0, index)}${other}${cookie.slice(index + 1)}`;
    // The last character of the proof is left out: base64url ignores two of its bits, so another one may mean the same.
    if (index < cookie.length - 1) assert.equal(findDevice(forged, jane, nowMs), undefined, `${index}`);
  }
});

test('one browser is known to five accounts, the latest', () => {
  let cookie: string | undefined = 'nonsense~~';
  const accounts = Array.from({ length: 7 }, (_, number) => ({ ...jane, memberId: `member${number}@example.com` }));
  for (const account of [...accounts, ...accounts]) cookie = addDevice(cookie, account, nowMs);
  const known = accounts.map((account) => findDevice(cookie, account, nowMs) !== undefined);
  assert.deepEqual(known, [false, false, true, true, true, true, true]);
  assert.ok((cookie?.length ?? 0) < 500);
});

test('whatever else a cookie holds names no device', () => {
  for (const cookie of [
    undefined,
    '',
    '~',
    '....',
    'a.b.c.d',
    '~'.repeat(10_000),
    `${'x'.repeat(8)}.1.${'y'.repeat(22)}.${'z'.repeat(43)}`,
  ]) {
    assert.equal(findDevice(cookie, jane, nowMs), undefined);
  }
});
