// Filters and order from the command line, against the real server.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Contact } from '@roster/client';
import { makeDesk, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);
const hourMs = 3_600_000;

/** Ann, Ben and Cleo, who has neither attributes nor tags, created on 1 November, 8 November and 14 November; then Ann is updated, now. */
const desk = await makeDesk(wholeFile, server);
await desk.define({ plan: 'text', seats: 'number', trial: 'boolean', renewal: 'date' });
for (const [day, fields] of [
  [
    '2026-11-01',
    {
      ...{ tags: ['VIP', 'a;b'], attributes: { plan: 'Pro', seats: 5, trial: true } },
      name: 'ann',
      email: 'ann+shop@x',
      phone: '+1 (555) 010-0123',
      mid: '42',
    },
  ],
  [
    '2026-11-08',
    {
      ...{ tags: ['vip'], attributes: { plan: 'team', seats: 10, renewal: '2026-11-30' } },
      name: 'Ben',
      email: 'c@x',
      phone: '15550100124',
      wid: '+15550100123',
    },
  ],
  ['2026-11-14', { name: 'Cleo', email: 'B@x', phone: '15550100123', wid: '+15550100123' }],
] as const) {
  server.clock.nowMs = Date.parse(day);
  await server.call('PUT', `/v1/bots/${desk.botId}/contacts`, { body: fields });
}
server.clock.nowMs += 30 * hourMs;
const ann = (await desk.contacts()).find(({ mid }) => mid === '42');
await server.call('PATCH', `/v1/bots/${desk.botId}/contacts/${ann?.id}`, { body: { name: 'Ann' } });

await desk.run(['segment', 'define', 'teams', '--where', 'plan=team', '--sort', 'name']);

const namesOf = (contacts: readonly Contact[]) => contacts.map(({ name }) => name);
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

async function search(...args: string[]): Promise<string[]> {
  return namesOf((await desk.json<{ data: Contact[] }>('contacts', 'search', ...args)).data);
}

/** What a command prints that prints a contact a line. */
async function walk(...args: string[]): Promise<string[]> {
  const { stdout } = await desk.run(['contacts', ...args, '--json']);
  return namesOf(linesOf(stdout).map((line) => JSON.parse(line) as Contact));
}

