// The statistics that the benchmark computes from its measurements.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { median, pairedRatio, percentile, summarize } from './statistics.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

suite('statistics', () => {
  test('a percentile is the nearest rank, so it is a measured value', () => {
    assert.equal(percentile(upTo(100), 0.5), 50);
    assert.equal(percentile(upTo(100), 0.99), 99);
    assert.equal(percentile(upTo(1000), 0.99), 990);
    assert.equal(percentile(upTo(10), 0.99), 10);
    assert.equal(percentile([7], 0.5), 7);
    assert.equal(percentile([7], 0), 7);
    assert.ok(Number.isNaN(percentile([], 0.5)));
  });

  test('a median is independent of the order, and the mean of the middle two values of an even number', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([4, 1, 3, 2]), 2.5);
    assert.ok(Number.isNaN(median([])));
  });

  test('percentiles are over the requests of all rounds, and the rate is the median of the rounds', () => {
    const slices = [
      { latenciesMs: [5, 1, 3], elapsedMs: 1000, refused: 0 },
      { latenciesMs: [2, 4], elapsedMs: 500, refused: 9 },
      { latenciesMs: Array(20).fill(100), elapsedMs: 2000, refused: 0, cpuUs: 4000 },
    ];
    assert.deepEqual(summarize(slices), {
      requests: 25,
      perSecond: 4,
      p50Ms: 100,
      p99Ms: 100,
      worstMs: 100,
      perSecondByRound: [3, 4, 10],
      cpuUs: 200,
      cpuUsByRound: [200],
    });
    assert.equal(summarize(slices.slice(0, 2)).p50Ms, 3);
  });

  test('a ratio compares measurements of the same round', () => {
    // The machine is ten times slower in the second round: the ratio is the same.
    assert.equal(pairedRatio([50, 5, 50], [100, 10, 100]), 0.5);
    assert.equal(pairedRatio([80, 5, 20], [100, 10, 100]), 0.5);
  });
});
