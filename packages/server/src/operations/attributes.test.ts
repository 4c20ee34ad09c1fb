// The attributes that a bot defines, and its tags, over HTTP.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { limits } from '@roster/contract';
import { signInAs } from '../../test/console-client.ts';
import { type Caller, codeOf, createContact, startServer } from '../../test/harness.ts';
import { callerOfNewBot, wholeFile } from '../../test/http/every-operation.ts';

const server = await startServer(wholeFile);

const define = (call: Caller, key: string, body: object = { type: 'text', label: 'Plan' }) =>
  call('PUT', `attributes/${key}`, { body });

suite('attributes', () => {
  test('are defined, changed, listed by key, retrieved and deleted', async () => {
    const call = await callerOfNewBot(server);
    assert.deepEqual((await call('GET', 'attributes')).json, { data: [] });
    const plan = { key: 'plan', type: 'text', label: 'Plan', description: 'What they pay for', contactCount: 0 };
    const defined = await define(call, 'plan', plan);
    assert.deepEqual([defined.status, defined.json], [201, { data: plan }]);
    assert.equal(defined.headers.get('roster-ignored'), null, 'what was read can be sent back');
    const seats = (await define(call, 'seats', { type: 'number', label: ' Seats ', typo: 1 })).json.data;
    assert.deepEqual(seats, { key: 'seats', type: 'number', label: 'Seats', description: '', contactCount: 0 });
    const changed = await define(call, 'plan', { type: 'text', label: 'Tariff', typo: 1 });
    const tariff = { ...plan, label: 'Tariff', description: '' };
    assert.deepEqual([changed.status, changed.json], [200, { data: tariff }]);
    assert.equal(changed.headers.get('roster-ignored'), 'typo');
    await createContact(call, { attributes: { plan: 'pro' } });
    const used = { ...tariff, contactCount: 1 };
    assert.deepEqual((await call('GET', 'attributes')).json, { data: [used, seats] });
    assert.deepEqual((await call('GET', 'attributes/plan')).json, { data: used });
    assert.equal((await call('DELETE', 'attributes/plan')).status, 204);
    for (const method of ['GET', 'DELETE']) {
      assert.deepEqual(codeOf(await call(method, 'attributes/plan')), [404, 'not_found']);
    }
    assert.deepEqual((await call('GET', 'attributes')).json, { data: [seats] });
    // A deleted attribute's key can be defined again with another type.
    assert.equal((await define(call, 'plan', { type: 'date', label: 'Plan' })).status, 201);
  });

  test('keep their type', async () => {
    const call = await callerOfNewBot(server);
    await define(call, 'plan');
    const reply = await define(call, 'plan', { type: 'number', label: 'Plan' });
    assert.deepEqual(codeOf(reply), [400, 'attribute_type_fixed']);
    assert.match(reply.json.detail, /\bplan\b.*\btext\b/);
  });

  test('a malformed or reserved key is an error of the definition, beside others, and unknown elsewhere', async () => {
    const call = await callerOfNewBot(server);
    for (const key of ['Plan', '1a', 'a-b', 'email', 'tags', 'x'.repeat(41), '%00', '%F0%9F%98%80', 'a%2Fb']) {
      const reply = await define(call, key);
      assert.deepEqual([...codeOf(reply), reply.json.errors?.[0].field], [400, 'invalid_request', 'key'], key);
      for (const method of ['GET', 'DELETE']) assert.equal((await call(method, `attributes/${key}`)).status, 404, key);
    }
    const all = await define(call, 'Plan', { type: 'list' });
    assert.deepEqual(
      all.json.errors.map(({ field }: { field: string }) => field),
      ['key', 'type', 'label'],
    );
  });

  test('a bot has no more than so many', async () => {
    const call = await callerOfNewBot(server);
    for (let count = 0; count < limits.attributesPerBot; count++) await define(call, `key${count}`);
    assert.deepEqual(codeOf(await define(call, 'more')), [400, 'limit_reached']);
    assert.equal((await define(call, 'key1')).status, 200);
  });
});

