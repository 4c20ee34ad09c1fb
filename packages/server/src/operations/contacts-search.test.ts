// Search, list, paging and export over HTTP. What matches is tested beside search-text.ts and in the store's suite.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Contact, contactSchema, paginationSchema } from '@roster/contract';
import { type Caller, codeOf, createContact, startServer } from '../../test/harness.ts';
import { callerOfNewBot, wholeFile } from '../../test/http/every-operation.ts';
import { makeId } from '../contacts/ids.ts';

/** Of each search that the store is asked for. */
const asked: (boolean | undefined)[] = [];
const server = await startServer(wholeFile, {
  wrapStore: (store) => ({
    ...store,
    searchContacts(botId, search, caller) {
      asked.push(search.isFresh);
      return store.searchContacts(botId, search, caller);
    },
  }),
});
const { clock, theirs } = server;

/** Twenty-five contacts, one a second, so that their order is known. Newest first, as a list is. */
async function seed(call: Caller): Promise<Contact[]> {
  const contacts: Contact[] = [];
  for (let i = 0; i < 25; i++) {
    clock.nowMs += 1000;
    contacts.unshift(await createContact(call, { name: `Person ${String(i).padStart(2, '0')}` }));
  }
  return contacts;
}

const search = (call: Caller, parameters: Record<string, string> = {}) =>
  call('POST', `contacts?${new URLSearchParams(parameters)}`);

const namesOf = (data: Contact[]) => data.map(({ name }) => name);

test('Cache-Control: no-cache asks for a total of now, and nothing else does', async () => {
  const call = await callerOfNewBot(server);
  await call('PUT', 'segments/all', { body: { label: 'All', filter: { createdAt: { gte: '-30d' } } } });
  const requests = [
    ['POST', 'contacts?query=jane'],
    ['GET', 'contacts?query=jane'],
    ['GET', 'segments/all?include=total'],
  ] as const;
  for (const [header, isFresh] of [
    [undefined, false],
    ['no-cache', true],
    ['max-age=0, No-Cache', true],
    ['no-store', false],
    ['no-cache-at-all', false],
  ] as const) {
    asked.length = 0;
    for (const [method, path] of requests) {
      const { status } = await call(method, path, header === undefined ? {} : { headers: { 'cache-control': header } });
      assert.equal(status, 200);
    }
    assert.deepEqual(asked, [isFresh, isFresh, isFresh], header);
  }
});

