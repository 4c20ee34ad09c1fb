import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyBudget } from './body-budget.ts';

test('a sender has its share, all senders have theirs, and what is given back twice counts once', () => {
  const budget = new BodyBudget({ totalBytes: 15, bytesEach: 10 });
  const [one, more, other] = [budget.share('a'), budget.share('a'), budget.share('b')];
  assert.deepEqual([one.take(6), more.take(4), more.take(1)], [true, true, false]);
  assert.equal(other.take(5), false, 'eleven of fifteen are taken');
  more.giveBack();
  more.giveBack();
  assert.deepEqual([other.take(4), other.take(1)], [true, false]);
  assert.deepEqual([one.take(0), one.take(1)], [false, false], 'of all there are sixteen and more');
  for (const share of [one, more, other]) share.giveBack();
  assert.deepEqual(
    [budget.share('a').take(10), budget.share('b').take(5), budget.share('b').take(1)],
    [true, true, false],
  );
});
