// The retry rules as pure functions. retries.test.ts tests them end to end.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { makeApiError } from './api-errors.ts';
import { ConnectionError } from './errors.ts';
import { leavesOutcomeUnknown, readRetryAfter, retryWaitMs, wasNeverSent } from './retry-policy.ts';

const broken = new ConnectionError('no answer');
const busy = (retryAfterMs: number | undefined) =>
  makeApiError({
    operation: 'contacts.search',
    status: 503,
    error: undefined,
    requestId: undefined,
    retryAfterMs,
    isOutcomeUnknown: false,
  });

suite('the delay before a retry', () => {
  test('is random up to a limit that doubles with each retry, up to sixteen times the first', () => {
    const bounds = [0, 1, 2, 3, 4, 5, 6].map((retry) => {
      const wait = (chance: number) => retryWaitMs(retry, { delayMs: 500, error: broken, random: () => chance });
      assert.equal(wait(0), 0);
      return wait(1);
    });
    assert.deepEqual(bounds, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  test('is never shorter than Retry-After', () => {
    const chances = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.nat(100), fc.nat(60_000), chances, (retry, retryAfterMs, chance) => {
        const waitMs = retryWaitMs(retry, { delayMs: 500, error: busy(retryAfterMs), random: () => chance });
        assert.ok(waitMs >= retryAfterMs && waitMs <= retryAfterMs + 8000);
      }),
    );
  });
});

suite('Retry-After', () => {
  const nowMs = Date.UTC(2026, 10, 14, 9, 30);

  test('is read as seconds or as a date', () => {
    assert.equal(readRetryAfter('0', nowMs), 0);
    assert.equal(readRetryAfter(' 120 ', nowMs), 120_000);
    assert.equal(readRetryAfter('Sat, 14 Nov 2026 09:30:07 GMT', nowMs), 7000);
    assert.equal(readRetryAfter('Sat, 14 Nov 2026 09:00:00 GMT', nowMs), 0);
  });

  test('that is missing or invalid is ignored', () => {
    for (const header of [null, '', 'soon', '-1', '1e9999', 'NaN'])
      assert.equal(readRetryAfter(header, nowMs), undefined);
  });
});

suite('whether a write may have been applied', () => {
  test("is known after a client error and after Roster's own 503", () => {
    for (const status of [400, 401, 404, 408, 413, 429]) {
      assert.equal(leavesOutcomeUnknown(status, { code: undefined, outcome: null }), false);
    }
    assert.equal(leavesOutcomeUnknown(503, { code: 'unavailable', outcome: null }), false);
  });

  test('is unknown after a 503 with Roster-Outcome: unknown', () => {
    assert.equal(leavesOutcomeUnknown(503, { code: 'unavailable', outcome: 'unknown' }), true);
  });

  test('is unknown after any other 5xx', () => {
    for (const [status, code] of [
      [500, 'internal'],
      [502, undefined],
      [503, undefined],
      [504, undefined],
    ] as const) {
      assert.equal(leavesOutcomeUnknown(status, { code, outcome: null }), true);
    }
  });

  test('is known when no connection was established, and unknown when one broke', () => {
    for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT']) assert.ok(wasNeverSent(code), code);
    for (const code of ['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE', undefined]) assert.ok(!wasNeverSent(code), code);
  });
});
