// Conformance: attempts to sign in, counted under several keys at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttemptOutcome } from '../../src/store/account/account-store.ts';
import { sampleContext, sampleCounted, sampleHash, sampleNowMs } from '../sample.ts';
import { type Engine, openStore, shareStore } from './engine.ts';

const newKey = () => Buffer.from(sampleHash()).toString('base64url');
const newCounted = () => sampleCounted(newKey());
const counted: AttemptOutcome = { kind: 'counted' };
const kindOf = ({ kind }: AttemptOutcome) => kind;

export function testAttempts(engine: Engine): void {
  const open = shareStore(engine);

  test('of parallel attempts as many are counted as may be made, and the others are told how long to wait', async () => {
    const { store } = await open();
    const guesser = newCounted();
    const outcomes = await Promise.all(
      Array.from({ length: 25 }, () => store.reserveAttempt([guesser], sampleContext())),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === 'counted').length, 10);
    for (const outcome of outcomes.filter(({ kind }) => kind === 'throttled')) {
      assert.deepEqual(outcome, { kind: 'throttled', waitMs: 1000, backoff: guesser.backoff });
    }
    assert.equal(
      kindOf(await store.reserveAttempt([guesser], sampleContext({ nowMs: sampleNowMs + 999 }))),
      'throttled',
    );
    assert.deepEqual(await store.reserveAttempt([guesser], sampleContext({ nowMs: sampleNowMs + 1000 })), counted);
    const again = await store.reserveAttempt([guesser], sampleContext({ nowMs: sampleNowMs + 1000 }));
    assert.equal(again.kind === 'throttled' && again.waitMs, 2000);
  });

  test('an attempt that one key refuses is counted under none, and the refusal has the longest wait', async () => {
    const { store } = await open();
    const [one, shared, slower] = [newCounted(), newCounted(), sampleCounted(newKey(), { firstWaitMs: 5000 })];
    for (let time = 0; time < 10; time++) await store.reserveAttempt([shared, slower], sampleContext());
    for (let time = 0; time < 20; time++) {
      const outcome = await store.reserveAttempt([one, shared, slower], sampleContext());
      assert.deepEqual(outcome, { kind: 'throttled', waitMs: 5000, backoff: slower.backoff });
    }
    for (let time = 0; time < 10; time++) assert.deepEqual(await store.reserveAttempt([one], sampleContext()), counted);
  });

  test('an attempt that is taken back was never counted, and a key can be forgiven as a whole', async () => {
    const { store } = await open();
    const [one, other] = [newCounted(), newCounted()];
    const release = (byMs: number) => store.releaseAttempt([{ key: one.key, byMs }], sampleContext());
    for (let time = 0; time < 30; time++) {
      assert.deepEqual(await store.reserveAttempt([one], sampleContext()), counted);
      await release(one.backoff.forgiveMs);
    }
    for (let time = 0; time < 10; time++) await store.reserveAttempt([one, other], sampleContext());
    assert.equal(kindOf(await store.reserveAttempt([one], sampleContext())), 'throttled');
    await release(Number.MAX_SAFE_INTEGER);
    for (let time = 0; time < 10; time++) assert.deepEqual(await store.reserveAttempt([one], sampleContext()), counted);
    assert.equal(kindOf(await store.reserveAttempt([other], sampleContext())), 'throttled');
    await store.releaseAttempt([{ key: newKey(), byMs: 1 }], sampleContext());
  });

  test('counts survive a reopening, forgiven ones are purged, and of too many those that are forgiven soonest', async (t) => {
    const opened = await openStore(t, engine);
    const [guesser, ...others] = Array.from({ length: 6 }, newCounted) as [ReturnType<typeof newCounted>];
    for (let time = 0; time < 10; time++) await opened.store.reserveAttempt([guesser], sampleContext());
    for (const [index, other] of others.entries())
      await opened.store.reserveAttempt([other], sampleContext({ nowMs: sampleNowMs + index }));
    const store = await opened.reopen();
    const isThrottled = async () => kindOf(await store.reserveAttempt([guesser], sampleContext())) === 'throttled';
    assert.ok(await isThrottled());
    const laterMs = sampleNowMs + 60_001;
    assert.equal(await store.purgeAttempts(100, 1, sampleContext({ nowMs: laterMs })), 1, 'a slice at a time');
    assert.equal(await store.purgeAttempts(100, 10, sampleContext({ nowMs: laterMs })), 1);
    assert.equal(await store.purgeAttempts(100, 10, sampleContext({ nowMs: laterMs })), 0);
    assert.equal(await store.purgeAttempts(1, 2, sampleContext({ nowMs: laterMs })), 2, 'of four one is kept');
    assert.equal(await store.purgeAttempts(1, 2, sampleContext({ nowMs: laterMs })), 1);
    assert.equal(await store.purgeAttempts(1, 2, sampleContext({ nowMs: laterMs })), 0);
    assert.ok(await isThrottled(), 'who has guessed most goes last');
    assert.equal(await store.purgeAttempts(100, 10, sampleContext({ nowMs: sampleNowMs + 10 * 60_000 })), 1);
    assert.ok(!(await isThrottled()));
  });
}
