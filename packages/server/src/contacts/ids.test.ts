// Ids: their form, their order and their randomness.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IdKind, idBytes, idKinds, isId } from '@roster/contract/ids';
import fc from 'fast-check';
import { makeId } from './ids.ts';

const kinds = Object.keys(idKinds) as IdKind[];
/** All that fits into the bytes of time, and that a number holds exactly. */
const anyTime = fc.integer({ min: 0, max: Math.min(Number.MAX_SAFE_INTEGER, 256 ** idBytes.time - 1) });

test('an id has the form that the contract gives its kind, and no other', () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), anyTime, (kind, createdUs) => {
      const id = makeId(kind, createdUs);
      return kinds.every((other) => isId(other, id) === (other === kind));
    }),
  );
});

test('ids sort by the time they were made for, in byte order', () => {
  fc.assert(
    fc.property(anyTime, anyTime, (one, other) => {
      fc.pre(one !== other);
      return makeId('contact', one) < makeId('contact', other) === one < other;
    }),
  );
});

test('ids of neighbouring microseconds sort, also where a byte overflows', () => {
  for (const power of [1, 2, 3, 4, 5, 6]) {
    const end = 256 ** power;
    const ids = [end - 2, end - 1, end, end + 1].map((createdUs) => makeId('contact', createdUs));
    assert.deepEqual(ids, ids.toSorted());
  }
});

test('ids sort from the first to the last moment that they can hold', () => {
  const ids = ['1970-01-01', '2026-11-14', '2100-01-01', '2255-06-05'].map((day) =>
    makeId('bot', Date.parse(day) * 1000),
  );
  assert.deepEqual(ids, ids.toSorted());
});

test('ids of the same moment differ, in all their random bytes', () => {
  // Far more than one filling of the pool of random bytes.
  const ids = Array.from({ length: 20_000 }, () => makeId('contact', 1));
  assert.equal(new Set(ids).size, ids.length);
  const randomFrom = idKinds.contact.prefix.length + 2 * idBytes.time;
  assert.equal(new Set(ids.map((id) => id.slice(0, randomFrom))).size, 1);
  for (let byte = 0; byte < idBytes.random; byte++) {
    const seen = new Set(ids.map((id) => id.slice(randomFrom + 2 * byte, randomFrom + 2 * byte + 2)));
    assert.equal(seen.size, 256, `byte ${byte} takes every value`);
  }
});
