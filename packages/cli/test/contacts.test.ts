// Single contacts from the command line, against the real server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import type { Contact } from '@roster/client';
import { entry, makeDesk, spawnCli, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

suite('contacts', () => {
  test('are created, shown, changed and deleted, by id and by email', async (t) => {
    const desk = await makeDesk(t, server);
    const jane = await desk.json<Contact>('contacts', 'create', '--name', 'Jane Doe', '--email', 'Jane@example.com');
    const withValues = { ...jane, attributes: {}, tags: [] };
    assert.deepEqual(await desk.json('contacts', 'get', jane.id), withValues);
    assert.deepEqual(await desk.json('contacts', 'get', 'jane@EXAMPLE.com'), withValues);
    const args = ['contacts', 'update', 'jane@example.com', '--phone', '+1 555 0100'];
    assert.equal((await desk.json<Contact>(...args)).phone, '+1 555 0100');
    assert.equal((await desk.json<Contact>('contacts', 'update', jane.id, '--phone', '')).phone, '');
    assert.deepEqual(await desk.json('contacts', 'delete', 'jane@example.com'), { deleted: [jane.id] });
    assert.deepEqual(await desk.contacts(), []);
  });

  test('are changed and deleted only as they were seen, with --if-match', async (t) => {
    const desk = await makeDesk(t, server);
    const seen = await desk.json<Contact>('contacts', 'create', '--name', 'Seen', '--email', 'seen@example.com');
    const update = ['contacts', 'update', seen.id, '--if-match', seen.updatedAt];
    const updated = await desk.json<Contact>(...update, '--name', 'Changed');
    for (const args of [
      [...update, '--name', 'Again'],
      ['contacts', 'delete', seen.id, '--if-match', `"${Date.parse(seen.updatedAt)}"`],
    ]) {
      const { code, stderr } = await desk.run(args);
      assert.deepEqual([code, /has been changed since then.*roster contacts get/.test(stderr)], [3, true], stderr);
    }
    for (const args of [update, ['contacts', 'delete', seen.id, 'other@example.com', '--if-match', '*']]) {
      assert.equal((await desk.run(args)).code, 2);
    }
    assert.deepEqual((await desk.json<Contact>('contacts', 'get', seen.id)).name, 'Changed');
    const gone = await desk.json('contacts', 'delete', seen.id, '--if-match', updated.updatedAt);
    assert.deepEqual(gone, { deleted: [seen.id] });
  });

  test('attributes and tags are set by options, read by their types, and taken away', async (t) => {
    const desk = await makeDesk(t, server);
    for (const [key, type] of Object.entries({ plan: 'text', seats: 'number', trial: 'boolean' })) {
      await desk.run(['attribute', 'define', key, '--type', type]);
    }
    const person = ['--name', 'Ann', '--email', 'ann@example.com'];
    const created = await desk.json<object>(
      ...['contacts', 'create', ...person, '--attribute', 'plan=a=b', '--attribute', 'seats=12'],
      ...['--attribute', 'trial=yes', '--tag', 'VIP', '--tag', 'new'],
    );
    assert.deepEqual(await desk.json('contacts', 'get', 'ann@example.com'), created);
    const values = { attributes: { plan: 'a=b', seats: 12, trial: true }, tags: ['new', 'VIP'] };
    assert.deepEqual({ ...created, ...values }, created);
    const change = ['contacts', 'update', 'ann@example.com'];
    const changed = await desk.json<typeof values>(
      ...change,
      '--attribute',
      'seats=',
      '--tag',
      'old',
      '--untag',
      'new',
    );
    assert.deepEqual([changed.attributes, changed.tags], [{ plan: 'a=b', trial: true }, ['old', 'VIP']]);
    for (const [pair, message] of [
      ['seats=many', /--attribute seats: the value must be/],
      ['size=1', /The bot has no attribute "size"\. Its attributes are plan, seats, trial/],
      ['seats', /Pass KEY=VALUE, such as plan=pro/],
    ] as const) {
      const { code, stderr } = await desk.run([...change, '--attribute', pair]);
      assert.deepEqual([code, message.test(stderr)], [2, true], stderr);
    }
    assert.deepEqual(await desk.json('contacts', 'get', 'ann@example.com'), changed);
  });

  test('contacts deleted before an unknown one are reported beside the error', async (t) => {
    const desk = await makeDesk(t, server);
    const make = async (email: string) =>
      (await desk.json<Contact>('contacts', 'create', '--name', 'x', '--email', email)).id;
    const [a, c] = [await make('a@x'), await make('c@x')];
    const { code, stdout, stderr } = await desk.run(['contacts', 'delete', 'a@x', 'b@x', 'c@x', '--json']);
    assert.deepEqual([code, JSON.parse(stdout)], [3, { deleted: [a] }]);
    assert.match(JSON.parse(stderr).error.message, /no contact with the email b@x/);
    assert.deepEqual(
      (await desk.contacts()).map(({ id }) => id),
      [c],
    );
    assert.equal((await desk.run(['contacts', 'delete', 'b@x', '--json'])).stdout, '');
  });

  test('an email names the contact that has it, not one that holds it', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.run(['contacts', 'create', '--name', 'Short', '--email', 'a@example.com']);
    await desk.run(['contacts', 'create', '--name', 'Long', '--email', 'aaa@example.com']);
    assert.equal((await desk.json<Contact>('contacts', 'get', 'a@example.com')).name, 'Short');
    assert.equal((await desk.run(['contacts', 'get', 'aa@example.com'])).code, 3);
  });

  test('search prints the answer of the API, --all prints one contact a line, and a terminal shows a table', async (t) => {
    const desk = await makeDesk(t, server);
    const rows = Array.from({ length: 130 }, (_, n) => `Person ${n},p${n}@example.com`);
    await desk.write('p.csv', `name,email\n${rows.join('\n')}\n`);
    await desk.run(['contacts', 'import', 'p.csv']);
    const found = await desk.json<{ data: Contact[]; pagination: { total: number } }>('contacts', 'search', 'person');
    assert.deepEqual([found.data.length, found.pagination.total], [20, 130]);
    const { stdout } = await desk.run(['contacts', 'search', '--all', '--json', 'p12', 'person']);
    const emails = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Contact).email);
    assert.deepEqual(emails.length, 11);
    const table = await desk.run(['contacts', 'search', 'p129@']);
    assert.match(table.stdout, /^id +name +email +phone +wid +mid\ncon_\w+ {2}Person 129 {2}p129@example.com\n$/);
    assert.equal((await desk.run(['contacts', 'search', 'nobody'])).code, 0);
  });

  test('search names the next page only when there is one, and says how many there are', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('p.csv', 'name,email\nA,a@x\nB,b@x\nC,c@x\n');
    await desk.run(['contacts', 'import', 'p.csv']);
    const page = (...args: string[]) => desk.run(['contacts', 'search', '--limit', '2', ...args]);
    assert.equal((await page()).stderr, '\nPage 1 of 2, 3 contacts. For more, add --page 2 or --all.\n');
    assert.equal((await page('--page', '2')).stderr, '\nPage 2 of 2, 3 contacts.\n');
    const { code, stdout, stderr } = await page('--page', '99');
    assert.deepEqual([code, stdout, stderr], [0, '', 'There is no page 99. The last page is 2.\n']);
    assert.equal((await page('a@x', '--page', '2')).stderr, 'There is no page 2. The last page is 1.\n');
    assert.equal((await page('nobody', '--page', '2')).stderr, 'No contacts match.\n');
  });

  test('output to a closed pipe ends quietly', async (t) => {
    const desk = await makeDesk(t, server);
    const rows = Array.from({ length: 3000 }, (_, n) => `${'Long name '.repeat(20)}${n},p${n}@example.com`);
    await desk.write('p.csv', `name,email\n${rows.join('\n')}\n`);
    await desk.run(['contacts', 'import', 'p.csv']);
    for (const args of [['search', '--all', '--json'], ['search', '--all'], ['export']]) {
      const child = spawn(process.execPath, [entry, 'contacts', ...args], { env: { ...process.env, ...desk.env } });
      let stderr = '';
      child.stderr.on('data', (text) => {
        stderr += text;
      });
      await once(child.stdout, 'data');
      child.stdout.destroy();
      const [code] = await once(child, 'close');
      assert.deepEqual([code, stderr.replace(/^Exporting.*\n/gm, '')], [0, ''], args.join(' '));
    }
  });

  test('a command that changes something completes when its output is not read', async (t) => {
    const desk = await makeDesk(t, server);
    const rows = Array.from({ length: 3000 }, (_, n) => `Person ${n},p${n}@example.com`);
    await desk.write('p.csv', `name,email\n${rows.join('\n')}\nNobody,nonsense\n`);
    const runUnread = async (...args: string[]) => {
      const child = spawnCli(['contacts', ...args], { cwd: desk.folder, env: desk.env });
      child.stdout?.destroy();
      child.stderr?.destroy();
      const [code] = await once(child, 'close');
      return code;
    };
    assert.equal(await runUnread('import', 'p.csv', '-y'), 4);
    const total = async () =>
      (await desk.json<{ pagination: { total: number } }>('contacts', 'search')).pagination.total;
    assert.equal(await total(), 3000);
    assert.equal(await runUnread('delete', 'p1@example.com', 'p2@example.com', 'p3@example.com'), 0);
    assert.equal(await total(), 2997);
    assert.equal(await runUnread('export', 'out.csv'), 0);
    assert.equal((await desk.read('out.csv')).trimEnd().split('\n').length, 2998);
  });

  test('a hostile name cannot write to the terminal', async (t) => {
    const desk = await makeDesk(t, server);
    // The service takes no control characters, but marks that turn the direction of text.
    const { code } = await desk.run(['contacts', 'create', '--name', 'Jane\u202e\u2066moc.live', '--email', 'j@x']);
    assert.equal(code, 0);
    for (const args of [['search'], ['search', '--json'], ['get', 'j@x']]) {
      const { stdout } = await desk.run(['contacts', ...args]);
      assert.match(stdout, /Jane/);
      assert.doesNotMatch(stdout, /[\u202a-\u202e\u2066-\u2069]/);
    }
  });
});