suite('filters', () => {
  const cases: [options: string[], oldestFirst: string[]][] = [
    [['--email', 'Ann+Shop@X'], ['Ann']],
    [
      ['--phone', '1-555-010-0123'],
      ['Ann', 'Cleo'],
    ],
    [['--mid', '42'], ['Ann']],
    [['--wid', '+15550100123', '--phone', '15550100124'], ['Ben']],
    [['--created-since', '2026-11-08', '--created-before', '2026-11-14'], ['Ben']],
    [['--created-since', '7d'], ['Cleo']],
    [['--updated-since=-12h'], ['Ann']],
    [
      ['--updated-since', '720h', '--updated-before', '2026-11-15T01:00:00+01:00'],
      ['Ben', 'Cleo'],
    ],
    [
      ['--tag', 'vip'],
      ['Ann', 'Ben'],
    ],
    [['--tag', 'vip', '--tag', 'a;b'], ['Ann']],
    [['--tag', 'nobody has it'], []],
    [['--where', 'plan=PRO'], ['Ann']],
    [
      ['--where', 'plan=pro', '--where', 'plan = team'],
      ['Ann', 'Ben'],
    ],
    [['--where', 'seats>=10'], ['Ben']],
    [['--where', 'seats>4', '--where', 'seats<10'], ['Ann']],
    [['--where', 'trial=true'], ['Ann']],
    [['--where', 'renewal<=2026-12-01', '--tag', 'vip'], ['Ben']],
    [
      ['--has', 'plan'],
      ['Ann', 'Ben'],
    ],
    [
      ['--has-no', 'trial'],
      ['Ben', 'Cleo'],
    ],
    [
      ['--where', 'plan!=pro'],
      ['Ben', 'Cleo'],
    ],
    [['--where', 'plan!=pro', '--where', 'plan!=team'], ['Cleo']],
    [['--where', 'plan!=pro', '--has', 'plan'], ['Ben']],
    [['--where', 'plan~EA'], ['Ben']],
    [['--where', 'renewal<+999999d'], ['Ben']],
    [
      ['--any-tag', 'vip', '--any-tag', 'a;b'],
      ['Ann', 'Ben'],
    ],
    [['--tag', 'vip', '--not-tag', 'a;b'], ['Ben']],
    [['--not-tag', 'vip'], ['Cleo']],
    [
      ['--has', 'tags'],
      ['Ann', 'Ben'],
    ],
    [['--has-no', 'tags'], ['Cleo']],
    [['--any-tag', 'a;b', '--has', 'tags'], ['Ann']],
    [['--where', 'name~EN'], ['Ben']],
    [['--where', 'email~+shop'], ['Ann']],
    [
      ['--where', 'phone~00123', '--has', 'phone'],
      ['Ann', 'Cleo'],
    ],
    [['--has', 'mid'], ['Ann']],
    [['--has-no', 'wid'], ['Ann']],
    [['--has', 'wid', '--has-no', 'mid', '--where', 'email~c@', '--where', 'plan=team'], ['Ben']],
    [['--has', 'lastSeenAt'], []],
    [['--has-no', 'lastSeenAt', '--created-since', '7d'], ['Cleo']],
    [['--seen-since', '7d'], []],
    [['--created-before', '+1d', '--wid', '15550100123', '--where', 'seats>=10'], ['Ben']],
    [['--segment', 'teams'], ['Ben']],
    [['--segment', 'teams', '--has', 'trial'], []],
  ];
  for (const [options, oldestFirst] of cases) {
    test(`${options.join(' ')} selects the same contacts in search, search --all and export`, async () => {
      const runs = [search(...options), walk('search', '--all', ...options), walk('export', ...options)];
      assert.deepEqual(await Promise.all(runs), [oldestFirst.toReversed(), oldestFirst, oldestFirst]);
    });
  }

  test('go together with words', async () => {
    const wid = ['--wid', '15550100123'];
    assert.deepEqual(await search(...wid, 'cleo'), ['Cleo']);
    assert.deepEqual(await walk('search', '--all', '--phone', '15550100123', '@x'), ['Cleo', 'Ann']);
    const counted = await desk.json('contacts', 'export', 'out.csv', '--query', 'ben', ...wid);
    assert.deepEqual(counted, { contacts: 1, file: 'out.csv' });
  });

  test('--sort orders a search', async () => {
    assert.deepEqual(await search('--sort', 'email'), ['Ann', 'Cleo', 'Ben']);
    assert.deepEqual(await search('--sort', '-updatedAt'), ['Ann', 'Cleo', 'Ben']);
    assert.deepEqual(await search('--sort', '-name', '--created-since', '2026-11-08'), ['Cleo', 'Ben']);
    assert.deepEqual(await search(), ['Cleo', 'Ben', 'Ann']);
  });

  const refused: [args: string[], message: RegExp][] = [
    [['search', '--email', ' '], /--email.*must not be empty\. To select all contacts, leave the option out\./],
    [['export', '--phone', 'none'], /--phone.*must contain a digit\./],
    [['search', '--wid', '1', '--wid', '2'], /--wid.*Pass this option only once\./],
    [['search', '--created-since', 'yesterday'], /--created-since.*Pass a time ago \(7d, 12h\), a date/],
    [['export', '--updated-before', '2026-02-30'], /--updated-before.*Pass a time ago/],
    [['export', '--updated-since', '2026-11-01T12:00:00'], /--updated-since.*a date-time with a time zone/],
    [['search', '--sort', 'phone'], /--sort.*Allowed choices are createdAt, -createdAt, updatedAt/],
    [['search', '--all', '--sort', 'name'], /--all cannot be combined with --sort.*Remove --sort, or get sorted pages/],
    [['export', '--sort', 'name'], /unknown option '--sort'/i],
    [['search', '--tag', 'a,b'], /--tag.*A tag must not contain commas\./],
    [['search', '--where', 'seats'], /--where.*Pass KEY=VALUE, or a comparison in quotes: "KEY>=VALUE"\./],
    [['export', '--where', 'seats>='], /--where.*Pass KEY=VALUE/],
    [['search', '--has', 'Plan'], /--has.*Pass an attribute key/],
    [['search', '--where', 'seats=1', '--where', 'seats>=1'], /conditions on seats cannot be combined/],
    [['search', '--where', 'seats>=1', '--where', 'seats>=2'], /conditions on seats cannot be combined/],
    [['search', '--has', 'seats', '--has-no', 'seats'], /conditions on seats cannot be combined/],
    [['search', '--where', 'email=x@x'], /--where.*For text in a field, pass "email~TEXT".* pass --email\./],
    [['export', '--where', 'name!=Ann'], /--where.*For text in a field, pass "name~TEXT"\./],
    [['search', '--where', 'tags=vip'], /--where.*For tags, pass --tag, --any-tag or --not-tag\./],
    [['export', '--where', 'name~a', '--where', 'name~b'], /conditions on name cannot be combined/],
    [['search', '--has', 'tags', '--has-no', 'tags'], /conditions on tags cannot be combined/],
    [['search', '--email', 'a@x', '--has', 'email'], /--email cannot be combined with other conditions on email/],
    [['search', '--segment', 'a', '--segment', 'b'], /--segment.*Pass this option only once\./],
  ];
  for (const [args, message] of refused) {
    test(`${args.join(' ')} is refused in one line that says what to do`, async () => {
      const { code, stdout, stderr } = await desk.run(['contacts', ...args]);
      assert.deepEqual([code, stdout, linesOf(stderr).length], [2, '', 1], stderr);
      assert.match(stderr, message);
    });
  }

  const unknown: [args: string[], message: RegExp][] = [
    [['search', '--where', 'nope=1'], /nope/],
    [['search', '--where', 'seats=many'], /seats/],
    [['export', '--segment', 'nope'], /segment/],
  ];
  for (const [args, message] of unknown) {
    test(`${args.join(' ')} is refused by the server, in one line`, async () => {
      const { code, stdout, stderr } = await desk.run(['contacts', ...args]);
      assert.deepEqual([code, stdout, linesOf(stderr).length], [3, '', 1], stderr);
      assert.match(stderr, message);
    });
  }
});
