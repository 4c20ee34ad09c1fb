// Query strings, read as a tolerant server reads them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseQueryString } from './query-string.ts';

const parse = (text: string) => ({ ...parseQueryString(text) });

const cases: [text: string, values: Record<string, string | string[]>][] = [
  ['', {}],
  ['a=1&b=2', { a: '1', b: '2' }],
  ['a', { a: '' }],
  ['a=', { a: '' }],
  ['a&b&=&c', { a: '', b: '', '': '', c: '' }],
  ['a=b=c', { a: 'b=c' }],
  ['query=john doe@x', { query: 'john doe@x' }],
  ['query=john+doe', { query: 'john doe' }],
  ['query=a%2Bb', { query: 'a+b' }],
  ['query=50%', { query: '50%' }],
  ['query=%zz%4', { query: '%zz%4' }],
  ['query=jos%C3%A9', { query: 'josé' }],
  ['query=%FF', { query: '\ufffd' }],
  ['a=1&a=2', { a: ['1', '2'] }],
  ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
  ['a=&a=', { a: ['', ''] }],
  ['%61=1&a=2', { a: ['1', '2'] }],
  ['&&a=1&&', { a: '1' }],
  ['a[]=1', { 'a[]': '1' }],
  ['a.b=1', { 'a.b': '1' }],
];
for (const [text, values] of cases) {
  test(`${JSON.stringify(text)} is read as ${JSON.stringify(values)}`, () => assert.deepEqual(parse(text), values));
}

const fastest = (text: string) =>
  Math.min(
    ...Array.from({ length: 5 }, () => {
      const startedAtMs = performance.now();
      parseQueryString(text);
      return performance.now() - startedAtMs;
    }),
  );
const namesOf = (count: number, sign: string) =>
  Array.from({ length: count }, (_, index) => `&${index}${sign}`).join('');

test('a name that is repeated costs no more than as many names', () => {
  assert.ok(fastest('&a'.repeat(8000)) < 10 * fastest(namesOf(8000, '')));
});

test('names without a value, as many as a body may hold, cost no more than names with one', () => {
  assert.ok(fastest(namesOf(40_000, '')) < 10 * fastest(namesOf(40_000, '=')));
});

test('no name reaches the prototype', () => {
  const values = parseQueryString('__proto__=x&constructor=y&toString=z');
  assert.equal(Object.getPrototypeOf(values), null);
  assert.deepEqual(Object.keys(values), ['__proto__', 'constructor', 'toString']);
});

test('whatever a client encodes is read back, and nothing throws', () => {
  const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
  fc.assert(fc.property(text, (value) => parse(`q=${encodeURIComponent(value)}`)['q'] === value));
  fc.assert(fc.property(text, (value) => parse(String(new URLSearchParams({ q: value })))['q'] === value));
  fc.assert(fc.property(fc.string(), (value) => typeof parseQueryString(value) === 'object'));
});
