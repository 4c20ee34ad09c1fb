// The reasons of rejected rows say what a spreadsheet has done to a number.
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
