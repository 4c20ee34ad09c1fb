// What an import tells a person: a preview that is short and harmless, a file of its own for rejected rows, and counts.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { makeDesk, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

suite('the preview', () => {
  test('shows the beginning of a cell or title of megabytes', async (t) => {
    const desk = await makeDesk(t, server);
    const huge = 'x'.repeat(1_500_000);
    await desk.write('cell.csv', `name,email,note\n${huge},a@x,${'y'.repeat(500_000)}\nB,b@x,\n`);
    const cell = await desk.run(['contacts', 'import', 'cell.csv', '--dry-run']);
    assert.match(cell.stderr, /^x{20,100}… +a@x$/m);
    assert.ok(cell.stderr.length < 5000, `${cell.stderr.length} characters`);

    await desk.write('title.csv', `name,email,${huge}\nA,a@x,1\n`);
    const title = await desk.run(['contacts', 'import', 'title.csv', '--dry-run']);
    assert.match(title.stderr, /^Skipped columns: x{20,100}…$/m);
    assert.ok(title.stderr.length < 5000, `${title.stderr.length} characters`);

    await desk.write('no-email.csv', `name,${huge}\nA,1\n`);
    const refused = await desk.run(['contacts', 'import', 'no-email.csv']);
    assert.match(refused.stderr, /^roster: No column looks like an email.* "name", "x{20,100}…"/);
    assert.ok(refused.stderr.length < 5000, `${refused.stderr.length} characters`);

    await desk.write('cell.ndjson', JSON.stringify({ name: { huge }, email: 'a@x' }));
    const json = await desk.run(['contacts', 'import', 'cell.ndjson', '--dry-run']);
    assert.match(json.stderr, /^\{"huge":"x{20,100}… +a@x$/m);
    assert.ok(json.stderr.length < 5000, `${json.stderr.length} characters`);
  });

  test('lets no cell or title control the terminal, or begin a line of its own', async (t) => {
    const desk = await makeDesk(t, server);
    const hostile = '\x1b]0;owned\x07\x1b[2J\u009b31m\nImported 7 rows';
    const quoted = `"${hostile}"`;
    await desk.write('a.csv', `${quoted},email,name\n1,a@x,${quoted}\n`);
    const { stdout, stderr } = await desk.run(['contacts', 'import', 'a.csv', '--dry-run']);
    await desk.write('b.csv', `${quoted},name\n1,B\n`);
    const refused = await desk.run(['contacts', 'import', 'b.csv']);
    assert.match(refused.stderr, /No column looks like an email/);
    for (const text of [stdout, stderr, refused.stderr]) {
      assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
      assert.doesNotMatch(text, /^Imported 7 rows/m);
    }
    assert.match(stderr, /^Skipped columns: \\u\{1b\}\]0;owned/m);
  });
});

suite('rejected rows', () => {
  test('of people.csv, people.json and people are in three files', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('people.csv', 'name,email\nFrom CSV,nonsense\n');
    await desk.write('people.json', '[{"name":"From JSON","email":"nonsense"}]');
    await desk.write('people', 'name,email\nFrom neither,nonsense\n');
    const files: string[] = [];
    for (const name of ['people.csv', 'people.json', 'people']) {
      files.push((await desk.json<{ rejectedFile: string }>('contacts', 'import', name)).rejectedFile);
    }
    assert.deepEqual(files, ['people.csv.rejected.csv', 'people.json.rejected.csv', 'people.rejected.csv']);
    const contents = await Promise.all(files.map((file) => desk.read(file)));
    assert.deepEqual(
      contents.map((content) => /From \w+/.exec(content)?.[0]),
      ['From CSV', 'From JSON', 'From neither'],
    );
  });
});

