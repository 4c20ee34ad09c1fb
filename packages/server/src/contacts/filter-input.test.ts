// Filters as callers write them, made into conditions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeDefinition } from '../store/values/attribute-store.ts';
import { givenByObject, givenByParameters, readFilters } from './filter-input.ts';

const seats = { key: 'seats', number: 7, type: 'number' } as AttributeDefinition;
const whole = [{ kind: 'attributeRange', number: 7, range: { gte: 10, lt: 20 } }];

test('the bounds of an attribute are one range, which an index can be asked for', () => {
  const parameters = [
    { name: 'attributes[seats][gte]', key: 'seats', operator: 'gte' as const, values: ['10'] },
    { name: 'attributes[seats][lt]', key: 'seats', operator: 'lt' as const, values: ['20'] },
  ];
  assert.deepEqual(readFilters(givenByParameters({}, parameters), [seats], 0), { filters: whole, errors: [] });
  const filter = { attributes: { seats: { gte: 10, lt: 20 } } };
  assert.deepEqual(readFilters(givenByObject(filter, 'filter'), [seats], 0), { filters: whole, errors: [] });
});
