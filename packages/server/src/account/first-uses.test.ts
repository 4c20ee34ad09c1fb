// First uses of bots: written once by a process, and again only if the write failed.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FirstUses } from './last-used.ts';

function gatherInto(writes: string[], fail?: (botId: string) => void) {
  const warnings: object[] = [];
  const firstUses = new FirstUses({
    store: {
      async noteFirstUse(botId, use, { nowMs: atMs }) {
        fail?.(botId);
        writes.push(`${botId} ${use} ${atMs}`);
      },
    },
    logger: { warn: (details: object) => warnings.push(details) } as never,
    writeEveryMs: 1,
  });
  return { firstUses, warnings };
}

suite('first uses of bots', () => {
  test('each is written once, with the time of the first, however often it is noted', async () => {
    const writes: string[] = [];
    const { firstUses } = gatherInto(writes);
    for (let round = 0; round < 2; round++) {
      for (let ms = 1; ms <= 100; ms++) {
        firstUses.note('one', 'widgetLoaded', ms);
        firstUses.note('two', 'widgetLoaded', ms);
        if (ms > 50) firstUses.note('one', 'visitorRecognized', ms);
      }
      await firstUses.flush();
    }
    assert.deepEqual(writes, ['one widgetLoaded 1', 'two widgetLoaded 1', 'one visitorRecognized 51']);
  });

  test('one that could not be written is logged, does not keep others back, and is noted with its next use', async () => {
    const writes: string[] = [];
    const broken = new Set(['one']);
    const { firstUses, warnings } = gatherInto(writes, (botId) => {
      if (broken.has(botId)) throw new Error('out of reach');
    });
    for (const botId of ['one', 'two']) firstUses.note(botId, 'widgetLoaded', 1);
    await firstUses.flush();
    assert.deepEqual(writes, ['two widgetLoaded 1']);
    assert.equal(warnings.length, 1);
    broken.clear();
    for (const botId of ['one', 'two']) firstUses.note(botId, 'widgetLoaded', 2);
    await firstUses.flush();
    assert.deepEqual(writes, ['two widgetLoaded 1', 'one widgetLoaded 2']);
  });
});
