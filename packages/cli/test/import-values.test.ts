// Import of attributes and tags: which columns they come from, and what becomes of every cell. Against the real server.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Permission } from '@roster/contract';
import { addSecret, makeDesk, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

interface Summary {
  rows: number;
  imported: number;
  rejected: number;
  mapping: Record<string, string[]>;
  createdAttributes: { key: string; type: string; label: string }[];
  skipped: string[];
}

const types = { plan: 'text', seats: 'number', trial: 'boolean', renewal: 'date' } as const;

suite('attributes', () => {
  test('come from columns with their key or label, and by --map', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define(types);
    await desk.write(
      'a.csv',
      'Name,Email,attributes.plan,Seats,On trial,Notes\nAnn,ann@x,"two\nlines; one",12,YES,x\nBen,ben@x,,0.5,0,\n',
    );
    const args = ['contacts', 'import', 'a.csv', '--map', 'attributes.trial=On trial'];
    const { code, stdout, stderr } = await desk.run(args);
    assert.deepEqual([code, stdout], [0, '2 rows: 2 imported (2 created), 0 rejected.\n'], stderr);
    assert.match(stderr, /^attributes\.trial +On trial +boolean$/m);
    assert.match(stderr, /^attributes\.plan +attributes\.plan +text$/m);
    assert.match(stderr, /^attributes\.seats +Seats +number$/m);
    assert.match(stderr, /^Skipped columns: Notes\nTo import them as attributes, pass --create-attributes, or --map/m);
    assert.deepEqual(await desk.values(), {
      'ann@x': { attributes: { plan: 'two\nlines; one', seats: 12, trial: true }, tags: [] },
      'ben@x': { attributes: { seats: 0.5, trial: false }, tags: [] },
    });
    const summary = await desk.json<Summary>(...args);
    assert.deepEqual(summary.mapping['attributes.seats'], ['Seats']);
    assert.deepEqual([summary.skipped, summary.createdAttributes], [['Notes'], []]);
  });

  test('that a cell does not fit are left out with --drop-bad-cells, and counted by reason; names and emails are not', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define(types);
    await desk.write('a.csv', 'name,email,wid,seats,trial\nA,a@x,12,many,ja\nB,b@x,,"1,5",nein\nC,c at x,12,3,non\n');
    const args = ['contacts', 'import', 'a.csv', '--drop-bad-cells'];
    const { code, stdout, stderr } = await desk.run(args);
    assert.equal(code, 4, stderr);
    assert.equal(
      stdout,
      [
        '3 rows: 2 imported (2 created), 1 rejected.',
        '2 cells left out: attributes.seats must be a number (many)',
        '1 cell left out: wid must be in international format, like +15550100123 (12)',
        'Rejected rows and the reasons are in a.csv.rejected.csv',
        '',
      ].join('\n'),
    );
    assert.deepEqual(await desk.values(), {
      'a@x': { attributes: { trial: true }, tags: [] },
      'b@x': { attributes: { trial: false }, tags: [] },
    });
    const { droppedCells } = await desk.json<{ droppedCells: object[] }>(...args);
    assert.deepEqual(droppedCells[0], { field: 'attributes.seats', reason: 'must be a number', count: 2 });
  });

  test('that a cell does not fit reject its row, with every reason', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define(types);
    await desk.write(
      'a.csv',
      'name,email,seats,trial,renewal\nA,a@x,many,maybe,tomorrow\nB,b at x,1,no,2027-01-31\nC,c@x,2,no,2027-01-31T10:00:00+01:00\n',
    );
    const { code, stderr } = await desk.run(['contacts', 'import', 'a.csv']);
    assert.equal(code, 4);
    assert.match(
      stderr,
      /^line 2: attributes\.seats must be a number; attributes\.trial must be true, false, yes, no, 1 or 0; attributes\.renewal must be a date like/m,
    );
    assert.deepEqual(await desk.values(), {
      'c@x': { attributes: { seats: 2, trial: false, renewal: '2027-01-31T09:00:00.000Z' }, tags: [] },
    });
    const mended = (await desk.read('a.csv.rejected.csv'))
      .replace('many,maybe,tomorrow', '3,yes,')
      .replace('b at x', 'b@x');
    await desk.write('mended.csv', mended);
    assert.equal((await desk.json<Summary>('contacts', 'import', 'mended.csv')).imported, 2);
    assert.deepEqual((await desk.values())['a@x']?.attributes, { seats: 3, trial: true });
  });

  test('keep their value where a cell is empty, and lose it with --empty=clear', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define(types);
    await desk.write('a.csv', 'name,email,plan,seats,tags\nA,a@x,pro,3,vip;new\n');
    await desk.write('b.csv', 'name,email,plan,seats,tags\nA,a@x,team, ,\n');
    await desk.run(['contacts', 'import', 'a.csv']);
    await desk.run(['contacts', 'import', 'b.csv']);
    assert.deepEqual((await desk.values())['a@x'], { attributes: { plan: 'team', seats: 3 }, tags: ['new', 'vip'] });
    await desk.run(['contacts', 'import', 'b.csv', '--empty=clear']);
    assert.deepEqual((await desk.values())['a@x'], { attributes: { plan: 'team' }, tags: [] });
  });

  test('that the bot does not have are refused in --map', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', 'name,email,Company\nA,a@x,Acme\n');
    const { code, stderr } = await desk.run(['contacts', 'import', 'a.csv', '--map', 'attributes.company=Company']);
    assert.equal(code, 2);
    assert.match(stderr, /no attribute "company".*roster attribute define company.*--create-attributes/);
    assert.deepEqual(await desk.contacts(), []);
  });

  test('are not known to a dry run without a server, which says so', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define(types);
    await desk.write('a.csv', 'name,email,plan\nA,a@x,pro\n');
    const args = ['contacts', 'import', 'a.csv', '--dry-run'];
    for (const env of [{ ROSTER_URL: 'http://127.0.0.1:9' }, { ROSTER_SECRET: '' }] as Record<string, string>[]) {
      const { code, stderr } = await desk.run(args, { env });
      assert.equal(code, 0, stderr);
      assert.match(stderr, /^Skipped columns: plan\nThe bot's attributes could not be read/m);
      const named = await desk.run([...args, '--map', 'attributes.plan=plan'], { env });
      assert.match(named.stderr, /^roster: (Cannot reach the server|To check attributes, a dry run has)/m);
    }
    const { stderr } = await desk.run(args);
    assert.match(stderr, /^attributes\.plan +plan +text$/m);
  });

  test('are asked for after the file was opened: a missing one is reported without a server', async (t) => {
    const desk = await makeDesk(t, server);
    const { stderr } = await desk.run(['contacts', 'import', 'nothing.csv'], {
      env: { ROSTER_URL: 'http://127.0.0.1:9' },
    });
    assert.match(stderr, /Cannot read nothing\.csv: no such file/);
  });

  test('need not be readable for an import without them', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define(types);
    const permissions: Permission[] = ['contacts:write'];
    const env = { ROSTER_SECRET: await addSecret(server, { permissions }) };
    await desk.write('a.csv', 'name,email,Plan\nA,a@x,pro\n');
    assert.equal((await desk.run(['contacts', 'import', 'a.csv'], { env })).code, 0);
    assert.deepEqual((await desk.values())['a@x']?.attributes, {});
    const refused = await desk.run(['contacts', 'import', 'a.csv', '--map', 'attributes.plan=Plan'], { env });
    assert.deepEqual([refused.code, /contacts:read/.test(refused.stderr)], [3, true], refused.stderr);
  });
});

