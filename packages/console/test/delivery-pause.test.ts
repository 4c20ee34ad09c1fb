// How soon a page looks again at deliveries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseUntilNews } from '../src/webhooks/delivery-pause.ts';

const nowMs = Date.parse('2026-11-14T09:30:00.000Z');
const dueIn = (seconds: number) => ({ nextAttemptAt: new Date(nowMs + seconds * 1000).toISOString() });
const unplanned = { nextAttemptAt: null };

test('a page looks for new deliveries when none is pending', () => {
  assert.equal(pauseUntilNews([], nowMs), 15_000);
  assert.equal(pauseUntilNews([unplanned], nowMs), 15_000);
});

test('a page looks again when the next of the attempts is due', () => {
  assert.equal(pauseUntilNews([dueIn(300), unplanned, dueIn(8)], nowMs), 8000);
});

test('a page looks neither all the time nor only after hours', () => {
  assert.equal(pauseUntilNews([dueIn(0)], nowMs), 5000);
  assert.equal(pauseUntilNews([dueIn(-10)], nowMs), 5000);
  assert.equal(pauseUntilNews([dueIn(5 * 3600)], nowMs), 15_000);
});
