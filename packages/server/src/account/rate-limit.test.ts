// Attempts are counted per key and window, in bounded memory.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { RateLimit } from './rate-limit.ts';

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
