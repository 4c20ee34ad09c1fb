// Cells of attributes are read by type, and tags are read back as they were written.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AttributeType } from '@roster/contract';
import fc from 'fast-check';
import { guardCell, unguardCell } from './spreadsheet-cell.ts';
import { joinTags, readValueCell, splitTags } from './value-cells.ts';

suite('the cell of an attribute', () => {
  const taken: [AttributeType, cell: unknown, value: unknown][] = [
    ['text', '007', '007'],
    ['text', 'two\nlines', 'two\nlines'],
    ['text', 12.5, '12.5'],
    ['text', true, 'true'],
    ['number', '12', 12],
    ['number', '-0.50', -0.5],
    ['number', '+1e3', 1000],
    ['number', 7, 7],
    ['boolean', 'TRUE', true],
    ['boolean', 'no', false],
    ['boolean', 'Ja', true],
    ['boolean', 'NEIN', false],
    ['boolean', 'oui', true],
    ['boolean', 'non', false],
    ['boolean', 'SÍ', true],
    ['boolean', 'да', true],
    ['boolean', 'いいえ', false],
    ['boolean', 'WAHR', true],
    ['text', 'ja', 'ja'],
    ['boolean', '1', true],
    ['boolean', 0, false],
    ['boolean', false, false],
    ['date', '2027-01-31', '2027-01-31'],
    ['date', '2027-01-31T09:30:00+01:00', '2027-01-31T09:30:00+01:00'],
  ];
  for (const [type, cell, value] of taken) {
    test(`of type ${type} takes ${JSON.stringify(cell)}`, () => assert.deepEqual(readValueCell(type, cell), { value }));
  }

  const refused: [AttributeType, cell: unknown, fault: RegExp][] = [
    ['text', 2 ** 54, /^must be a string$/],
    ['text', { a: 1 }, /^must be a string$/],
    ['text', 'x'.repeat(1025), /^must be at most 1024 characters long$/],
    ['number', '1,234', /^must be a number$/],
    ['number', 'twelve', /^must be a number$/],
    ['number', '0x10', /^must be a number$/],
    ['number', '9007199254740993', /^must be between/],
    ['boolean', 'maybe', /^must be true, false, yes, no, 1 or 0$/],
    ['boolean', 'y', /^must be true, false, yes, no, 1 or 0$/],
    ['boolean', 'constructor', /^must be true, false, yes, no, 1 or 0$/],
    ['date', '31/01/2027', /^must be a date like 2027-01-31/],
    ['date', '2027-02-30', /^must be a date like/],
    ['date', 0, /^must be a date like/],
  ];
  for (const [type, cell, fault] of refused) {
    test(`of type ${type} is rejected with its reason: ${JSON.stringify(cell).slice(0, 30)}`, () => {
      assert.match((readValueCell(type, cell) as { fault: string }).fault, fault);
    });
  }
});

suite('the cell of tags', () => {
  test('is split at semicolons and commas', () => {
    assert.deepEqual(splitTags(' vip ;; beta tester, new,'), ['vip', 'beta tester', 'new']);
    assert.deepEqual(splitTags(' ; '), []);
  });

  test('takes an escaped semicolon as part of a tag, and a backslash before anything else as it is', () => {
    assert.deepEqual(splitTags(String.raw`a\;b;C:\dir;end\\;\\\;`), ['a;b', String.raw`C:\dir`, 'end\\', '\\;']);
  });

  test('is read back as it was written, whatever the tags are', () => {
    const tag = fc
      .oneof(
        fc.array(fc.constantFrom(';', '\\', "'", '=', '-', '@', ' ', 'x', '"', '😀')).map((parts) => parts.join('')),
        fc.string({ unit: 'grapheme' }),
      )
      .map((text) => text.replaceAll(',', '').trim())
      .filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(tag), (tags) => {
        assert.deepEqual(splitTags(unguardCell(guardCell(joinTags(tags)))), tags);
      }),
      { numRuns: 3000 },
    );
  });
});
