// Webhooks over HTTP: created, changed, deleted, and who may do that. Their messages are in webhook-messages.test.ts.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { eventTypes, limits, type Webhook, webhookSecretPattern } from '@roster/contract';
import { type ConsolePage, signInAs } from '../../test/console-client.ts';
import { addTenant, callerOf, codeOf, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { startReceiver } from '../../test/receiver.ts';
import { sampleContext, sampleWebhook } from '../../test/sample.ts';
import { addBot, createWebhook as create, planDeliveries, sampleUrl as url } from '../../test/webhook-calls.ts';
import { makeWebhookSecret } from '../account/credentials.ts';
import { makeId } from '../contacts/ids.ts';

/** Without the secret, as every other answer has it. */
const shown = ({ secret: _, ...webhook }: Webhook & { secret: string }): Webhook => webhook;

const server = await startServer(wholeFile);
const [secret] = await server.store.listSecrets(server.mine.organizationId);
const madeBySecret = { kind: 'secret', id: server.mine.secretId, name: secret?.name };
const publicOnly = await startServer(wholeFile, { storeOf: server, config: { webhookNetworks: [] } });

suite('a webhook', () => {
  test('is created with a secret that no other answer has', async () => {
    const { call } = await addBot(server);
    const created = await create(call, { types: ['tag.deleted', 'contact.created'], description: ' CRM ' });
    const { id, secret, ...rest } = created;
    assert.match(id, /^whk_/);
    assert.match(secret, webhookSecretPattern);
    assert.deepEqual(rest, {
      url,
      // In the order of the contract.
      types: ['contact.created', 'tag.deleted'],
      description: 'CRM',
      isEnabled: true,
      disabledReason: null,
      failingSince: null,
      createdAt: new Date(server.clock.nowMs).toISOString(),
      createdBy: madeBySecret,
      changedBy: null,
    });
    const second = await create(call);
    assert.deepEqual([second.types, second.description], [null, '']);
    assert.notEqual(second.secret, secret);
    assert.deepEqual((await call('GET', 'webhooks')).json.data, [shown(created), shown(second)]);
    assert.deepEqual((await call('GET', `webhooks/${id}`)).json.data, shown(created));
  });

  test('is changed field by field, and not by what is left out', async () => {
    const { call, botId } = await addBot(server);
    const created = await create(call, { types: [...eventTypes] });
    const path = `webhooks/${created.id}`;
    let expected = shown(created);
    for (const changes of [
      { url: 'https://other.example.com/' },
      { types: ['contact.deleted'] },
      { types: null },
      { description: 'Shop' },
      { isEnabled: false },
      { isEnabled: true },
      {},
    ]) {
      const reply = await call('PATCH', path, { body: changes });
      const isChanged = Object.keys(changes).length > 0;
      expected = { ...expected, ...changes, ...(isChanged && { changedBy: madeBySecret }) } as Webhook;
      assert.deepEqual([reply.status, reply.json.data], [200, expected]);
      assert.deepEqual((await call('GET', path)).json.data, expected);
    }
    const [stored] = await server.store.listWebhooks(botId);
    assert.equal(stored?.secret, created.secret);
  });

  test('takes back what was read, and names fields that it does not know', async () => {
    const { call } = await addBot(server);
    const { id, secret, ...created } = await create(call);
    const sentBack = await call('PATCH', `webhooks/${id}`, { body: { id, ...created } });
    assert.deepEqual([sentBack.status, sentBack.headers.get('roster-ignored')], [200, null]);
    const typo = await call('PATCH', `webhooks/${id}`, { body: { enabled: false, secret } });
    assert.deepEqual([typo.json.data.isEnabled, typo.headers.get('roster-ignored')], [true, 'enabled, secret']);
    const disabled = await call('POST', 'webhooks', { body: { url, isEnabled: false } });
    assert.equal(disabled.headers.get('roster-ignored'), 'isEnabled');
    const replayed = await call('POST', `webhooks/${id}/replay`, { body: { before: '1' } });
    assert.equal(replayed.headers.get('roster-ignored'), 'before');
  });

  test('is deleted once', async () => {
    const { call } = await addBot(server);
    const { id } = await create(call);
    assert.equal((await call('DELETE', `webhooks/${id}`)).status, 204);
    assert.deepEqual(codeOf(await call('DELETE', `webhooks/${id}`)), [404, 'not_found']);
    assert.deepEqual((await call('GET', 'webhooks')).json.data, []);
  });

  test('goes on with what is pending once it is enabled again, whoever switched it off', async () => {
    const bot = await addBot(server);
    const { call, botId } = bot;
    const { id } = await create(call);
    const { save } = await planDeliveries(server, bot, id);
    const dueAtMs = server.clock.nowMs + 3_600_000;
    const failed = { status: 'pending', dueAtMs, statusCode: 410, response: '' } as const;
    assert.ok(await save(failed, { failingSinceMs: server.clock.nowMs, disabledReason: 'gone' }));
    const off = (await call('GET', `webhooks/${id}`)).json.data;
    const since = new Date(server.clock.nowMs).toISOString();
    assert.deepEqual([off.isEnabled, off.disabledReason, off.failingSince], [false, 'gone', since]);
    const on = (await call('PATCH', `webhooks/${id}`, { body: { isEnabled: true } })).json.data;
    assert.deepEqual([on.isEnabled, on.disabledReason], [true, null]);
    const [delivery] = await server.store.listDeliveries(botId, id, { limit: 1 });
    assert.deepEqual([delivery?.status, delivery?.dueAtMs], ['pending', server.clock.nowMs]);
  });

  test('has siblings up to the limit, and a deleted one makes room', async () => {
    const { call } = await addBot(server);
    const created = [];
    while (created.length < limits.webhooksPerBot) created.push(await create(call));
    const refused = await call('POST', 'webhooks', { body: { url } });
    assert.deepEqual(codeOf(refused), [400, 'limit_reached']);
    assert.match(refused.json.detail, /limit of 20 webhooks/);
    await call('DELETE', `webhooks/${created[7]?.id}`);
    await create(call);
  });

  test('that is unknown, malformed or of another bot is 404 for every operation', async () => {
    const [own, other] = [await addBot(server), await addBot(server)];
    const theirs = callerOf(server.url, server.theirs);
    const eventId = 'evt_x';
    for (const id of [(await create(other.call)).id, (await create(theirs)).id, sampleWebhook().id, 'x', '%25']) {
      for (const [method, path, body] of [
        ['GET', `webhooks/${id}`],
        ['PATCH', `webhooks/${id}`, { description: 'x' }],
        ['DELETE', `webhooks/${id}`],
        ['POST', `webhooks/${id}/rotate`],
        ['POST', `webhooks/${id}/test`],
        ['GET', `webhooks/${id}/deliveries`],
        ['GET', `webhooks/${id}/deliveries/${eventId}`],
        ['POST', `webhooks/${id}/deliveries/${eventId}/retry`],
        ['POST', `webhooks/${id}/deliveries/${eventId}/skip`],
        ['POST', `webhooks/${id}/deliveries/retry-failed`],
        ['POST', `webhooks/${id}/replay`, {}],
      ] as const) {
        const reply = await own.call(method, path, { ...(body && { body }) });
        assert.deepEqual(codeOf(reply), [404, 'not_found'], `${method} ${path}`);
        assert.equal(reply.json.detail, 'This bot has no such webhook.');
      }
    }
    assert.equal((await other.call('GET', 'webhooks')).json.data.length, 1);
  });

  test('has no delivery of an event whose id no event can have', async () => {
    const { call } = await addBot(server);
    const { id } = await create(call);
    for (const eventId of ['%00', 'evt_x', '%F0%9F%98%80', makeId('event', 1)]) {
      const reply = await call('POST', `webhooks/${id}/deliveries/${eventId}/retry`);
      assert.deepEqual(codeOf(reply), [404, 'not_found'], eventId);
    }
  });

  test('is invisible to viewers, and members see it, describe it, switch it and send single events again', async () => {
    const bot = await addBot(server);
    const { call, botId } = bot;
    const { id } = await create(call);
    const { events } = await planDeliveries(server, bot, id);
    const eventId = events[0]?.id;
    const [{ page: viewer }, { page: member }] = [await signInAs(server, 'viewer'), await signInAs(server, 'member')];
    const base = `bots/${botId}/webhooks`;
    for (const [method, path, body] of [
      ['GET', base],
      ['GET', `${base}/${id}`],
      ['GET', `${base}/${id}/deliveries`],
      ['PATCH', `${base}/${id}`, { description: 'New', isEnabled: false, url }],
      ['GET', `${base}/${id}/deliveries/${eventId}`],
      ['POST', `${base}/${id}/deliveries/${eventId}/retry`],
      ['POST', `${base}/${id}/deliveries/${eventId}/skip`],
      ['POST', `${base}/${id}/deliveries/retry-failed`],
      ['DELETE', `${base}/${id}`],
    ] as const) {
      const refused = await viewer.call(method, path, { ...(body && { body }) });
      assert.deepEqual([...codeOf(refused), refused.json.permission], [403, 'forbidden', 'member'], path);
      const allowed = await member.call(method, path, { ...(body && { body }) });
      assert.ok(allowed.status < 300, `${method} ${path}: ${allowed.text}`);
    }
  });
});

suite('where events are sent to', () => {
  let changes = 0;
  /** The requests that decide where events are sent, or who can read them. */
  const decisions = (base: string, id: string) =>
    [
      ['POST', base, { url }],
      ['PATCH', `${base}/${id}`, { url: `${url}/${++changes}` }],
      ['POST', `${base}/${id}/replay`, {}],
      ['POST', `${base}/${id}/rotate`, undefined],
    ] as const;
  const permit = (owner: ConsolePage, membersMayManageWebhooks: boolean) =>
    owner.call('PUT', 'organization/settings', { body: { membersMayManageWebhooks } });

  async function start(t: TestContext) {
    const own = await startServer(t, { storeOf: server });
    const { call, botId } = await addBot(own);
    const base = `bots/${botId}/webhooks`;
    const { id } = await create(call);
    const [owner, member] = [await signInAs(own, 'owner'), await signInAs(own, 'member')];
    const decide = async (page: ConsolePage) => {
      const replies = [];
      for (const [method, path, body] of decisions(base, id)) replies.push(await page.call(method, path, { body }));
      return replies;
    };
    return { own, owner, member, decide, call, base, id };
  }

  test('is decided by owners, and by members where the organization says so', async (t) => {
    const { owner, member, decide, own } = await start(t);
    for (const reply of await decide(owner.page)) assert.ok(reply.status < 300, reply.text);
    for (const reply of await decide(member.page)) {
      assert.deepEqual([...codeOf(reply), reply.json.permission], [403, 'forbidden', 'owner']);
    }
    assert.equal((await permit(owner.page, true)).status, 200);
    assert.deepEqual((await member.page.call('GET', 'organization/settings')).json.data, {
      membersMayManageWebhooks: true,
    });
    for (const reply of await decide(member.page)) assert.ok(reply.status < 300, reply.text);
    const { page: viewer } = await signInAs(own, 'viewer');
    for (const reply of await decide(viewer)) assert.equal(reply.status, 403);
    await permit(owner.page, false);
    for (const reply of await decide(member.page)) assert.equal(reply.status, 403);
  });

  test('is decided with a recent password alone', async (t) => {
    const { own, owner, member, decide, base, id } = await start(t);
    await permit(owner.page, true);
    own.clock.nowMs += limits.recentPasswordMs;
    for (const page of [owner.page, member.page]) {
      for (const reply of await decide(page)) assert.deepEqual(codeOf(reply), [403, 'password_required']);
      const current = (await page.call('GET', `${base}/${id}`)).json.data.url;
      const other = await page.call('PATCH', `${base}/${id}`, { body: { description: 'New', url: current } });
      assert.equal(other.status, 200, 'the same address is no decision');
    }
    assert.deepEqual(codeOf(await permit(owner.page, false)), [403, 'password_required']);
  });

  test('names who made it and who changed it last, by a rotation too', async (t) => {
    const { owner, member, call, base } = await start(t);
    const { name } = owner.member;
    const { json } = await owner.page.call('POST', base, { body: { url } });
    const byOwner = { kind: 'member', id: owner.member.id, name };
    assert.deepEqual([json.data.createdBy, json.data.changedBy], [byOwner, null]);
    const path = `${base}/${json.data.id}`;
    const described = await member.page.call('PATCH', path, { body: { description: 'New' } });
    assert.deepEqual([described.json.data.createdBy, described.json.data.changedBy?.id], [byOwner, member.member.id]);
    const rotated = await call('POST', `webhooks/${json.data.id}/rotate`);
    assert.equal(rotated.json.data.changedBy.kind, 'secret');
  });

  test('is switched off with the member who made or changed it, where that is wanted', async (t) => {
    const own = await startServer(t, { storeOf: server });
    const tenant = await addTenant(own.store);
    const { page: owner, member: last } = await signInAs(own, 'owner', tenant);
    const { page: leaving, member } = await signInAs(own, 'owner', tenant);
    const { page: kept, member: stays } = await signInAs(own, 'owner', tenant);
    const made = await leaving.call('POST', 'secrets', {
      body: { name: 'Theirs', permissions: ['contacts:read', 'account:write'] },
    });
    const theirSecret = callerOf(own.url, { ...tenant, secret: made.json.data.secret });
    const second = (await owner.call('POST', 'bots', { body: { name: 'Second' } })).json.data;
    const bases = [`bots/${tenant.bot.id}/webhooks`, `bots/${second.id}/webhooks`];
    const make = async (page: ConsolePage, base = bases[0] as string) =>
      (await page.call('POST', base, { body: { url } })).json.data.id;
    const ids = {
      own: await make(owner),
      changed: await make(owner),
      theirs: await make(leaving),
      elsewhere: await make(leaving, bases[1]),
      bySecret: (await theirSecret('POST', 'webhooks', { body: { url } })).json.data.id,
    };
    await leaving.call('PATCH', `${bases[0]}/${ids.changed}`, { body: { description: 'New' } });
    const enabled = async () => {
      const lists = await Promise.all(bases.map((base) => owner.call('GET', base)));
      const all: Webhook[] = lists.flatMap(({ json }) => json.data);
      return all.filter(({ isEnabled }) => isEnabled).map(({ id }) => id);
    };
    assert.equal((await kept.call('DELETE', `members/${stays.id}`)).status, 204);
    assert.equal((await enabled()).length, 5, 'nobody asked for it');
    assert.equal((await owner.call('DELETE', `members/${member.id}?disableWebhooks=true`)).status, 204);
    assert.deepEqual(await enabled(), [ids.own]);
    const refused = await owner.call('DELETE', `members/${last.id}?disableWebhooks=true`);
    assert.deepEqual(codeOf(refused), [400, 'last_owner']);
    assert.deepEqual(await enabled(), [ids.own], 'whoever stays keeps theirs');
    const { json } = await owner.call('GET', 'audit');
    const actions = json.data.map(({ action }: { action: string }) => action).slice(0, 5);
    assert.deepEqual(actions.toSorted(), ['member.remove', ...Array(4).fill('webhook.update')]);
  });

  test('is opened to members by owners alone, and by no secret', async (t) => {
    const { own, member, call } = await start(t);
    assert.deepEqual(codeOf(await permit(member.page, true)), [403, 'forbidden']);
    const body = { membersMayManageWebhooks: true };
    assert.equal((await call('PUT', '/v1/account/organization/settings', { body })).status, 401);
    const { page } = await signInAs(own, 'owner');
    for (const wrong of [{}, { membersMayManageWebhooks: 1 }, { ...body, more: true }]) {
      const reply = await page.call('PUT', 'organization/settings', { body: wrong });
      assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
    }
  });

  test('is decided by secrets by their permissions, as before', async (t) => {
    const { call, id } = await start(t);
    for (const [method, path, body] of decisions('webhooks', id)) {
      const reply = await call(method, path, { body });
      assert.ok(reply.status < 300, reply.text);
    }
  });
});

suite('the URL of a webhook', () => {
  const server = publicOnly;

  test('is https, and of the public internet, when it is created and when it is changed', async () => {
    const { call } = await addBot(server);
    const { id } = await create(call);
    const refused = {
      'http://shop.example.com/': /https/,
      'https://127.0.0.1/': /public/,
      'https://[::1]/': /public/,
      'https://10.0.0.1/hooks': /public/,
      'https://169.254.169.254/latest': /public/,
      'https://2130706433/': /public/,
      'https://localhost/': /public/,
      'ftp://shop.example.com/': /must be a URL/,
      'shop.example.com': /must be a URL/,
      'https://user:secret@shop.example.com/': /user name or a password/,
      [`https://shop.example.com/${'x'.repeat(limits.webhookUrlLength)}`]: /2048/,
      '': /./,
    };
    for (const [refusedUrl, why] of Object.entries(refused)) {
      for (const [method, path] of [
        ['POST', 'webhooks'],
        ['PATCH', `webhooks/${id}`],
      ] as const) {
        const reply = await call(method, path, { body: { url: refusedUrl } });
        assert.deepEqual(codeOf(reply), [400, 'invalid_request'], refusedUrl);
        assert.deepEqual([reply.json.errors.length, reply.json.errors[0].field], [1, 'url']);
        assert.match(reply.json.errors[0].message, why);
      }
    }
    assert.equal((await call('GET', `webhooks/${id}`)).json.data.url, url);
  });

  test('is the only field that is needed, and all faults are told at once', async () => {
    const { call } = await addBot(server);
    const body = { types: ['contact.merged'], description: 'x'.repeat(limits.webhookDescriptionLength + 1) };
    const reply = await call('POST', 'webhooks', { body });
    assert.equal(reply.status, 400);
    const fields = reply.json.errors.map(({ field }: { field: string }) => field.replace(/\..*/, ''));
    assert.deepEqual(fields.sort(), ['description', 'types', 'url']);
    for (const types of [[], 'contact.created', [null]]) {
      assert.equal((await call('POST', 'webhooks', { body: { url, types } })).status, 400);
    }
  });

  test('that leads to a private address is not sent to, however it came into the store', async (t) => {
    const receiver = await startReceiver(t);
    const { call, botId } = await addBot(server);
    const webhook = sampleWebhook({ url: receiver.url.replace('http:', 'https:'), secret: makeWebhookSecret() });
    await server.store.createWebhook(botId, webhook, limits.webhooksPerBot, sampleContext());
    const { status, json } = await call('POST', `webhooks/${webhook.id}/test`);
    assert.deepEqual([status, json.data.status, json.data.statusCode], [200, 'failed', null]);
    assert.match(json.data.error, /\w/);
    assert.equal(receiver.connections(), 0);
  });
});
