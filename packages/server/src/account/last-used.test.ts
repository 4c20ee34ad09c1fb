// When secrets were last used: gathered, written together, and never in the way of a request.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { LastUsed, type LastUsedSettings } from './last-used.ts';

type Used = Parameters<LastUsedSettings['store']['noteSecretsUsed']>[0];

function gatherInto(writes: Used[], fail?: () => void) {
  const warnings: object[] = [];
  const lastUsed = new LastUsed({
    store: {
      async noteSecretsUsed(used) {
        fail?.();
        writes.push(used);
      },
    },
    clock: () => 1000,
    logger: { warn: (details: object) => warnings.push(details) } as never,
    writeEveryMs: 1,
  });
  return { lastUsed, warnings };
}

suite('the last use of secrets', () => {
  test('many uses are one write, with the latest time of each', async () => {
    const writes: Used[] = [];
    const { lastUsed } = gatherInto(writes);
    for (let ms = 1; ms <= 100; ms++) lastUsed.note(ms % 2 === 0 ? 'even' : 'odd', ms);
    await lastUsed.flush();
    const expected = [
      { secretId: 'odd', usedAtMs: 99 },
      { secretId: 'even', usedAtMs: 100 },
    ];
    assert.deepEqual(writes, [expected]);
  });

  test('pending uses are written without a request, and nothing is written when none is pending', async () => {
    const writes: Used[] = [];
    const written = Promise.withResolvers<void>();
    const { lastUsed } = gatherInto(writes, () => written.resolve());
    await lastUsed.flush();
    assert.deepEqual(writes, []);
    lastUsed.note('one', 5);
    // The timer does not keep a process alive, so something else must.
    const alive = setInterval(() => {}, 1000);
    await written.promise;
    clearInterval(alive);
    await lastUsed.flush();
    assert.deepEqual(writes, [[{ secretId: 'one', usedAtMs: 5 }]]);
  });

  test('a write that fails is logged, and the next one is made', async () => {
    const writes: Used[] = [];
    let isFailing = true;
    const { lastUsed, warnings } = gatherInto(writes, () => {
      if (isFailing) throw new Error('no disk');
    });
    lastUsed.note('one', 5);
    await lastUsed.flush();
    assert.equal(warnings.length, 1);
    isFailing = false;
    lastUsed.note('one', 6);
    await lastUsed.flush();
    assert.deepEqual(writes, [[{ secretId: 'one', usedAtMs: 6 }]]);
  });
});
