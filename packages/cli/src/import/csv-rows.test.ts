// The line of a row is the one on which it begins, as an editor counts lines.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openCsv } from './csv-rows.ts';

/** The rows that follow the header, as `line: first cell`. */
async function linesOf(text: string, chunkLength = text.length): Promise<string[]> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += chunkLength) yield text.slice(at, at + chunkLength);
  }
  const { rows } = await openCsv('a.csv', chunks());
  const found: string[] = [];
  for await (const { line, cells } of rows) found.push(`${line}: ${cells[0]}`);
  return found;
}

suite('line numbers', () => {
  for (const [title, end] of Object.entries({ LF: '\n', CRLF: '\r\n', CR: '\r' })) {
    test(`count each ${title} once, in quotes too, and are those of a row's beginning`, async () => {
      const text = [
        'name,"the',
        'note",email',
        'A,x,a@x',
        'B,"one',
        'two',
        '',
        'four",b@x',
        '',
        'C,"""',
        '",c@x',
        'D,x,d@x',
        '',
      ].join(end);
      const expected = ['3: A', '4: B', '9: C', '11: D'];
      assert.deepEqual(await linesOf(text), expected);
      assert.deepEqual(await linesOf(text, 1), expected, 'a line end may lie across two chunks');
    });
  }

  test('count the line that declares the separator', async () => {
    assert.deepEqual(await linesOf('sep=;\r\nname;email\r\n"A\r\nA";a@x\r\nB;b@x'), ['3: A\nA', '5: B']);
  });

  test('of a quote that is never closed are those of its row', async () => {
    await assert.rejects(linesOf('name,email\r\n"A\r\nA",a@x\r\n\r\n"B,b@x\r\nC,c@x\r\n'), /line 5: .*never closed/);
  });
});
