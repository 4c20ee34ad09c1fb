// The rules for keys and values of attributes, and for tags (contract, "Attributes, tags, filters", 1 to 3), each with its
// edges.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { faultOfAttributeKey, readAttributeValue, toAttributeAnswer } from './attribute-values.ts';
import { attributeDefinitionSchema } from './attributes.ts';
import { contactCreateSchema, contactSchema } from './contact.ts';
import { limits } from './limits.ts';
import type { AttributeType } from './names.ts';
import { tagNameSchema } from './tags.ts';

function assertTaken(type: AttributeType, given: unknown, kept: unknown = given): void {
  assert.deepEqual(readAttributeValue(type, given), { value: kept }, JSON.stringify(given));
}

function assertRefused(type: AttributeType, ...all: unknown[]): void {
  for (const given of all) assert.ok('fault' in readAttributeValue(type, given), `${type}: ${JSON.stringify(given)}`);
}

suite('keys', () => {
  test('are lower-case letters, digits and underscores, begin with a letter, and are not too long', () => {
    for (const key of ['a', 'plan', 'a1', 'a_', 'x'.repeat(limits.attributeKeyLength)]) {
      assert.equal(faultOfAttributeKey(key), undefined, key);
    }
    const wrong = [
      '',
      '1a',
      '_a',
      'A',
      'plaN',
      'a-b',
      'a b',
      'a.b',
      'ä',
      'a\n',
      'x'.repeat(limits.attributeKeyLength + 1),
    ];
    for (const key of wrong) assert.ok(faultOfAttributeKey(key), key);
  });

  test('are not names of a contact’s members, nor those of tags and attributes', () => {
    for (const key of [...Object.keys(contactSchema.shape), 'tag', 'tags', 'attributes']) {
      assert.ok(faultOfAttributeKey(key), key);
    }
  });
});

test('a definition needs a type and a label, and has an empty description without one', () => {
  const read = (input: unknown) => attributeDefinitionSchema.safeParse(input);
  const kept = { type: 'date', label: 'Renewal', description: '' };
  assert.deepEqual(read({ type: 'date', label: ' Renewal ' }).data, kept);
  for (const input of [
    {},
    { type: 'date' },
    { label: 'x' },
    { type: 'list', label: 'x' },
    { type: 'date', label: ' ' },
  ]) {
    assert.equal(read(input).success, false, JSON.stringify(input));
  }
  assert.equal(read({ type: 'date', label: 'x', description: 5 }).success, false);
});

