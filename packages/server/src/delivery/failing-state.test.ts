// When a webhook counts as failing, what its success means, and that no change of the machine's clock switches one off.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FailingState } from './failing-state.ts';

const startMs = Date.UTC(2026, 10, 14, 9, 30);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** So long after the start, by both clocks, or with the machine's put forward. */
const at = (now: number, aheadMs = 0) => ({ now, nowMs: startMs + now + aheadMs });

suite('a webhook', () => {
  test('fails from its first failure on, until a success', () => {
    const state = new FailingState();
    assert.equal(state.isFailing, false);
    assert.equal(state.sinceMs(at(0)), null);
    state.noteFailure(false, at(1000));
    state.noteFailure(false, at(9000));
    assert.equal(state.isFailing, true);
    assert.equal(state.forMs(9000), 8000);
    assert.equal(state.sinceMs(at(9000)), startMs + 1000);
    state.noteSuccess(10_000);
    assert.equal(state.isFailing, false);
    assert.equal(state.sinceMs(at(10_000)), null);
  });

  test('goes on failing in the process that takes over', () => {
    const state = new FailingState();
    state.load({ failingSinceMs: startMs - 3 * dayMs }, 3, at(0));
    state.noteFailure(true, at(1000));
    assert.equal(state.forMs(1000), 3 * dayMs + 1000);
    assert.equal(state.sinceMs(at(1000)), startMs - 3 * dayMs);
  });

  test('that was enabled again has not failed', () => {
    const state = new FailingState();
    state.noteFailure(false, at(0));
    state.load({ failingSinceMs: null }, 0, at(minuteMs));
    assert.equal(state.isFailing, false);
  });
});

suite('five days of failures', () => {
  const failing = (count: number, aheadMs = 0) => {
    const state = new FailingState();
    state.noteFailure(false, at(0));
    for (let failure = 1; failure < count; failure++) state.noteFailure(true, at(failure, aheadMs));
    return state;
  };

  test('switch it off, with five attempts or more', () => {
    assert.equal(failing(5).hasFailedTooLong(5 * dayMs), true);
    assert.equal(failing(5).hasFailedTooLong(5 * dayMs - 1), false);
    assert.equal(failing(4).hasFailedTooLong(5 * dayMs), false);
  });

  test('are counted over several processes', () => {
    const state = new FailingState();
    state.load({ failingSinceMs: startMs - 5 * dayMs }, 3, at(0));
    state.noteFailure(true, at(10));
    assert.equal(state.hasFailedTooLong(10), false);
    state.noteFailure(true, at(20));
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
    other.load({ failingSinceMs: sinceMs }, 5, later);
    assert.equal(other.forMs(minuteMs), minuteMs);
  });

  test('begin with no future', () => {
    const state = new FailingState();
    state.load({ failingSinceMs: startMs + dayMs }, 1, at(0));
    assert.equal(state.forMs(0), 0);
  });
});

suite('a receiver that works for most', () => {
  test('is not failing for a delivery that fails again and again', () => {
    const state = new FailingState();
    state.noteFailure(false, at(0));
    state.noteSuccess(1000);
    for (let hour = 1; hour <= 6 * 24; hour++) {
      for (let retry = 0; retry < 10; retry++) state.noteFailure(true, at(hour * hourMs + retry));
      assert.equal(state.isFailing, false);
      assert.equal(state.hasFailedTooLong(hour * hourMs), false);
      // A success an hour ends no outage, and brings nothing forward.
      if (hour < 24) assert.equal(state.noteSuccess(hour * hourMs + 10), false);
    }
    assert.equal(state.sinceMs(at(6 * dayMs)), null);
  });

  test('is failing once another delivery fails too', () => {
    const state = new FailingState();
    state.noteFailure(true, at(0));
    state.noteFailure(false, at(1000));
    state.noteFailure(true, at(2000));
    assert.equal(state.forMs(2000), 1000);
  });
});

suite('a success', () => {
  test('ends an outage of a minute or more', () => {
    const state = new FailingState();
    state.noteFailure(false, at(0));
    assert.equal(state.noteSuccess(minuteMs - 1), false);
    state.noteFailure(false, at(0));
    assert.equal(state.noteSuccess(minuteMs), true);
    assert.equal(state.noteSuccess(2 * minuteMs), false);
  });

  test('ends an outage of thousands of failures', () => {
    const state = new FailingState();
    for (let failures = 0; failures < 5000; failures++) state.noteFailure(false, at(failures));
    assert.equal(state.noteSuccess(5000), true);
  });
});

suite('in an outage', () => {
  test('new events are planned each time that it has lasted twice as long', () => {
    const state = new FailingState();
    const plannedMinutes: number[] = [];
    const planUntil = (minute: number) => {
      for (let now = minuteMs; now < minute * minuteMs; now += minuteMs / 2) {
        if (!state.mayPlan(now)) continue;
        state.notePlanned(now);
        plannedMinutes.push(now / minuteMs);
      }
    };
    state.notePlanned(0);
    state.noteFailure(false, at(0));
    assert.equal(state.mayPlan(minuteMs - 1), true, 'it may be none yet');
    state.notePlanned(minuteMs - 1);
    planUntil(100);
    assert.deepEqual(plannedMinutes, [2, 4, 8, 16, 32, 64]);
    state.noteSuccess(100 * minuteMs);
    assert.equal(state.mayPlan(100 * minuteMs), true);
  });
});
