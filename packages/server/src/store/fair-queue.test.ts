import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FairQueue, type QueueItem, type QueueLimits } from './fair-queue.ts';
import { StoreUnavailableError } from './store.ts';

interface TestItem extends QueueItem {
  name: string;
  resolve(answer: string): void;
}

/** Items are named by their key and their number: `a1` is the first of key a. */
function start(limits: Partial<QueueLimits> = {}) {
  const queue = new FairQueue<TestItem>({ what: 'searches', cost: 1000, ...limits });
  const rejected: string[] = [];
  const ask = (name: string, item: Partial<QueueItem> = {}) =>
    new Promise<string>((resolve, reject) => {
      const key = name.slice(0, 1);
      queue.add({
        ...{ name, key, cost: 1, resolve, ...item },
        reject(error) {
          assert.ok(error instanceof StoreUnavailableError);
          rejected.push(name);
          reject(error);
        },
      });
    });
  const add = (names: string, cost = 1) => {
    for (const name of names.split(' ')) ask(name, { cost }).catch(() => {});
  };
  const take = (max: Partial<Parameters<typeof queue.take>[0]> = {}) => namesOf(queue.take({ items: 1000, ...max }));
  const costs = () => [queue.length, queue.cost, queue.inFlightCost];
  return { queue, ask, add, take, costs, rejected };
}

