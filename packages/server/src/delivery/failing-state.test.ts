// When a webhook counts as failing, what its success means, and that no change of the machine's clock switches one off.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FailingState } from './failing-state.ts';

const startMs = Date.UTC(2026, 10, 14, 9, 30);
const minuteMs = 60_000;
const dayMs = 86_400_000;

/** So long after the start, by both clocks, or with the machine's put forward. */
const at = (now: number, aheadMs = 0) => ({ now, nowMs: startMs + now + aheadMs });

suite('a webhook', () => {
  test('fails from its first failure on, until a success', () => {
    const state = new FailingState();
    assert.equal(state.isFailing, false);
    assert.equal(state.sinceMs(at(0)), null);
    state.noteFailure(1, at(1000));
    state.noteFailure(2, at(9000));
    assert.equal(state.isFailing, true);
    assert.equal(state.forMs(9000), 8000);
    assert.equal(state.sinceMs(at(9000)), startMs + 1000);
    state.noteSuccess([], 10_000);
    assert.equal(state.isFailing, false);
    assert.equal(state.sinceMs(at(10_000)), null);
  });

  test('goes on failing in the process that takes over', () => {
    const state = new FailingState();
    state.load({ failingSinceMs: startMs - 3 * dayMs }, [1, 2, 3], at(0));
    state.noteFailure(1, at(1000));
    assert.equal(state.forMs(1000), 3 * dayMs + 1000);
    assert.equal(state.sinceMs(at(1000)), startMs - 3 * dayMs);
  });

  test('that was enabled again has not failed', () => {
    const state = new FailingState();
    state.noteFailure(1, at(0));
    state.load({ failingSinceMs: null }, [], at(minuteMs));
    assert.equal(state.isFailing, false);
  });
});

suite('five days of failures', () => {
  const failing = (count: number, aheadMs = 0) => {
    const state = new FailingState();
    state.noteFailure(1, at(0));
    for (let failure = 1; failure < count; failure++) state.noteFailure(1, at(failure, aheadMs));
    return state;
  };

  test('switch it off, with five attempts or more', () => {
    assert.equal(failing(5).hasFailedTooLong(5 * dayMs), true);
    assert.equal(failing(5).hasFailedTooLong(5 * dayMs - 1), false);
    assert.equal(failing(4).hasFailedTooLong(5 * dayMs), false);
  });

  test('are counted over several processes', () => {
    const state = new FailingState();
    state.load({ failingSinceMs: startMs - 5 * dayMs }, [1, 2, 3], at(0));
    state.noteFailure(1, at(10));
    assert.equal(state.hasFailedTooLong(10), false);
    state.noteFailure(2, at(20));
    assert.equal(state.hasFailedTooLong(20), true);
  });

  test('do not pass when the clock is put forward, and the time that is stored follows the clock', () => {
    const state = failing(10, 6 * dayMs);
    assert.equal(state.hasFailedTooLong(minuteMs), false);
    const later = at(minuteMs, 6 * dayMs);
    const sinceMs = state.sinceMs(later);
    assert.equal(sinceMs, startMs + 6 * dayMs);
    // Loaded again, it has failed for a minute still.
    const other = new FailingState();
    other.load({ failingSinceMs: sinceMs }, [1, 2, 3, 4, 5], later);
    assert.equal(other.forMs(minuteMs), minuteMs);
  });

  test('begin with no future', () => {
    const state = new FailingState();
    state.load({ failingSinceMs: startMs + dayMs }, [1], at(0));
    assert.equal(state.forMs(0), 0);
  });
});

suite('a success', () => {
  test('ends an outage of a minute or more', () => {
    const state = new FailingState();
    state.noteFailure(1, at(0));
    assert.equal(state.noteSuccess([1], minuteMs - 1), false);
    state.noteFailure(1, at(0));
    assert.equal(state.noteSuccess([1], minuteMs), true);
    assert.equal(state.noteSuccess([1], 2 * minuteMs), false);
  });

  test('beside a delivery that always fails ends one outage, not one after the other', () => {
    const state = new FailingState();
    state.noteFailure(1, at(0));
    assert.equal(state.noteSuccess([1], 2 * minuteMs), true);
    for (let round = 2; round < 5; round++) {
      state.noteFailure(1, at(round * 10 * minuteMs));
      assert.equal(state.noteSuccess([1], (round * 10 + 5) * minuteMs), false);
    }
    // Another one fails too: it is the receiver.
    state.noteFailure(1, at(100 * minuteMs));
    state.noteFailure(7, at(101 * minuteMs));
    assert.equal(state.noteSuccess([1, 7], 102 * minuteMs), true);
  });
});