suite('tags', () => {
  const tagsOf = async (call: Caller) => (await call('GET', 'tags')).json.data;

  test('are listed in the order of their folded names, and named in any spelling', async () => {
    const call = await callerOfNewBot(server);
    assert.deepEqual(await tagsOf(call), []);
    await createContact(call, { tags: ['VIP', 'éclair', 'a/b c?#'] });
    await createContact(call, { tags: ['vip'] });
    assert.deepEqual(await tagsOf(call), [
      { name: 'a/b c?#', contactCount: 1 },
      { name: 'éclair', contactCount: 1 },
      { name: 'VIP', contactCount: 2 },
    ]);
    const renamed = await call('PATCH', `tags/${encodeURIComponent(' Vïp ')}`, {
      body: { name: ' Customer ', typo: 1 },
    });
    assert.deepEqual([renamed.status, renamed.json], [200, { data: { name: 'Customer', contactCount: 2 } }]);
    assert.equal(renamed.headers.get('roster-ignored'), 'typo');
    assert.equal((await call('DELETE', `tags/${encodeURIComponent('A/B c?#')}`)).status, 204);
    assert.equal((await call('DELETE', 'tags/eclair')).status, 204);
    assert.deepEqual(await tagsOf(call), [{ name: 'Customer', contactCount: 2 }]);
    for (const tag of ['vip', 'eclair', '%00', '%2C', 'x'.repeat(65), '%CC%81']) {
      assert.deepEqual(codeOf(await call('DELETE', `tags/${tag}`)), [404, 'not_found'], tag);
      assert.equal((await call('PATCH', `tags/${tag}`, { body: { name: 'x' } })).status, 404, tag);
    }
  });

  test('a name of another tag is taken, and one that no tag can have is refused', async () => {
    const call = await callerOfNewBot(server);
    await createContact(call, { tags: ['one', 'two'] });
    const rename = (name: unknown) => call('PATCH', 'tags/one', { body: { name } });
    assert.deepEqual(codeOf(await rename('TWO')), [400, 'tag_taken']);
    assert.equal((await rename('ONE')).json.data.name, 'ONE');
    for (const name of ['', 'a,b', '..', '\u0301', 5, null, undefined]) {
      const reply = await rename(name);
      assert.deepEqual([...codeOf(reply), reply.json.errors?.[0].field], [400, 'invalid_request', 'name']);
    }
  });
});

test('members reach attributes and tags under the account’s paths; viewers only read them', async () => {
  const { page: member } = await signInAs(server, 'member');
  const { page: viewer } = await signInAs(server, 'viewer');
  const bot = `bots/${server.mine.bot.id}`;
  const body = { type: 'text', label: 'Plan' };
  assert.equal((await member.call('PUT', `${bot}/attributes/plan`, { body })).status, 201);
  const contact = { name: 'Jane', email: 'jane@example.com', attributes: { plan: 'pro' }, tags: ['vip'] };
  assert.equal((await member.call('PUT', `${bot}/contacts`, { body: contact })).status, 201);
  assert.equal((await viewer.call('GET', `${bot}/attributes`)).json.data[0].contactCount, 1);
  assert.equal((await viewer.call('GET', `${bot}/tags`)).json.data[0].name, 'vip');
  const writes: [string, string, object?][] = [
    ['PUT', 'attributes/plan', body],
    ['DELETE', 'attributes/plan'],
    ['PATCH', 'tags/vip', { name: 'x' }],
    ['DELETE', 'tags/vip'],
  ];
  for (const [method, path, sent] of writes) {
    const options = sent === undefined ? {} : { body: sent };
    assert.deepEqual(codeOf(await viewer.call(method, `${bot}/${path}`, options)), [403, 'forbidden'], path);
    assert.ok(
      (await member.call(method, `${bot}/${path.replace('vip', method === 'DELETE' ? 'x' : 'vip')}`, options)).status <
        300,
    );
  }
});
