// Attributes and tags of contacts: written, included in answers, filtered by, and by segments; against the real server.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { clientOf, clientOfNewBot, collect, rejectionOf, startServer, wholeFile } from '../test/harness.ts';
import {
  type Contact,
  type ContactFilter,
  LimitReachedError,
  type Roster,
  type RowResult,
  UsageError,
  ValidationError,
} from './index.ts';

const server = await startServer(wholeFile);

interface Values {
  plan: string;
  seats: number;
  trial: boolean;
  renewal: string;
}

const types = { plan: 'text', seats: 'number', trial: 'boolean', renewal: 'date' } as const;

/** A bot with these attributes. */
async function withAttributes(): Promise<Roster<Values>> {
  const roster = await clientOfNewBot(server);
  for (const [key, type] of Object.entries(types)) await roster.attributes.define(key, { type, label: key });
  return roster.withOptions<Values>({});
}

/** Ann, Ben and Cleo, in this order. */
async function threeContacts(): Promise<Roster<Values>> {
  const roster = await withAttributes();
  await roster.contacts.upsert([
    {
      name: 'Ann',
      email: 'ann@example.com',
      tags: ['VIP', 'Café'],
      attributes: { plan: 'Pro', seats: 10, trial: true, renewal: '2026-06-10' },
    },
    {
      name: 'Ben',
      email: 'ben@example.com',
      tags: ['vip'],
      attributes: { plan: 'préMIUM', seats: -2.5, trial: false },
    },
    { name: 'Cleo', email: 'cleo@example.com', attributes: { seats: 1000, renewal: '2026-05-01T12:00:00Z' } },
  ]);
  return roster;
}

const namesOf = (contacts: readonly Contact[]) => contacts.map(({ name }) => name);

suite('attributes and tags of a contact', () => {
  test('are written by create, update and upsert, and come with include alone', async () => {
    const { contacts } = await withAttributes();
    const include = ['attributes', 'tags'] as const;
    const attributes = { plan: 'pro', seats: 3, trial: false, renewal: '2027-01-31' };
    const fields = { name: 'Jane', email: 'jane@example.com' };
    const { data: jane } = await contacts.create({ ...fields, attributes, tags: ['b', 'A'] }, { include });
    const stored = { ...attributes, renewal: '2027-01-31T00:00:00.000Z' };
    assert.deepEqual([jane.attributes, jane.tags], [stored, ['A', 'b']]);
    const seats: number | undefined = jane.attributes.seats;
    assert.equal(seats, 3);

    const changes = { attributes: { plan: null, seats: 4, trial: undefined }, addTags: ['c'], removeTags: ['B'] };
    const { data: changed } = await contacts.update(jane.id, changes, { include });
    const { plan: _, ...others } = stored;
    assert.deepEqual([changed.attributes, changed.tags], [{ ...others, seats: 4 }, ['A', 'c']]);
    assert.deepEqual((await contacts.retrieve(jane.id, { include })).data, changed);
    assert.deepEqual((await contacts.find({ email: jane.email }, { include })).data, changed);

    const { attributes: __, tags: ___, ...eight } = changed;
    for (const options of [undefined, { include: [] }]) {
      assert.deepEqual((await contacts.retrieve(jane.id, options)).data, eight);
    }
    const { data: tagged } = await contacts.retrieve(jane.id, { include: ['tags'] });
    assert.deepEqual(tagged, { ...eight, tags: ['A', 'c'] });

    await contacts.upsert([{ email: jane.email, attributes: { seats: 5 }, tags: null }]);
    const { data: last } = await contacts.retrieve(jane.id, { include });
    assert.deepEqual([last.attributes.seats, last.tags], [5, []]);
  });

  test('come with every page of search, export, exportAll and iterate', async () => {
    const { contacts } = await threeContacts();
    const include = ['attributes', 'tags'] as const;
    const found = (await contacts.search({ sort: 'createdAt', include })).data;
    assert.deepEqual(
      found.map(({ attributes, tags }) => [attributes.seats, tags]),
      [
        [10, ['Café', 'VIP']],
        [-2.5, ['VIP']],
        [1000, []],
      ],
    );
    assert.deepEqual((await contacts.export({ include })).data, found);
    assert.deepEqual(await collect(contacts.exportAll({ include })), found);
    assert.deepEqual(await collect(contacts.iterate({ include })), found);
    assert.deepEqual(await collect(contacts.iterate({ include, query: 'example' })), found.toReversed());
    assert.ok((await contacts.search()).data.every((contact) => !('tags' in contact || 'attributes' in contact)));
  });

  test('that the bot does not define, or of another type, are refused with the field', async () => {
    const { contacts } = (await withAttributes()).withOptions<Record<string, string>>({});
    const attributes = { color: 'red', seats: 'ten' };
    const error = await rejectionOf(contacts.create({ name: 'Jane', email: 'jane@example.com', attributes }));
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(error.errors.map(({ field }) => field).sort(), ['attributes.color', 'attributes.seats']);
  });
});

