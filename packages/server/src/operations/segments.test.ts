// Filters on attributes and tags, and segments, over HTTP. That engines agree on them is tested against the model.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Contact } from '@roster/contract';
import { type Caller, codeOf, startServer } from '../../test/harness.ts';
import { callerOfNewBot, wholeFile } from '../../test/http/every-operation.ts';

const server = await startServer(wholeFile);
const { clock } = server;
clock.nowMs = Date.parse('2026-06-01T00:00:00Z');

const definitions = { plan: 'text', seats: 'number', trial: 'boolean', renewal: 'date' };

async function put(call: Caller, path: string, body: object) {
  const reply = await call('PUT', path, { body });
  assert.ok(reply.status === 200 || reply.status === 201, JSON.stringify(reply.json));
  return reply;
}

/** Ann, Bert and Cleo, in this order. */
async function seed(): Promise<Caller> {
  const call = await callerOfNewBot(server);
  for (const [key, type] of Object.entries(definitions)) await put(call, `attributes/${key}`, { type, label: key });
  const people = [
    { name: 'Ann', tags: ['VIP', 'Café'], attributes: { plan: 'Pro', seats: 10, trial: true, renewal: '2026-06-10' } },
    { name: 'Bert', tags: ['vip'], attributes: { plan: 'préMIUM', seats: -2.5, trial: false } },
    { name: 'Cleo', attributes: { seats: 1e3, renewal: '2026-05-01T12:00:00+02:00' } },
  ];
  for (const person of people) await put(call, 'contacts', { ...person, email: `${person.name}@example.com` });
  return call;
}

const namesOf = (data: Contact[]) => data.map(({ name }) => name);

/** Newest first, by the list; the export finds the same. */
async function find(call: Caller, parameters: string): Promise<string[]> {
  const [listed, exported] = await Promise.all([
    call('GET', `contacts?${parameters}`),
    call('GET', `export?${parameters}`),
  ]);
  assert.equal(listed.status, 200, `${parameters}: ${JSON.stringify(listed.json)}`);
  assert.equal(listed.headers.get('roster-ignored'), null, parameters);
  assert.deepEqual(namesOf(exported.json.data).reverse(), namesOf(listed.json.data), parameters);
  assert.equal(listed.json.pagination.total, listed.json.data.length);
  return namesOf(listed.json.data);
}

const faultsOf = (reply: { json: { errors: { field: string; message: string }[] } }) =>
  reply.json.errors.map(({ field }) => field);

