// Import of attributes and tags from JSON, where they are members. Against the real server.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { makeDesk, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

interface Summary {
  imported: number;
  rejected: number;
  createdAttributes: { key: string; type: string; label: string }[];
}

const types = { plan: 'text', seats: 'number', trial: 'boolean', renewal: 'date' } as const;

suite('JSON', () => {
  const people = [
    { name: 'A', email: 'a@x', tags: ['vip', 'a;b'], attributes: { plan: '007', seats: 3, trial: true } },
    { name: 'B', email: 'b@x', tags: 'x;y', attributes: { seats: '4', renewal: '2027-01-31' } },
    { name: 'C', email: 'c@x', tags: null, attributes: null },
  ];
  const expected = {
    'a@x': { attributes: { plan: '007', seats: 3, trial: true }, tags: ['a;b', 'vip'] },
    'b@x': { attributes: { seats: 4, renewal: '2027-01-31T00:00:00.000Z' }, tags: ['x', 'y'] },
    'c@x': { attributes: {}, tags: [] },
  };
  const files = { 'a.json': JSON.stringify(people), 'a.ndjson': people.map((each) => JSON.stringify(each)).join('\n') };
  for (const [name, content] of Object.entries(files)) {
    test(`${name} has attributes and tags as members`, async (t) => {
      const desk = await makeDesk(t, server);
      await desk.define(types);
      await desk.write(name, content);
      assert.equal((await desk.json<Summary>('contacts', 'import', name)).imported, 3);
      assert.deepEqual(await desk.values(), expected);
    });
  }

  test('attributes that first occur late are not missed, defined or to be created', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define({ plan: 'text' });
    const early = Array.from({ length: 1500 }, (_, n) => ({ name: 'x', email: `n${n}@x` }));
    const late = {
      name: 'Late',
      email: 'late@x',
      tags: ['vip'],
      attributes: { plan: 'pro', level: 5 },
      Company: 'Acme',
    };
    await desk.write('a.json', JSON.stringify([...early, late]));
    const { rejected } = await desk.json<Summary>('contacts', 'import', 'a.json');
    assert.equal(rejected, 1);
    assert.match(await desk.read('a.json.rejected.csv'), /has the attribute ""level"", which the bot does not have/);
    const { createdAttributes } = await desk.json<Summary>('contacts', 'import', 'a.json', '--create-attributes');
    assert.deepEqual(createdAttributes, [
      { key: 'level', type: 'number', label: 'level' },
      { key: 'company', type: 'text', label: 'Company' },
    ]);
    assert.deepEqual((await desk.values())['late@x'], {
      attributes: { plan: 'pro', level: 5, company: 'Acme' },
      tags: ['vip'],
    });
  });

  test('rejected rows keep attributes and tags in their columns, to be imported again', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define(types);
    await desk.write(
      'a.json',
      JSON.stringify(people.map((each) => ({ ...each, email: each.email.replace('@', ' ') }))),
    );
    assert.equal((await desk.json<Summary>('contacts', 'import', 'a.json')).rejected, 3);
    const rejected = await desk.read('a.json.rejected.csv');
    await desk.write('mended.csv', rejected.replaceAll(/\b([abc]) x\b/g, '$1@x'));
    assert.equal((await desk.json<Summary>('contacts', 'import', 'mended.csv')).imported, 3);
    assert.deepEqual(await desk.values(), expected);
  });

  test('values of another type reject their row', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define(types);
    const rows = [
      { name: 'A', email: 'a@x', attributes: { seats: true } },
      { name: 'B', email: 'b@x', attributes: [] },
      { name: 'C', email: 'c@x', tags: [1] },
    ];
    await desk.write('a.json', JSON.stringify(rows));
    const { stderr } = await desk.run(['contacts', 'import', 'a.json']);
    assert.match(stderr, /^item 1: attributes\.seats must be a number$/m);
    assert.match(stderr, /^item 2: attributes must be a JSON object$/m);
    assert.match(stderr, /^item 3: tags must be a string$/m);
  });
});
