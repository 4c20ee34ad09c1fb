// How long guesses at a password have to wait, and what they are counted under.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type AttemptCount, type Counted, waitMsOf, withAttempt } from '../store/account/backoff.ts';
import { countsOfDevice, countsOfSession, countsOfStranger } from './sign-in-throttle.ts';

const startMs = Date.UTC(2026, 10, 14);
const dayMs = 86_400_000;
const [ofPair, ofAccount, ofAddress] = countsOfStranger('jane@example.com', '192.0.2.1') as [Counted, Counted, Counted];

/** The waits before each of so many attempts, all made as soon as they may be. */
function waitsOf({ backoff }: Counted, attempts: number): number[] {
  let [count, nowMs]: [AttemptCount | undefined, number] = [undefined, startMs];
  return Array.from({ length: attempts }, () => {
    const waitMs = waitMsOf(backoff, count, nowMs);
    nowMs += waitMs;
    assert.equal(waitMsOf(backoff, count, nowMs), 0, 'who has waited as told may try');
    count = withAttempt(backoff, count, nowMs);
    return waitMs;
  });
}

/** How many attempts whoever never pauses has in so many days. */
function attemptsWithin({ backoff }: Counted, days: number): number {
  let [count, nowMs, attempts]: [AttemptCount | undefined, number, number] = [undefined, startMs, 0];
  while (nowMs < startMs + days * dayMs) {
    count = withAttempt(backoff, count, nowMs);
    attempts++;
    nowMs += waitMsOf(backoff, count, nowMs);
  }
  return attempts;
}

suite('waiting', () => {
  test('ten wrong ones are free, then the wait doubles from a second to a quarter of an hour', () => {
    const seconds = waitsOf(ofPair, 23).map((ms) => ms / 1000);
    assert.deepEqual(seconds, [...Array<number>(10).fill(0), 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  test('one guesser has some hundred attempts a day, and all strangers together some three thousand', () => {
    const [first, second] = [attemptsWithin(ofPair, 1), attemptsWithin(ofPair, 2)];
    assert.ok(first >= 96 && first <= 120, `${first}`);
    assert.ok(second - first <= 97, `${second - first}`);
    const strangers = attemptsWithin(ofAccount, 1);
    assert.ok(strangers > 2880 && strangers < 3200, `${strangers}`);
  });

  test('thirty addresses at the pace of one guesser do not use up what all strangers have', () => {
    const pace = 15 * 60_000;
    assert.ok(30 * (pace / ofPair.backoff.maxWaitMs) <= pace / ofAccount.backoff.forgiveMs);
    assert.ok(ofAccount.backoff.free >= 10 * 20, 'nor ten that begin at once');
  });

  test('an address that guesses at many accounts waits half a minute at most', () => {
    const waits = waitsOf(ofAddress, 300);
    assert.ok(waits.slice(0, 100).every((ms) => ms === 0));
    assert.ok(waits.slice(100).every((ms) => ms > 0 && ms <= 30_000));
  });

  test('a wrong one is forgiven after an hour, the one before it an hour later, all within a day', () => {
    let count: AttemptCount | undefined;
    for (let time = 0; time < 500; time++) count = withAttempt(ofPair.backoff, count, startMs);
    const waitAfter = (hours: number) => {
      const atMs = startMs + hours * 3_600_000;
      return waitMsOf(ofPair.backoff, withAttempt(ofPair.backoff, count, atMs), atMs) / 1000;
    };
    assert.deepEqual([0, 1, 2, 3, 10, 11, 12].map(waitAfter), [900, 900, 512, 256, 2, 1, 0]);
    assert.ok((count as AttemptCount).forgivenAtMs <= startMs + dayMs);
  });

  test('nobody waits for a clock that was wrong', () => {
    let count: AttemptCount | undefined;
    for (let time = 0; time < 50; time++) count = withAttempt(ofPair.backoff, count, startMs + dayMs);
    assert.equal(waitMsOf(ofPair.backoff, count, startMs), 0);
    const mended = withAttempt(ofPair.backoff, count, startMs);
    assert.ok(mended.forgivenAtMs < startMs + dayMs);
  });
});

suite('keys', () => {
  test('whatever differs is counted apart, and no key tells what it is made of', () => {
    const counts = [
      ...countsOfStranger('jane@example.com', '192.0.2.1'),
      ...countsOfStranger('john@example.com', '192.0.2.2'),
      ...countsOfStranger('jane@example.com 192.0.2.1', ''),
      ...countsOfDevice('192.0.2.1'),
      ...countsOfSession(Buffer.from('192.0.2.1')),
    ];
    assert.equal(new Set(counts.map(({ key }) => key)).size, counts.length);
    for (const { key } of counts) assert.match(key, /^[\w-]{43}$/);
  });
});
