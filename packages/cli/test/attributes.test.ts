// Attributes, tags and segments from the command line, against the real server.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Desk, makeDesk, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

/** Two contacts with the plan pro, one with the tag VIP and one with the tag new. */
async function makeFilledDesk(t: Parameters<typeof makeDesk>[0]): Promise<Desk> {
  const desk = await makeDesk(t, server);
  await desk.define({ plan: 'text', seats: 'number' });
  const data = [
    { name: 'Ann', email: 'ann@x', tags: ['VIP'], attributes: { plan: 'pro', seats: 12 } },
    { name: 'Ben', email: 'ben@x', tags: ['new'], attributes: { plan: 'pro' } },
  ];
  await server.call('PATCH', `/v1/bots/${desk.botId}/contacts`, { body: { data } });
  return desk;
}

suite('attributes', () => {
  test('are defined, changed, listed and deleted', async (t) => {
    const desk = await makeDesk(t, server);
    const args = ['attribute', 'define', 'plan', '--type', 'text', '--label', 'Plan', '--description', 'They pay for'];
    const plan = { key: 'plan', type: 'text', label: 'Plan', description: 'They pay for', contactCount: 0 };
    assert.deepEqual(await desk.json(...args), plan);
    const changed = { ...plan, label: 'Current plan' };
    assert.deepEqual(await desk.json('attribute', 'define', 'plan', '--label', 'Current plan'), changed);
    assert.deepEqual(await desk.json('attribute', 'list'), [changed]);
    const { stdout } = await desk.run(['attribute', 'list']);
    assert.equal(
      stdout,
      'key   type  label         contacts  description\nplan  text  Current plan         0  They pay for\n',
    );
    const deleted = await desk.run(['attribute', 'delete', 'plan']);
    assert.deepEqual([deleted.code, deleted.stdout], [0, 'Deleted plan.\n']);
    const empty = await desk.run(['attribute', 'list']);
    assert.deepEqual(
      [empty.stdout, empty.stderr],
      ['', 'No attributes yet. To create one, run "roster attribute define".\n'],
    );
  });

  test('that contacts have are deleted after a question, which --yes answers', async (t) => {
    const desk = await makeFilledDesk(t);
    const refused = await desk.run(['attribute', 'delete', 'plan']);
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /Pass --yes/);
    assert.equal((await desk.values())['ann@x']?.attributes['plan'], 'pro');
    assert.deepEqual(await desk.json('attribute', 'delete', 'plan', '--yes'), { deleted: 'plan', contactCount: 2 });
    assert.deepEqual((await desk.values())['ann@x']?.attributes, { seats: 12 });
  });
});

suite('choices', () => {
  test('are defined, kept with a new label, extended and filtered by', async (t) => {
    const desk = await makeDesk(t, server);
    const define = (...args: string[]) => ['attribute', 'define', 'size', ...args];
    const size = {
      key: 'size',
      type: 'choice',
      label: 'size',
      description: '',
      choices: ['S', 'Large'],
      contactCount: 0,
    };
    assert.deepEqual(await desk.json(...define('--type', 'choice', '--choices', 'S, Large')), size);
    assert.deepEqual(await desk.json(...define('--label', 'Size')), { ...size, label: 'Size' });
    const data = [{ name: 'Ann', email: 'ann@x', attributes: { size: 'LARGE' } }];
    await server.call('PATCH', `/v1/bots/${desk.botId}/contacts`, { body: { data } });
    assert.deepEqual((await desk.values())['ann@x']?.attributes, { size: 'Large' });
    const refused = await desk.run(define('--choices', 'S,M'));
    assert.match(refused.stderr, /must keep the choices that contacts have: "Large" \(1\)/);
    const extended = await desk.json<{ choices: string[] }>(...define('--choices', 'S,M,large'));
    assert.deepEqual(extended.choices, ['S', 'M', 'large']);
    assert.deepEqual((await desk.values())['ann@x']?.attributes, { size: 'large' });
    const missing = await desk.run(['attribute', 'define', 'color', '--type', 'choice']);
    assert.deepEqual([missing.code, /Pass --choices/.test(missing.stderr)], [2, true]);
  });
});

suite('tags', () => {
  test('are listed, renamed and deleted, in any spelling', async (t) => {
    const desk = await makeFilledDesk(t);
    assert.deepEqual(await desk.json('tag', 'list'), [
      { name: 'new', contactCount: 1 },
      { name: 'VIP', contactCount: 1 },
    ]);
    assert.equal((await desk.run(['tag', 'list'])).stdout, 'tag  contacts\nnew         1\nVIP         1\n');
    assert.deepEqual(await desk.json('tag', 'rename', 'vip', 'gold'), { name: 'gold', contactCount: 1 });
    const refused = await desk.run(['tag', 'delete', 'GOLD']);
    assert.deepEqual([refused.code, /Pass --yes/.test(refused.stderr)], [2, true]);
    const deleted = await desk.run(['tag', 'delete', 'GOLD', '--yes']);
    assert.deepEqual([deleted.code, deleted.stdout], [0, 'Deleted GOLD from 1 contact.\n']);
    assert.deepEqual((await desk.values())['ann@x']?.tags, []);
    await desk.run(['tag', 'delete', 'new', '--yes']);
    assert.match((await desk.run(['tag', 'list'])).stderr, /^No tags yet\./);
  });
});

