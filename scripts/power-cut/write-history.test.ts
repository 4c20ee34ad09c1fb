import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Stored } from '../first-bot.ts';
import { WriteHistory } from './write-history.ts';

const state = (name: string) => ({ name, phone: '' });
const stored = (contacts: Record<string, string>) =>
  new Map<string, Stored>(
    Object.entries(contacts).map(([email, name]) => [email, { id: `con_${email}`, email, name, phone: '' }]),
  );

/** Three writes: positions 10 to 20, 30 to 40 (of two contacts), 50 to 60. */
function makeHistory(): WriteHistory {
  let position = 0;
  const history = new WriteHistory(() => position);
  const write = (at: number, changes: Parameters<typeof history.observe>[0]) => {
    position = at;
    const onAnswered = history.observe(changes);
    position = at + 10;
    onAnswered();
  };
  write(10, [['a', state('first')]]);
  write(30, [
    ['a', state('second')],
    ['b', state('second')],
  ]);
  write(50, [['a', undefined]]);
  return history;
}

suite('after a power cut', () => {
  const history = makeHistory();
  const problemsAt = (cutAt: number, contacts: Record<string, string>) => {
    const found = stored(contacts);
    const { problems } = history.check(found, cutAt);
    return problems.length + found.size;
  };

  test('an answered write must be there', () => {
    assert.equal(problemsAt(20, { a: 'first' }), 0);
    assert.equal(problemsAt(20, {}), 1);
    assert.equal(problemsAt(40, { a: 'second' }), 1);
    assert.equal(problemsAt(60, { b: 'second' }), 0);
    assert.equal(problemsAt(60, { a: 'second', b: 'second' }), 1);
  });

  test('a write in flight is there as a whole or not at all', () => {
    assert.equal(problemsAt(35, { a: 'first' }), 0);
    assert.equal(problemsAt(35, { a: 'second', b: 'second' }), 0);
    assert.equal(problemsAt(35, { a: 'second' }), 1);
    assert.equal(problemsAt(35, { a: 'first', b: 'second' }), 1);
  });

  test('a write that was not sent yet must not be there', () => {
    assert.equal(problemsAt(20, { a: 'second', b: 'second' }), 2);
    assert.equal(problemsAt(5, { a: 'first' }), 1);
  });
});
