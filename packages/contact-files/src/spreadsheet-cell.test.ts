// Cells that a spreadsheet would execute are guarded, and guarding is reversible.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { guardCell, unguardCell } from './spreadsheet-cell.ts';

/** Text that consists mostly of characters with a meaning to spreadsheets. */
const tricky = fc
  .array(fc.constantFrom("'", '=', '+', '-', '@', '＝', '＠', ' ', '\t', '\r', '\u200b', '\u00a0', '\0', 'x', '"'), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

suite('cells', () => {
  test('unguarding restores every guarded text exactly', () => {
    fc.assert(
      fc.property(fc.oneof(tricky, fc.string({ unit: 'binary' })), (text) => {
        assert.equal(unguardCell(guardCell(text)), text);
      }),
      { numRuns: 5000 },
    );
  });

  test('a cell that a spreadsheet would execute is guarded, whatever invisible characters it starts with', () => {
    const starts = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
    const before = ['', ' ', '\t', '\n', '\r', '\0', '\u00a0', '\u200b', '\ufeff', '\u2028', '\u3000', '\x1b', ' \t '];
    for (const start of starts) {
      for (const first of before) {
        assert.equal(guardCell(`${first}${start}1+1`), `'${first}${start}1+1`, JSON.stringify(first + start));
      }
    }
    // In locales whose list separator is the semicolon, a new cell starts after each.
    assert.equal(guardCell("x;=cmd|'/C calc'!A0;y"), "x;'=cmd|'/C calc'!A0;y");
    for (const text of ['\tx', '\rx', ' \tx']) assert.equal(guardCell(text), `'${text}`);
  });

  test('names with an apostrophe are not changed, and phone numbers are restored', () => {
    for (const name of ["'t Hooft", "O'Neil", "'", 'Jane', '', '1+1', "''n"]) assert.equal(guardCell(name), name);
    assert.equal(guardCell('Smith; Jones'), 'Smith; Jones');
    assert.equal(guardCell('+1 555'), "'+1 555");
    assert.equal(unguardCell("'+1 555"), '+1 555');
    assert.equal(guardCell("'=x"), "''=x");
    assert.equal(unguardCell("'t Hooft"), "'t Hooft");
  });
});
