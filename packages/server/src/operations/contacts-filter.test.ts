// Filters and order of lists, searches and exports over HTTP. That engines agree on them is tested against the model.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Contact } from '@roster/contract';
import { type Caller, codeOf, createContact, startServer } from '../../test/harness.ts';
import { callerOfNewBot, wholeFile } from '../../test/http/every-operation.ts';

// Both suites are set up at the same time, and each moves its clock.
const server = await startServer(wholeFile);
const orderServer = await startServer(wholeFile, { storeOf: server });

type Parameters = Record<string, string>;

const textOf = (parameters: Parameters | string) => new URLSearchParams(parameters).toString();

/** By all three ways, which find the same; in the order of the list. */
async function find(call: Caller, parameters: Parameters | string): Promise<string[]> {
  const text = textOf(parameters);
  const [searched, listed, exported] = await Promise.all([
    call('POST', `contacts?${text}&limit=100`),
    call('GET', `contacts?${text}&limit=100`),
    call('GET', `export?${text}`),
  ]);
  assert.deepEqual([searched.status, listed.status, exported.status], [200, 200, 200], text);
  assert.deepEqual(searched.json, listed.json);
  const names = (data: Contact[]) => data.map(({ name }) => name);
  assert.equal(searched.json.pagination.total, searched.json.data.length, text);
  assert.deepEqual(names(exported.json.data).toSorted(), names(searched.json.data).toSorted(), text);
  return names(searched.json.data);
}

