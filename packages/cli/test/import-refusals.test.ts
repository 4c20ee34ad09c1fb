// Files that cannot be imported: each is refused in one line that says what to do.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeDesk, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

interface Summary {
  rows: number;
  imported: number;
  rejected: number;
  rejectedFile: string | null;
}

const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de', 'hex');

suite('files that are no contacts', () => {
  const refused: [title: string, name: string, content: string | Buffer, message: RegExp][] = [
    ['an empty file', 'a.csv', '', /a\.csv is empty/],
    ['an empty JSON array', 'a.json', '[]', /a\.json is empty/],
    ['a workbook', 'a.xlsx', Buffer.from('504b030414000600', 'hex'), /not a text file.*save the sheet as CSV/],
    ['an image', 'a.csv', png, /a\.csv is not a text file but a PNG image: export your contacts as CSV, and import/],
    ['an image called JSON', 'a.json', png, /not a text file but a PNG image/],
    ['a compressed file', 'a.csv.gz', gzipSync('name,email\n'), /not a text file but compressed with gzip: decompress/],
    ['another binary file', 'a.csv', Buffer.from([1, 2, 0, 3, 4]), /not a text file: it contains binary data\. Export/],
    ['no column for the email', 'a.csv', 'a,b\n1,2\n', /--map email=COLUMN/],
    [
      'a contact instead of a header',
      'a.csv',
      'Jane,jane@x.org\nJoe,joe@x.org\n',
      /^roster: a\.csv has no header: its first row holds jane@x\.org\. Add a first row .* or pass --no-header /,
    ],
    [
      'a phone number instead of a header',
      'a.csv',
      "Jane,'+1 555 0100\n",
      /no header: its first row holds \+1 555 0100/,
    ],
    ['a quote that is never closed', 'a.csv', 'name,email\nA,a@x\n"B,b@x\nC,c@x\n', /line 3: .*never closed/],
    [
      'a row of many megabytes',
      'a.csv',
      `name,email\nA,a@x\n${'x'.repeat(5_000_000)},b@x\n`,
      /line 3: .*larger than 4 MiB/,
    ],
    ['JSON that breaks off', 'a.json', '[{"name":"A","email":"a@x"},{"na', /ends in the middle|not valid JSON/],
    ['JSON that is none', 'a.json', '[{"name":"A","email":"a@x"} nonsense]', /not valid JSON/],
    [
      'NDJSON called JSON',
      'a.json',
      '{"name":"A","email":"a@x"}\n{"name":"B","email":"b@x"}\n',
      /--format ndjson|is empty/,
    ],
  ];
  for (const [title, name, content, message] of refused) {
    test(`${title} is refused in one clear line`, async (t) => {
      const desk = await makeDesk(t, server);
      await desk.write(name, content);
      const { code, stderr } = await desk.run(['contacts', 'import', name]);
      assert.ok(code === 1 || code === 2, `${code} ${stderr}`);
      assert.match(stderr.trimEnd().split('\n').at(-1) ?? '', message);
    });
  }

  test('what was imported before an unreadable row is reported', async (t) => {
    const desk = await makeDesk(t, server);
    // Enough for several requests, and for several reads of the file.
    const count = 5000;
    const rows = Array.from({ length: count }, (_, n) => `${'Long name '.repeat(5)}${n},n${n}@x`).join('\n');
    await desk.write('a.csv', `name,email\n${rows}\n"B,b@x\nC,c@x\n`);
    const { code, stderr } = await desk.run(['contacts', 'import', 'a.csv']);
    assert.equal(code, 1);
    const [, reported = ''] = /line 5002: .*never closed.* ([\d,]+) rows were imported before/.exec(stderr) ?? [];
    const found = await desk.json<{ pagination: { total: number } }>('contacts', 'search');
    assert.equal(Number(reported.replace(',', '')), found.pagination.total, stderr);
    assert.ok(found.pagination.total > count / 2);
  });

  test('a header only is nothing to do', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', 'name,email\n');
    const summary = await desk.json<Summary>('contacts', 'import', 'a.csv');
    assert.deepEqual([summary.rows, summary.imported, summary.rejected, summary.rejectedFile], [0, 0, 0, null]);
  });

  test('a huge cell of a column that is not taken does no harm', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', `name,email,notes\nA,a@x,"${'long\n'.repeat(200_000)}"\nB,b@x,\n`);
    assert.equal((await desk.json<Summary>('contacts', 'import', 'a.csv')).imported, 2);
  });
});
