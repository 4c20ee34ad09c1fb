import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { StoreUnavailableError } from './store.ts';
import { WriteQueue } from './write-queue.ts';

/** Writes are named by their line and their number: `a1` is the first in line a. */
function start(rowsMax = 1000) {
  const lines = new WriteQueue<{ name: string; rows: number; reject(error: Error): void }>(rowsMax);
  const refused: string[] = [];
  const add = (names: string, rows = 1) => {
    for (const name of names.split(' ')) {
      lines.add(name.slice(0, 1), {
        ...{ name, rows },
        reject(error) {
          assert.ok(error instanceof StoreUnavailableError);
          refused.push(name);
        },
      });
    }
  };
  const taken = (limits: { writes?: number; rows?: number } = {}) =>
    lines.take({ writes: 1000, rows: 1000, ...limits });
  const take = (limits?: Parameters<typeof taken>[0]) =>
    taken(limits)
      .map(({ name }) => name)
      .join(' ');
  return { lines, add, taken, take, refused };
}

suite('turns', () => {
  test('lines take turns, each in its own order', () => {
    const { add, take } = start();
    add('a1 a2 a3 a4 b1 b2 c1');
    assert.equal(take({ writes: 3 }), 'a1 b1 c1');
    add('d1');
    assert.equal(take({ writes: 3 }), 'a2 b2 d1');
    assert.equal(take(), 'a3 a4');
    assert.equal(take(), '');
  });

  test('no more is taken once there are rows enough', () => {
    const { add, take } = start();
    add('a1 b1 c1', 10);
    assert.equal(take({ rows: 11 }), 'a1 b1');
    assert.equal(take({ rows: 1 }), 'c1');
  });

  test('from one line as many are taken as have so many rows, but one at least', () => {
    const { lines, add } = start();
    add('a1 a2 a3 b1', 10);
    const takeFrom = (name: string, rowsMax: number) => lines.takeFrom(name, rowsMax);
    assert.deepEqual(
      takeFrom('a', 25).map(({ name }) => name),
      ['a1', 'a2'],
    );
    assert.deepEqual(
      takeFrom('a', 5).map(({ name }) => name),
      ['a3'],
    );
    assert.deepEqual(takeFrom('a', 5), []);
    assert.deepEqual([lines.length, lines.rows, lines.takenRows], [1, 40, 30]);
  });

  test('what is put back is the next to be taken from its line', () => {
    const { lines, add, take } = start();
    add('a1 a2 a3', 10);
    const [, ...behind] = lines.takeFrom('a', 20);
    add('a4', 10);
    lines.putBack('a', behind);
    assert.deepEqual([lines.length, lines.rows, lines.takenRows], [3, 40, 10]);
    assert.equal(take(), 'a2 a3 a4');
    lines.putBack('a', []);
    assert.equal(take(), '');
  });

  test('rows count until they are done', () => {
    const { lines, add, taken } = start();
    add('a1 a2', 10);
    const [first] = taken({ writes: 1 });
    assert.deepEqual([lines.length, lines.rows, lines.takenRows], [1, 20, 10]);
    assert.ok(first);
    lines.end(first);
    assert.deepEqual([lines.length, lines.rows, lines.takenRows], [1, 10, 0]);
  });
});

suite('when all is full', () => {
  test('the longest line gives way to a shorter one, by what came last', () => {
    const { lines, add, take, refused } = start(100);
    add('a1 a2 a3 b1', 25);
    add('b2', 20);
    assert.deepEqual(refused, ['a3']);
    add('c1', 10);
    assert.deepEqual(refused, ['a3', 'a2']);
    assert.equal(lines.rows, 80);
    assert.equal(take(), 'a1 b1 c1 b2');
  });

  test('the longest line itself is refused, and what is under way is not taken back', () => {
    const { add, take, refused } = start(100);
    add('a1 a2 a3 a4', 25);
    add('a5', 1);
    assert.deepEqual(refused, ['a5']);
    assert.equal(take({ writes: 4 }), 'a1 a2 a3 a4');
    add('b1', 1);
    assert.deepEqual(refused, ['a5', 'b1']);
  });

  test('nobody gives way when there would be no room all the same', () => {
    const { add, take, refused } = start(100);
    add('b1', 80);
    assert.equal(take(), 'b1');
    add('a1 a2', 10);
    add('c1', 30);
    assert.deepEqual(refused, ['c1']);
    assert.equal(take(), 'a1 a2');
  });

  test('lines of the same length do not drive each other out', () => {
    const { add, refused } = start(100);
    add('a1 b1', 50);
    add('a2 b2', 50);
    assert.deepEqual(refused, ['a2', 'b2']);
  });
});
