// When a token was last seen: noted for every page view, written for few.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { createContact, startServer } from '../../test/harness.ts';
import { sampleHash } from '../../test/sample.ts';
import type { Store } from '../store/store.ts';
import { LastSeen } from './last-used.ts';

const clock = () => 1000;

type Written = { botId: string; seen: readonly { hash: Uint8Array; seenAtMs: number }[] };

function prepare(t: TestContext, changes: { pendingMax?: number; fail?: () => Error | undefined } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const writes: Written[] = [];
  const logged: string[] = [];
  const store: Pick<Store, 'noteTokensSeen'> = {
    async noteTokensSeen(botId, seen) {
      const error = changes.fail?.();
      if (error !== undefined) throw error;
      writes.push({ botId, seen });
    },
  };
  const logger = pino({}, { write: (line: string) => logged.push(line) });
  const { pendingMax } = changes;
  const lastSeen = new LastSeen({
    store,
    clock,
    logger,
    writeEveryMs: 5000,
    ...(pendingMax !== undefined && { pendingMax }),
  });
  return { lastSeen, writes, logged };
}

suite('LastSeen', () => {
  test('many sightings of a token are one write, with the latest time, a few seconds later', async (t) => {
    const { lastSeen, writes } = prepare(t);
    const [hash, other] = [sampleHash(), sampleHash()];
    for (const seenAtMs of [10, 30, 20]) lastSeen.note('bot_a', hash, seenAtMs);
    lastSeen.note('bot_a', other, 5);
    lastSeen.note('bot_b', hash, 7);
    t.mock.timers.tick(4999);
    await turn();
    assert.deepEqual(writes, []);
    t.mock.timers.tick(1);
    await turn();
    const [first, second] = [
      { hash, seenAtMs: 30 },
      { hash: other, seenAtMs: 5 },
    ];
    assert.deepEqual(writes, [
      { botId: 'bot_a', seen: [first, second] },
      { botId: 'bot_b', seen: [{ hash, seenAtMs: 7 }] },
    ]);
  });

  test('nothing seen is nothing written', async (t) => {
    const { lastSeen, writes } = prepare(t);
    t.mock.timers.tick(60_000);
    await lastSeen.flush();
    assert.deepEqual(writes, []);
  });

  test('a flush writes at once what is pending, and the next sighting starts a new period', async (t) => {
    const { lastSeen, writes } = prepare(t);
    const hash = sampleHash();
    lastSeen.note('bot_a', hash, 1);
    await lastSeen.flush();
    assert.equal(writes.length, 1);
    t.mock.timers.tick(5000);
    await turn();
    assert.equal(writes.length, 1);
    lastSeen.note('bot_a', hash, 2);
    t.mock.timers.tick(5000);
    await turn();
    assert.deepEqual(writes[1], { botId: 'bot_a', seen: [{ hash, seenAtMs: 2 }] });
  });

  test('memory stays bounded, and large batches are written in slices', async (t) => {
    const { lastSeen, writes } = prepare(t, { pendingMax: 1200 });
    const hashes = Array.from({ length: 1500 }, sampleHash);
    for (const hash of hashes) lastSeen.note('bot_a', hash, 1);
    // The time of a token that is pending already can still be updated.
    lastSeen.note('bot_a', hashes[0] as Uint8Array, 9);
    await lastSeen.flush();
    assert.deepEqual(
      writes.map(({ seen }) => seen.length),
      [500, 500, 200],
    );
    assert.equal(writes[0]?.seen[0]?.seenAtMs, 9);
  });

  test('behind a write that hangs no more gathers than may wait', async (t) => {
    const release = Promise.withResolvers<void>();
    let writes = 0;
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const noteTokensSeen = async () => {
      writes++;
      await release.promise;
    };
    const logger = pino({ level: 'silent' });
    const lastSeen = new LastSeen({ store: { noteTokensSeen }, clock, logger, writeEveryMs: 5000, pendingMax: 10 });
    for (let round = 0; round < 5; round++) {
      for (let count = 0; count < 10; count++) lastSeen.note('bot_a', sampleHash(), 1);
      t.mock.timers.tick(5000);
      await turn();
    }
    release.resolve();
    await lastSeen.flush();
    // The write that hung, and one of the tokens that were pending meanwhile.
    assert.equal(writes, 2);
  });

  test('a write that fails is a warning, and the next one is tried', async (t) => {
    let error: Error | undefined = new Error('the disk is full');
    const { lastSeen, writes, logged } = prepare(t, { fail: () => error });
    lastSeen.note('bot_a', sampleHash(), 1);
    await lastSeen.flush();
    assert.match(logged.join(), /the disk is full/);
    error = undefined;
    lastSeen.note('bot_a', sampleHash(), 2);
    await lastSeen.flush();
    assert.equal(writes.length, 1);
  });
});

suite('over HTTP', () => {
  test('a token that identified its visitor was seen, and one that was refused was not', async (t) => {
    const { app, call, clock, mine, store } = await startServer(t);
    const { id } = await createContact(call);
    const issue = async () => (await call('POST', 'auth/contact', { body: { id } })).json.token as string;
    const [used, unused] = [await issue(), await issue()];
    clock.nowMs += 1000;
    const issuedLater = await issue();
    const lastSeen = async () => {
      await app.flush();
      const { tokens } = await store.listContactTokens(mine.bot.id, id, { nowMs: 0, limit: 10 });
      return tokens.map(({ lastSeenAtMs }) => lastSeenAtMs);
    };
    assert.deepEqual(await lastSeen(), [undefined, undefined, undefined]);

    clock.nowMs += 5000;
    for (let view = 0; view < 10; view++) await call('GET', 'auth/contact', { token: used });
    const seenAtMs = clock.nowMs;
    assert.deepEqual(
      (await lastSeen()).filter((time) => time !== undefined),
      [seenAtMs],
    );
    clock.nowMs += 366 * 86_400_000;
    for (const token of [unused, issuedLater]) {
      assert.equal((await call('GET', 'auth/contact', { token })).status, 401);
    }
    assert.deepEqual(
      (await lastSeen()).filter((time) => time !== undefined),
      [seenAtMs],
    );
  });
});
