// What reaches a terminal: no control over it, and no line wider than it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { safeJson, safeText } from './safe-text.ts';
import { formatTable, narrow } from './table.ts';

const hostile = '\x1b]0;owned\x07\x1b[2J\u009b31m\u202eevil\u2066\r\nnext\0';

suite('text of others', () => {
  test('cannot control the terminal', () => {
    assert.equal(
      safeText(hostile),
      '\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{9b}31m\\u{202e}evil\\u{2066}\\u{d}\\u{a}next\\u{0}',
    );
  });

  test('stays as it is in every script', () => {
    for (const name of ['José Núñez', 'محمد', '王小明', 'क्षत्रिय', '👩‍👩‍👧', 'می‌خواهم'])
      assert.equal(safeText(name), name);
  });

  test('in JSON is the same value, without a raw control character', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constant(hostile)), fc.boolean(), (text, isIndented) => {
        const json = safeJson({ text }, isIndented ? 2 : undefined);
        assert.deepEqual(JSON.parse(json), { text });
        assert.doesNotMatch(json.replaceAll('\n', ''), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

suite('tables', () => {
  const columns = [{ title: 'id', isWhole: true }, { title: 'name' }, { title: 'email' }, { title: 'phone' }];

  test('no line is wider than the terminal, ids are whole, and columns line up', async () => {
    const row = fc.tuple(fc.constant('con_0123456789'), fc.string(), fc.string({ unit: 'grapheme' }), fc.string());
    const table = fc.array(row, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 14, max: 120 }), async (rows, width) => {
        const lines = await formatTable(columns, rows, width);
        assert.equal(lines.length, rows.length + 1);
        for (const line of lines) assert.ok(stringWidth(line) <= width, `${stringWidth(line)} > ${width}: ${line}`);
        for (const line of lines.slice(1)) assert.ok(line.startsWith('con_0123456789'));
      }),
    );
  });

  test('what is too long ends in an ellipsis, wide characters count twice', async () => {
    assert.deepEqual(await formatTable([{ title: 'name' }], [['王小明王小明王小明']], 9), ['name', '王小明王…']);
    assert.deepEqual(
      await formatTable(
        [{ title: 'n', isNumber: true }, { title: 'x' }],
        [
          ['5', 'a'],
          ['15', ''],
        ],
        80,
      ),
      [' n  x', ' 5  a', '15'],
    );
  });

  test('what counts as narrow without being measured is', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code);
      if (narrow.test(character)) assert.equal(stringWidth(character), 1, `U+${code.toString(16)}`);
    }
    assert.ok(narrow.test('José Łukasz +1 (555) 010-0') && !narrow.test('王') && !narrow.test('e\u0301'));
  });

  test('without a terminal nothing is shortened', async () => {
    const long = 'x'.repeat(500);
    assert.ok((await formatTable(columns, [['1', long, '', '']], undefined))[1]?.includes(long));
  });
});
