// Bulk upsert over HTTP: matching, order, and all or nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idKinds, limits } from '@roster/contract';
import { type Caller, codeOf, createContact, startServer } from '../../test/harness.ts';
import { callerOfNewBot, wholeFile } from '../../test/http/every-operation.ts';

const server = await startServer(wholeFile);
const { clock } = server;

async function totalOf(call: Caller): Promise<number> {
  return (await call('GET', 'contacts')).json.pagination.total;
}

const upsert = (call: Caller, data: unknown) => call('PATCH', 'contacts', { body: { data } });

test('every item yields one row, in input order, with an index from 0 and the id of its contact', async () => {
  const call = await callerOfNewBot(server);
  const known = await createContact(call, { email: 'known@example.com', name: 'Old', phone: '1' });
  clock.nowMs += 1000;
  const reply = await upsert(call, [
    { name: 'First', email: 'first@example.com' },
    { name: 'New', email: 'KNOWN@example.com', mid: 'm' },
    { name: 'Third', email: 'third@example.com', wid: '+1 555 0100' },
  ]);
  assert.equal(reply.status, 200);
  assert.deepEqual(Object.keys(reply.json), ['data']);
  const rows = reply.json.data as { index: number; id: string }[];
  assert.deepEqual(
    rows.map(({ index }) => index),
    [0, 1, 2],
  );
  for (const row of rows) {
    assert.deepEqual(Object.keys(row).sort(), ['id', 'index']);
    assert.match(row.id, idKinds.contact.pattern);
  }
  assert.equal(rows[1]?.id, known.id);
  const updated = (await call('GET', `contacts/${known.id}`)).json.data;
  const updatedAt = new Date(clock.nowMs).toISOString();
  assert.deepEqual(updated, { ...known, name: 'New', email: 'KNOWN@example.com', mid: 'm', updatedAt });
  const third = (await call('GET', `contacts/${rows[2]?.id}`)).json.data;
  assert.deepEqual([third.name, third.wid, third.createdAt, third.phone], ['Third', '+15550100', updatedAt, '']);
  assert.equal(await totalOf(call), 3);
});

test('with include=outcome each row says whether its contact was created, updated or left unchanged', async () => {
  const call = await callerOfNewBot(server);
  await createContact(call, { email: 'same@example.com', name: 'Same' });
  await createContact(call, { email: 'known@example.com', name: 'Old' });
  const data = [
    { name: 'New', email: 'new@example.com' },
    { name: 'Same', email: 'same@example.com' },
    { name: 'Changed', email: 'known@example.com' },
    { email: 'new@example.com', phone: '1' },
  ];
  const outcomesOf = (rows: { index: number; outcome: string }[]) => rows.map(({ index, outcome }) => [index, outcome]);
  const reply = await call('PATCH', 'contacts?include=outcome', { body: { data } });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get('roster-ignored'), null);
  assert.deepEqual(outcomesOf(reply.json.data), [
    [0, 'created'],
    [1, 'unchanged'],
    [2, 'updated'],
    [3, 'created'],
  ]);
  const plain = await upsert(call, data);
  for (const row of plain.json.data) assert.deepEqual(Object.keys(row).sort(), ['id', 'index']);
});

test('an unknown name to include is 400, and nothing is written', async () => {
  const call = await callerOfNewBot(server);
  const body = { data: [{ name: 'Jane', email: 'jane@example.com' }] };
  for (const include of ['tags', 'outcome,tags', '', 'outcome&include=outcome']) {
    const reply = await call('PATCH', `contacts?include=${include}`, { body });
    assert.deepEqual(codeOf(reply), [400, 'invalid_request'], include);
    assert.equal(reply.json.errors[0].field, 'include');
  }
  assert.equal(await totalOf(call), 0);
});

test('an empty array is 200 with an empty list', async () => {
  const reply = await upsert(server.call, []);
  assert.deepEqual([reply.status, reply.json], [200, { data: [] }]);
});

test('the same email twice: the later item updates the earlier one, and both rows carry the same id', async () => {
  const call = await callerOfNewBot(server);
  const reply = await upsert(call, [
    { name: 'One', email: 'twice@example.com', phone: '1', mid: 'm' },
    { name: 'Two', email: 'TWICE@example.com', phone: null },
    { email: 'twice@Example.com' },
  ]);
  assert.equal(reply.status, 200);
  assert.equal(new Set(reply.json.data.map(({ id }: { id: string }) => id)).size, 1);
  const { data } = (await call('GET', 'contacts')).json;
  assert.equal(data.length, 1);
  const { name, email, phone, mid } = data[0];
  assert.deepEqual({ name, email, phone, mid }, { name: 'Two', email: 'twice@Example.com', phone: '', mid: 'm' });
});