suite('filters on attributes and tags', async () => {
  const call = await seed();

  test('a contact must have all tags, however they are spelled', async () => {
    assert.deepEqual(await find(call, 'tag=vip'), ['Bert', 'Ann']);
    assert.deepEqual(await find(call, 'tag=VIP&tag=cafe'), ['Ann']);
    assert.deepEqual(await find(call, 'tag=nobody'), []);
    assert.deepEqual(await find(call, 'tag=vip&tag=nobody'), []);
  });

  test('one of several values is enough, and text is compared by folding', async () => {
    assert.deepEqual(await find(call, 'attributes[plan]=PRO'), ['Ann']);
    assert.deepEqual(await find(call, 'attributes[plan]=pro&attributes[plan]=premium'), ['Bert', 'Ann']);
    assert.deepEqual(await find(call, 'attributes[plan]=pr'), []);
    assert.deepEqual(await find(call, 'attributes[seats]=10.0'), ['Ann']);
    assert.deepEqual(await find(call, 'attributes[seats]=1e3&attributes[seats]=-2.5'), ['Cleo', 'Bert']);
    assert.deepEqual(await find(call, 'attributes[trial]=false'), ['Bert']);
    assert.deepEqual(await find(call, 'attributes[renewal]=2026-06-10'), ['Ann']);
    assert.deepEqual(await find(call, 'attributes[renewal]=2026-05-01T10:00:00Z'), ['Cleo']);
  });

  test('numbers and dates have ranges', async () => {
    assert.deepEqual(await find(call, 'attributes[seats][gte]=10'), ['Cleo', 'Ann']);
    assert.deepEqual(await find(call, 'attributes[seats][gt]=10'), ['Cleo']);
    assert.deepEqual(await find(call, 'attributes[seats][gt]=-3&attributes[seats][lt]=1000'), ['Bert', 'Ann']);
    assert.deepEqual(await find(call, 'attributes[renewal][lte]=2026-06-01'), ['Cleo']);
    assert.deepEqual(await find(call, 'attributes[renewal][gte]=-7d'), ['Ann']);
  });

  test('whether there is a value can be asked', async () => {
    assert.deepEqual(await find(call, 'attributes[plan][exists]=true'), ['Bert', 'Ann']);
    assert.deepEqual(await find(call, 'attributes[plan][exists]=false'), ['Cleo']);
  });

  test('all must hold, with a query and other filters too', async () => {
    assert.deepEqual(await find(call, 'tag=vip&attributes[seats][gte]=0'), ['Ann']);
    assert.deepEqual(await find(call, 'query=example&tag=vip&attributes[trial]=false'), ['Bert']);
    assert.deepEqual(await find(call, 'email=ann@example.com&tag=vip'), ['Ann']);
    assert.deepEqual(await find(call, 'email=cleo@example.com&tag=vip'), []);
    const sorted = await call('GET', 'contacts?attributes[seats][exists]=true&sort=name');
    assert.deepEqual(namesOf(sorted.json.data), ['Ann', 'Bert', 'Cleo']);
  });

  test('what cannot be is 400, and names the parameter', async () => {
    const faults: [string, string][] = [
      ['attributes[color]=red', 'attributes[color]'],
      ['attributes[seats]=ten', 'attributes[seats]'],
      ['attributes[seats]=0x10', 'attributes[seats]'],
      ['attributes[seats]=9007199254740993', 'attributes[seats]'],
      ['attributes[trial]=1', 'attributes[trial]'],
      ['attributes[renewal]=soon', 'attributes[renewal]'],
      ['attributes[plan][gte]=a', 'attributes[plan][gte]'],
      ['attributes[trial][lt]=true', 'attributes[trial][lt]'],
      ['attributes[plan][exists]=yes', 'attributes[plan][exists]'],
      ['attributes[plan][like]=p', 'attributes'],
      ['attributes[plan][gte][lt]=p', 'attributes'],
      ['attributes[Plan]=p', 'attributes'],
      ['attributes=plan', 'attributes'],
      ['attributes[plan]=', 'attributes[plan]'],
      ['attributes[seats][gte]=1&attributes[seats][gte]=2', 'attributes[seats][gte]'],
      ['tag=', 'tag'],
      ['tag[0]=vip', 'tag'],
      ['segment=nothing', 'segment'],
    ];
    for (const [parameters, field] of faults) {
      for (const path of ['contacts', 'export']) {
        const reply = await call('GET', `${path}?${parameters}`);
        assert.deepEqual([...codeOf(reply), ...faultsOf(reply)], [400, 'invalid_request', field], parameters);
      }
    }
    const many = Array.from({ length: 51 }, (_, i) => `tag=t${i}`).join('&');
    assert.deepEqual(codeOf(await call('GET', `contacts?${many}`)), [400, 'invalid_request']);
    assert.deepEqual(await find(call, many.replace('tag=t50&', '').replace(/&tag=t50$/, '')), []);
  });

  test('a deleted attribute is none, and one that is defined again starts empty', async () => {
    const own = await seed();
    await own('DELETE', 'attributes/plan');
    assert.deepEqual(codeOf(await own('GET', 'contacts?attributes[plan]=pro')), [400, 'invalid_request']);
    await put(own, 'attributes/plan', { type: 'text', label: 'Plan' });
    assert.deepEqual(await find(own, 'attributes[plan]=pro'), []);
    assert.deepEqual(await find(own, 'attributes[plan][exists]=false'), ['Cleo', 'Bert', 'Ann']);
    await own('DELETE', 'tags/vip');
    assert.deepEqual(await find(own, 'tag=vip'), []);
    await own('PATCH', 'tags/cafe', { body: { name: 'Bar' } });
    assert.deepEqual(await find(own, 'tag=bar'), ['Ann']);
    assert.deepEqual(await find(own, 'tag=cafe'), []);
  });
});

