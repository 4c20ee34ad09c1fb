// When a delivery is tried again, and when a webhook is switched off.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultRetriesMs, hasFailedTooLong, parseRetryAfter, remainingWaitMs, retryDelayMs } from './schedule.ts';

const nowMs = Date.UTC(2026, 10, 14, 9, 30);
const minuteMs = 60_000;
const dayMs = 86_400_000;
const middle = () => 0.5;

suite('the delay before the next attempt', () => {
  test('grows from five seconds to a day, and after ten retries there is none', () => {
    const delays = Array.from({ length: 11 }, (_, index) => retryDelayMs(defaultRetriesMs, index + 1, null, middle));
    const hours = [2, 5, 10, 14, 20, 24].map((hours) => hours * 60 * minuteMs);
    assert.deepEqual(delays, [5000, minuteMs, 5 * minuteMs, 30 * minuteMs, ...hours, undefined]);
  });

  test('varies by a tenth', () => {
    assert.equal(
      retryDelayMs(defaultRetriesMs, 2, null, () => 0),
      54_000,
    );
    assert.equal(
      retryDelayMs(defaultRetriesMs, 2, null, () => 1),
      66_000,
    );
  });

  test('is at least what the receiver asks for, and that at most a day', () => {
    assert.equal(retryDelayMs([5000], 1, 90_000, middle), 90_000);
    assert.equal(retryDelayMs([5000], 1, 1000, middle), 5000);
    assert.equal(retryDelayMs([5000], 1, 30 * dayMs, middle), dayMs);
    assert.equal(retryDelayMs([5000], 2, 90_000, middle), undefined);
  });
});

suite('Retry-After', () => {
  test('is a number of seconds or a date', () => {
    assert.equal(parseRetryAfter('120', nowMs), 120_000);
    assert.equal(parseRetryAfter(' 1 ', nowMs), 1000);
    assert.equal(parseRetryAfter('Sat, 14 Nov 2026 09:31:30 GMT', nowMs), 90_000);
    assert.equal(parseRetryAfter('99999999999999999999', nowMs), dayMs);
  });

  test('that says nothing is ignored', () => {
    const past = 'Sat, 14 Nov 2026 09:29:59 GMT';
    for (const text of [undefined, '', '0', '-5', '1.5', 'soon', 'Infinity', '12:00', past]) {
      assert.equal(parseRetryAfter(text, nowMs), null, text);
    }
  });
});

suite('what is left of a delay', () => {
  test('is the time until the delivery is due', () => {
    const delivery = { attempts: 3, attemptedAtMs: nowMs - minuteMs, dueAtMs: nowMs + 4 * minuteMs };
    assert.equal(remainingWaitMs(delivery, nowMs), 4 * minuteMs);
    assert.equal(remainingWaitMs(delivery, nowMs + dayMs), 0);
  });

  test('is never more than the delay, though the clock was put back', () => {
    const delivery = { attempts: 1, attemptedAtMs: nowMs + 30 * dayMs, dueAtMs: nowMs + 30 * dayMs + 5000 };
    assert.equal(remainingWaitMs(delivery, nowMs), 5000);
  });

  test('is nothing before the first attempt, whatever the clock said', () => {
    assert.equal(remainingWaitMs({ attempts: 0, attemptedAtMs: null, dueAtMs: nowMs + 30 * dayMs }, nowMs), 0);
    // Tried earlier, and made due again since.
    assert.equal(remainingWaitMs({ attempts: 0, attemptedAtMs: nowMs - dayMs, dueAtMs: nowMs + dayMs }, nowMs), 0);
  });
});

test('five days and five failures switch a webhook off, neither alone', () => {
  assert.equal(hasFailedTooLong(5 * dayMs, 5), true);
  assert.equal(hasFailedTooLong(5 * dayMs - 1, 1000), false);
  assert.equal(hasFailedTooLong(400 * dayMs, 4), false);
});
