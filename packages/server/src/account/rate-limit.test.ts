// Attempts are counted per key and window, in bounded memory.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { addressKey, RateLimit } from './rate-limit.ts';

suite('addressKey', () => {
  const same: [one: string, other: string][] = [
    ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6'],
    ['2001:db8::1', '2001:db8:0:0:5::'],
    ['::1', '::2'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:DB8::1', '2001:db8::2'],
    ['2001:0db8:0:0::1', '2001:db8::1'],
    ['::ffff:cb00:7107', '203.0.113.7'],
  ];
  for (const [one, other] of same) {
    test(`${one} and ${other} are one`, () => assert.equal(addressKey(one), addressKey(other)));
  }

  const different: [one: string, other: string][] = [
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8::1', '2001:db8:0:1::1'],
    ['203.0.113.7', '203.0.113.8'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.8'],
    ['1::', '::1'],
  ];
  for (const [one, other] of different) {
    test(`${one} and ${other} are two`, () => assert.notEqual(addressKey(one), addressKey(other)));
  }
});

suite('RateLimit', () => {
  test('keys are counted apart, and a clock that went back starts a new window', () => {
    const limit = new RateLimit('x', 1);
    limit.take('a', 1_000_000);
    assert.equal(limit.take('b', 1_000_000).isExceeded, false);
    assert.equal(limit.take('a', 1_059_999).isExceeded, true);
    assert.equal(limit.take('a', 1_060_000).isExceeded, false);
    assert.equal(limit.take('a', 5).isExceeded, false);
  });

  test('memory stays bounded: beyond 100,000 keys the others share one count', () => {
    const limit = new RateLimit('x', 2);
    for (let i = 0; i < 100_000; i++) limit.take(`k${i}`, 0);
    limit.take('new1', 0);
    assert.equal(limit.take('new2', 0).isExceeded, false);
    assert.equal(limit.take('new3', 0).isExceeded, true);
    assert.equal(limit.take('k5', 0).isExceeded, false);
  });
});
