// Import: what files hold, and what becomes of every row. Against the real server.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { makeDesk, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

interface Summary {
  rows: number;
  imported: number;
  rejected: number;
  blank: number;
  rejectedFile: string | null;
  isDryRun: boolean;
  isInterrupted: boolean;
  mapping: Record<string, string[]>;
}

suite('import', () => {
  test('shows the mapping and the first rows, writes the contacts, and says how many', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('people.csv', 'Full name,E-mail,Mobile,Notes\nJane Doe,jane@example.com,+1 555 0100,x\n');
    const { code, stdout, stderr } = await desk.run(['contacts', 'import', 'people.csv']);
    assert.equal(code, 0);
    assert.equal(stdout, '1 row: 1 imported (1 created), 0 rejected.\n');
    assert.match(stderr, /^name +Full name$/m);
    assert.match(stderr, /^email +E-mail$/m);
    assert.match(stderr, /^phone +Mobile$/m);
    assert.match(stderr, /^wid +\(none\)$/m);
    assert.match(stderr, /^Skipped columns: Notes$/m);
    assert.match(stderr, /^Jane Doe +jane@example.com +\+1 555 0100$/m);
    const [jane] = await desk.contacts();
    assert.deepEqual([jane?.name, jane?.phone], ['Jane Doe', '+1 555 0100']);
  });

  const forms: [title: string, name: string, content: string | Buffer][] = [
    ['a byte order mark', 'a.csv', '\ufeffname,email\nJosé,jose@x\nŁukasz,lukasz@x\n'],
    ['semicolons and CRLF', 'a.csv', 'name;email\r\nJosé;jose@x\r\nŁukasz;lukasz@x\r\n'],
    ['tabs', 'a.tsv', 'name\temail\nJosé\tjose@x\nŁukasz\tlukasz@x'],
    ['mixed line ends and blank lines', 'a.csv', 'name,email\r\nJosé,jose@x\n\n\r\nŁukasz,lukasz@x\r'],
    [
      'quotes, spaces beside them and cells of two columns',
      'a.csv',
      '"first name", "last name","email"\n"José", "",jose@x\nŁukasz,,"lukasz@x"\n',
    ],
    ['what spreadsheets write first', 'a.csv', 'sep=;\nname;email\nJosé;jose@x\nŁukasz;lukasz@x\n'],
    ['UTF-16', 'a.csv', Buffer.from('\ufeffname,email\nJosé,jose@x\nŁukasz,lukasz@x\n', 'utf16le')],
    ['NDJSON', 'a.ndjson', '{"name":"José","email":"jose@x"}\n\n{"email":"lukasz@x","name":"Łukasz","other":[1]}'],
    ['a JSON array', 'a.json', '[{"name":"José","email":"jose@x"},\n {"name":"Łukasz","email":"lukasz@x"}]\n'],
    [
      'an answer of the API',
      'a.json',
      '{"data":[{"id":"x","name":"José","email":"jose@x"},{"name":"Łukasz","email":"lukasz@x"}]}',
    ],
    [
      'a name that does not tell the format',
      'contacts',
      ' [{"name":"José","email":"jose@x"},{"name":"Łukasz","email":"lukasz@x"}]',
    ],
  ];
  for (const [title, name, content] of forms) {
    test(`takes ${title}`, async (t) => {
      const desk = await makeDesk(t, server);
      await desk.write(name, content);
      const summary = await desk.json<Summary>('contacts', 'import', name);
      assert.deepEqual([summary.rows, summary.imported, summary.rejected], [2, 2, 0], JSON.stringify(summary));
      assert.deepEqual(
        (await desk.contacts()).map((each) => `${each.name} ${each.email}`),
        ['José jose@x', 'Łukasz lukasz@x'],
      );
    });
  }

  test('takes stdin', async (t) => {
    const desk = await makeDesk(t, server);
    const ran = await desk.run(['contacts', 'import', '-'], { input: 'name,email\nJane,jane@x\n' });
    assert.equal(ran.stdout, '1 row: 1 imported (1 created), 0 rejected.\n', ran.stderr);
  });

  test('takes a named pipe, whose writer comes once', async (t) => {
    const desk = await makeDesk(t, server);
    const pipe = join(desk.folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const [ran] = await Promise.all([
      desk.run(['contacts', 'import', 'pipe']),
      writeFile(pipe, 'name,email\nJane,jane@x\n'),
    ]);
    assert.equal(ran.stdout, '1 row: 1 imported (1 created), 0 rejected.\n', ran.stderr);
  });

  test('reads Latin-1 when the file is no UTF-8, says so, and does as --encoding says', async (t) => {
    const desk = await makeDesk(t, server);
    // Not UTF-8 only on the last of many lines.
    const many = Array.from({ length: 5000 }, (_, n) => `n${n},n${n}@x`).join('\n');
    await desk.write('a.csv', Buffer.from(`name,email\n${many}\nJos\xe9 \x80,jose@x\n`, 'latin1'));
    const { code, stderr } = await desk.run(['contacts', 'import', 'a.csv']);
    assert.equal(code, 0);
    assert.match(stderr, /windows-1252 \(a guess.*--encoding/);
    const { stdout } = await desk.run(['contacts', 'get', 'jose@x', '--json']);
    assert.equal(JSON.parse(stdout).name, 'José €');
    await desk.write('b.csv', Buffer.from('name,email\n\xa3ukasz,l@x\n', 'latin1'));
    await desk.run(['contacts', 'import', 'b.csv', '--encoding', 'iso-8859-2']);
    assert.equal(JSON.parse((await desk.run(['contacts', 'get', 'l@x', '--json'])).stdout).name, 'Łukasz');
    const refused = await desk.run(['contacts', 'import', 'b.csv', '--encoding', 'utf-8']);
    assert.deepEqual([refused.code, /not valid utf-8/.test(refused.stderr)], [1, true], refused.stderr);
  });

  test('the later of two rows with the same email wins, in whatever case it is written', async (t) => {
    const desk = await makeDesk(t, server);
    const rows = Array.from({ length: 3500 }, (_, n) => `Name ${n},${n % 2 ? 'same@x' : 'SAME@X'}`);
    await desk.write('a.csv', `name,email\n${rows.join('\n')}\n`);
    assert.equal((await desk.json<Summary>('contacts', 'import', 'a.csv')).imported, 3500);
    assert.deepEqual(
      (await desk.contacts()).map(({ name }) => name),
      ['Name 3499'],
    );
  });

  test('an empty cell keeps what there is, or clears it with --empty=clear; a name is never cleared', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', 'name,email,phone\nJane,jane@x,123\n');
    await desk.write('b.csv', 'name,email,phone\n,jane@x,\n');
    await desk.write('c.csv', 'name,email,phone\nJane,jane@x\n');
    const phone = async () => (await desk.contacts()).map((each) => `${each.name}:${each.phone}`).join();
    await desk.run(['contacts', 'import', 'a.csv']);
    await desk.run(['contacts', 'import', 'b.csv']);
    assert.equal(await phone(), 'Jane:123');
    await desk.run(['contacts', 'import', 'c.csv', '--empty=clear']);
    assert.equal(await phone(), 'Jane:123', 'a row that ends early says nothing about what is missing');
    await desk.run(['contacts', 'import', 'b.csv', '--empty=clear']);
    assert.equal(await phone(), 'Jane:');
  });

  test('a field that first occurs late in NDJSON is imported', async (t) => {
    const desk = await makeDesk(t, server);
    const rows = Array.from({ length: 1500 }, (_, n) => ({
      name: 'x',
      email: `a${n}@x`,
      ...(n === 1499 && { phone: '7' }),
    }));
    await desk.write('a.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
    await desk.run(['contacts', 'import', 'a.ndjson']);
    assert.equal(JSON.parse((await desk.run(['contacts', 'get', 'a1499@x', '--json'])).stdout).phone, '7');
  });
});

suite('rows that are not taken', () => {
  const file = [
    'name,email,phone,note',
    'Good,good@x,1,a',
    'Bad email,nonsense,2,"b, c"',
    ',,,',
    ',nameless@x,3,',
    'Too many,many@x,4,d,e',
    `${'x'.repeat(300)},long@x,5,`,
    '=cmd,=cmd,6,=1+1',
    'Also good,also@x,7,',
  ].join('\n');

  test('are in the rejected file with their reasons, in order, and the numbers add up', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('people.csv', file);
    const { code, stdout, stderr } = await desk.run(['contacts', 'import', 'people.csv']);
    assert.equal(code, 4);
    assert.equal(
      stdout,
      '8 rows: 2 imported (2 created), 5 rejected, 1 blank.\nRejected rows and the reasons are in people.csv.rejected.csv\n',
    );
    assert.match(stderr, /^line 3: email must be an email address/m);
    assert.deepEqual((await desk.read('people.csv.rejected.csv')).split('\n'), [
      'rejected line,rejected because,name,email,phone,note',
      '3,"email must be an email address, like jane@example.com",Bad email,nonsense,2,"b, c"',
      '5,"name is required, because no contact has this email yet",,nameless@x,3,',
      '6,"has 5 cells, but the header has 4; put quotes around cells that contain a separator",Too many,many@x,4,d,e',
      `7,name must be at most 256 characters long,${'x'.repeat(300)},long@x,5,`,
      `8,"email must be an email address, like jane@example.com",'=cmd,'=cmd,6,'=1+1`,
      '',
    ]);
    assert.deepEqual(
      (await desk.contacts()).map(({ email }) => email),
      ['also@x', 'good@x'],
    );
  });

  test('mended in the rejected file, they are imported from it', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('people.csv', file);
    await desk.run(['contacts', 'import', 'people.csv']);
    const mended = (await desk.read('people.csv.rejected.csv'))
      .replace('nonsense', 'mended@x')
      .replace(',nameless', 'N,nameless');
    await desk.write('mended.csv', mended);
    const summary = await desk.json<Summary>('contacts', 'import', 'mended.csv');
    assert.deepEqual([summary.imported, summary.rejected], [2, 3]);
    assert.match(
      await desk.read('mended.csv.rejected.csv'),
      /^rejected line,rejected because,name,email,phone,note\n4,still has .*,Too many,many@x,4,d,e\n/,
    );
  });

  test('with too many cells keep them all, and are refused until they are mended', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', 'email,name,phone\na@x,Doe, Jane,+1555\nb@x,B,"",,\n');
    const bringIn = async (name: string) => {
      const { rows, imported, rejected, blank } = await desk.json<Summary>('contacts', 'import', name);
      assert.equal(rows, imported + rejected + blank);
      return [imported, rejected, blank];
    };
    assert.deepEqual(await bringIn('a.csv'), [1, 1, 0], 'empty cells too many are none');
    const given = await desk.read('a.csv.rejected.csv');
    assert.match(given, /^rejected line,rejected because,email,name,phone\n2,"has 4 cells.*",a@x,Doe,Jane,'\+1555\n$/);

    const refused = await desk.run(['contacts', 'import', 'a.csv.rejected.csv']);
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /^line 2: still has something after the last column; move it into the column/m);
    assert.match(await desk.read('a.csv.rejected.csv.rejected.csv'), /^rejected line.*\n2,.*,a@x,Doe,Jane,'\+1555\n$/);
    // A spreadsheet makes all rows as long as the longest, also the header.
    await desk.write(
      'saved.csv',
      given.replace(/^.*/, (header) => `${header},`),
    );
    assert.deepEqual(await bringIn('saved.csv'), [0, 1, 0]);
    assert.deepEqual(
      (await desk.contacts()).map(({ email }) => email),
      ['b@x'],
    );

    await desk.write('mended.csv', given.replace('Doe,Jane', '"Doe, Jane"'));
    assert.deepEqual(await bringIn('mended.csv'), [1, 0, 0]);
    const [jane] = await desk.contacts();
    assert.deepEqual([jane?.name, jane?.phone], ['Doe, Jane', '+1555']);
    await desk.write('given-up.csv', given.replace(/a@x.*/, ',,,'));
    assert.deepEqual(await bringIn('given-up.csv'), [0, 0, 1]);
  });

  test('with too few cells stay so: what a row lacks is not cleared when it is imported again', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', 'name,email,phone\nJane,jane@x,123\n');
    await desk.run(['contacts', 'import', 'a.csv']);
    await desk.write('b.csv', 'name,email,phone\nJanet,jane at x\n');
    assert.equal((await desk.json<Summary>('contacts', 'import', 'b.csv')).rejected, 1);
    await desk.write('mended.csv', (await desk.read('b.csv.rejected.csv')).replace('jane at x', 'jane@x'));
    assert.equal((await desk.json<Summary>('contacts', 'import', 'mended.csv', '--empty=clear')).imported, 1);
    const [jane] = await desk.contacts();
    assert.deepEqual([jane?.name, jane?.phone], ['Janet', '123']);
  });

  test('keep the content of a column without a name', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', 'name,email,\nJane,nonsense,seen in June\n');
    await desk.run(['contacts', 'import', 'a.csv']);
    const given = await desk.read('a.csv.rejected.csv');
    assert.match(given, /,name,email,column 3\n2,.*,Jane,nonsense,seen in June\n$/);
    await desk.write('mended.csv', given.replace('nonsense', 'jane@x'));
    assert.equal((await desk.json<Summary>('contacts', 'import', 'mended.csv')).imported, 1);
  });

  test('a dry run finds them, writes nothing, and needs no server', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('people.csv', file);
    const env = { ROSTER_SECRET: '', ROSTER_BOT: '', ROSTER_URL: '' };
    const { code, stdout, stderr } = await desk.run(['contacts', 'import', 'people.csv', '--dry-run'], { env });
    assert.equal(code, 4, stderr);
    assert.match(stdout, /^8 rows: 3 valid, 4 rejected, 1 blank.\n/);
    assert.match(
      stdout,
      /^1 row without a name can only update existing contacts, and will be rejected if there is no contact with the email\.$/m,
    );
    assert.match(stdout, /nothing was written/);
    assert.ok(!existsSync(join(desk.folder, 'people.csv.rejected.csv')));
    assert.deepEqual(await desk.contacts(), []);
  });

  test('in NDJSON: what is no object, no JSON or no text is there as it was, until it is put into columns', async (t) => {
    const desk = await makeDesk(t, server);
    const lines = [
      '{"name":"A","email":"a@x","age":30}',
      '[1]',
      '{"name":',
      // More digits than a number of JavaScript holds.
      '{"name":"B","email":"b@x","mid":24123456789012345}',
      String.raw`{"name":"C\ud800","email":"c@x"}`,
      `{"name":"'=D","email":"d at x","age":31}`,
    ];
    await desk.write('a.ndjson', lines.join('\r\n'));
    const summary = await desk.json<Summary>('contacts', 'import', 'a.ndjson');
    assert.deepEqual([summary.rows, summary.imported, summary.rejected], [6, 1, 5]);
    const given = await desk.read('a.ndjson.rejected.csv');
    const quoted = (line: string | undefined) => `"${line?.replaceAll('"', '""')}"`;
    assert.deepEqual(given.trimEnd().split('\n'), [
      'rejected line,rejected because,name,email,age,mid,phone,wid,tags',
      '2,is not a JSON object,,,,,,,,[1]',
      `3,is not valid JSON,,,,,,,,${quoted(lines[2])}`,
      `4,mid must be a string,B,b@x,,,,,,${quoted(lines[3])}`,
      `5,name must not contain unpaired surrogates,,c@x,,,,,,${quoted(lines[4])}`,
      `6,"email must be an email address, like jane@example.com",''=D,d at x,31`,
    ]);
    const again = await desk.json<Summary>('contacts', 'import', 'a.ndjson.rejected.csv');
    assert.deepEqual([again.rows, again.imported, again.rejected], [5, 0, 5]);

    const mended = given.replace(/,,,,,,"{.*2345}"/, ',,24123456789012345').replace('d at x', 'd@x');
    await desk.write('mended.csv', mended);
    assert.equal((await desk.json<Summary>('contacts', 'import', 'mended.csv')).imported, 2);
    assert.deepEqual(
      (await desk.contacts()).map(({ name, mid }) => [name, mid]),
      [
        ['A', ''],
        ['B', '24123456789012345'],
        ["'=D", ''],
      ],
    );
  });

  test('in a JSON array: what is no object is there as it was', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.json', '[{"email":"a@x","name":"A"}, "Jane", {"email":"b@x","name":{"first":"B"}}]');
    assert.equal((await desk.json<Summary>('contacts', 'import', 'a.json')).rejected, 2);
    assert.deepEqual((await desk.read('a.json.rejected.csv')).trimEnd().split('\n'), [
      'rejected item,rejected because,email,name,phone,wid,mid,tags',
      '2,is not a JSON object,,,,,,,"""Jane"""',
      '3,name must be a string,b@x,,,,,,"{""email"":""b@x"",""name"":{""first"":""B""}}"',
    ]);
    assert.equal((await desk.json<Summary>('contacts', 'import', 'a.json.rejected.csv')).rejected, 2);
    assert.match(
      await desk.read('a.json.rejected.csv.rejected.csv'),
      /^rejected line,rejected because,email,name,phone,wid,mid,tags\n/,
    );
  });

  test('a file of nothing but bad rows is accounted for, row by row', async (t) => {
    const desk = await makeDesk(t, server);
    // More than are held in memory.
    const count = 12_000;
    await desk.write('a.csv', `email\n${'nonsense\n'.repeat(count)}`);
    const summary = await desk.json<Summary>('contacts', 'import', 'a.csv');
    assert.deepEqual([summary.rows, summary.rejected], [count, count]);
    assert.equal((await desk.read('a.csv.rejected.csv')).trimEnd().split('\n').length, count + 1);
  });
});
