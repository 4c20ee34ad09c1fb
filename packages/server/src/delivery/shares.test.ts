// Who delivers what: equal shares, whose dead owners' webhooks are taken over, and how a dead owner differs from a slow one.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { OwnedWebhook } from '../store/webhook-store.ts';
import { Liveness } from './liveness.ts';
import { SendSlots } from './send-slots.ts';
import { shareOf } from './shares.ts';

const owned = (...owners: (string | undefined)[]): OwnedWebhook[] =>
  owners.map((owner, index) => ({ botId: 'bot_1', webhookId: `whk_${index}`, owner, version: 1 }));
const isAlive = (id: string) => id !== 'dead';

suite('a share', () => {
  const counts = (listed: OwnedWebhook[], alive: number) => {
    const { own, free, surplus } = shareOf(listed, 'me', isAlive, alive);
    return [own.length, free.length, surplus];
  };

  test('alone is everything that is nobody’s or of a dead one', () => {
    assert.deepEqual(counts(owned(undefined, 'dead', 'me', undefined), 1), [1, 3, 0]);
  });

  test('is as large as that of the others', () => {
    assert.deepEqual(counts(owned(undefined, undefined, undefined, undefined, undefined), 2), [0, 3, 0]);
    assert.deepEqual(counts(owned('me', 'me', 'other', undefined), 2), [2, 0, 0]);
    assert.deepEqual(counts(owned('me', 'me', 'me', 'me'), 2), [4, 0, 2]);
    assert.deepEqual(counts(owned('me', 'me', 'me'), 2), [3, 0, 1]);
    assert.deepEqual(counts(owned('me'), 3), [1, 0, 0]);
    assert.deepEqual(counts([], 3), [0, 0, 0]);
  });

  test('never contains what a living one has', () => {
    const { free } = shareOf(owned('other', 'dead', 'other', undefined), 'me', isAlive, 1);
    assert.deepEqual(new Set(free.map(({ owner }) => owner)), new Set(['dead', undefined]));
  });
});

suite('a deliverer is', () => {
  const look = (liveness: Liveness, fromMs: number, toMs: number, beats: (now: number) => [string, number][]) => {
    for (let now = fromMs; now <= toMs; now += 1000) liveness.note(new Map(beats(now)), now);
  };

  test('alive while its beat moves, and dead when it has stood still for long enough', () => {
    const liveness = new Liveness(15_000);
    look(liveness, 0, 30_000, (now) => [
      ['me', now],
      ['other', now],
    ]);
    assert.deepEqual(liveness.alive(), ['me', 'other']);
    look(liveness, 31_000, 44_000, (now) => [
      ['me', now],
      ['other', 30_000],
    ]);
    assert.equal(liveness.isAlive('other'), true);
    look(liveness, 45_000, 45_000, (now) => [
      ['me', now],
      ['other', 30_000],
    ]);
    assert.deepEqual(liveness.dead(), ['other']);
    look(liveness, 46_000, 46_000, (now) => [
      ['me', now],
      ['other', 1],
    ]);
    assert.equal(liveness.isAlive('other'), true, 'it beats again');
  });

  test('dead when it is not known', () => {
    const liveness = new Liveness(15_000);
    assert.equal(liveness.isAlive('other'), false);
    look(liveness, 0, 0, () => [['other', 1]]);
    assert.equal(liveness.isAlive('other'), true);
    look(liveness, 1000, 1000, () => []);
    assert.equal(liveness.isAlive('other'), false);
  });

  test('not dead because nobody could look', () => {
    const liveness = new Liveness(15_000);
    look(liveness, 0, 1000, () => [['other', 1]]);
    look(liveness, 3_600_000, 3_600_000, () => [['other', 1]]);
    assert.equal(liveness.isAlive('other'), true);
  });
});

test('slots are those of an organization, and whoever waits for one is called once', () => {
  const slots = new SendSlots(2);
  let calls = 0;
  const onFree = () => {
    calls++;
  };
  assert.equal(slots.take('one', onFree), true);
  assert.equal(slots.take('one', onFree), true);
  assert.equal(slots.take('one', onFree), false);
  assert.equal(slots.take('other', onFree), true);
  slots.giveBack('other');
  assert.equal(calls, 0);
  slots.giveBack('one');
  assert.equal(calls, 1);
  assert.equal(slots.take('one', onFree), true);
  slots.giveBack('one');
  assert.equal(calls, 1);
});