suite('search and list', async () => {
  const seeded = await callerOfNewBot(server);
  const contacts = await seed(seeded);

  test('without parameters it is the first ten contacts, newest first, with all their members', async () => {
    const { status, json } = await search(seeded);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json), ['data', 'pagination']);
    assert.deepEqual(json.data, contacts.slice(0, 10));
    for (const contact of json.data) contactSchema.parse(contact);
    assert.deepEqual(json.pagination, {
      total: 25,
      page: 1,
      limit: 10,
      totalPages: 3,
      startPage: 1,
      endPage: 3,
      startIndex: 0,
      endIndex: 9,
      pages: [1, 2, 3],
    });
  });

  test('GET answers the same list as POST', async () => {
    for (const parameters of ['', '?page=2&limit=7', '?query=person%2001', '?page=99', '?query=nobody']) {
      const [byGet, byPost] = await Promise.all(
        ['GET', 'POST'].map((method) => seeded(method, `contacts${parameters}`)),
      );
      assert.equal(byGet?.status, 200);
      assert.deepEqual(byGet?.json, byPost?.json);
    }
  });

  test('the pages together hold every contact once, in order', async () => {
    const pages = await Promise.all(['1', '2', '3', '4'].map((page) => search(seeded, { page, limit: '7' })));
    assert.deepEqual(
      pages.flatMap(({ json }) => json.data),
      contacts,
    );
    assert.deepEqual(
      pages.map(({ json }) => [json.pagination.startIndex, json.pagination.endIndex]),
      [
        [0, 6],
        [7, 13],
        [14, 20],
        [21, 24],
      ],
    );
  });

  test('a page past the end is 200 with an empty list and the exact total', async () => {
    for (const page of ['4', '1000', String(2 ** 46)]) {
      const { status, json } = await search(seeded, { page });
      assert.deepEqual([status, json.data, json.pagination.total], [200, [], 25]);
      assert.equal(json.pagination.startIndex, (Number(page) - 1) * 10);
      assert.equal(json.pagination.endIndex, json.pagination.startIndex - 1);
    }
  });

  test('limit is taken from 1 to 100', async () => {
    assert.equal((await search(seeded, { limit: '1' })).json.data.length, 1);
    assert.equal((await search(seeded, { limit: '100' })).json.data.length, 25);
  });

  test('page and limit are plain whole numbers in their bounds: anything else is 400 and names the parameter', async () => {
    const bad = ['0', '-1', '1.0', '1e1', '+1', ' 1', '', 'x', '0x1', '１', 'NaN', 'Infinity', '1,2'];
    for (const field of ['page', 'limit']) {
      for (const value of [...bad, ...(field === 'limit' ? ['101', '1000'] : ['9007199254740993'])]) {
        const reply = await search(seeded, { [field]: value });
        assert.deepEqual(codeOf(reply), [400, 'invalid_request'], `${field}=${value}`);
        assert.deepEqual(
          reply.json.errors.map((error: { field: string }) => error.field),
          [field],
        );
      }
    }
    const both = await search(seeded, { page: '0', limit: '0' });
    assert.equal(both.json.errors.length, 2);
  });

  test('the same parameter twice is 400, even with equal values', async () => {
    for (const twice of ['page=1&page=1', 'limit=5&limit=5', 'query=a&query=a', 'query=&query=']) {
      for (const method of ['GET', 'POST']) {
        assert.deepEqual(codeOf(await seeded(method, `contacts?${twice}`)), [400, 'invalid_request'], twice);
      }
    }
  });

  test('unknown parameters are ignored, also twice, and named in Roster-Ignored', async () => {
    const found = await seeded('POST', 'contacts?color=name&color=id&__proto__=x&constructor=y&limit=3&%0d%0a=z');
    assert.deepEqual([found.status, found.json.data.length], [200, 3]);
    assert.equal(found.headers.get('roster-ignored'), 'color, __proto__, constructor, %0D%0A');
    assert.equal((await seeded('GET', 'contacts?limit=3')).headers.get('roster-ignored'), null);
    const body = { name: 'Jane Doe', email: 'ignored@example.com', colour: 'red' };
    const created = await seeded('PUT', 'contacts?notify=1', { body });
    assert.equal(created.headers.get('roster-ignored'), 'colour, notify');
    await seeded('DELETE', `contacts/${created.json.data.id}`);
  });

  test('page times limit beyond 2^53 is 400; just below it is an empty page', async () => {
    const largest = await search(seeded, { page: String(2 ** 53 - 1), limit: '1' });
    assert.deepEqual([largest.status, largest.json.data], [200, []]);
    const beyond = await search(seeded, { page: String(2 ** 53 - 1), limit: '2' });
    assert.deepEqual(codeOf(beyond), [400, 'invalid_request']);
    assert.equal(beyond.json.errors[0].field, 'page');
    assert.deepEqual(codeOf(await search(seeded, { page: '900719925474100', limit: '100' })), [400, 'invalid_request']);
  });

  test('a body on a search is ignored, whatever it is', async () => {
    const bodies = [
      ['application/json', '{"query":"nobody","limit":1}'],
      ['application/json', '{broken'],
      ['text/plain', 'x'],
      ['application/x-www-form-urlencoded', 'limit=1'],
      ['multipart/form-data', 'no boundary'],
      ['application/json', 'x'.repeat(3_000_000)],
      ['not a media type', 'x'],
    ];
    for (const [type, body] of bodies) {
      const reply = await seeded('POST', 'contacts', { body, headers: { 'content-type': type as string } });
      assert.deepEqual([reply.status, reply.json.data?.length], [200, 10], `${type} ${body?.slice(0, 20)}`);
    }
    const empty = await seeded('POST', 'contacts', { headers: { 'content-type': 'application/json' } });
    assert.equal(empty.status, 200);
  });

  test('a bot without contacts has no pages', async () => {
    const { json } = await search(await callerOfNewBot(server), {});
    const pagination = { total: 0, page: 1, limit: 10, totalPages: 0, startPage: 1, endPage: 0, startIndex: 0 };
    assert.deepEqual(json, { data: [], pagination: { ...pagination, endIndex: -1, pages: [] } });
  });

  test('the window of pages moves with the page', async () => {
    const { json } = await search(seeded, { limit: '2', page: '7' });
    paginationSchema.parse(json.pagination);
    assert.deepEqual(json.pagination.pages, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert.deepEqual([json.pagination.startPage, json.pagination.endPage], [2, 11]);
  });
});

