import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Latencies } from './latencies.ts';

test('percentiles are at most five percent too high, and the worst is exact', () => {
  const latencies = new Latencies();
  for (let ms = 1; ms <= 1000; ms++) latencies.add(ms);
  for (const [share, ms] of [
    [0.5, 500],
    [0.99, 990],
    [0.001, 1],
  ] as const) {
    const found = latencies.percentile(share);
    assert.ok(found >= ms && found <= ms * 1.05, `${share}: ${found}`);
  }
  assert.equal(latencies.percentile(1), 1000);
  assert.equal(latencies.worstMs, 1000);
  assert.equal(latencies.count, 1000);
});

test('there is no percentile of nothing, and one of next to nothing', () => {
  const latencies = new Latencies();
  assert.equal(latencies.percentile(0.5), Number.NaN);
  latencies.add(0);
  assert.equal(latencies.percentile(0.5), 0);
});
