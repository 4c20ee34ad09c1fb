// Attributes and tags of contacts over HTTP: what requests may say, what answers include, and what is refused.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type FieldError, limits } from '@roster/contract';
import { signInAs } from '../../test/console-client.ts';
import { type Caller, codeOf, createContact, type Reply, startServer } from '../../test/harness.ts';
import { callerOfNewBot, wholeFile } from '../../test/http/every-operation.ts';
import { sampleContext } from '../../test/sample.ts';
import { hashCredential } from '../account/credentials.ts';
import type { Store } from '../store/store.ts';

const server = await startServer(wholeFile);

async function botWithAttributes(): Promise<Caller> {
  const call = await callerOfNewBot(server);
  for (const [key, type] of Object.entries({ plan: 'text', seats: 'number', trial: 'boolean', renewal: 'date' })) {
    await call('PUT', `attributes/${key}`, { body: { type, label: key } });
  }
  return call;
}

const include = 'include=attributes,tags';
const errorsOf = (reply: Reply): [string, string][] =>
  reply.json.errors.map(({ index, field, message }: FieldError) => [`${index ?? ''}${field}`, message]);
const fieldsOf = (reply: Reply): string[] => errorsOf(reply).map(([field]) => field);

suite('attributes and tags of a contact', () => {
  const attributes = { plan: ' Pro ', seats: 12, trial: false, renewal: '2027-01-31' };
  const kept = { plan: 'Pro', seats: 12, trial: false, renewal: '2027-01-31T00:00:00.000Z' };

  test('are in no answer that does not include them, and in every one that does', async () => {
    const call = await botWithAttributes();
    const body = { name: 'Jane', email: 'jane@example.com', attributes, tags: ['vip', 'Älter', 'VIP'] };
    const created = await call('PUT', 'contacts', { body });
    const contact = created.json.data;
    assert.equal(Object.keys(contact).length, 8);
    assert.equal(created.headers.get('roster-ignored'), null);
    const whole = { ...contact, attributes: kept, tags: ['Älter', 'vip'] };
    const one = `contacts/${contact.id}`;
    for (const path of [one, 'contacts', 'contacts?query=jane', 'export']) {
      const { json } = await call('GET', path);
      assert.deepEqual([json.data].flat(), [contact], path);
      const including = await call('GET', `${path}${path.includes('?') ? '&' : '?'}${include}`);
      assert.deepEqual([including.json.data].flat(), [whole], path);
      assert.equal(including.headers.get('roster-ignored'), null);
    }
    assert.deepEqual((await call('POST', `contacts?${include}`)).json.data, [whole]);
    assert.deepEqual((await call('GET', `${one}?include=tags`)).json.data, { ...contact, tags: whole.tags });
    const updated = await call('PATCH', `${one}?include=attributes`, { body: {} });
    assert.deepEqual(updated.json.data, { ...contact, attributes: kept });
    const second = await call('PUT', `contacts?${include}`, { body: { name: 'Joe', email: 'joe@example.com' } });
    assert.deepEqual([second.json.data.attributes, second.json.data.tags], [{}, []]);
  });

  test('can be sent back as they were read, which changes nothing', async () => {
    const call = await botWithAttributes();
    const { id } = await createContact(call, { attributes, tags: ['vip'] });
    const read = (await call('GET', `contacts/${id}?${include}`)).json.data;
    const reply = await call('PATCH', `contacts/${id}?${include}`, { body: read });
    assert.deepEqual([reply.status, reply.json.data], [200, read]);
    assert.equal(reply.headers.get('roster-ignored'), null);
    const upserted = await call('PATCH', 'contacts?include=outcome', { body: { data: [read] } });
    assert.equal(upserted.json.data[0].outcome, 'unchanged');
  });

  test('change as a request says, and move updatedAt', async () => {
    const call = await botWithAttributes();
    const contact = await createContact(call, { attributes, tags: ['a', 'b'] });
    const update = async (body: object) =>
      (await call('PATCH', `contacts/${contact.id}?${include}`, { body })).json.data;
    server.clock.nowMs += 5;
    const first = await update({ attributes: { plan: '', seats: null }, addTags: ['c', 'B'], removeTags: ['A'] });
    assert.deepEqual([first.attributes, first.tags], [{ renewal: kept.renewal, trial: false }, ['b', 'c']]);
    assert.equal(first.updatedAt, new Date(server.clock.nowMs).toISOString());
    assert.deepEqual((await update({ tags: null, attributes: {} })).tags, []);
    assert.deepEqual((await update({ tags: ['x'] })).tags, ['x']);
    assert.deepEqual((await update({ tags: [] })).tags, []);
  });

  test('are searched for by their text', async () => {
    const call = await botWithAttributes();
    const { id } = await createContact(call, { attributes: { plan: 'Zürich\nWest' }, tags: ['tagged'] });
    const found = async (query: string) => (await call('GET', `contacts?query=${encodeURIComponent(query)}`)).json.data;
    assert.equal((await found('zurich west'))[0]?.id, id);
    assert.deepEqual(await found('tagged'), []);
    assert.equal((await call('GET', 'export?query=zurich')).json.data.length, 1);
  });

  test('are gone at once when their attribute or tag is deleted, and have a tag’s new name', async () => {
    const call = await botWithAttributes();
    const contact = await createContact(call, { attributes, tags: ['old', 'gone'] });
    await call('DELETE', 'attributes/plan');
    await call('DELETE', 'tags/gone');
    await call('PATCH', 'tags/old', { body: { name: 'New' } });
    const { plan: _, ...left } = kept;
    for (const path of [`contacts/${contact.id}`, 'contacts', 'export']) {
      const data = [(await call('GET', `${path}?${include}`)).json.data].flat();
      assert.deepEqual(data, [{ ...contact, attributes: left, tags: ['New'] }], path);
    }
    await call('PUT', 'attributes/plan', { body: { type: 'number', label: 'Plan' } });
    assert.deepEqual((await call('GET', `contacts/${contact.id}?${include}`)).json.data.attributes, left);
  });

  test('never reach a browser by a contact token', async () => {
    const call = await botWithAttributes();
    const { id } = await createContact(call, { attributes, tags: ['vip'] });
    const { token } = (await call('POST', 'auth/contact', { body: { id } })).json;
    for (const path of ['auth/contact', `auth/contact?${include}`]) {
      assert.deepEqual(Object.keys((await call('GET', path, { token })).json.data), ['id', 'name', 'expiresAt']);
    }
    assert.equal((await call('GET', `contacts/${id}?${include}`, { token })).status, 401);
  });
});

