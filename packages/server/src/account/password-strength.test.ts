// Which new passwords are refused, and that judging them stays cheap.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOfPassword } from './password-strength.ts';

const owner = { email: 'jane.doe@acme-shop.example', name: 'Jane Doe', organizationName: 'Acme Flowers Ltd' };

test('common passwords, rows of keys, sequences and repeats are refused, and their variants', async () => {
  for (const password of [
    '123456789012',
    'passwordpassword',
    'password1234',
    'P@ssw0rd1234',
    'qwertyuiop[]',
    '1q2w3e4r5t6y',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'iloveyou1234',
    'Administrator1',
    'unbelievable',
    'welcome12345',
    'letmeinletmein',
    'a'.repeat(256),
    'password'.repeat(32),
  ]) {
    assert.match((await faultOfPassword(password, owner)) ?? '', /^is too easy to guess/, password);
  }
});

test('passwords made of the email, the name or the organization are refused', async () => {
  for (const password of [
    'jane.doe@acme-shop.example',
    'JaneDoe12345',
    'janedoejanedoe',
    'AcmeFlowers2026',
    'acmeflowersltd',
    'Acme-Shop-2026',
    'j4ned03j4ned03',
    'roster-jane-1',
  ]) {
    assert.match((await faultOfPassword(password, owner)) ?? '', /^must not be based on your name/, password);
  }
  assert.equal(await faultOfPassword('JaneDoe likes purple otters', owner), undefined);
});

test('several words, random characters and other scripts are taken', async () => {
  for (const password of [
    'correct horse battery staple',
    'Tr0ub4dor & three more',
    'my dog ate it twice',
    'x8Fk2#lqPz0a',
    '%&)(=?§$"!*~;|<>',
    '🦦🌵🚲🍍🛰️🎻🧲🪁🥨🦉🪐🧭',
    'korrekt pferd batterie',
    'мой пес съел это дважды',
    '窓の外に三匹の猫がいる今日',
    `${'a'.repeat(32)}x8Fk2#lqPz0a`,
  ]) {
    assert.equal(await faultOfPassword(password, owner), undefined, password);
  }
});

test('the longest passwords and names take no longer than short ones', async () => {
  const texts = ['@4', '1', '({[<', 'aA4@', '11/11/1111/', 'password'].map((text) => text.repeat(256).slice(0, 256));
  const wordy = { ...owner, name: 'é '.repeat(128), organizationName: 'ab1 '.repeat(64) };
  await faultOfPassword('warm-up', wordy);
  const cpu = (password: string) => {
    const before = process.cpuUsage();
    return faultOfPassword(password, wordy).then(() => process.cpuUsage(before).user);
  };
  for (const text of texts) {
    const [long, twice] = [await cpu(text), (await cpu(text.slice(0, 32))) + (await cpu(text.slice(32, 64)))];
    // Generous: 256 characters at once would take hundreds of times as long.
    assert.ok(long < 10 * twice + 200_000, `${long} and ${twice} µs for ${text.slice(0, 10)}`);
  }
});