test('a nameless item updates the contact that exists, and clears what is null or empty', async () => {
  const call = await callerOfNewBot(server);
  const before = await createContact(call, { phone: '1', mid: 'm', wid: '+15550100' });
  clock.nowMs += 1000;
  assert.equal((await upsert(call, [{ email: before.email, phone: '', mid: null }])).status, 200);
  const updatedAt = new Date(clock.nowMs).toISOString();
  const { json } = await call('GET', `contacts/${before.id}`);
  assert.deepEqual(json.data, { ...before, phone: '', mid: '', updatedAt });
});

test('updatedAt moves only if the final row differs from the stored one', async () => {
  const call = await callerOfNewBot(server);
  const before = await createContact(call, { phone: '1' });
  clock.nowMs += 1000;
  await upsert(call, [before, { email: before.email, phone: '2' }, { email: before.email, phone: '1' }]);
  assert.deepEqual((await call('GET', `contacts/${before.id}`)).json.data, before);
});

test('one bad item and nothing is written; the 400 lists every bad item with index, field and reason', async () => {
  const call = await callerOfNewBot(server);
  const known = await createContact(call);
  const reply = await upsert(call, [
    { name: 'Good', email: 'good@example.com' },
    { name: '', email: 'bad' },
    { email: 'nameless@example.com' },
    null,
    { email: known.email, name: 'Changed' },
    { name: 'No email' },
    { name: 'x', email: 'x@example.com', phone: 5 },
    { name: null, email: known.email },
    'text',
    [],
  ]);
  assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
  const errors = reply.json.errors as { index: number; field: string; message: string }[];
  const told = errors.map(({ index, field }) => `${index} ${field}`);
  const items = told.filter((line) => !/^[389] /.test(line));
  assert.deepEqual(items.toSorted(), ['1 email', '1 name', '2 name', '5 email', '6 phone', '7 name']);
  assert.deepEqual(
    [3, 8, 9].filter((at) => !errors.some(({ index }) => index === at)),
    [],
    'items that are no objects are reported too',
  );
  assert.deepEqual(
    errors.map(({ index }) => index),
    errors.map(({ index }) => index).toSorted((a, b) => a - b),
  );
  for (const { message } of errors) assert.ok(message.length > 0);
  assert.equal(await totalOf(call), 1);
  assert.deepEqual((await call('GET', `contacts/${known.id}`)).json.data, known);
});

test('a nameless item is an error when only the stored state shows it, alone and beside other faults', async () => {
  const call = await callerOfNewBot(server);
  const data = [
    { email: 'new@example.com' },
    { name: 'Named', email: 'new@example.com' },
    { email: 'other@example.com' },
  ];
  const alone = await upsert(call, data);
  assert.deepEqual(codeOf(alone), [400, 'invalid_request']);
  assert.deepEqual(
    alone.json.errors.map(({ index, field }: { index: number; field: string }) => [index, field]),
    [
      [0, 'name'],
      [2, 'name'],
    ],
  );
  const beside = await upsert(call, [...data, { name: 'x', email: 'bad' }]);
  assert.deepEqual(
    beside.json.errors.map(({ index, field }: { index: number; field: string }) => [index, field]),
    [
      [0, 'name'],
      [2, 'name'],
      [3, 'email'],
    ],
  );
  assert.equal(await totalOf(call), 0);
});

test('a good item is not called bad because the one that creates its contact has another fault', async () => {
  const call = await callerOfNewBot(server);
  const data = [
    { email: 'twice@x.example', name: 'Twice', phone: 5 },
    { email: 'twice@x.example', phone: '1' },
  ];
  const { status, json } = await upsert(call, data);
  assert.equal(status, 400);
  assert.deepEqual(json.errors, [{ index: 0, field: 'phone', message: 'must be a string' }]);
});