suite('segments', async () => {
  const call = await seed();
  const segment = {
    label: 'Large',
    query: 'example',
    filter: { tag: ['vip'], attributes: { seats: { gte: 1 }, plan: ['PRO', 'premium'], renewal: { exists: true } } },
    sort: 'name',
  };

  test('are defined, listed, retrieved, changed and deleted', async () => {
    const own = await seed();
    const made = await own('PUT', 'segments/large', { body: segment });
    assert.deepEqual([made.status, made.json.data], [201, { key: 'large', ...segment }]);
    const plain = await own('PUT', 'segments/all', { body: { label: ' All ', filter: {} } });
    assert.deepEqual(plain.json.data, { key: 'all', label: 'All', query: '', filter: {}, sort: '-createdAt' });
    assert.deepEqual((await own('GET', 'segments')).json.data, [plain.json.data, made.json.data]);
    assert.deepEqual((await own('GET', 'segments/large')).json.data, made.json.data);
    assert.equal((await own('GET', 'segments/large?include=total')).json.data.total, 1);
    assert.equal((await own('GET', 'segments/all?include=total')).json.data.total, 3);
    const changed = await own('PUT', 'segments/large', { body: { ...segment, label: 'Larger' } });
    assert.deepEqual([changed.status, changed.json.data.label], [200, 'Larger']);
    assert.equal((await own('DELETE', 'segments/large')).status, 204);
    for (const method of ['GET', 'DELETE'])
      assert.deepEqual(codeOf(await own(method, 'segments/large')), [404, 'not_found']);
    assert.deepEqual(codeOf(await own('GET', 'segments/No%20key')), [404, 'not_found']);
  });

  test('apply to list, search and export; other parameters narrow them, and the order of the request wins', async () => {
    await put(call, 'segments/seated', {
      label: 'Seated',
      filter: { attributes: { seats: { exists: true } } },
      sort: 'name',
    });
    const listed = await call('GET', 'contacts?segment=seated');
    assert.deepEqual(namesOf(listed.json.data), ['Ann', 'Bert', 'Cleo']);
    assert.deepEqual(namesOf((await call('POST', 'contacts?segment=seated&sort=-name')).json.data), [
      'Cleo',
      'Bert',
      'Ann',
    ]);
    assert.deepEqual(namesOf((await call('GET', 'export?segment=seated&tag=vip')).json.data), ['Ann', 'Bert']);
    assert.deepEqual(namesOf((await call('GET', 'contacts?segment=seated&attributes[seats][lt]=5')).json.data), [
      'Bert',
    ]);
    await put(call, 'segments/bert', { label: 'Bert', query: 'bert', filter: {} });
    assert.deepEqual(namesOf((await call('GET', 'contacts?segment=bert&query=example')).json.data), ['Bert']);
    assert.deepEqual(namesOf((await call('GET', 'contacts?segment=bert&query=ann')).json.data), []);
  });

  test('one that names a deleted attribute is 400 and says so', async () => {
    const own = await seed();
    await put(own, 'segments/large', segment);
    await own('DELETE', 'attributes/renewal');
    for (const path of ['contacts?segment=large', 'export?segment=large', 'segments/large?include=total']) {
      const reply = await own('GET', path);
      assert.deepEqual([...codeOf(reply), ...faultsOf(reply)], [400, 'invalid_request', 'segment'], path);
      assert.match(reply.json.errors[0].message, /attributes\.renewal is not/);
    }
    assert.equal((await own('GET', 'segments/large')).status, 200);
  });

  test('one that cannot be is 400, and names what is wrong', async () => {
    const faults: [object, string][] = [
      [{ filter: {} }, 'label'],
      [{ label: 'x' }, 'filter'],
      [{ label: 'x', filter: { color: 'red' } }, 'filter'],
      [{ label: 'x', filter: { tag: 'vip' } }, 'filter.tag'],
      [{ label: 'x', filter: { phone: 'abc' } }, 'filter.phone'],
      [{ label: 'x', filter: { createdAt: { gte: 'soon' } } }, 'filter.createdAt.gte'],
      [{ label: 'x', filter: { createdAt: {} } }, 'filter.createdAt'],
      [{ label: 'x', filter: { attributes: { color: ['red'] } } }, 'filter.attributes.color'],
      [{ label: 'x', filter: { attributes: { seats: ['10'] } } }, 'filter.attributes.seats'],
      [{ label: 'x', filter: { attributes: { plan: { gte: 1 } } } }, 'filter.attributes.plan'],
      [{ label: 'x', filter: {}, sort: 'age' }, 'sort'],
      [{ label: 'x', filter: { tag: Array.from({ length: 51 }, (_, i) => `t${i}`) } }, 'filter.tag'],
    ];
    for (const [body, field] of faults) {
      const reply = await call('PUT', 'segments/bad', { body });
      assert.deepEqual([...codeOf(reply), ...faultsOf(reply)], [400, 'invalid_request', field], JSON.stringify(body));
    }
    const reply = await call('PUT', 'segments/Bad', { body: { label: 'x', filter: {} } });
    assert.deepEqual(faultsOf(reply), ['key']);
  });

  test('a bot has at most 50', async () => {
    const own = await callerOfNewBot(server);
    for (let count = 0; count < 50; count++) await put(own, `segments/s${count}`, { label: 'x', filter: {} });
    assert.deepEqual(codeOf(await own('PUT', 'segments/more', { body: { label: 'x', filter: {} } })), [
      400,
      'limit_reached',
    ]);
    assert.equal((await own('PUT', 'segments/s0', { body: { label: 'y', filter: {} } })).status, 200);
  });
});