suite('segments', () => {
  test('keep every filter of a search, with typed values, and show the options that make them', async (t) => {
    const desk = await makeFilledDesk(t);
    const options = ['--email', 'ann@x', '--created-since', '30d', '--tag', "it's", '--where', 'plan=pro'];
    const more = ['--where', 'plan=team', '--where', 'seats>=10', '--query', 'an', '--sort', 'name'];
    assert.deepEqual(await desk.json('segment', 'define', 'big', '--label', 'Big ones', ...options, ...more), {
      key: 'big',
      label: 'Big ones',
      query: 'an',
      filter: {
        email: 'ann@x',
        createdAt: { gte: '-30d' },
        tag: ["it's"],
        attributes: { plan: ['pro', 'team'], seats: { gte: 10 } },
      },
      sort: 'name',
    });
    const { stdout } = await desk.run(['segment', 'list']);
    const filter = String.raw`--query "an" --email ann@x --created-since 30d --tag 'it'\''s' --where plan=pro --where plan=team --where 'seats>=10'`;
    assert.ok(stdout.includes(`big  Big ones  ${filter}  name\n`), stdout);
  });

  test('show what fields contain or lack, and whether there are tags, as options too', async (t) => {
    const desk = await makeFilledDesk(t);
    const options = ['--has-no', 'phone', '--where', 'name~o', '--has-no', 'lastSeenAt', '--has', 'tags', '--tag', 'x'];
    const { filter } = await desk.json('segment', 'define', 'lacking', ...options);
    assert.deepEqual(filter, {
      name: { contains: 'o' },
      phone: { exists: false },
      lastSeenAt: { exists: false },
      tag: { all: ['x'], exists: true },
    });
    const { stdout } = await desk.run(['segment', 'show', 'lacking']);
    const shown = /^filter +(.*)$/m.exec(stdout)?.[1]?.match(/--\S+ \S+/g) ?? [];
    const expected = ['--has tags', '--has-no lastSeenAt', '--has-no phone', '--tag x', "--where 'name~o'"];
    assert.deepEqual(shown.toSorted(), expected, stdout);
  });

  test('are shown with the number of their contacts, and deleted', async (t) => {
    const desk = await makeFilledDesk(t);
    assert.equal((await desk.run(['segment', 'define', 'small', '--has-no', 'seats'])).code, 0);
    const shown = await desk.run(['segment', 'show', 'small']);
    assert.match(shown.stdout, /^key +small\nlabel +small\nfilter +--has-no seats\nsort +-createdAt\ncontacts +1\n$/);
    assert.equal((await desk.json('segment', 'show', 'small'))['total'], 1);
    assert.equal((await desk.run(['segment', 'delete', 'small'])).stdout, 'Deleted small. Its contacts were kept.\n');
    assert.deepEqual(await desk.json('segment', 'list'), []);
    assert.equal((await desk.contacts()).length, 2);
  });
});

suite('exit codes and errors', () => {
  const cases: [args: string[], code: number, message: RegExp][] = [
    [['attribute', 'define', 'Plan', '--type', 'text'], 2, /must be lower-case letters/],
    [['attribute', 'define', 'email', '--type', 'text'], 2, /is reserved/],
    [['attribute', 'define', 'new'], 2, /Pass --type for a new attribute: text, number, boolean, date, choice\./],
    [['attribute', 'define', 'plan', '--type', 'list'], 2, /Allowed choices are text, number, boolean, date/],
    [
      ['attribute', 'define', 'plan', '--type', 'number'],
      3,
      /^roster: The attribute plan already exists with the type text/,
    ],
    [['attribute', 'delete', 'nope'], 3, /no attribute "nope".*roster attribute list/],
    [['tag', 'rename', 'nope', 'x'], 3, /have the tag "nope".*roster tag list/],
    [['tag', 'rename', 'vip', 'NEW'], 3, /^roster: Another tag of this bot has this name\./],
    [['tag', 'delete', 'nope', '--yes'], 3, /have the tag "nope".*roster tag list/],
    [['segment', 'define', 'Big'], 2, /must be lower-case letters/],
    [['segment', 'define', 'big', '--where', 'nope=1'], 3, /no attribute "nope".*roster attribute list/],
    [['segment', 'define', 'big', '--where', 'seats=many'], 2, /seats: many must be a number/],
    [['segment', 'show', 'nope'], 3, /no segment "nope".*roster segment list/],
    [['segment', 'delete', 'nope'], 3, /no segment "nope"/],
  ];
  for (const [args, code, message] of cases) {
    test(`${args.join(' ')}: ${code}, in one line`, async (t) => {
      const desk = await makeFilledDesk(t);
      const ran = await desk.run(args);
      assert.deepEqual([ran.code, ran.stdout, ran.stderr.trimEnd().split('\n').length], [code, '', 1], ran.stderr);
      assert.match(ran.stderr, message);
    });
  }

  test('every command has help, with examples', async (t) => {
    const desk = await makeDesk(t, server);
    const commands = {
      attribute: ['list', 'define', 'delete'],
      tag: ['list', 'rename', 'delete'],
      segment: ['list', 'define', 'show', 'delete'],
    };
    for (const [group, names] of Object.entries(commands)) {
      for (const name of names) {
        const { code, stdout } = await desk.run([group, name, '--help']);
        assert.equal(code, 0);
        assert.match(stdout, new RegExp(`^Usage: roster ${group} ${name}`));
        assert.match(stdout, /Examples:\n {2}\$ roster/);
      }
    }
  });
});
