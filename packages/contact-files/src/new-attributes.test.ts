// A column gets the type that all its values fit, and a key that can be read.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { faultOfAttributeKey } from '@roster/contract';
import fc from 'fast-check';
import { defineForColumn, TypeGuess } from './new-attributes.ts';

function guess(cells: readonly unknown[], isTyped = false): string | undefined {
  const type = new TypeGuess();
  for (const cell of cells) type.note(cell, { isTyped, isGuarded: !isTyped });
  return type.type;
}

suite('the type of a column', () => {
  const columns: [type: string | undefined, cells: unknown[]][] = [
    ['number', ['1', '', '0', "'-2.50"]],
    ['number', ['0', '1']],
    ['boolean', ['yes', 'No', '']],
    ['boolean', ['true', '0', '1']],
    ['boolean', ['Ja', 'nein']],
    ['boolean', ['oui', 'non']],
    ['boolean', ['sí', 'no']],
    ['text', ['y', 'n']],
    ['text', ['ja', 'vielleicht']],
    ['date', ['2027-01-31', '2027-01-31T09:30:00Z']],
    ['text', ['2027-01-31', 'soon']],
    ['text', ['1', 'yes', 'maybe']],
    ['text', ['10115', '01067']],
    ['text', ["'+15550100"]],
    ['text', ['1234567890123456']],
    ['text', ['1e5']],
    ['text', ['2026-11-14 09:30']],
    ['text', ['1', '2027-01-31']],
    [undefined, ['', ' ', undefined, null]],
  ];
  for (const [type, cells] of columns) {
    test(`with ${JSON.stringify(cells)} is ${type}`, () => {
      assert.equal(guess(cells), type);
      assert.equal(guess(cells.toReversed()), type, 'in any order');
    });
  }

  test('in JSON is that of its values: text is no number', () => {
    assert.equal(guess(['12', '13'], true), 'text');
    assert.equal(guess([12, null, 13.5], true), 'number');
    assert.equal(guess([true, false], true), 'boolean');
    assert.equal(guess([1, 'x'], true), 'text');
    assert.equal(guess([1, true], true), 'text');
    assert.equal(guess(['2027-01-31T00:00:00.000Z'], true), 'date');
    assert.equal(guess([{ city: 'Rome' }], true), undefined);
  });

  test('comes with the number of values that are too long', () => {
    const type = new TypeGuess();
    for (const cell of ['x', 'x'.repeat(1025), '😀'.repeat(1024)]) {
      type.note(cell, { isTyped: false, isGuarded: true });
    }
    assert.deepEqual([type.type, type.tooLong], ['text', 1]);
  });
});

suite('the attribute for a column', () => {
  const titles: [title: string, key: string, label: string][] = [
    ['Company name', 'company_name', 'Company name'],
    ['lastSeenAt', 'last_seen_at', 'lastSeenAt'],
    ['Straße & Größe', 'strasse_grosse', 'Straße & Größe'],
    ['E-mail 2 - Value', 'e_mail_2_value', 'E-mail 2 - Value'],
    ['2nd address', 'column_2nd_address', '2nd address'],
    ['会社', 'column_4', '会社'],
    ['', 'column_4', 'column 4'],
    ['id', 'other_id', 'id'],
    ['Phone', 'other_phone', 'Phone'],
    ['Plan', 'plan_2', 'Plan'],
    ['attributes.seats', 'seats', 'seats'],
    ['attributes.plan', 'plan_2', 'plan'],
    ['two\nlines', 'two_lines', 'two lines'],
  ];
  for (const [title, key, label] of titles) {
    test(`${JSON.stringify(title)} is ${key}`, () => {
      const definition = defineForColumn(title, 3, 'text', (each) => each === 'plan');
      assert.deepEqual(definition, { key, type: 'text', label });
    });
  }

  test('always has a key that can be defined, and another one for each column', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 20 }), (header) => {
        const taken = new Set<string>();
        for (const [at, title] of header.entries()) {
          const { key, label } = defineForColumn(title, at, 'text', (each) => taken.has(each));
          assert.equal(faultOfAttributeKey(key), undefined, key);
          assert.notEqual(label.trim(), '');
          assert.ok(!taken.has(key));
          taken.add(key);
        }
      }),
    );
  });
});