suite('exit codes and errors', () => {
  const cases: [title: string, args: string[], env: Record<string, string>, code: number, message: RegExp][] = [
    ['unknown contact', ['get', 'con_nope'], {}, 3, /no such contact.*--bot or ROSTER_BOT/],
    ['unknown bot', ['search'], { ROSTER_BOT: 'bot_nope' }, 3, /no bot with this id/],
    ['wrong secret', ['search'], { ROSTER_SECRET: 'rst_wrong' }, 3, /rejected the secret.*ROSTER_SECRET/],
    ['not valid', ['create', '--name', 'x', '--email', 'nonsense'], {}, 3, /Invalid input: email must be/],
    ['no server', ['search'], { ROSTER_URL: 'http://127.0.0.1:9' }, 1, /Cannot reach the server.*ROSTER_URL/],
    ['no secret', ['search'], { ROSTER_SECRET: '' }, 2, /No secret set\. Set ROSTER_SECRET/],
    ['no bot', ['search'], { ROSTER_BOT: '' }, 2, /No bot set\. Set ROSTER_BOT/],
    ['wrong option', ['search', '--limt', '3'], {}, 2, /--limt.*Did you mean --limit/],
    ['wrong value', ['search', '--limit', '101'], {}, 2, /from 1 to 100/],
    ['missing fields', ['create', '--name', 'x'], {}, 2, /Pass --name and --email/],
    ['missing file', ['import', 'nothing.csv'], {}, 1, /Cannot read nothing.csv: no such file/],
  ];
  for (const [title, args, env, code, message] of cases) {
    test(`${title}: ${code}, in one line`, async (t) => {
      const desk = await makeDesk(t, server);
      const ran = await desk.run(['contacts', ...args], { env });
      assert.equal(ran.code, code, ran.stderr);
      assert.equal(ran.stdout, '');
      assert.match(ran.stderr, message);
      assert.equal(ran.stderr.trimEnd().split('\n').length, 1, ran.stderr);
    });
  }

  test('with --json the error is JSON too, with the code of the API', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.run(['contacts', 'create', '--name', 'x', '--email', 'a@b']);
    const { code, stdout, stderr } = await desk.run(['contacts', 'create', '--name', 'x', '--email', 'a@b', '--json']);
    const { error } = JSON.parse(stderr);
    assert.deepEqual([code, stdout, error.code, error.exitCode], [3, '', 'email_taken', 3]);
    assert.match(error.message, /roster contacts update con_/);
  });

  test('every command has help, with examples', async (t) => {
    const desk = await makeDesk(t, server);
    for (const name of ['search', 'get', 'create', 'update', 'delete', 'import', 'export']) {
      const { code, stdout } = await desk.run(['contacts', name, '--help']);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: roster contacts ${name}`));
      assert.match(stdout, /Examples:\n {2}\$ roster/);
    }
  });
});