suite('tags', () => {
  test('come from a column, separated by semicolons or commas, and --tag adds more to every row', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write(
      'a.csv',
      String.raw`name;email;Tags
A;a@x;"vip; new,old;a\;b"
B;b@x;
`,
    );
    await desk.run(['contacts', 'import', 'a.csv', '--tag', 'imported', '--tag', 'June']);
    assert.deepEqual(await desk.values(), {
      'a@x': { attributes: {}, tags: ['a;b', 'imported', 'June', 'new', 'old', 'vip'] },
      'b@x': { attributes: {}, tags: ['imported', 'June'] },
    });
    await desk.write('b.csv', 'name,email,Labels\nA,a@x,vip\nB,b@x,\n');
    const { stderr } = await desk.run(['contacts', 'import', 'b.csv', '--map', 'tags=Labels', '--tag', 'July']);
    assert.match(stderr, /^tags +Labels \+ \(all rows: July\)$/m);
    assert.deepEqual(
      Object.values(await desk.values()).map(({ tags }) => tags),
      [
        ['July', 'vip'],
        ['imported', 'July', 'June'],
      ],
      'a cell has all tags of the contact, and an empty one keeps them',
    );
  });

  test('that are none are refused, and reject their row', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', `name,email,tags\nA,a@x,${'x'.repeat(65)}\n`);
    const { code, stderr } = await desk.run(['contacts', 'import', 'a.csv']);
    assert.equal(code, 4);
    assert.match(stderr, /^line 2: tags must be at most 64 characters long$/m);
    const refused = await desk.run(['contacts', 'import', 'a.csv', '--tag', 'a,b']);
    assert.deepEqual([refused.code, /--tag.*A tag must not contain commas/.test(refused.stderr)], [2, true]);
  });
});