suite('what is refused', () => {
  test('an unknown name in include', async () => {
    const call = await botWithAttributes();
    for (const path of ['contacts', 'export', 'contacts/con_x']) {
      for (const name of ['attribute', 'lastSeenAt', 'attributes,', '', 'tags&include=tags']) {
        assert.deepEqual(fieldsOf(await call('GET', `${path}?include=${name}`)), ['include'], `${path} ${name}`);
      }
    }
  });

  test('every fault of a contact at once', async () => {
    const call = await botWithAttributes();
    const attributes = { plan: 5, seats: '5', trial: 'true', renewal: 'tomorrow', nope: 1, 'no key': 1 };
    const body = { name: '', email: 'jane', attributes, tags: ['a,b', '\u0301'], addTags: ['x'] };
    const reply = await call('PUT', 'contacts', { body });
    assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
    const expected = ['name', 'email', 'tags.0', 'plan', 'seats', 'trial', 'renewal', 'nope'];
    const named = expected.map((field, index) => (index > 2 ? `attributes.${field}` : field));
    assert.deepEqual(fieldsOf(reply), [...named, 'attributes']);
    const { id } = await createContact(call);
    assert.equal((await call('PATCH', `contacts/${id}`, { body })).json.errors.length, named.length + 1);
    assert.deepEqual(fieldsOf(await call('PATCH', `contacts/${id}`, { body: { attributes: [] } })), ['attributes']);
    const own = JSON.parse('{"attributes":{"__proto__":"x","constructor":"y"}}');
    assert.deepEqual(fieldsOf(await call('PATCH', `contacts/${id}`, { body: own })), [
      'attributes.__proto__',
      'attributes.constructor',
    ]);
    const keys = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 1]));
    assert.deepEqual(fieldsOf(await call('PATCH', `contacts/${id}`, { body: { attributes: keys } })), ['attributes']);
  });

  test('tags that contradict each other, or fold to nothing', async () => {
    const call = await botWithAttributes();
    const { id } = await createContact(call, { tags: ['old'] });
    const update = async (body: object) => fieldsOf(await call('PATCH', `contacts/${id}`, { body }));
    assert.deepEqual(await update({ tags: ['a'], addTags: ['b'] }), ['tags']);
    assert.deepEqual(await update({ tags: [], removeTags: [] }), ['tags']);
    assert.deepEqual(await update({ addTags: ['Vip'], removeTags: ['VÍP'] }), ['removeTags']);
    assert.deepEqual(await update({ addTags: ['\u0301'] }), ['addTags']);
    assert.deepEqual(await update({ tags: Array.from({ length: 51 }, (_, index) => `tag${index}`) }), ['tags']);
    assert.deepEqual((await call('GET', `contacts/${id}?include=tags`)).json.data.tags, ['old']);
  });

  test('more than a contact may have, which only what is stored tells', async () => {
    const call = await botWithAttributes();
    for (let count = 0; count < 8; count++) {
      await call('PUT', `attributes/text${count}`, { body: { type: 'text', label: 'x' } });
    }
    const texts = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`text${index}`, 'x'.repeat(1024)]));
    const tags = Array.from({ length: limits.tagsPerContact }, (_, index) => `tag${index}`);
    const contact = await createContact(call, { attributes: texts, tags });
    const update = (body: object) => call('PATCH', `contacts/${contact.id}`, { body });
    const [tooMany, tooMuch] = [await update({ addTags: ['more'] }), await update({ attributes: { plan: 'x' } })];
    assert.deepEqual(codeOf(tooMany), [400, 'invalid_request']);
    assert.deepEqual([fieldsOf(tooMany), fieldsOf(tooMuch)], [['tags'], ['attributes']]);
    const data = [
      { email: contact.email, addTags: ['more'] },
      { email: 'new@example.com' },
      { email: contact.email, attributes: { plan: 'x' } },
    ];
    const stored = await call('PATCH', 'contacts', { body: { data } });
    assert.deepEqual(fieldsOf(stored), ['0tags', '1name', '2attributes']);
    // The same beside a fault of the request itself.
    const beside = await call('PATCH', 'contacts', { body: { data: [...data, { email: 'x' }] } });
    assert.deepEqual(fieldsOf(beside), ['0tags', '1name', '2attributes', '3email']);
  });

  test('more different tags than a bot may have', async () => {
    const call = await botWithAttributes();
    const data = Array.from({ length: limits.tagsPerBot / limits.tagsPerContact }, (_, contact) => ({
      name: 'x',
      email: `p${contact}@example.com`,
      tags: Array.from({ length: limits.tagsPerContact }, (_, index) => `tag ${contact} ${index}`),
    }));
    assert.equal((await call('PATCH', 'contacts', { body: { data } })).status, 200);
    const body = { name: 'x', email: 'more@example.com', tags: ['more'] };
    const created = await call('PUT', 'contacts', { body });
    assert.deepEqual([...codeOf(created), fieldsOf(created)], [400, 'limit_reached', ['tags']]);
    const upserted = await call('PATCH', 'contacts', { body: { data: [body] } });
    assert.deepEqual([...codeOf(upserted), fieldsOf(upserted)], [400, 'limit_reached', ['0tags']]);
    const mixed = await call('PATCH', 'contacts', { body: { data: [body, { email: 'nameless@example.com' }] } });
    assert.deepEqual([...codeOf(mixed), fieldsOf(mixed)], [400, 'invalid_request', ['0tags', '1name']]);
  });
});

