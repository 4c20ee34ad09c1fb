import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Bounds, growthOf, type Sample, Watch } from './watch.ts';

const mebibyte = 1024 ** 2;
const sampleOf = (megabytes: number): Sample => ({ memoryBytes: megabytes * mebibyte, descriptors: 80, walBytes: 0 });
const lifeOf = (seconds: number, megabytesAt: (second: number) => number) =>
  Array.from({ length: seconds }, (_, second) => sampleOf(megabytesAt(second)));
const bounds: Bounds = {
  memoryBytesMax: 400 * mebibyte,
  memoryGrowthMax: 40 * mebibyte,
  descriptorGrowthMax: 10,
  walBytesMax: 192 * mebibyte,
};

suite('what is watched', () => {
  test('memory that grows while a server warms up is not growth', () => {
    const life = lifeOf(400, (second) => 100 + Math.min(second, 100));
    assert.equal(growthOf(life, 'memoryBytes'), 0);
  });

  test('memory that grows on and on is, however much it goes up and down', () => {
    const life = lifeOf(400, (second) => 100 + second / 4 + 20 * (second % 2));
    assert.equal(growthOf(life, 'memoryBytes'), 50 * mebibyte);
    assert.deepEqual(problemsOf(life), ['growth of memory of server 1 in MiB: 50, at most 40 is allowed']);
  });

  test('a short life has no growth', () => {
    assert.equal(
      growthOf(
        lifeOf(100, (second) => second),
        'memoryBytes',
      ),
      0,
    );
  });

  test('more memory, descriptors and log than allowed are problems', () => {
    const large = { memoryBytes: 401 * mebibyte, descriptors: 80, walBytes: 193 * mebibyte };
    assert.deepEqual(problemsOf([large]), [
      'memory in MiB: 401, at most 400 is allowed',
      'write-ahead log in MiB: 193, at most 192 is allowed',
    ]);
    const leaking = lifeOf(400, () => 100).map((sample, second) => ({ ...sample, descriptors: second }));
    assert.match(problemsOf(leaking).join(), /^growth of descriptors of server 1: 200, at most 10/);
    assert.deepEqual(problemsOf(lifeOf(400, () => 100)), []);
  });
});

function problemsOf(life: Sample[]): string[] {
  const watch = new Watch(() => 0);
  watch.lives.push(life);
  return watch.problems(bounds);
}