suite('--create-attributes', () => {
  const file = [
    'name,email,Company,Seats,Active,Signed up,ZIP,Empty,Phone,Phone',
    "A,a@x,Acme,3,yes,2026-11-01,01067,,'+1 555,'+2 555",
    'B,b@x,,4.5,no,2026-11-02T10:00:00Z,10115,,,',
    'C,c@x,Ltd,,,,,,,',
  ].join('\n');
  const created = [
    { key: 'company', type: 'text', label: 'Company' },
    { key: 'seats', type: 'number', label: 'Seats' },
    { key: 'active', type: 'boolean', label: 'Active' },
    { key: 'signed_up', type: 'date', label: 'Signed up' },
    { key: 'zip', type: 'text', label: 'ZIP' },
    { key: 'other_phone', type: 'text', label: 'Phone' },
  ];

  test('shows the type of each column before anything is written, in a dry run too', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', file);
    const args = ['contacts', 'import', 'a.csv', '--create-attributes', '--dry-run'];
    const { code, stdout, stderr } = await desk.run(args);
    assert.equal(code, 0, stderr);
    for (const { key, type, label } of created) {
      assert.match(stderr, new RegExp(`^attributes\\.${key} +${label} +${type}, new$`, 'm'));
    }
    assert.match(stderr, /^Skipped columns: Empty$/m);
    assert.doesNotMatch(stderr, /To keep them/);
    assert.match(stderr, /create the attribute first: roster attribute define KEY --type text$/m);
    assert.match(stdout, /^Attributes to create: company, seats, active, signed_up, zip, other_phone\.$/m);
    assert.deepEqual(await desk.json('attribute', 'list'), []);
    const offline = await desk.run([...args, '--json'], { env: { ROSTER_SECRET: '', ROSTER_BOT: '', ROSTER_URL: '' } });
    assert.deepEqual((JSON.parse(offline.stdout) as Summary).createdAttributes, created, 'without a server too');
  });

  test('defines them, keeps every value, and finds them again', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', file);
    const { stdout } = await desk.run(['contacts', 'import', 'a.csv', '--create-attributes']);
    assert.match(stdout, /^Attributes created: company, seats, /m);
    const expected = {
      'a@x': {
        ...{ company: 'Acme', seats: 3, active: true, signed_up: '2026-11-01T00:00:00.000Z' },
        ...{ zip: '01067', other_phone: '+2 555' },
      },
      'b@x': { seats: 4.5, active: false, signed_up: '2026-11-02T10:00:00.000Z', zip: '10115' },
      'c@x': { company: 'Ltd' },
    };
    const stored = async () =>
      Object.fromEntries(Object.entries(await desk.values()).map(([email, { attributes }]) => [email, attributes]));
    assert.deepEqual(await stored(), expected);
    const again = await desk.json<Summary & { unchanged: number }>(
      'contacts',
      'import',
      'a.csv',
      '--create-attributes',
    );
    assert.deepEqual([again.createdAttributes, again.unchanged, again.skipped], [[], 3, ['Empty']]);
  });

  test('takes the key and the joined columns that --map names, and leaves out what it leaves out', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', 'name,email,Street,City,Notes\nA,a@x,Main St 1,Rome,secret\n');
    const map = ['attributes.address=Street', 'attributes.address=City', 'attributes.notes='];
    const args = ['contacts', 'import', 'a.csv', '--create-attributes', ...map.flatMap((each) => ['--map', each])];
    const summary = await desk.json<Summary>(...args);
    assert.deepEqual(summary.createdAttributes, [{ key: 'address', type: 'text', label: 'Street' }]);
    assert.deepEqual(summary.skipped, ['Notes']);
    assert.deepEqual((await desk.values())['a@x']?.attributes, { address: 'Main St 1 Rome' });
  });

  test('judges by all values, down to the last row', async (t) => {
    const desk = await makeDesk(t, server);
    const rows = Array.from({ length: 1500 }, (_, n) => `n${n},n${n}@x,${n}`);
    await desk.write('a.csv', `name,email,Number\n${rows.join('\n')}\nlast,last@x,unknown\n`);
    const summary = await desk.json<Summary>('contacts', 'import', 'a.csv', '--create-attributes');
    assert.deepEqual([summary.createdAttributes[0]?.type, summary.rejected], ['text', 0]);
  });

  test('warns of values that are too long, and says how to import their rows', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('a.csv', `name,email,Notes\nA,a@x,${'long '.repeat(300)}\nB,b@x,short\n`);
    const { stderr, code } = await desk.run(['contacts', 'import', 'a.csv', '--create-attributes', '--dry-run']);
    assert.equal(code, 4);
    assert.match(stderr, /^1 value of attributes\.notes is longer than 1024 characters.*--map attributes\.notes=$/m);
  });

  test('is refused for stdin, and for more columns than a bot can have attributes', async (t) => {
    const desk = await makeDesk(t, server);
    const piped = await desk.run(['contacts', 'import', '-', '--create-attributes'], { input: 'name,email\nA,a@x\n' });
    assert.deepEqual([piped.code, /reads the file twice/.test(piped.stderr)], [2, true], piped.stderr);
    const titles = Array.from({ length: 101 }, (_, n) => `Column ${String.fromCharCode(97 + (n % 26))}${n}`);
    await desk.write('a.csv', `email,name,${titles.join(',')}\na@x,A,${titles.map(() => 'x').join(',')}\n`);
    const { code, stderr } = await desk.run(['contacts', 'import', 'a.csv', '--create-attributes']);
    assert.equal(code, 2);
    assert.match(stderr, /at most 100 attributes.*Skip columns with --map attributes\.KEY=/);
    assert.deepEqual(await desk.json('attribute', 'list'), []);
  });
});