suite('an upsert that skips items with faults', () => {
  test('writes the others, and lists the faults with their positions', async () => {
    const call = await seed();
    const data = [
      { email: 'new@example.com', name: 'New', tags: ['vip'] },
      { email: 'no email', name: 'Bad' },
      { email: 'nameless@example.com' },
      { email: 'ann@example.com', attributes: { seats: 'ten' } },
      { email: 'ann@example.com', attributes: { seats: 11 } },
      { email: 'full@example.com', name: 'Full', addTags: Array.from({ length: 50 }, (_, i) => `t${i}`) },
      { email: 'full@example.com', addTags: ['one too many'] },
    ];
    const reply = await call('PATCH', 'contacts?onError=skip&include=outcome', { body: { data } });
    assert.equal(reply.status, 200, JSON.stringify(reply.json));
    assert.deepEqual(
      reply.json.data.map(({ index, outcome }: { index: number; outcome: string }) => [index, outcome]),
      [
        [0, 'created'],
        [4, 'updated'],
        [5, 'created'],
      ],
    );
    assert.deepEqual(
      reply.json.errors.map(({ index, field }: { index: number; field: string }) => [index, field]),
      [
        [1, 'email'],
        [2, 'name'],
        [3, 'attributes.seats'],
        [6, 'tags'],
      ],
    );
    assert.deepEqual(await find(call, 'tag=vip'), ['New', 'Bert', 'Ann']);
    assert.deepEqual(await find(call, 'attributes[seats]=11'), ['Ann']);
  });

  test('answers an empty list of errors when there are none, and faults of the whole body stay 400', async () => {
    const call = await callerOfNewBot(server);
    const good = await call('PATCH', 'contacts?onError=skip', { body: { data: [{ email: 'a@b.c', name: 'A' }] } });
    assert.deepEqual([good.status, good.json.errors, good.json.data.length], [200, [], 1]);
    const none = await call('PATCH', 'contacts?onError=skip', { body: { data: [{ email: 'a' }] } });
    assert.deepEqual([none.status, none.json.errors.length, none.json.data], [200, 1, []]);
    assert.deepEqual(codeOf(await call('PATCH', 'contacts?onError=skip', { body: {} })), [400, 'invalid_request']);
    assert.deepEqual(codeOf(await call('PATCH', 'contacts?onError=stop', { body: { data: [] } })), [
      400,
      'invalid_request',
    ]);
    const plain = await call('PATCH', 'contacts', { body: { data: [{ email: 'a@b.c', name: 'B' }] } });
    assert.equal('errors' in plain.json, false);
  });
});