suite('matching', async () => {
  const call = await callerOfNewBot(server);
  const john = await createContact(call, { name: 'John Doe', email: 'jd@example.com', phone: '+1 (555) 010-0' });
  const jose = await createContact(call, { name: 'José Łukasz', email: '100%_sure*@example.com', mid: 'Mid"7' });
  const wanda = await createContact(call, { name: 'Wanda', email: 'w@example.org', wid: '+447700900123' });

  const cases: [query: string, found: Contact[]][] = [
    ['', [wanda, jose, john]],
    ['   ', [wanda, jose, john]],
    ['doe john', [john]],
    ['DOE', [john]],
    ['jose', [jose]],
    ['JOSE\u0301', [jose]],
    ['lukasz', [jose]],
    ['5550100', [john]],
    ['(555)010', [john]],
    ['447700', [wanda]],
    ['%', [jose]],
    ['_sure*', [jose]],
    ['mid"7', [jose]],
    ["'", []],
    ['\0', []],
    ['john\0', []],
    ['example.com', [jose, john]],
    ['john wanda', []],
    [john.id, [john]],
    [john.id.slice(-12), [john]],
    ['2026-11', []],
    ['@example.org', [wanda]],
  ];
  for (const [query, found] of cases) {
    test(`a search for ${JSON.stringify(query)} finds ${namesOf(found).join(' and ') || 'nobody'}`, async () => {
      const { status, json } = await search(call, { query });
      assert.equal(status, 200);
      assert.deepEqual(json.data, found);
      assert.equal(json.pagination.total, found.length);
    });
  }

  test('more different words than a search may have are 400', async () => {
    const words = Array.from({ length: 33 }, (_, i) => `w${i}`).join(' ');
    const reply = await search(call, { query: words });
    assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
    assert.equal(reply.json.errors[0].field, 'query');
    assert.equal((await search(call, { query: 'jose '.repeat(500) })).json.pagination.total, 1);
  });

  test('other bots’ contacts are never found', async () => {
    const mineOnly = await callerOfNewBot(server);
    await createContact(mineOnly, { name: 'John Doe' });
    assert.deepEqual((await search(call, { query: 'john' })).json.data, [john]);
    assert.deepEqual(codeOf(await call('POST', `/v1/bots/${theirs.bot.id}/contacts?query=john`)), [404, 'not_found']);
  });

  test('a write that was answered is visible to the next search', async () => {
    const fresh = await callerOfNewBot(server);
    for (let i = 0; i < 10; i++) {
      const { id } = await createContact(fresh, { name: `Fresh ${i}` });
      assert.equal((await search(fresh, { query: `fresh ${i}` })).json.data[0]?.id, id);
      await fresh('PATCH', `contacts/${id}`, { body: { name: `Changed ${i}` } });
      assert.equal((await search(fresh, { query: `changed ${i}` })).json.pagination.total, 1);
      await fresh('DELETE', `contacts/${id}`);
      assert.equal((await search(fresh)).json.pagination.total, 0);
    }
  });
});

suite('export', async () => {
  const call = await callerOfNewBot(server);
  const oldestFirst = (await seed(call)).reverse();

  test('one page holds up to 1000 contacts, oldest first, and the last page has no next', async () => {
    const { status, json } = await call('GET', 'export');
    assert.equal(status, 200);
    assert.deepEqual(json, { data: oldestFirst, next: null });
  });

  test('following next walks every contact once, in order', async () => {
    for (const limit of [1, 7, 24, 25, 26]) {
      const walked: Contact[] = [];
      let next: string | null = '';
      while (next !== null) {
        const { json } = await call('GET', `export?limit=${limit}&after=${next}`);
        assert.ok(json.data.length <= limit);
        walked.push(...json.data);
        next = json.next;
      }
      assert.deepEqual(walked, oldestFirst, `limit ${limit}`);
    }
  });

  test('a position survives the deletion of its contact', async () => {
    const own = await callerOfNewBot(server);
    const contacts = (await seed(own)).reverse();
    const first = await own('GET', 'export?limit=5');
    for (const { id } of contacts.slice(0, 5)) await own('DELETE', `contacts/${id}`);
    const second = await own('GET', `export?limit=5&after=${first.json.next}`);
    assert.deepEqual(second.json.data, contacts.slice(5, 10));
  });

  test('with a query walks what a search finds, oldest first, in full pages', async () => {
    const own = await callerOfNewBot(server);
    const made: Contact[] = [];
    for (let count = 0; count < 24; count++) {
      made.push(await createContact(own, { name: count % 2 === 0 ? 'Even José' : 'Odd' }));
    }
    const walked: Contact[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const parameters = new URLSearchParams({ query: 'JOSE even', limit: '5', after });
      const { status, json } = await own('GET', `export?${parameters}`);
      assert.equal(status, 200);
      walked.push(...json.data);
      assert.ok(json.next === null || json.data.length === 5);
      after = json.next;
    }
    assert.deepEqual(
      walked,
      made.filter(({ name }) => name === 'Even José'),
    );
    assert.deepEqual((await own('GET', 'export?query=nobody')).json, { data: [], next: null });
    assert.deepEqual((await own('GET', 'export?query=')).json.data, made);
    assert.deepEqual(codeOf(await own('GET', 'export?query=a&query=b')), [400, 'invalid_request']);
  });

  test('an empty bot is one empty page', async () => {
    const { json } = await (await callerOfNewBot(server))('GET', 'export');
    assert.deepEqual(json, { data: [], next: null });
  });

  test('a position of another bot reveals nothing of that bot', async () => {
    const { json } = await call('GET', `export?after=${makeId('contact', 1)}`);
    assert.deepEqual(json.data, oldestFirst);
  });

  test('limit is a plain whole number from 1 to 1000, after a position, and neither comes twice', async () => {
    for (const bad of ['limit=0', 'limit=1001', 'limit=', 'limit=x', 'limit=1&limit=1', 'after=x', 'after=&after=']) {
      assert.deepEqual(codeOf(await call('GET', `export?${bad}`)), [400, 'invalid_request'], bad);
    }
    assert.equal((await call('GET', 'export?limit=1000&other=1&other=2')).status, 200);
  });
});