suite('values', () => {
  const types: AttributeType[] = ['text', 'number', 'boolean', 'date'];

  test('null and the empty string remove a value of any type', () => {
    for (const type of types) for (const given of [null, '', ' \t']) assertTaken(type, given, null);
  });

  test('nothing is coerced: a value of another type, a list and an object are refused', () => {
    assertRefused('text', 0, 5, true, [], ['x'], {});
    assertRefused('number', '5', true, [], {});
    assertRefused('boolean', 'true', 0, 1, [], {});
    assertRefused('date', 0, 1_800_000_000_000, true, [], {});
    for (const type of types) assertRefused(type, undefined);
  });

  test('text is trimmed, and may have line feeds and tabs but no other control characters', () => {
    assertTaken('text', '  Pro  ', 'Pro');
    assertTaken('text', 'two\nlines\tand more');
    assertRefused('text', 'a\r\nb', 'a\0b', 'a\x1bb', 'a\x7fb', 'a\x85b', 'a\ud83d', '\ude00b');
  });

  test('text is measured in code points', () => {
    const longest = '😀'.repeat(limits.attributeTextLength);
    assertTaken('text', longest);
    assertRefused('text', `${longest}x`);
  });

  test('numbers are doubles within ±(2^53 - 1)', () => {
    for (const given of [0, 0.1, -1e-300, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])
      assertTaken('number', given);
    assert.ok(Object.is((readAttributeValue('number', -0) as { value: number }).value, 0), 'a negative zero is a zero');
    // JSON can hold numbers that no double can.
    assertRefused('number', 2 ** 53, -(2 ** 53), 1e300, JSON.parse('1e400'), Number.NaN);
  });

  test('dates are midnight in UTC, or a moment with a time zone', () => {
    const at = (...parts: [number, number, number, number?, number?, number?, number?]) => Date.UTC(...parts);
    assertTaken('date', '2027-01-31', at(2027, 0, 31));
    assertTaken('date', ' 2028-02-29 ', at(2028, 1, 29));
    assertTaken('date', '2027-01-31T09:30:00Z', at(2027, 0, 31, 9, 30));
    assertTaken('date', '2027-01-31T09:30Z', at(2027, 0, 31, 9, 30));
    assertTaken('date', '2027-01-31T09:30:00.1239+02:00', at(2027, 0, 31, 7, 30, 0, 123));
    assertTaken('date', '0000-01-01', -62_167_219_200_000);
    assertTaken('date', '9999-12-31T23:59:59.999Z', 253_402_300_799_999);
    assertRefused(
      'date',
      '2027-02-29',
      '2027-13-01',
      '2027-1-1',
      '27-01-01',
      '2027-01-31T09:30:00',
      '2027-01-31 09:30Z',
    );
    assertRefused(
      'date',
      '2027-01-31T24:00:00Z',
      '2027-W05',
      '2027-031',
      '20270131',
      '+010000-01-01',
      'tomorrow',
      '-30d',
    );
    // Within the offset lies another year.
    assertRefused('date', '9999-12-31T23:59:59-00:01', '0000-01-01T00:00:00+00:01');
  });

  test('answers carry dates as timestamps, and all else as it is', () => {
    assert.equal(toAttributeAnswer('date', -62_167_219_200_000), '0000-01-01T00:00:00.000Z');
    assert.equal(toAttributeAnswer('number', 0.1), 0.1);
    assert.equal(toAttributeAnswer('boolean', false), false);
    assert.equal(toAttributeAnswer('text', '2027-01-31'), '2027-01-31');
  });
});

suite('tags', () => {
  const isTaken = (name: unknown) => tagNameSchema.safeParse(name).success;

  test('are trimmed and measured in code points', () => {
    assert.equal(tagNameSchema.parse(' VIP '), 'VIP');
    assert.ok(isTaken('😀'.repeat(limits.tagLength)) && !isTaken('😀'.repeat(limits.tagLength + 1)));
    for (const name of ['', ' ', null, 5, ['vip']]) assert.ok(!isTaken(name), JSON.stringify(name));
  });

  test('have no commas and no control characters, and are not a dot or two', () => {
    for (const name of ['a,b', ',', 'a\tb', 'a\nb', 'a\0', '.', '..', '\ud83d'])
      assert.ok(!isTaken(name), JSON.stringify(name));
    for (const name of ['...', '.a', 'a.', 'a/b', 'a;b', '%', '#?&']) assert.ok(isTaken(name), name);
  });
});

suite('a contact in a request', () => {
  const read = (values: object) =>
    contactCreateSchema.safeParse({ name: 'Jane', email: 'jane@example.com', ...values });

  test('has attributes as an object, and tags as lists of text', () => {
    for (const attributes of [null, [], 'x', 5, true]) assert.equal(read({ attributes }).success, false);
    assert.ok(read({ attributes: {} }).success && read({ attributes: { plan: null } }).success);
    for (const tags of ['vip', {}, 5, [5], [null], ['a,b']]) {
      for (const field of ['tags', 'addTags', 'removeTags'])
        assert.equal(read({ [field]: tags }).success, false, field);
    }
    assert.deepEqual(read({ tags: null }).data?.tags, []);
    for (const field of ['addTags', 'removeTags']) assert.equal(read({ [field]: null }).success, false, field);
  });
});
