// How soon a page looks again at deliveries that are pending.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseUntilNews } from '../src/webhooks/delivery-pause.ts';

const nowMs = Date.parse('2026-11-14T09:30:00.000Z');
const dueIn = (seconds: number) => ({
  status: 'pending' as const,
  nextAttemptAt: new Date(nowMs + seconds * 1000).toISOString(),
});
const done = { status: 'succeeded', nextAttemptAt: null } as const;
const failed = { status: 'failed', nextAttemptAt: null } as const;

test('a page does not look again when nothing is pending', () => {
  assert.equal(pauseUntilNews([], nowMs), undefined);
  assert.equal(pauseUntilNews([done, failed], nowMs), undefined);
});

test('a page looks again when the next of the attempts is due', () => {
  assert.equal(pauseUntilNews([dueIn(300), done, dueIn(30)], nowMs), 30_000);
});

test('a page looks neither all the time nor only after hours', () => {
  assert.equal(pauseUntilNews([dueIn(0)], nowMs), 2000);
  assert.equal(pauseUntilNews([dueIn(5 * 3600)], nowMs), 60_000);
});

test('a page looks ever less often at one that stays overdue', () => {
  assert.equal(pauseUntilNews([dueIn(-10)], nowMs), 10_000);
  assert.equal(pauseUntilNews([dueIn(-3600)], nowMs), 60_000);
});