suite('filters on attributes and tags', () => {
  test('select the same contacts in search, export, exportAll and iterate', async () => {
    const { contacts } = await threeContacts();
    const cases: [filter: ContactFilter<Values>, oldestFirst: string[]][] = [
      [{ tag: ['vip'] }, ['Ann', 'Ben']],
      [{ tag: ['VIP', 'cafe'] }, ['Ann']],
      [{ tag: ['nobody'] }, []],
      [{ attributes: { plan: ['PRO', 'premium'] } }, ['Ann', 'Ben']],
      [{ attributes: { seats: [-2.5, 1000] } }, ['Ben', 'Cleo']],
      [{ attributes: { seats: { gt: -2.5, lte: 10 } } }, ['Ann']],
      [{ attributes: { trial: [false] } }, ['Ben']],
      [{ attributes: { trial: { exists: false } } }, ['Cleo']],
      [{ attributes: { renewal: { lt: new Date('2026-06-01') } } }, ['Cleo']],
      [{ attributes: { renewal: [new Date('2026-05-01T12:00:00Z'), '2026-06-10'] } }, ['Ann', 'Cleo']],
      [{ tag: ['vip'], attributes: { seats: { gte: 0 }, plan: { exists: true } }, createdAt: { gte: '-1h' } }, ['Ann']],
      [{ tag: undefined, attributes: { plan: undefined, seats: { gte: undefined } } }, ['Ann', 'Ben', 'Cleo']],
    ];
    for (const [filter, expected] of cases) {
      const about = JSON.stringify(filter);
      for (const query of [undefined, 'example']) {
        const found = await contacts.search({ query, filter, sort: 'createdAt' });
        assert.deepEqual([namesOf(found.data), found.pagination.total], [expected, expected.length], about);
        assert.deepEqual(namesOf((await contacts.export({ query, filter })).data), expected, about);
        assert.deepEqual(namesOf(await collect(contacts.exportAll({ query, filter }))), expected, about);
        const iterated = namesOf(await collect(contacts.iterate({ query, filter })));
        assert.deepEqual(iterated, query === undefined ? expected : expected.toReversed(), about);
      }
    }
  });

  test('that cannot be sent are refused before anything is', async () => {
    const roster = clientOf(server, { baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
    const wrong: [filter: unknown, message: RegExp][] = [
      [{ tag: 'vip' }, /tag of a filter must be a list of tags, or an object like/],
      [{ tag: { any: 'vip' } }, /tag\.any of a filter must be a list of one tag or more/],
      [{ tag: { some: ['vip'] } }, /tag has no "some", only all, any, not, exists/],
      [{ tag: [] }, /tag of a filter must be a list of one tag or more/],
      [{ tag: [7] }, /tag of a filter must be a list of one tag or more/],
      [{ attributes: 'plan' }, /attributes of a filter must be an object/],
      [{ attributes: { plan: 'pro' } }, /attributes\.plan of a filter must be a list of values, or an object like/],
      [{ attributes: { plan: [] } }, /attributes\.plan of a filter must be a list of one value or more/],
      [
        { attributes: { plan: { not: 'pro' } } },
        /attributes\.plan\.not of a filter must be a list of one value or more/,
      ],
      [{ attributes: { plan: { contains: true } } }, /attributes\.plan\.contains of a filter must be a string/],
      [{ attributes: { plan: [null] } }, /attributes\.plan of a filter must be a string, a finite number/],
      [{ attributes: { seats: { gte: Number.NaN } } }, /attributes\.seats\.gte of a filter must be a string, a finite/],
      [
        { attributes: { seats: { from: 7 } } },
        /attributes\.seats has no "from", only gte, gt, lte, lt, contains, exists, not/,
      ],
      [{ attributes: { 'seats][gte': [7] } }, /has "seats\]\[gte", which no attribute is called/],
      [{ attributes: { renewal: { gte: new Date(Number.NaN) } } }, /attributes\.renewal\.gte of a filter must be/],
    ];
    for (const [filter, message] of wrong) {
      const error = await rejectionOf(roster.contacts.search({ filter: filter as ContactFilter }));
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, message);
    }
  });
});

suite('a segment', () => {
  test('selects in search, export, exportAll and iterate; the query and the filter narrow it', async () => {
    const roster = await threeContacts();
    await roster.segments.define('vips', { label: 'VIPs', filter: { tag: ['vip'] }, sort: 'name' });
    const { contacts } = roster;
    const segment = 'vips';
    assert.deepEqual(namesOf((await contacts.search({ segment })).data), ['Ann', 'Ben']);
    assert.deepEqual(namesOf((await contacts.search({ segment, sort: '-name' })).data), ['Ben', 'Ann']);
    assert.deepEqual(namesOf((await contacts.export({ segment })).data), ['Ann', 'Ben']);
    assert.deepEqual(namesOf(await collect(contacts.exportAll({ segment, query: 'ben' }))), ['Ben']);
    assert.deepEqual(namesOf(await collect(contacts.iterate({ segment }))), ['Ann', 'Ben']);
    const filter = { attributes: { seats: { lt: 0 } } };
    assert.deepEqual(namesOf(await collect(contacts.iterate({ segment, filter }))), ['Ben']);
    assert.ok((await rejectionOf(contacts.search({ segment: 'none' }))) instanceof ValidationError);
  });

  test('with an order of its own is iterated completely, although an iteration needs another order', async () => {
    const { contacts, segments } = await withAttributes();
    const rows = Array.from({ length: 250 }, (_, n) => ({ name: `P ${n % 7}`, email: `p${n}@example.com` }));
    await contacts.upsert(rows);
    await segments.define('all', { label: 'All', filter: {}, sort: 'name' });
    const seen = await collect(contacts.iterate({ segment: 'all', query: 'example' }));
    assert.deepEqual(
      seen.map(({ email }) => email),
      rows.map(({ email }) => email).toReversed(),
    );
  });
});

suite('an upsert with faults', () => {
  test('writes the valid items with onError, and says what is wrong with the others', async () => {
    const { contacts } = await withAttributes();
    const items = [
      { name: 'Ann', email: 'ann@example.com', attributes: { seats: 1 } },
      { name: 'Bad', email: 'bad' },
      { email: 'nameless@example.com' },
      { email: 'ann@example.com', addTags: ['vip'] },
    ];
    const { data, errors } = await contacts.upsert(items, { onError: 'skip', include: ['outcome'] });
    assert.deepEqual(
      data.map(({ index, outcome }) => [index, outcome]),
      [
        [0, 'created'],
        [3, 'created'],
      ],
    );
    assert.deepEqual(
      errors.map(({ index, field }) => [index, field]),
      [
        [1, 'email'],
        [2, 'name'],
      ],
    );
    assert.deepEqual((await contacts.upsert([], { onError: 'skip' })).errors, []);
    assert.ok((await rejectionOf(contacts.upsert(items))) instanceof ValidationError);
  });

  test('by upsertAll reports those of attributes and tags too, and limits of the whole bot', async () => {
    const roster = await withAttributes();
    const tags = (from: number, count: number) => Array.from({ length: count }, (_, n) => `t${from + n}`);
    const rows = Array.from({ length: 21 }, (_, n) => ({
      name: `P ${n}`,
      email: `p${n}@example.com`,
      tags: tags(50 * n, n === 7 ? 51 : 50),
      attributes: { seats: n === 3 ? ('ten' as unknown as number) : n },
    }));
    rows.push({
      name: 'One more',
      email: 'more@example.com',
      tags: tags(9000, 50),
      attributes: { seats: 1 },
    });
    rows.push({
      name: 'Too many',
      email: 'many@example.com',
      tags: tags(9900, 50),
      attributes: { seats: 1 },
    });
    const results: RowResult[] = [];
    const totals = await roster.contacts.upsertAll(rows, {
      batchSize: 5,
      concurrency: 1,
      onResults: (some) => void results.push(...some),
    });
    assert.deepEqual(totals, { rows: 23, upserted: 20, rejected: 3 });
    const rejected = results.filter((result) => result.outcome === 'rejected');
    assert.deepEqual(
      rejected.map(({ index, errors }) => [index, errors.map((error) => [error.index, error.field])]),
      [3, 7, 22].map((index) => [index, [[index, index === 3 ? 'attributes.seats' : 'tags']]]),
    );
    const again = roster.contacts.upsertAll(rows.slice(-1), { invalidRows: 'stop' });
    const error = await rejectionOf(again);
    assert.ok(error instanceof LimitReachedError);
    assert.deepEqual(
      error.error?.errors?.map(({ index, field }) => [index, field]),
      [[0, 'tags']],
    );
  });
});
