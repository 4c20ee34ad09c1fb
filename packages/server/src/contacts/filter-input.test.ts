// Filters as callers write them, made into conditions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContactFilter } from '@roster/contract';
import type { AttributeDefinition } from '../store/values/attribute-store.ts';
import { givenByObject, givenByParameters, readFilters } from './filter-input.ts';

const seats = { key: 'seats', number: 7, type: 'number' } as AttributeDefinition;
const plan = { key: 'plan', number: 8, type: 'text' } as AttributeDefinition;
const nowMs = 1_800_000_000_000;

/** As parameters and as an object. */
function bothForms(parameters: Record<string, string | string[]>, filter: ContactFilter, definitions = [seats, plan]) {
  const [one, other] = [givenByParameters(parameters), givenByObject(filter, 'filter')].map((given) =>
    readFilters(given, definitions, nowMs),
  );
  assert.deepEqual(one?.filters, other?.filters);
  assert.deepEqual(
    one?.errors.map(({ message }) => message),
    other?.errors.map(({ message }) => message),
  );
  return one as ReturnType<typeof readFilters>;
}

test('the bounds of an attribute are one range, which an index can be asked for', () => {
  const parameters = { 'attributes[seats][gte]': '10', 'attributes[seats][lt]': '20' };
  const { filters, errors } = bothForms(parameters, { attributes: { seats: { gte: 10, lt: 20 } } });
  assert.deepEqual([filters, errors], [[{ kind: 'attributeRange', number: 7, range: { gte: 10, lt: 20 } }], []]);
});

test('the bounds of a time are one range, and so is that there is one', () => {
  const parameters = { 'lastSeenAt[gte]': '-1d', 'lastSeenAt[lt]': '1h', 'lastSeenAt[exists]': 'true' };
  const { filters } = bothForms(parameters, { lastSeenAt: { gte: '-1d', lt: '+1h', exists: true } });
  assert.deepEqual(filters, [{ kind: 'lastSeenAt', fromMs: nowMs - 86_400_000, toMs: nowMs + 3_599_999 }]);
});

test('tags and values that are ruled out, and those of which any suffices', () => {
  const parameters = {
    tag: ['VIP', 'lead'],
    'tag[any]': ['a', 'Á'],
    'tag[not]': 'b',
    'tag[exists]': 'false',
    'attributes[plan][not]': ['Pro', 'free'],
  };
  const { filters, errors } = bothForms(parameters, {
    tag: { all: ['VIP', 'lead'], any: ['a', 'Á'], not: ['b'], exists: false },
    attributes: { plan: { not: ['Pro', 'free'] } },
  });
  assert.deepEqual(errors, []);
  assert.deepEqual(filters, [
    { kind: 'tag', keys: ['vip'] },
    { kind: 'tag', keys: ['lead'] },
    { kind: 'tag', keys: ['a'] },
    { kind: 'not', filter: { kind: 'tag', keys: ['b'] } },
    { kind: 'not', filter: { kind: 'hasTag' } },
    { kind: 'not', filter: { kind: 'attribute', number: 8, values: ['pro', 'free'] } },
  ]);
});

test('what a number contains is compared by digits only where these alone are asked for', () => {
  const containing = (field: 'phone' | 'wid' | 'mid', contains: string) =>
    bothForms({ [`${field}[contains]`]: contains }, { [field]: { contains } }).filters[0];
  assert.deepEqual(containing('phone', '(555) 010-0'), {
    kind: 'contains',
    field: 'phone',
    text: '5550100',
    isDigits: true,
  });
  assert.deepEqual(containing('wid', '+1555'), { kind: 'contains', field: 'wid', text: '1555', isDigits: true });
  assert.deepEqual(containing('phone', 'Éxt 7'), { kind: 'contains', field: 'phone', text: 'ext 7', isDigits: false });
  assert.deepEqual(containing('phone', '+'), { kind: 'contains', field: 'phone', text: '+', isDigits: false });
  assert.deepEqual(containing('mid', '4-8'), { kind: 'contains', field: 'mid', text: '4-8', isDigits: false });
});

test('an operator that the type of an attribute does not take is a fault', () => {
  const parameters = { 'attributes[seats][contains]': '1', 'attributes[plan][gte]': 'a' };
  const { errors } = bothForms(parameters, { attributes: { seats: { contains: '1' }, plan: { gte: 'a' } } });
  assert.deepEqual(
    errors.map(({ message }) => message),
    ['does not take contains, because its type is number', 'does not take a range, because its type is text'],
  );
});
