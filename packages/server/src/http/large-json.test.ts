// Parsing in steps: what it makes of a body is what JSON.parse makes of it, but for what is refused by its size.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { limits } from '@roster/contract';
import fc from 'fast-check';
import { ApiError } from './api-error.ts';
import { parseLargeJson } from './large-json.ts';

function parse(
  text: string | Buffer,
  { onValues = (_count: number) => {}, takesContacts = true } = {},
): { value: unknown; steps: number } {
  const parsing = parseLargeJson(Buffer.from(text), { takesContacts, onValues });
  for (let steps = 0; ; steps++) {
    const step = parsing.next();
    if (step.done) return { value: step.value, steps };
  }
}

function outcomeOf(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof ApiError) assert.equal(error.code, 'invalid_json');
    return 'invalid';
  }
}

const odd = [
  ...['', ' ', '{}', '[]', '{"data":[]}', '{"data":[{}]}', '{"data":{}}', '{"data":null}', '{"data":[1,"a",[],null]}'],
  ...['{"data":[{"a":[1,{"b":"}]"}]},{"c":"\\""}]}', '{"a":"\\\\","data":[{"x":"\\\\\\""}]}', '{"__proto__":{"a":1}}'],
  ...['{"a":1,"a":2}', '{"2":1,"1":2}', '"text"', '12', 'true', '{"data":[1,]}', '{"data":[,1]}', '{"a":1,}', '{,}'],
  ...[
    '{"a"}',
    '{"a":}',
    '{a:1}',
    '{"a":1}}',
    '{"a":1}x',
    '{"data":[1}',
    '{"data":[1]',
    '[1,2',
    '{"a":"b',
    '{"a":1 "b":2}',
  ],
  ...[
    '{"data":[1 2]}',
    '{"data":[1]:2}',
    '{"a":01}',
    '{"a":1e}',
    '{"a":"\u0001"}',
    '{"a":"\\u00"}',
    '{1:2}',
    '{"a":tru}',
  ],
  ...['\ufeff{"a":1}', '\t{ "data" : [ 1 , { "b" : 2 } ] , "c" : "d" }\r\n', '{"data":[[1,2],[3]],"ids":["a","b"]}'],
];

suite('a large body', () => {
  for (const text of odd) {
    test(`${JSON.stringify(text)} is read as JSON.parse reads it`, () => {
      assert.deepEqual(
        outcomeOf(() => parse(text).value),
        outcomeOf(() => JSON.parse(text.replace(/^\ufeff/, ''))),
      );
    });
  }

  test('is read as JSON.parse reads it, whatever it holds and wherever it breaks off', () => {
    const body = fc.record({ data: fc.array(fc.jsonValue()), other: fc.jsonValue() }, { requiredKeys: [] });
    const text = fc.oneof(
      fc.json(),
      fc.tuple(body, fc.constantFrom(0, 2)).map(([value, indent]) => JSON.stringify(value, null, indent)),
    );
    const damaged = fc
      .tuple(text, fc.nat(), fc.constantFrom('', ',', ']', '}', '"', '\\', ':', '[', ' '))
      .map(
        ([whole, at, extra]) =>
          whole.slice(0, at % (whole.length + 1)) + extra + whole.slice((at % (whole.length + 1)) + 1),
      );
    fc.assert(
      fc.property(fc.oneof(text, damaged), (given) => {
        assert.deepEqual(
          outcomeOf(() => parse(given).value),
          outcomeOf(() => JSON.parse(given)),
        );
      }),
    );
  });

  test('that is not UTF-8 is refused', () => {
    assert.equal(
      outcomeOf(() => parse(Buffer.from([0x22, 0xff, 0x22]))),
      'invalid',
    );
  });

  test('has a step for each contact, so that other requests are served between them', () => {
    const data = Array.from({ length: limits.contactsPerUpsert }, (_, index) => ({ name: `Contact ${index}` }));
    const { value, steps } = parse(JSON.stringify({ data }));
    assert.deepEqual(value, { data });
    assert.ok(steps >= data.length);
  });

  test('says how many values each part of it holds before that is parsed', () => {
    const counts: number[] = [];
    const onValues = (count: number) => void counts.push(count);
    parse('{"a":[1,2,3],"data":[{},{"tags":["b","c"],"x":{"y":1}}],"name":"d"}', { onValues });
    assert.deepEqual(
      counts.filter((count) => count > 0),
      [3, 1, 5],
    );
    assert.throws(() =>
      parse('{"a":[1,2]}', {
        onValues(count) {
          if (count > 1) throw new Error('too many');
        },
      }),
    );
  });
});

suite('what is refused before it is parsed', () => {
  const refused: [what: string, text: string, code: string, field?: string][] = [
    ['the 1001st contact', `{"data":[${'{},'.repeat(1000)}`, 'too_many_contacts'],
    ['the 1001st id', `{"ids":[${'"",'.repeat(1000)}`, 'too_many_contacts'],
    ['a list in a contact', `{"tags":[${'"",'.repeat(limits.valuesPerItem + 1)}`, 'invalid_request', 'tags'],
    ['a list in an item', `{"data":[{},{"tags":[${'"",'.repeat(limits.valuesPerItem + 1)}`, 'invalid_request', 'data'],
    ['lists in lists', `{"name":${'['.repeat(limits.valuesPerItem + 1)}`, 'invalid_request', 'name'],
    ['objects in objects', `{"name":${'{"a":'.repeat(limits.valuesPerItem + 1)}`, 'invalid_request', 'name'],
    ['members of a contact', `{${'"a":1,'.repeat(limits.valuesPerItem + 1)}`, 'invalid_request', 'body'],
    ['a list alone', `[${'1,'.repeat(limits.valuesPerItem + 1)}`, 'invalid_request', 'body'],
    [
      'a member with a long name',
      `{"${'k'.repeat(50)}":[${'1,'.repeat(limits.valuesPerItem + 1)}`,
      'invalid_request',
      'body',
    ],
  ];
  for (const [what, text, code, field] of refused) {
    test(what, () => {
      assert.throws(
        () => parse(text),
        (error: ApiError) => {
          assert.equal(error.code, code);
          assert.deepEqual(
            error.toProblem('req').errors?.map((fault) => fault.field),
            field && [field],
          );
          return true;
        },
      );
    });
  }
});