test('an attribute that is deleted while a request is on its way is refused, and one defined again is used', async (t) => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const wrapStore = (store: Store): Store => ({
    ...store,
    async listAttributes(botId) {
      const listed = await store.listAttributes(botId);
      const change = meanwhile;
      meanwhile = undefined;
      await change?.();
      return listed;
    },
  });
  const racing = await startServer(t, { storeOf: server, wrapStore });
  const { call } = racing;
  const define = (type: string) => call('PUT', 'attributes/plan', { body: { type, label: 'Plan' } });
  const remove = () => call('DELETE', 'attributes/plan');
  await define('text');
  const { id } = await createContact(call);
  meanwhile = remove;
  const body = { attributes: { plan: '2027-01-31' } };
  const refused = await call('PATCH', `contacts/${id}`, { body });
  assert.deepEqual(fieldsOf(refused), ['attributes.plan']);
  for (const data of [
    [{ email: 'a@x.org', name: 'A', ...body }],
    [{ email: 'a@x.org', name: 'A', ...body }, { email: 5 }],
  ]) {
    await define('text');
    meanwhile = remove;
    assert.equal(fieldsOf(await call('PATCH', 'contacts', { body: { data } }))[0], '0attributes.plan');
  }
  await define('text');
  meanwhile = async () => {
    await remove();
    await define('date');
  };
  const taken = await call('PATCH', `contacts/${id}?include=attributes`, { body });
  assert.deepEqual(taken.json.data.attributes, { plan: '2027-01-31T00:00:00.000Z' });
});

