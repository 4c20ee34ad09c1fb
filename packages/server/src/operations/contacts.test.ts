// Create, retrieve, update and delete over HTTP.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { contactFields, contactSchema, idKinds } from '@roster/contract';
import { callerOf, codeOf, createContact, startServer } from '../../test/harness.ts';
import { callerOfNewBot, wholeFile } from '../../test/http/every-operation.ts';
import { sampleContext } from '../../test/sample.ts';
import { makeId } from '../contacts/ids.ts';

const server = await startServer(wholeFile);
const { call, clock, mine, theirs } = server;

const members = ['id', 'name', 'email', 'phone', 'mid', 'wid', 'createdAt', 'updatedAt'].sort();
const full = { name: 'Ann', email: 'ann@example.com', phone: '555-0100', wid: '+15550100', mid: 'm1' };
const unknownId = makeId('contact', 1);

suite('create', () => {
  test('a new contact is answered with 201, its eight members and its Location', async () => {
    const reply = await call('PUT', 'contacts', { body: full });
    assert.equal(reply.status, 201);
    assert.deepEqual(Object.keys(reply.json), ['data']);
    const contact = contactSchema.parse(reply.json.data);
    assert.deepEqual(Object.keys(contact).sort(), members);
    const now = new Date(clock.nowMs).toISOString();
    assert.deepEqual(contact, { ...full, id: contact.id, createdAt: now, updatedAt: now });
    assert.match(contact.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(reply.headers.get('location'), `/v1/bots/${mine.bot.id}/contacts/${contact.id}`);
    const found = await call('GET', reply.headers.get('location') as string);
    assert.deepEqual(found.json, { data: contact });
  });

  test('an optional field without a value is an empty string', async () => {
    for (const body of [{}, { phone: null, wid: null, mid: null }, { phone: '', wid: '', mid: '' }, { phone: ' \t' }]) {
      const contact = await createContact(call, body as object);
      assert.deepEqual([contact.phone, contact.wid, contact.mid], ['', '', '']);
    }
  });

  test('fields are trimmed, wid is normalised and the email is kept as sent', async () => {
    const body = { name: '\u00a0 Bob \n', email: ' Bob.B@Example.COM ', phone: ' (1) 2 ', wid: ' +1 (555) 010-0.1 ' };
    const reply = await call('PUT', 'contacts', { body });
    const { name, email, phone, wid } = reply.json.data;
    assert.deepEqual(
      { name, email, phone, wid },
      { name: 'Bob', email: 'Bob.B@Example.COM', phone: '(1) 2', wid: '+155501001' },
    );
  });

  test('an email that exists, in any spelling, is refused with 400 and the id of its contact', async () => {
    const holder = await createContact(call, { email: 'Zoë@Example.com' });
    for (const email of ['Zoë@Example.com', 'zoë@example.com', 'ZOE\u0308@EXAMPLE.COM', ' zoë@example.com ']) {
      const reply = await call('PUT', 'contacts', { body: { name: 'Other', email } });
      assert.deepEqual(codeOf(reply), [400, 'email_taken']);
      assert.equal(reply.json.contactId, holder.id);
      assert.equal(reply.json.detail, `A contact with the email ${email.trim()} already exists in this bot.`);
    }
  });

  test('two bots may hold the same email', async () => {
    const { email } = await createContact(call);
    const other = await callerOfNewBot(server);
    assert.equal((await other('PUT', 'contacts', { body: { name: 'x', email } })).status, 201);
  });

  test('of many concurrent creations with one email exactly one wins, and the others name it', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        call('PUT', 'contacts', { body: { name: `n${i}`, email: i % 2 ? 'race@example.com' : 'RACE@example.com' } }),
      ),
    );
    const winners = replies.filter(({ status }) => status === 201);
    assert.equal(winners.length, 1);
    for (const reply of replies.filter((each) => !winners.includes(each))) {
      assert.deepEqual(codeOf(reply), [400, 'email_taken']);
      assert.equal(reply.json.contactId, winners[0]?.json.data.id);
    }
  });

  test('every faulty field is reported, at once and once', async () => {
    const body = { name: '', email: 'no', phone: 5, wid: '123', mid: 'x'.repeat(129) };
    const reply = await call('PUT', 'contacts', { body });
    assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
    const fields = reply.json.errors.map(({ field }: { field: string }) => field);
    assert.deepEqual(fields.toSorted(), contactFields.toSorted());
    for (const error of reply.json.errors) assert.deepEqual(Object.keys(error).sort(), ['field', 'message']);
  });

  test('name and email are required: left out, null and empty are errors', async () => {
    for (const body of [{}, undefined, { name: null, email: null }, { name: ' ', email: '' }]) {
      const reply = await call('PUT', 'contacts', body === undefined ? {} : { body });
      assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
      assert.deepEqual(reply.json.errors.map(({ field }: { field: string }) => field).sort(), ['email', 'name']);
    }
  });

  test('nothing is coerced to a string', async () => {
    for (const value of [5, true, {}, [], ['a'], 0]) {
      const reply = await call('PUT', 'contacts', { body: { name: 'x', email: 'coerced@example.com', phone: value } });
      assert.deepEqual(reply.json.errors, [{ field: 'phone', message: 'must be a string' }]);
    }
  });

  test('a body that is not an object is invalid, not a crash', async () => {
    for (const body of [[], [{ name: 'x' }], 5, 'null', '"text"', 'true']) {
      const reply = await call('PUT', 'contacts', { body, headers: { 'content-type': 'application/json' } });
      assert.deepEqual(codeOf(reply), [400, 'invalid_request'], JSON.stringify(body));
    }
  });

  test('with Prefer: handling=strict, unknown fields and parameters are 400, and nothing is done', async () => {
    const headers = { prefer: 'respond-async, handling=strict; x=1' };
    const fields = { name: 'Strict', email: 'strict@example.com', id: 'con_1', updatedAt: 'x' };
    const unknown = (field: string) => ({ field, message: 'is unknown. Check its spelling, or leave it out' });
    const refused: [method: string, path: string, body: unknown, errors: string[]][] = [
      ['PUT', 'contacts', { ...fields, nmae: 'x' }, ['nmae']],
      ['PUT', 'contacts?inclde=tags', fields, ['inclde']],
      ['PATCH', 'contacts', { data: [fields, { ...fields, tag: ['a'] }], datas: [] }, ['datas', 'tag']],
      ['GET', 'contacts?emial=a&created[gte]=-1d', undefined, ['emial', 'request']],
      ['GET', 'export?sort=name', undefined, ['sort']],
      ['PUT', 'attributes/plan', { type: 'text', label: 'Plan', key: 'plan', lable: 'x' }, ['lable']],
      ['GET', 'attributes?sort=key', undefined, ['sort']],
    ];
    for (const [method, path, body, errors] of refused) {
      const reply = await call(method, path, { headers, ...(body !== undefined && { body }) });
      assert.deepEqual([reply.status, reply.json.code], [400, 'invalid_request'], path);
      assert.deepEqual(reply.json.errors, errors.map(unknown), path);
    }
    assert.equal((await call('GET', 'contacts?email=strict@example.com')).json.pagination.total, 0);
    const created = await call('PUT', 'contacts?include=tags', { headers, body: fields });
    assert.deepEqual([created.status, created.headers.get('preference-applied')], [201, 'handling=strict']);
    const listed = await call('GET', 'contacts?email=strict@example.com&attributes[plan]=', { headers });
    assert.equal(listed.status, 400, 'other faults are found too');
    const lenient = await call('GET', 'contacts?emial=a', { headers: { prefer: 'handling=lenient' } });
    assert.deepEqual([lenient.status, lenient.headers.get('preference-applied')], [200, null]);
  });

  test('unknown fields are ignored and named in Roster-Ignored; read-only ones are ignored in silence', async () => {
    const body = {
      ...full,
      ...{ email: 'ignored@example.com', nmae: 'typo', id: unknownId, createdAt: 'x', updatedAt: 5 },
    };
    const reply = await call('PUT', 'contacts', { body });
    assert.equal(reply.status, 201);
    assert.equal(reply.headers.get('roster-ignored'), 'nmae');
    assert.notEqual(reply.json.data.id, unknownId);
    assert.equal(reply.json.data.createdAt, new Date(clock.nowMs).toISOString());
    const plain = await call('PUT', 'contacts', { body: { ...full, email: 'plain@example.com' } });
    assert.equal(plain.headers.get('roster-ignored'), null);
  });

  test('the name of an unknown field cannot break the header', async () => {
    const body = `{"name":"x","email":"evil@example.com","a\\r\\nSet-Cookie: x":1,"é, b":2,"\\ud800":3,"__proto__":{"phone":"1"}}`;
    const reply = await call('PUT', 'contacts', { body, headers: { 'content-type': 'application/json' } });
    assert.equal(reply.status, 201);
    assert.equal(reply.json.data.phone, '');
    assert.equal(reply.headers.get('set-cookie'), null);
    assert.match(reply.headers.get('roster-ignored') ?? '', /^[\w.%, -]+$/);
    assert.equal(reply.headers.get('roster-ignored')?.split(', ').length, 4);
  });
});