test('a field at the wrong level is named in Roster-Ignored, and the header stays short', async () => {
  const call = await callerOfNewBot(server);
  const item = { email: 'odd@x.example', name: 'Odd', data: 3 };
  const odd = await call('PATCH', 'contacts', { body: { name: 'x', data: [item] } });
  assert.equal(odd.headers.get('roster-ignored'), 'name, data');
  const long = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}${'\u6f22'.repeat(64)}`, 1]));
  const reply = await upsert(call, [{ ...item, ...long }]);
  assert.equal(reply.status, 200);
  assert.ok((reply.headers.get('roster-ignored') ?? '').length < 1100);
});

test('a nameless item after the one that creates is fine', async () => {
  const call = await callerOfNewBot(server);
  const reply = await upsert(call, [
    { name: 'N', email: 'a@example.com' },
    { email: 'a@example.com', phone: '1' },
  ]);
  assert.equal(reply.status, 200);
});

test('exactly 1000 contacts are taken, 1001 are refused whole', async () => {
  const call = await callerOfNewBot(server);
  const items = Array.from({ length: 1001 }, (_, i) => ({ name: `N${i}`, email: `n${i}@example.com` }));
  const refused = await upsert(call, items);
  assert.deepEqual(codeOf(refused), [400, 'too_many_contacts']);
  assert.equal(await totalOf(call), 0);
  const refusedUnread = await upsert(
    call,
    Array.from({ length: 1001 }, () => 'not a contact'),
  );
  assert.deepEqual(codeOf(refusedUnread), [400, 'too_many_contacts']);
  const taken = await upsert(call, items.slice(0, 1000));
  assert.equal(taken.json.data.length, 1000);
  assert.equal(await totalOf(call), 1000);
});

test('the body limit fits 1000 full contacts, even with every character escaped', async () => {
  const call = await callerOfNewBot(server);
  const escaped = (codePoints: number) => '\\ud83d\\ude00'.repeat(codePoints);
  const item = (i: number) => {
    const digits = String(i).padStart(4, '0');
    const email = `${digits}@${escaped(limits.emailLength - 5)}`;
    const [name, phone, mid] = [limits.nameLength, limits.phoneLength, limits.messengerIdLength].map(escaped);
    return `{"name":"${name}","email":"${email}","phone":"${phone}","mid":"${mid}","wid":"+12345678901${digits}"}`;
  };
  const body = `{"data":[${Array.from({ length: 1000 }, (_, i) => item(i)).join(',')}]}`;
  const reply = await call('PATCH', 'contacts', { body, headers: { 'content-type': 'application/json' } });
  assert.equal(reply.status, 200, reply.text.slice(0, 300));
  assert.equal(reply.json.data.length, 1000);
});

test('data is required and must be an array', async () => {
  for (const body of [{}, { data: null }, { data: {} }, { data: 'x' }, [], 5, undefined]) {
    const reply = await server.call('PATCH', 'contacts', body === undefined ? {} : { body });
    assert.deepEqual(codeOf(reply), [400, 'invalid_request'], JSON.stringify(body));
    assert.deepEqual(reply.json.errors.length, 1);
    assert.ok(!('index' in reply.json.errors[0]));
  }
});

test('unknown fields of the request and of any item are named in Roster-Ignored', async () => {
  const call = await callerOfNewBot(server);
  const data = [
    { name: 'A', email: 'a@example.com', id: 'x', fone: '1' },
    { name: 'B', email: 'b@example.com', createdAt: 'x', fone: '2', tag: [] },
  ];
  const reply = await call('PATCH', 'contacts', { body: { data, mode: 'x' } });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get('roster-ignored'), 'mode, fone, tag');
});

test('concurrent upserts of one email make one contact', async () => {
  const call = await callerOfNewBot(server);
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => upsert(call, [{ name: `N${i}`, email: 'same@example.com' }])),
  );
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.equal(new Set(replies.map(({ json }) => json.data[0].id)).size, 1);
  assert.equal(await totalOf(call), 1);
});

for (const query of ['', '?onError=skip']) {
  test(`an upsert${query} is validated in slices, between which other requests are served`, async (t) => {
    let rounds = 0;
    let isValidating = false;
    const countRounds = () => {
      if (!isValidating) return;
      rounds++;
      setImmediate(countRounds);
    };
    const own = await startServer(t, {
      storeOf: server,
      wrapStore: (store) => ({
        ...store,
        // The definitions are read right before the validation, and the contacts are written right after it.
        async listAttributes(botId) {
          const definitions = await store.listAttributes(botId);
          isValidating = true;
          setImmediate(countRounds);
          return definitions;
        },
        upsertContacts(...args) {
          isValidating = false;
          return store.upsertContacts(...args);
        },
      }),
    });
    const tags = Array.from({ length: limits.tagsPerContact }, (_, at) => `tag ${at}`);
    const data = Array.from({ length: limits.contactsPerUpsert }, (_, at) => {
      return { name: 'Jane', email: `jane${at}@example.com`, attributes: { plan: 'pro' }, tags };
    });
    await own.call('PUT', 'attributes/plan', { body: { type: 'text', label: 'Plan' } });
    const reply = await own.call('PATCH', `contacts${query}`, { body: { data } });
    assert.equal(reply.status, 200, reply.text);
    // Validated at once, it would be over in the first.
    assert.ok(rounds >= 3, `validated within ${rounds} rounds of the event loop`);
  });
}
