// Bots as members make and change them, over HTTP.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type AccountBot, defaultBotSettings } from '@roster/contract';
import { consoleOrigin, signInAs } from '../../test/console-client.ts';
import { codeOf, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { until } from '../../test/process/waiting.ts';
import { defaultQuotas } from '../account/quotas.ts';

const server = await startServer(wholeFile);
const { call } = server;
const { page } = await signInAs(server, 'owner');
const create = async (body: object) => (await page.call('POST', 'bots', { body })).json.data;

suite('bots', () => {
  test('a new bot has the defaults where nothing was said, and works at once', async () => {
    const reply = await page.call('POST', 'bots', { body: { name: ' Support ', color: '#ABCDEF' } });
    assert.equal(reply.status, 201, reply.text);
    const { id, createdAt, widgetUrl, contactCount, ...settings } = reply.json.data;
    assert.deepEqual(settings, { ...defaultBotSettings, name: 'Support', color: '#abcdef' });
    assert.deepEqual([widgetUrl, contactCount], [`${consoleOrigin}/widget.js?bot=${id}`, 0]);
    assert.equal(createdAt, new Date(server.clock.nowMs).toISOString());
    const contact = await call('PUT', `/v1/bots/${id}/contacts`, { body: { name: 'Jane', email: 'j@example.com' } });
    assert.equal(contact.status, 201);
    assert.deepEqual((await page.call('GET', `bots/${id}`)).json.data, { ...reply.json.data, contactCount: 1 });
  });

  test('one more than the server allows is refused, with what to do about it, and leaves no audit entry', async (t) => {
    const quotas = { ...defaultQuotas, botsPerOrganization: 2 };
    const limited = await startServer(t, { storeOf: server, config: { quotas } });
    const { page } = await signInAs(limited, 'owner');
    const body = { name: 'Support' };
    assert.equal((await page.call('POST', 'bots', { body })).status, 201);
    const refused = await page.call('POST', 'bots', { body });
    assert.deepEqual(codeOf(refused), [400, 'limit_reached']);
    assert.match(refused.json.detail, /2 bots.*Delete one.*ROSTER_BOTS_PER_ORGANIZATION/);
    assert.equal((await page.call('GET', 'audit')).json.data.length, 1);
    assert.equal((await page.call('DELETE', `bots/${limited.mine.bot.id}`)).status, 204);
    assert.equal((await page.call('POST', 'bots', { body })).status, 201);
  });

  test('all are listed, oldest first, with their counts', async () => {
    const [one, two] = [await create({ name: 'One' }), await create({ name: 'Two' })];
    let listed: AccountBot[] = [];
    // On a sharded database, a count that takes longer than a second is left out.
    await until('all counts', async () => {
      listed = (await page.call('GET', 'bots')).json.data;
      return listed.every(({ contactCount }) => contactCount !== null);
    });
    assert.deepEqual(listed.slice(-2), [one, two]);
  });

  test('a change is in force at once, and what was left out stays', async () => {
    const bot = await create({ name: 'Shop', greeting: 'Hello', position: 'left' });
    const channels = [{ type: 'email', value: 'help@shop.example', label: '' }];
    const spoken = { channels, greetings: { de: 'Hallo' } };
    const body = { greeting: '', allowedOrigins: ['https://shop.example/'], ...spoken };
    const changed = await page.call('PATCH', `bots/${bot.id}`, { body });
    const expected = { ...bot, greeting: '', allowedOrigins: ['https://shop.example'], ...spoken };
    assert.deepEqual([changed.status, changed.json.data], [200, expected]);
    const { json } = await call('GET', `/v1/bots/${bot.id}/widget`, { token: null });
    assert.equal(json.data.greeting, '');
    const wrong = await page.call('PATCH', `bots/${bot.id}`, { body: { color: 'red', colour: 'red' } });
    assert.deepEqual(codeOf(wrong), [400, 'invalid_request']);
    assert.deepEqual((await page.call('GET', `bots/${bot.id}`)).json.data, expected);
  });

  test('a deleted bot and its contacts are out of reach at once, for members and for servers', async () => {
    const bot = await create({ name: 'Old' });
    const path = `/v1/bots/${bot.id}/contacts`;
    assert.equal((await call('GET', path)).status, 200);
    assert.equal((await page.call('DELETE', `bots/${bot.id}`)).status, 204);
    assert.equal((await call('GET', path)).status, 404);
    for (const target of [`bots/${bot.id}`, `bots/${bot.id}/contacts`]) {
      assert.deepEqual(codeOf(await page.call('GET', target)), [404, 'not_found']);
    }
    assert.deepEqual(codeOf(await page.call('DELETE', `bots/${bot.id}`)), [404, 'not_found']);
  });
});