suite('retrieve', () => {
  test('a contact that does not exist, is of another bot or has a malformed id is a 404', async () => {
    const foreign = await createContact(callerOf(server.url, theirs));
    const neighbour = await createContact(await callerOfNewBot(server));
    const malformed = [
      'x',
      'con_',
      `${unknownId}0`,
      unknownId.toUpperCase(),
      '%00',
      'con_%F0%9F%98%80',
      'a'.repeat(600),
    ];
    for (const id of [unknownId, foreign.id, neighbour.id, mine.bot.id, ...malformed]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const reply = await call(method, `contacts/${id}`, method === 'PATCH' ? { body: { name: 'x' } } : {});
        assert.deepEqual(codeOf(reply), [404, 'not_found'], `${method} ${id}`);
      }
    }
    assert.equal((await callerOf(server.url, theirs)('GET', `contacts/${foreign.id}`)).status, 200);
  });

  test('HEAD answers like GET, without the body', async () => {
    const { id } = await createContact(call);
    const headers = { authorization: `Bearer ${mine.secret}` };
    const target = `${server.url}/v1/bots/${mine.bot.id}/contacts/${id}`;
    const reply = await fetch(target, { method: 'HEAD', headers });
    const got = await fetch(target, { headers });
    assert.deepEqual([reply.status, await reply.text()], [200, '']);
    assert.equal(reply.headers.get('content-length'), got.headers.get('content-length'));
    await got.body?.cancel();
  });

  test('the contacts of a deleted bot are 404 from that moment on', async () => {
    const { bot } = { bot: { ...mine.bot, id: makeId('bot', 7) } };
    await server.store.createBot(bot, undefined, sampleContext());
    const ofBot = callerOf(server.url, { ...mine, bot });
    const { id } = await createContact(ofBot);
    assert.equal((await ofBot('GET', `contacts/${id}`)).status, 200);
    assert.equal(await server.app.tenantCache.deleteBot(bot.id, sampleContext({ nowMs: clock.nowMs })), true);
    for (const [method, path] of [
      ['GET', `contacts/${id}`],
      ['GET', 'contacts'],
      ['GET', 'export'],
      ['PUT', 'contacts'],
      ['GET', 'widget'],
    ] as const) {
      assert.deepEqual(codeOf(await ofBot(method, path)), [404, 'not_found'], `${method} ${path}`);
    }
  });
});

