// Filters, order and find, through the client, against the real server.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { clientOf, clientOfNewBot, collect, rejectionOf, startServer, wholeFile } from '../test/harness.ts';
import {
  type Contact,
  type ContactFilter,
  type ContactKey,
  UnexpectedAnswerError,
  UsageError,
  ValidationError,
} from './index.ts';

const server = await startServer(wholeFile);
const hourMs = 3_600_000;
const startMs = server.clock.nowMs;

/** Ann, Ben and Cleo, created an hour apart; then Ann is updated. Now is the time of that update. */
async function threeContacts() {
  server.clock.nowMs = startMs;
  const roster = await clientOfNewBot(server);
  const create = async (fields: Parameters<typeof roster.contacts.create>[0]) => {
    server.clock.nowMs += hourMs;
    return (await roster.contacts.create(fields)).data;
  };
  const ann = await create({ name: 'ann', email: 'z@example.com', phone: '+1 (555) 010-0123', mid: '42' });
  const ben = await create({ name: 'Ben', email: 'Y@example.com', phone: '+1 555 0100124', wid: '+15550100123' });
  const cleo = await create({ name: 'Cleo', email: 'x@example.com', phone: '15550100123', wid: '+15550100123' });
  server.clock.nowMs += hourMs;
  await roster.contacts.update(ann.id, { name: 'Ånn' });
  return { roster, ann, ben, cleo };
}

const namesOf = (contacts: readonly Contact[]) => contacts.map(({ name }) => name);

