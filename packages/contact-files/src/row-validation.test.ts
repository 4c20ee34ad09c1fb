// The reasons of rejected rows say what a spreadsheet has done to a number, and bad cells can be left out instead.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { reasonOf, validateRow } from './row-validation.ts';

/** What becomes of a WhatsApp number in a CSV. */
function judge(wid: string): string {
  const mapping = { name: [0], email: [1], phone: [], wid: [2], mid: [] };
  const rules = { mapping, columns: { from: 0, to: 3 }, empty: 'keep', isGuarded: true } as const;
  const result = validateRow({ line: 2, cells: ['Jane', 'jane@example.com', wid] }, rules);
  return result.kind === 'valid'
    ? `stored as ${result.contact.wid}`
    : result.kind === 'invalid'
      ? reasonOf(result.faults)
      : '';
}

suite('a WhatsApp number', () => {
  test('is taken in international format, however it is written', () => {
    for (const given of ['+15550100123', '+1 (555) 010-0123', "'+1 555 010 0123"]) {
      assert.equal(judge(given), 'stored as +15550100123', given);
    }
  });

  const withoutPlus =
    'wid must begin with + and the country code, like +15550100123; spreadsheets drop the + unless the column is formatted as text';
  for (const given of ['15550100123', '1 (555) 010-0123', '030 901820', '0044 20 7946 0018', '15550100123.0']) {
    test(`without a + is rejected with the reason: ${given}`, () => assert.equal(judge(given), withoutPlus));
  }

  const scientific =
    'wid is in scientific notation, which loses digits; format the column as text and export the file again';
  for (const given of ['1.55501E+10', '4,91512E+12', '1.5550100123e10']) {
    test(`in scientific notation is rejected with the reason: ${given}`, () => assert.equal(judge(given), scientific));
  }

  test('of any other form is rejected as the service would', () => {
    for (const given of ['12', '+0123456789', 'call me']) {
      assert.equal(judge(given), 'wid must be in international format, like +15550100123', given);
    }
  });
});

suite('with bad cells left out', () => {
  const validate = (cells: readonly string[], addedTags: readonly string[] = []) =>
    validateRow(
      { line: 2, cells: [...cells] },
      {
        mapping: { name: [0], email: [1], phone: [2], wid: [3], mid: [] },
        values: { attributes: [{ key: 'seats', type: 'number', columns: [4] }], tags: [5] },
        addedTags,
        columns: { from: 0, to: 6 },
        empty: 'clear',
        isGuarded: true,
        dropBadCells: true,
      },
    );

  test('a row keeps its other cells, and says what was left out; an existing value stays', () => {
    const result = validate(['Jane', 'jane@example.com', '555', '12', 'many', 'vip']);
    assert.deepEqual(result, {
      kind: 'valid',
      contact: { name: 'Jane', email: 'jane@example.com', phone: '555', tags: ['vip'] },
      isNameless: false,
      dropped: [
        { field: 'wid', message: 'must be in international format, like +15550100123' },
        { field: 'attributes.seats', message: 'must be a number' },
      ],
    });
  });

  test('bad tags are left out, and not those that every row gets', () => {
    const result = validate(['Jane', 'jane@example.com', '', '', '', 'x'.repeat(65)], ['imported']);
    assert.equal(result.kind, 'valid');
    assert.deepEqual(result.kind === 'valid' && result.contact.addTags, ['imported']);
  });

  test('a bad name or email still rejects the row, with all that is wrong', () => {
    for (const cells of [
      ['Jane', 'nonsense', '', '12'],
      ['Ja\u0000ne', 'jane@example.com', '', '12'],
      ['Jane', '', '', '12'],
    ]) {
      const result = validate(cells);
      assert.equal(result.kind === 'invalid' && result.faults.length, 2, cells.join());
    }
  });
});