suite('update', () => {
  test('an update answers 200 with the whole contact, and keeps the fields left out', async () => {
    const before = await createContact(call, { phone: '1', mid: 'm', wid: '+15550100' });
    clock.nowMs += 1000;
    const reply = await call('PATCH', `contacts/${before.id}`, { body: { name: ' New ', wid: '+44 20 7946 0000' } });
    assert.equal(reply.status, 200);
    const updatedAt = new Date(clock.nowMs).toISOString();
    assert.deepEqual(reply.json, { data: { ...before, name: 'New', wid: '+442079460000', updatedAt } });
    assert.deepEqual((await call('GET', `contacts/${before.id}`)).json, reply.json);
  });

  test('null and the empty string clear phone, wid and mid', async () => {
    for (const nothing of [null, '', '  ']) {
      const { id } = await createContact(call, { phone: '1', mid: 'm', wid: '+15550100' });
      const { json } = await call('PATCH', `contacts/${id}`, { body: { phone: nothing, wid: nothing, mid: nothing } });
      assert.deepEqual([json.data.phone, json.data.wid, json.data.mid], ['', '', '']);
    }
  });

  test('null and the empty string are errors for name and email', async () => {
    const { id } = await createContact(call);
    for (const nothing of [null, '', ' ']) {
      const reply = await call('PATCH', `contacts/${id}`, { body: { name: nothing, email: nothing } });
      assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
      assert.deepEqual(reply.json.errors.map(({ field }: { field: string }) => field).sort(), ['email', 'name']);
    }
  });

  test('updatedAt moves only when a field really changes', async () => {
    const before = await createContact(call, { email: 'Moves@example.com', phone: '1' });
    clock.nowMs += 1000;
    const same = [{}, { name: ' Jane Doe ' }, { email: before.email }, { mid: '' }, { wid: null }, { ...before }];
    for (const body of [...same, { unknown: 'x' }]) {
      const reply = await call('PATCH', `contacts/${before.id}`, { body });
      assert.deepEqual([reply.status, reply.json.data], [200, before], JSON.stringify(body));
    }
    const respelled = await call('PATCH', `contacts/${before.id}`, { body: { email: 'moves@EXAMPLE.com' } });
    assert.equal(respelled.json.data.email, 'moves@EXAMPLE.com');
    assert.equal(respelled.json.data.updatedAt, new Date(clock.nowMs).toISOString());
  });

  test('updatedAt moves by a millisecond when the clock stands still', async () => {
    const before = await createContact(call);
    const { json } = await call('PATCH', `contacts/${before.id}`, { body: { phone: '2' } });
    assert.equal(Date.parse(json.data.updatedAt), Date.parse(before.updatedAt) + 1);
  });

  test('an update to an email of another contact is refused with 400 and changes nothing', async () => {
    const holder = await createContact(call, { email: 'held@example.com' });
    const before = await createContact(call);
    const body = { name: 'Changed', email: 'HELD@example.com' };
    const reply = await call('PATCH', `contacts/${before.id}`, { body });
    assert.deepEqual(codeOf(reply), [400, 'email_taken']);
    assert.equal(reply.json.contactId, holder.id);
    assert.deepEqual((await call('GET', `contacts/${before.id}`)).json.data, before);
  });

  test('an update without a body is 200 and changes nothing, with or without a Content-Type', async () => {
    const before = await createContact(call);
    for (const headers of [{}, { 'content-type': 'application/json' }] as Record<string, string>[]) {
      const reply = await call('PATCH', `contacts/${before.id}`, { headers });
      assert.deepEqual([reply.status, reply.json], [200, { data: before }]);
    }
  });

  test('what was read can be sent back, and a typo is named', async () => {
    const before = await createContact(call);
    const sentBack = await call('PATCH', `contacts/${before.id}`, { body: before });
    assert.equal(sentBack.headers.get('roster-ignored'), null);
    const typo = await call('PATCH', `contacts/${before.id}`, { body: { fone: '1' } });
    assert.equal(typo.headers.get('roster-ignored'), 'fone');
  });
});