suite('filters', () => {
  test('a server that is too old to know a filter is an error, and not all its contacts', async () => {
    const { ann } = await threeContacts();
    // To the real server the name is as unknown as the real one is to an old server.
    const toOldServer = (url: string) => url.replace('email=', 'unknown=');
    // It does not know the preference either.
    const roster = clientOf(server, {
      fetch: (url, { headers: { Prefer: _, ...headers }, ...init }) => fetch(toOldServer(url), { ...init, headers }),
    });
    for (const call of [
      () => roster.contacts.find({ email: ann.email }),
      () => roster.contacts.search({ filter: { email: ann.email } }),
      () => roster.contacts.export({ filter: { email: ann.email } }),
    ]) {
      const error = await rejectionOf(call());
      assert.ok(error instanceof UnexpectedAnswerError);
      assert.match(error.message, /does not know unknown: .* Upgrade the server first/);
    }
  });

  test('and to a server that knows the preference it is an error of the request', async () => {
    const roster = clientOf(server, { fetch: (url, init) => fetch(url.replace('email=', 'emial='), init) });
    for (const call of [
      () => roster.contacts.search({ filter: { email: 'a@example.com' } }),
      () => roster.contacts.export({ filter: { email: 'a@example.com' } }),
    ]) {
      const error = await rejectionOf(call());
      assert.ok(error instanceof ValidationError);
      assert.deepEqual(
        error.errors.map(({ field }) => field),
        ['emial'],
      );
    }
  });

  test('select the same contacts in search, export, exportAll and iterate, with a query and without', async () => {
    const { roster, ben, cleo } = await threeContacts();
    const cases: [filter: ContactFilter, oldestFirst: string[]][] = [
      [{}, ['Ånn', 'Ben', 'Cleo']],
      [{ email: 'Z@EXAMPLE.com' }, ['Ånn']],
      [{ email: '@example.com' }, []],
      [{ phone: '1-555-010-0123' }, ['Ånn', 'Cleo']],
      [{ mid: '42' }, ['Ånn']],
      [{ wid: '15550100123' }, ['Ben', 'Cleo']],
      [{ wid: '+15550100123', phone: '15550100123' }, ['Cleo']],
      [{ createdAt: { gte: ben.createdAt } }, ['Ben', 'Cleo']],
      [{ createdAt: { gt: new Date(ben.createdAt) } }, ['Cleo']],
      [{ createdAt: { gte: '-2h', lte: new Date(cleo.createdAt) } }, ['Ben', 'Cleo']],
      [{ createdAt: { lt: cleo.createdAt }, updatedAt: { gte: '-1h' } }, ['Ånn']],
      [{ updatedAt: { lte: cleo.updatedAt } }, ['Ben', 'Cleo']],
      [{ updatedAt: { lt: '2026-11-14' } }, []],
      [{ email: undefined, createdAt: { gte: undefined }, updatedAt: undefined }, ['Ånn', 'Ben', 'Cleo']],
    ];
    for (const [filter, expected] of cases) {
      const about = JSON.stringify(filter);
      const newestFirst = expected.toReversed();
      for (const query of [undefined, 'example.com']) {
        const found = await roster.contacts.search({ query, filter });
        assert.deepEqual([namesOf(found.data), found.pagination.total], [newestFirst, expected.length], about);
        assert.deepEqual(namesOf((await roster.contacts.export({ query, filter })).data), expected, about);
        assert.deepEqual(namesOf(await collect(roster.contacts.exportAll({ query, filter }))), expected, about);
        const iterated = namesOf(await collect(roster.contacts.iterate({ query, filter })));
        assert.deepEqual(iterated, query === undefined ? expected : newestFirst, about);
      }
    }
  });

  test('go along with every page of an export and an iteration', async () => {
    const roster = await clientOfNewBot(server);
    const rows = Array.from({ length: 450 }, (_, n) => ({
      name: `Person ${n}`,
      email: `p${n}@example.com`,
      phone: n % 2 === 0 ? '555 0100' : '555 0101',
    }));
    await roster.contacts.upsert(rows);
    const even = rows.filter((_, n) => n % 2 === 0).map(({ name }) => name);
    const filter = { phone: '5550100' };
    const first = await roster.contacts.export({ filter, limit: 200 });
    const rest = await roster.contacts.export({ filter, limit: 200, after: first.next ?? '' });
    assert.deepEqual([...namesOf(first.data), ...namesOf(rest.data)], even);
    assert.deepEqual([first.data.length, rest.next], [200, null]);
    assert.deepEqual(namesOf(await collect(roster.contacts.iterate({ query: 'person', filter }))), even.toReversed());
  });

  test('an iteration yields every contact although each stops matching as it is yielded', async () => {
    const roster = await clientOfNewBot(server);
    const rows = Array.from({ length: 250 }, (_, n) => ({ name: `P ${n}`, email: `p${n}@example.com`, mid: 'before' }));
    await roster.contacts.upsert(rows);
    for (const [selection, mid, isNewestFirst] of [
      [{ filter: { mid: 'before' } }, 'between', false],
      [{ query: 'example.com', filter: { mid: 'between' } }, 'after', true],
    ] as const) {
      const seen: string[] = [];
      for await (const contact of roster.contacts.iterate(selection)) {
        seen.push(contact.email);
        await roster.contacts.update(contact.id, { mid });
      }
      const emails = rows.map(({ email }) => email);
      assert.deepEqual(seen, isNewestFirst ? emails.toReversed() : emails);
    }
  });

  test('that cannot be sent are refused before anything is: no condition is dropped in silence', async () => {
    const roster = clientOf(server, { baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
    const wrong: [filter: unknown, message: RegExp][] = [
      ['jane@example.com', /filter must be an object/],
      [null, /filter must be an object/],
      [{ emial: 'jane@example.com' }, /filter has no "emial", only name, email, phone/],
      [{ toString: 'x' }, /filter has no "toString"/],
      [{ email: null }, /email of a filter must be a string, or an object like \{ contains/],
      [{ phone: 5550100 }, /phone of a filter must be a string, or an object like/],
      [{ name: 'doe' }, /name of a filter must be an object like \{ contains/],
      [{ name: { contains: 7 } }, /name\.contains of a filter must be a string/],
      [{ mid: { exists: 'yes' } }, /mid\.exists of a filter must be true or false/],
      [{ lastSeenAt: { since: '-7d' } }, /lastSeenAt has no "since", only gte, gt, lte, lt, exists/],
      [{ createdAt: '-30d' }, /createdAt of a filter must be an object like \{ gte/],
      [{ createdAt: new Date() }, /createdAt of a filter must be an object/],
      [{ createdAt: { since: '-30d' } }, /createdAt has no "since", only gte, gt, lte, lt/],
      [{ updatedAt: { gte: new Date(Number.NaN) } }, /updatedAt\.gte of a filter must be a valid Date/],
      [{ updatedAt: { gte: 1_790_000_000_000 } }, /updatedAt\.gte of a filter must be a valid Date/],
    ];
    for (const [filter, message] of wrong) {
      const selection = { filter: filter as ContactFilter };
      const calls = [
        roster.contacts.search(selection),
        roster.contacts.export(selection),
        collect(roster.contacts.iterate(selection)),
      ];
      for (const call of calls) {
        const error = await rejectionOf(call);
        assert.ok(error instanceof UsageError, String(error));
        assert.match(error.message, message);
      }
    }
  });

  test('that the server refuses are reported with the parameter', async () => {
    const filter = { email: ' ', phone: 'none', createdAt: { gte: 'yesterday' } };
    const error = await rejectionOf(clientOf(server).contacts.search({ filter }));
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(error.errors.map(({ field }) => field).sort(), ['createdAt[gte]', 'email', 'phone']);
  });
});

suite('sort', () => {
  test('orders a search, and contacts come newest first without it', async () => {
    const { roster } = await threeContacts();
    const orders = {
      createdAt: ['Ånn', 'Ben', 'Cleo'],
      updatedAt: ['Ben', 'Cleo', 'Ånn'],
      name: ['Ånn', 'Ben', 'Cleo'],
      email: ['Cleo', 'Ben', 'Ånn'],
    };
    for (const [field, expected] of Object.entries(orders) as [keyof typeof orders, string[]][]) {
      assert.deepEqual(namesOf((await roster.contacts.search({ sort: field })).data), expected, field);
      const { data } = await roster.contacts.search({ sort: `-${field}` });
      assert.deepEqual(namesOf(data), expected.toReversed(), field);
    }
    assert.deepEqual(namesOf((await roster.contacts.search()).data), ['Cleo', 'Ben', 'Ånn']);
    const filter = { wid: '+15550100123' };
    assert.deepEqual(namesOf((await roster.contacts.search({ filter, sort: 'email' })).data), ['Cleo', 'Ben']);
  });
});

suite('find', () => {
  test('resolves with the contact that has exactly this value, and of several with the newest', async () => {
    const { roster, ann, cleo } = await threeContacts();
    const updated = (await roster.contacts.retrieve(ann.id)).data;
    const cases: [key: ContactKey, found: Contact | undefined][] = [
      [{ email: 'Z@Example.com' }, updated],
      [{ mid: '42' }, updated],
      [{ phone: '15550100123' }, cleo],
      [{ wid: '+1 555 010 0123' }, cleo],
      [{ email: 'example.com' }, undefined],
      [{ phone: '0123' }, undefined],
      [{ mid: '4' }, undefined],
      [{ wid: '+15550100124' }, undefined],
    ];
    for (const [key, found] of cases) {
      assert.deepEqual(await roster.contacts.find(key), { status: 200, data: found }, JSON.stringify(key));
    }
  });

  test('of nothing is refused, because it would find any contact', async () => {
    const roster = clientOf(server, { baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
    for (const key of [{}, { email: undefined }, { name: 'Jane' }]) {
      const error = await rejectionOf(roster.contacts.find(key as unknown as ContactKey));
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /find needs one of email, phone, mid, wid/);
    }
    assert.ok((await rejectionOf(clientOf(server).contacts.find({ email: '' }))) instanceof ValidationError);
  });
});