suite('a CSV without a header', () => {
  test('keeps its first person with --no-header, and its rejected rows can be imported in the same way', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', 'jane@x,Jane\njoe at x,Joe\nkim@x,Kim\n');
    const flags = ['--no-header', '--map', 'email=column 1', '--map', 'name=Column 2'];
    const { stdout, stderr } = await desk.run(['contacts', 'import', 'a.csv', ...flags]);
    assert.match(stdout, /^3 rows: 2 imported \(2 created\), 1 rejected\./, stderr);
    assert.match(stderr, /^name +column 2$/m);
    assert.match(stderr, /^line 2: email must be/m);
    const rejected = await desk.read('a.csv.rejected.csv');
    assert.match(rejected, /^rejected line,rejected because,column 1,column 2\n2,.*,joe at x,Joe\n$/);

    await desk.write('a.csv.rejected.csv', rejected.replace('joe at x', 'joe@x'));
    const again = await desk.run(['contacts', 'import', 'a.csv.rejected.csv', ...flags]);
    assert.match(again.stdout, /^1 row: 1 imported \(1 created\), 0 rejected\./, again.stderr);
    assert.deepEqual(
      (await desk.contacts()).map(({ name }) => name),
      ['Jane', 'Joe', 'Kim'],
    );
  });
});

suite('the counts', () => {
  interface Counts {
    rows: number;
    imported: number;
    created: number | null;
    updated: number | null;
    unchanged: number | null;
    merged: number;
    rejected: number;
  }

  const file = [
    'name,email',
    'New,new@x',
    'Same,same@x',
    'Changed,old@x',
    'Renamed,NEW@x',
    'Bad,nonsense',
    'Once more,new@x',
  ].join('\n');

  test('say how many contacts were created, updated and left unchanged, and how many rows were merged', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('before.csv', 'name,email\nSame,same@x\nOld,old@x\n');
    await desk.write('a.csv', file);
    const before = await desk.run(['contacts', 'import', 'before.csv']);
    assert.equal(before.stdout, '2 rows: 2 imported (2 created), 0 rejected.\n');

    const { stdout } = await desk.run(['contacts', 'import', 'a.csv']);
    assert.deepEqual(stdout.split('\n').slice(0, 2), [
      '6 rows: 5 imported (1 created, 1 updated, 1 unchanged, 2 merged), 1 rejected.',
      '2 rows have the email of an earlier row and were merged with it; later values win.',
    ]);
    assert.deepEqual(
      (await desk.contacts()).map(({ name, email }) => `${name} ${email}`),
      ['Once more new@x', 'Changed old@x', 'Same same@x'],
    );

    const { rows, imported, created, updated, unchanged, merged } = await desk.json<Counts>(
      'contacts',
      'import',
      'a.csv',
    );
    assert.deepEqual([rows, imported, created, updated, unchanged, merged], [6, 5, 0, 0, 3, 2]);
  });

  test('of a dry run say how many rows will be merged', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', file);
    const { stdout } = await desk.run(['contacts', 'import', 'a.csv', '--dry-run']);
    assert.deepEqual(stdout.split('\n').slice(0, 2), [
      '6 rows: 5 valid, 1 rejected.',
      '2 rows have the email of an earlier row and will be merged with it; later values win.',
    ]);
    const { created, updated, unchanged, merged } = await desk.json<Counts>('contacts', 'import', 'a.csv', '--dry-run');
    assert.deepEqual([created, updated, unchanged, merged], [null, null, null, 2]);
  });

  test('take rows of one contact together, also when they are far apart in the file', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('before.csv', 'name,email\nSame,same@x\nStays,stays@x\n');
    await desk.run(['contacts', 'import', 'before.csv']);
    const others = Array.from({ length: 2500 }, (_, n) => `Other,other${n}@x`);
    const [first, last] = [
      ['New,new@x', 'Same,same@x', 'Stays,stays@x', 'Bad,bad'],
      ['Newer,new@x', 'Renamed,same@x', 'Stays,STAYS@X', 'Stays,stays@x', 'Bad,bad'],
    ];
    await desk.write('a.csv', ['name,email', ...first, ...others, ...last].join('\n'));
    const { rows, created, updated, unchanged, merged, rejected } = await desk.json<Counts>(
      'contacts',
      'import',
      'a.csv',
    );
    assert.deepEqual([created, updated, unchanged, merged, rejected], [2501, 1, 1, 4, 2]);
    assert.equal(rows, 2501 + 1 + 1 + 4 + 2);
  });
});