suite('delete', () => {
  test('a deleted contact is answered with 204 and no body, and is gone', async () => {
    const { id, email } = await createContact(call);
    const reply = await call('DELETE', `contacts/${id}`);
    assert.deepEqual([reply.status, reply.text, reply.headers.get('content-type')], [204, '', null]);
    assert.deepEqual(codeOf(await call('GET', `contacts/${id}`)), [404, 'not_found']);
    assert.deepEqual(codeOf(await call('DELETE', `contacts/${id}`)), [404, 'not_found']);
    const again = await createContact(call, { email });
    assert.notEqual(again.id, id);
    assert.match(again.id, idKinds.contact.pattern);
  });
});

suite('bodies', () => {
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

  test('without a Content-Type, JSON is tried', async () => {
    const reply = await call('PUT', 'contacts', { body: json({ name: 'x', email: 'untyped@example.com' }) });
    assert.equal(reply.status, 201);
  });

  test('the Content-Type may have any case and parameters, and a byte order mark is no content', async () => {
    for (const [i, type] of [
      'Application/JSON',
      'application/json;charset=utf-8',
      'application/json ; a=b',
    ].entries()) {
      const body = `\ufeff${JSON.stringify({ name: 'x', email: `typed${i}@example.com` })}`;
      assert.equal((await call('PUT', 'contacts', { body, headers: { 'content-type': type } })).status, 201, type);
    }
  });

  test('Accept never refuses', async () => {
    for (const accept of ['text/html', 'application/xml;q=0.1', 'nonsense', '']) {
      assert.equal((await call('GET', 'contacts', { headers: { accept } })).status, 200);
    }
  });

  test('a body on DELETE is ignored, whatever it is', async () => {
    const types = ['application/json', 'text/plain', 'image/png', 'multipart/form-data', 'nonsense'];
    for (const [i, type] of types.entries()) {
      const { id } = await createContact(call);
      const options = { headers: { 'content-type': type }, ...(i > 0 && { body: '{broken' }) };
      assert.equal((await call('DELETE', `contacts/${id}`, options)).status, 204, type);
    }
  });
});