suite('filters', async () => {
  const { clock } = server;
  const call = await callerOfNewBot(server);
  clock.nowMs = Date.parse('2026-03-01T00:00:00Z');
  const ann = await createContact(call, {
    name: 'Ann',
    email: 'Ann@Example.com',
    phone: '+1 (555) 010-0123',
    mid: 'm-1',
    wid: '+15550100123',
  });
  clock.nowMs = Date.parse('2026-03-10T12:00:00.500Z');
  await createContact(call, {
    name: 'Bert',
    email: 'bert@example.com',
    phone: '１５５５０１００１２３',
    mid: 'm-11',
    wid: '+15550100124',
  });
  clock.nowMs = Date.parse('2026-03-20T00:00:00Z');
  await createContact(call, { name: 'Cleo', email: 'cleo@example.com', phone: '5550100123', mid: 'M-1' });

  test('an email is found whatever its case, and nothing but the whole of it', async () => {
    assert.deepEqual(await find(call, { email: 'ann@example.com' }), ['Ann']);
    assert.deepEqual(await find(call, { email: '  ANN@EXAMPLE.COM ' }), ['Ann']);
    for (const email of ['ann', 'ann@example.co', 'nobody@example.com', 'a\0b', 'no email']) {
      assert.deepEqual(await find(call, { email }), [], email);
    }
  });

  test('phone and WhatsApp ID are found by all their digits', async () => {
    for (const phone of ['15550100123', '+1-555-010-0123', '(1) 555 0100 123', '１５５５０１００１２３']) {
      assert.deepEqual(await find(call, { phone }), ['Bert', 'Ann'], phone);
    }
    assert.deepEqual(await find(call, { phone: '5550100123' }), ['Cleo']);
    assert.deepEqual(await find(call, { phone: '555' }), []);
    assert.deepEqual(await find(call, { wid: '15550100123' }), ['Ann']);
    assert.deepEqual(await find(call, { wid: '+1 555 0100 124' }), ['Bert']);
    assert.deepEqual(await find(call, { wid: '1' }), []);
  });

  test('a Messenger ID is found as it is', async () => {
    assert.deepEqual(await find(call, { mid: 'm-1' }), ['Ann']);
    assert.deepEqual(await find(call, { mid: ' M-1 ' }), ['Cleo']);
    assert.deepEqual(await find(call, { mid: 'm' }), []);
  });

  test('times are compared in the milliseconds that a contact shows', async () => {
    assert.deepEqual(await find(call, { 'createdAt[gte]': '2026-03-10T12:00:00.500Z' }), ['Cleo', 'Bert']);
    assert.deepEqual(await find(call, { 'createdAt[gt]': '2026-03-10T12:00:00.500Z' }), ['Cleo']);
    assert.deepEqual(await find(call, { 'createdAt[lte]': '2026-03-10T13:00:00.500+01:00' }), ['Bert', 'Ann']);
    assert.deepEqual(await find(call, { 'createdAt[lt]': '2026-03-10T12:00:00.500Z' }), ['Ann']);
    assert.deepEqual(await find(call, { 'createdAt[gte]': '2026-03-02', 'createdAt[lt]': '2026-03-20' }), ['Bert']);
    assert.deepEqual(await find(call, { 'createdAt[gt]': '2026-03-20', 'createdAt[lt]': '2026-03-01' }), []);
    assert.deepEqual(await find(call, { 'createdAt[gte]': '0000-01-01', 'createdAt[lte]': '9999-12-31' }), [
      'Cleo',
      'Bert',
      'Ann',
    ]);
  });

  test('a time before now counts from the moment of the request', async () => {
    clock.nowMs = Date.parse('2026-03-21T00:00:00Z');
    assert.deepEqual(await find(call, { 'createdAt[gte]': '-24h' }), ['Cleo']);
    assert.deepEqual(await find(call, { 'createdAt[lt]': '-1d' }), ['Bert', 'Ann']);
  });

  test('a time from now may be ahead, and its plus may arrive as a space', async () => {
    clock.nowMs = Date.parse('2026-03-19T00:00:00Z');
    for (const later of ['%2B1d', '+24h', '1d', '24h']) {
      const reply = await call('GET', `contacts?createdAt[lt]=${later}`);
      assert.deepEqual([reply.status, reply.json.pagination.total], [200, 2], later);
    }
  });

  test('fields contain a text in any spelling, or digits, and some are empty', async () => {
    assert.deepEqual(await find(call, { 'name[contains]': 'ER' }), ['Bert']);
    assert.deepEqual(await find(call, { 'email[contains]': 'cleo@' }), ['Cleo']);
    assert.deepEqual(await find(call, { 'phone[contains]': '(555) 01', 'name[contains]': 'n' }), ['Ann']);
    const withPhone = await find(call, { 'phone[exists]': 'true' });
    const without = await find(call, { 'phone[exists]': 'false' });
    assert.deepEqual([...withPhone, ...without].toSorted(), ['Ann', 'Bert', 'Cleo']);
    assert.deepEqual(await find(call, { 'name[exists]': 'false' }), []);
    assert.deepEqual(await find(call, { 'lastSeenAt[exists]': 'true' }), []);
    assert.equal((await find(call, { 'lastSeenAt[exists]': 'false' })).length, 3);
  });

  test('an update moves updatedAt and not createdAt', async () => {
    clock.nowMs = Date.parse('2026-04-01T00:00:00Z');
    await call('PATCH', `contacts/${ann.id}`, { body: { mid: 'm-2' } });
    assert.deepEqual(await find(call, { 'updatedAt[gte]': '2026-04-01' }), ['Ann']);
    assert.deepEqual(await find(call, { 'updatedAt[lt]': '2026-04-01' }), ['Cleo', 'Bert']);
    assert.deepEqual(await find(call, { 'createdAt[gte]': '2026-04-01' }), []);
    await call('PATCH', `contacts/${ann.id}`, { body: { mid: 'm-1' } });
  });

  test('all filters must hold, and the query with them', async () => {
    assert.deepEqual(await find(call, { phone: '15550100123', email: 'bert@example.com' }), ['Bert']);
    assert.deepEqual(await find(call, { phone: '15550100123', 'createdAt[lt]': '2026-03-05' }), ['Ann']);
    assert.deepEqual(await find(call, { query: 'example', 'createdAt[gte]': '2026-03-05' }), ['Cleo', 'Bert']);
    assert.deepEqual(await find(call, { query: 'nobody', email: 'ann@example.com' }), []);
    assert.deepEqual(await find(call, { query: 'ann', email: 'ann@example.com', mid: 'm-1', wid: '15550100123' }), [
      'Ann',
    ]);
  });

  test('a filter that cannot be is 400, and names the parameter', async () => {
    const faults: [string, string][] = [
      ['email=', 'email'],
      ['phone=', 'phone'],
      ['phone=abc', 'phone'],
      ['wid=%2B', 'wid'],
      ['mid=%20', 'mid'],
      ['email=a&email=b', 'email'],
      ['createdAt=2026-03-01', 'createdAt'],
      ['updatedAt=-1d', 'updatedAt'],
      ['createdAt[eq]=2026-03-01', 'createdAt'],
      ['updatedAt[]=2026-03-01', 'updatedAt'],
      ['email[gte]=a', 'email'],
      ['phone[gte]=1', 'phone'],
      ['name=ann', 'name'],
      ['name[is]=ann', 'name'],
      ['phone[exists]=yes', 'phone[exists]'],
      ['name[contains]=', 'name[contains]'],
      ['mid[contains]=a&mid[contains]=b', 'mid[contains]'],
      ['lastSeenAt=-1d', 'lastSeenAt'],
      ['lastSeenAt[not]=-1d', 'lastSeenAt'],
      ['tag[all]=a', 'tag'],
      ['tag[not]=', 'tag[not]'],
      ['tag[exists]=1', 'tag[exists]'],
      ['segment[not]=a', 'segment'],
      ['createdAt[gte]=', 'createdAt[gte]'],
      ['createdAt[gte]=yesterday', 'createdAt[gte]'],
      ['createdAt[gte]=2026-02-30', 'createdAt[gte]'],
      ['updatedAt[lt]=1m', 'updatedAt[lt]'],
    ];
    for (const [text, field] of faults) {
      for (const [method, path] of [
        ['POST', 'contacts'],
        ['GET', 'contacts'],
        ['GET', 'export'],
      ] as const) {
        const reply = await call(method, `${path}?${text}`);
        assert.deepEqual(codeOf(reply), [400, 'invalid_request'], `${path}?${text}`);
        assert.deepEqual(
          reply.json.errors.map((error: { field: string }) => error.field),
          [field],
          text,
        );
      }
    }
    const unknown = await call('GET', 'contacts?tag[some]=a&email[not]=b&segment[not]=c&attributes[plan][like]=d');
    assert.deepEqual(unknown.json.errors, [
      { field: 'tag', message: 'needs one of these forms: tag, tag[any], tag[not], tag[exists]' },
      { field: 'email', message: 'needs one of these forms: email, email[contains], email[exists]' },
      { field: 'segment', message: 'takes no operator' },
      {
        field: 'attributes',
        message: `needs one of these forms: ${['', '[gte]', '[gt]', '[lte]', '[lt]', '[not]', '[contains]', '[exists]'].map((operator) => `attributes[key]${operator}`).join(', ')}`,
      },
    ]);
    const both = await call('GET', 'contacts?createdAt[gte]=x&limit=0&sort=age');
    assert.deepEqual(both.json.errors.map((error: { field: string }) => error.field).toSorted(), [
      'createdAt[gte]',
      'limit',
      'sort',
    ]);
  });

  test('filters are known parameters, and other names are ignored as ever', async () => {
    const known = await call('GET', 'contacts?email=a&createdAt[gte]=-1d&sort=name&emails=b&created[gte]=x');
    assert.equal(known.headers.get('roster-ignored'), 'emails, created%5Bgte%5D');
    assert.equal((await call('GET', 'export?sort=name')).headers.get('roster-ignored'), 'sort');
  });
});