const namesOf = (items: readonly TestItem[]) => items.map(({ name }) => name).join(' ');
const numbered = (key: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${key}${index + 1}`).join(' ');

suite('order', () => {
  test('keys are taken from in turn, each in its own order', () => {
    const { add, take } = start();
    add('a1 a2 a3 a4 b1 b2 c1');
    assert.equal(take({ items: 3 }), 'a1 b1 c1');
    add('d1');
    assert.equal(take({ items: 3 }), 'a2 b2 d1');
    assert.equal(take(), 'a3 a4');
    assert.equal(take(), '');
  });

  test('items that are left out stay, and do not hold up those behind them', () => {
    const { queue, add, take, costs } = start();
    add('a1 a2 a3 b1 c1');
    assert.equal(take({ items: 4, where: ({ name }) => !['a1', 'c1'].includes(name) }), 'a2 b1 a3');
    assert.deepEqual(costs(), [2, 5, 3]);
    assert.equal(take(), 'c1 a1');
    assert.equal(queue.length, 0);
  });

  test('an item beside a flood of another key is preceded by one of its items at the most', () => {
    const { add, take } = start();
    add(numbered('a', 500));
    assert.equal(take({ items: 2 }), 'a1 a2');
    add('b1 b2');
    assert.equal(take({ items: 4 }), 'a3 b1 a4 b2');
  });

  test('a key that comes back goes behind those whose items are pending', () => {
    const { add, take } = start();
    add('a1 b1 c1');
    assert.equal(take({ items: 1 }), 'a1');
    add('a2');
    assert.equal(take({ items: 3 }), 'b1 c1 a2');
  });

  test('no more is taken once the items cost enough', () => {
    const { add, take } = start();
    add('a1 b1 c1', 10);
    assert.equal(take({ cost: 11 }), 'a1 b1');
    assert.equal(take({ cost: 1 }), 'c1');
  });

  test('cheap items overtake expensive ones of other keys, and never of their own', () => {
    const { add, take } = start();
    add('a1', 10);
    add('a2 b1');
    assert.equal(take({ costEach: 9 }), 'b1');
    assert.equal(take({ costEach: 9 }), '');
    assert.equal(take({}), 'a1 a2');
  });

  test('from one key as many are taken as cost so much, but one at least', () => {
    const { queue, add, costs } = start();
    add('a1 a2 a3 b1', 10);
    assert.equal(namesOf(queue.takeFrom('a', 25)), 'a1 a2');
    assert.equal(namesOf(queue.takeFrom('a', 5)), 'a3');
    assert.equal(namesOf(queue.takeFrom('a', 5)), '');
    assert.deepEqual(costs(), [1, 40, 30]);
  });

  test('what is put back is the next to be taken, in the same order', () => {
    const { queue, add, take } = start();
    add('a1 a2 b1 b2 c1');
    const [first, ...behind] = queue.take({ items: 4 });
    assert.equal(first?.name, 'a1');
    add('d1');
    queue.putBack(behind);
    assert.equal(queue.length, 5);
    assert.equal(take({ items: 5 }), 'b1 c1 a2 d1 b2');
    assert.equal(queue.length, 0);
  });

  test('what is put back is the next to be taken from its key', () => {
    const { queue, add, take, costs } = start();
    add('a1 a2 a3', 10);
    const [, ...behind] = queue.takeFrom('a', 20);
    add('a4', 10);
    queue.putBack(behind);
    assert.deepEqual(costs(), [3, 40, 10]);
    assert.equal(take(), 'a2 a3 a4');
    queue.putBack([]);
    assert.equal(take(), '');
  });

  test('an item that was taken is settled by its own resolve and reject', async () => {
    const { queue, ask } = start();
    const [one, two] = [ask('a1'), ask('b1')];
    const [first, second] = queue.take({ items: 2 });
    first?.resolve('found');
    second?.reject(new StoreUnavailableError('lost'));
    assert.equal(await one, 'found');
    await assert.rejects(two, /lost/);
  });
});

suite('limits', () => {
  test('an item counts until it is done', () => {
    const { queue, add, costs } = start();
    add('a1 a2', 10);
    const [first] = queue.take({ items: 1 });
    assert.deepEqual(costs(), [1, 20, 10]);
    assert.ok(first);
    queue.done(first);
    assert.deepEqual(costs(), [1, 10, 0]);
  });

  test('a key that has too much pending is rejected, and others are not', () => {
    const { queue, add, take, rejected } = start({ costPerKey: 2 });
    add('a1 a2 a3 a4 b1 b2');
    assert.deepEqual(rejected, ['a3', 'a4']);
    assert.equal(queue.rejected, 2);
    assert.equal(take({ items: 1 }), 'a1');
    add('a5');
    assert.equal(take({ items: 10 }), 'b1 a2 b2 a5');
  });

  test('when the queue is full, the newest item of the key that has most is evicted for one that has less', () => {
    const { add, take, rejected } = start({ cost: 5 });
    add('a1 a2 a3 b1 b2 c1 c2');
    assert.deepEqual(rejected, ['a3', 'c2'], 'a has more than c, and then no key has');
    assert.equal(take({ items: 10 }), 'a1 b1 c1 a2 b2');
  });

  test('eviction goes by cost', () => {
    const { queue, add, take, rejected } = start({ cost: 100 });
    add('a1 a2 a3 b1', 25);
    add('b2', 20);
    assert.deepEqual(rejected, ['a3']);
    add('c1', 10);
    assert.deepEqual(rejected, ['a3', 'a2']);
    assert.equal(queue.cost, 80);
    assert.equal(take(), 'a1 b1 c1 b2');
  });

  test('the key that has most is itself rejected, and what is in flight is not evicted', () => {
    const { add, take, rejected } = start({ cost: 100 });
    add('a1 a2 a3 a4', 25);
    add('a5', 1);
    assert.deepEqual(rejected, ['a5']);
    assert.equal(take({ items: 4 }), 'a1 a2 a3 a4');
    add('b1', 1);
    assert.deepEqual(rejected, ['a5', 'b1']);
  });

  test('nothing is evicted when the item would not fit all the same', () => {
    const { add, take, rejected } = start({ cost: 100 });
    add('b1', 80);
    assert.equal(take(), 'b1');
    add('a1 a2', 10);
    add('c1', 30);
    assert.deepEqual(rejected, ['c1']);
    assert.equal(take(), 'a1 a2');
  });

  test('keys that have the same do not evict each other', () => {
    const { add, rejected } = start({ cost: 100 });
    add('a1 b1', 50);
    add('a2 b2', 50);
    assert.deepEqual(rejected, ['a2', 'b2']);
  });

  test('an item past its deadline is rejected', async () => {
    const { queue, ask } = start({ timeoutMs: 1 });
    await assert.rejects(ask('a1'), /take too long/);
    assert.deepEqual([queue.length, queue.cost, queue.rejected], [0, 0, 1]);
    assert.deepEqual(queue.take({ items: 1 }), []);
  });

  test('an item that was put back does not get a new deadline', async () => {
    const { queue, ask } = start({ timeoutMs: 1 });
    const answer = ask('a1');
    queue.putBack(queue.take({ items: 1 }));
    await assert.rejects(answer, /take too long/);
  });

  test('an item that comes from another queue keeps its deadline', async () => {
    const { queue, ask, add } = start({ timeoutMs: 60_000 });
    const moved = ask('a1', { queuedAtMs: performance.now() - 60_000 });
    add('a2');
    await assert.rejects(moved, /take too long/);
    assert.equal(queue.length, 1);
  });
});

suite('the end', () => {
  test('an item whose caller has left is not taken, and does not count as rejected', () => {
    const { queue, ask, add, take, costs, rejected } = start();
    const caller = new AbortController();
    add('a1');
    ask('b1', { signal: caller.signal }).catch(() => {});
    add('b2');
    caller.abort();
    assert.equal(take({ items: 10 }), 'a1 b2');
    assert.deepEqual([rejected, queue.rejected, costs()], [['b1'], 0, [0, 2, 2]]);
  });

  test('a pending item whose caller has left no longer counts against the limits', async () => {
    const { queue, ask, add, take } = start({ costPerKey: 1, timeoutMs: 1_000_000 });
    const caller = new AbortController();
    const left = ask('a1', { signal: caller.signal });
    caller.abort();
    await assert.rejects(left, /has left/);
    add('a2');
    assert.deepEqual([take({ items: 2 }), queue.length], ['a2', 0]);
  });

  test('closing rejects what is pending, what comes, and what is put back', async () => {
    const { queue, ask, costs } = start();
    const [taken, pending] = [ask('a1'), ask('a2')];
    const inFlight = queue.take({ items: 1 });
    queue.close();
    queue.putBack(inFlight);
    for (const answer of [taken, pending, ask('b1')]) await assert.rejects(answer, /closed/);
    assert.deepEqual(costs(), [0, 0, 0]);
  });
});