suite('choices', () => {
  const define = (call: Caller, ...choices: unknown[]) =>
    call('PUT', 'attributes/size', { body: { type: 'choice', label: 'Size', choices } });

  test('are taken in any spelling, answered as defined, and as respelt at once', async () => {
    const call = await callerOfNewBot(server);
    const defined = await define(call, ' Groß ', 'Small');
    assert.deepEqual([defined.status, defined.json.data.choices], [201, ['Groß', 'Small']]);
    const { id } = await createContact(call, { attributes: { size: ' GROSS' } });
    const shown = async () => (await call('GET', `contacts/${id}?${include}`)).json.data.attributes;
    assert.deepEqual(await shown(), { size: 'Groß' });
    const before = (await call('GET', `contacts/${id}`)).json.data;
    assert.equal((await define(call, 'gross', 'Small', 'Medium')).status, 200);
    assert.deepEqual(await shown(), { size: 'gross' });
    assert.deepEqual((await call('GET', `contacts/${id}`)).json.data, before, 'updatedAt has not moved');
    const found = async (parameters: string) => (await call('GET', `contacts?${parameters}`)).json.pagination?.total;
    assert.equal(await found('attributes[size]=GROß&query=gross'), 1);
    assert.equal(await found('attributes[size][not]=small'), 1);
    assert.equal(await found('attributes[size][not]=gross'), 0);
    assert.equal(await found('attributes[size][exists]=false'), 0);
    for (const parameter of ['attributes[size]=huge', 'attributes[size][contains]=g', 'attributes[size][gte]=a']) {
      const reply = await call('GET', `contacts?${parameter}`);
      assert.deepEqual(codeOf(reply), [400, 'invalid_request'], parameter);
    }
    const filter = { attributes: { size: ['Medium'] } };
    assert.equal((await call('PUT', 'segments/m', { body: { label: 'M', filter } })).status, 201);
    const removed = await define(call, 'Small');
    assert.deepEqual(errorsOf(removed), [
      ['choices', 'must keep the choices that contacts have: "gross" (1). Give these contacts another value first'],
    ]);
    const changed = await call('PATCH', `contacts/${id}`, { body: { attributes: { size: 'large' } } });
    assert.deepEqual(errorsOf(changed), [['attributes.size', 'must be one of the choices of this attribute']]);
    assert.equal((await call('PATCH', `contacts/${id}`, { body: { attributes: { size: null } } })).status, 200);
    assert.deepEqual((await define(call, 'Small')).json.data.choices, ['Small']);
    const outdated = await call('GET', 'contacts?segment=m');
    assert.deepEqual(fieldsOf(outdated), ['segment']);
  });

  test('that cannot be are 400', async () => {
    const call = await callerOfNewBot(server);
    const refused: [choices: unknown, message: string][] = [
      [undefined, 'is required'],
      [[], 'must have at least one choice'],
      ['a', 'must be an array'],
      [['a', 'Á'], 'must differ by more than case and accents'],
      [['\u0301'], 'must not consist only of accents'],
      [Array.from({ length: 101 }, (_, n) => `c${n}`), 'must have at most 100 choices'],
    ];
    for (const [choices, message] of refused) {
      const reply = await call('PUT', 'attributes/size', { body: { type: 'choice', label: 'Size', choices } });
      assert.deepEqual([reply.status, errorsOf(reply)], [400, [['choices', message]]]);
    }
    const items = await define(call, 'a', '', 'x'.repeat(65));
    assert.deepEqual(fieldsOf(items), ['choices.1', 'choices.2']);
    const text = await call('PUT', 'attributes/size', { body: { type: 'text', label: 'Size', choices: ['a'] } });
    assert.deepEqual(errorsOf(text), [['choices', 'can be given only with the type choice']]);
  });
});

test('members can include when a contact was last seen', async () => {
  const { page } = await signInAs(server, 'viewer');
  const { call, clock, mine } = server;
  const contacts = `bots/${mine.bot.id}/contacts`;
  const { id } = await createContact(call);
  const seen = async () => (await page.call('GET', `${contacts}/${id}?include=lastSeenAt`)).json.data;
  assert.equal((await seen()).lastSeenAt, null);
  const { token } = (await call('POST', 'auth/contact', { body: { id } })).json;
  await server.store.noteTokensSeen(
    mine.bot.id,
    [{ hash: hashCredential(token), seenAtMs: clock.nowMs }],
    sampleContext(),
  );
  const expected = new Date(clock.nowMs).toISOString();
  assert.deepEqual(Object.keys(await seen()).length, 9);
  assert.equal((await seen()).lastSeenAt, expected);
  const listed = (await page.call('GET', `${contacts}?include=lastSeenAt,tags`)).json.data;
  const own = listed.find((contact: { id: string }) => contact.id === id);
  assert.deepEqual([own.lastSeenAt, own.tags], [expected, []]);
  const { page: member } = await signInAs(server, 'member');
  const sent = await member.call('PATCH', `${contacts}/${id}`, { body: own });
  assert.deepEqual([sent.status, sent.headers.get('roster-ignored')], [200, null]);
});
