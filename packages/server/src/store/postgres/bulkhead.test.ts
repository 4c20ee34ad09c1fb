// What a node may hold of the connections of a pool.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { StoreUnavailableError } from '../store.ts';
import { Bulkhead } from './bulkhead.ts';
import { LostNodeError } from './driver-errors.ts';

const timeoutMs = 600_000;

/** Work that goes on until it is ended. */
function workIn(bulkhead: Bulkhead, node: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const work = { hasBegun: false, end: resolve, fail: reject, done: Promise.resolve() };
  work.done = bulkhead.run(node, () => {
    work.hasBegun = true;
    return promise;
  });
  return work;
}

suite('a bulkhead of four connections', () => {
  test('gives a node two, and the others to other nodes', async () => {
    const bulkhead = new Bulkhead(4, timeoutMs);
    const [first, second, third] = [workIn(bulkhead, 'a'), workIn(bulkhead, 'a'), workIn(bulkhead, 'a')];
    const other = workIn(bulkhead, 'b');
    await turn();
    assert.deepEqual(
      [first, second, third, other].map(({ hasBegun }) => hasBegun),
      [true, true, false, true],
    );
    first.end();
    await first.done;
    await turn();
    assert.ok(third.hasBegun);
  });

  test('gives all nodes that fail two together, until one of them works', async () => {
    const bulkhead = new Bulkhead(4, timeoutMs);
    for (const node of ['a', 'b']) {
      const lost = () => Promise.reject(new LostNodeError('lost'));
      await assert.rejects(bulkhead.run(node, lost), LostNodeError);
    }
    const failing = ['a', 'b', 'a', 'b'].map((node) => workIn(bulkhead, node));
    await turn();
    assert.deepEqual(
      failing.map(({ hasBegun }) => hasBegun),
      [true, true, false, false],
    );
    failing[0]?.end();
    await failing[0]?.done;
    await turn();
    assert.ok(failing[2]?.hasBegun && failing[3]?.hasBegun);
  });

  test('refuses what has waited for too long', async () => {
    const bulkhead = new Bulkhead(1, 1);
    const holding = workIn(bulkhead, 'a');
    await assert.rejects(workIn(bulkhead, 'a').done, StoreUnavailableError);
    holding.end();
    await holding.done;
    await bulkhead.run('a', async () => {});
  });
});