suite('order', async () => {
  const { clock } = orderServer;
  const call = await callerOfNewBot(orderServer);
  clock.nowMs = Date.parse('2026-05-01T00:00:00Z');
  const people: [name: string, email: string][] = [
    ['bob', 'z@example.com'],
    ['Álvaro', 'B@example.com'],
    ['alvaro', 'a@example.com'],
    ['Zoë', 'ü@example.com'],
    ['𝒵ulu', 'm@example.com'],
    [`${'x'.repeat(64)}b`, 'n@example.com'],
    [`${'X'.repeat(64)}a`, 'o@example.com'],
    ['李', 'p@example.com'],
    ['ﾃ', 'q@example.com'],
  ];
  const made: Contact[] = [];
  for (const [name, email] of people) {
    clock.nowMs += 1000;
    made.push(await createContact(call, { name, email }));
  }
  clock.nowMs += 1000;
  await call('PATCH', `contacts/${made[1]?.id}`, { body: { phone: '1' } });

  const listed = async (sort: string, more = '') =>
    (await call('GET', `contacts?sort=${sort}&limit=100${more}`)).json.data.map(({ email }: Contact) => email);
  const of = (...positions: number[]) => positions.map((position) => made[position]?.email);

  test('each order ascends, and descends with a leading minus', async () => {
    const orders = {
      createdAt: of(0, 1, 2, 3, 4, 5, 6, 7, 8),
      updatedAt: of(0, 2, 3, 4, 5, 6, 7, 8, 1),
      // Álvaro and alvaro are one name, as are those of 64 equal characters: the older id comes first.
      name: of(1, 2, 0, 5, 6, 3, 4, 8, 7),
      email: of(2, 1, 4, 5, 6, 7, 8, 0, 3),
    };
    for (const [sort, emails] of Object.entries(orders)) {
      assert.deepEqual(await listed(sort), emails, sort);
      assert.deepEqual(await listed(`-${sort}`), emails.toReversed(), `-${sort}`);
    }
    assert.deepEqual(
      await listed('-createdAt'),
      (await call('GET', 'contacts?limit=100')).json.data.map(({ email }: Contact) => email),
    );
  });

  test('pages continue each other in any order, with a query and filters too', async () => {
    for (const more of ['', '&query=example', '&createdAt[gte]=2026-05-01', '&updatedAt[gte]=2026-05-01&query=e']) {
      for (const sort of ['name', '-name', 'email', '-updatedAt', 'createdAt']) {
        const all = await listed(sort, more);
        const pages = [];
        for (let page = 1; page <= 5; page++) {
          const { json } = await call('GET', `contacts?sort=${sort}&limit=2&page=${page}${more}`);
          assert.equal(json.pagination.total, 9);
          pages.push(...json.data.map(({ email }: Contact) => email));
        }
        assert.deepEqual(pages, all, `${sort}${more}`);
      }
    }
  });

  test('an order that does not exist is 400, and lists those that do', async () => {
    for (const sort of ['', 'age', '--name', 'Name', 'phone', 'name,email']) {
      const reply = await call('GET', `contacts?${textOf({ sort })}`);
      assert.deepEqual(codeOf(reply), [400, 'invalid_request'], sort);
      assert.match(reply.json.errors[0].message, /createdAt, -createdAt, updatedAt/);
    }
    assert.deepEqual(codeOf(await call('GET', 'contacts?sort=name&sort=name')), [400, 'invalid_request']);
  });
});
