// The widget's public operations: settings, and which pages of other origins may read them.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { callerOf, codeOf, createContact, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { sampleBot, sampleContext } from '../../test/sample.ts';
import { makeContactToken } from '../account/credentials.ts';
import { makeId } from '../contacts/ids.ts';

const server = await startServer(wholeFile);
const { call, mine, store } = server;
const allowed = 'https://shop.example';

const closedBot = sampleBot(mine.organizationId, { allowedOrigins: [allowed, 'https://other.example:8443'] });
await store.createBot(closedBot, undefined, sampleContext());
const closed = callerOf(server.url, { ...mine, bot: closedBot });

const corsHeadersOf = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));

suite('settings', () => {
  test('anybody reads the seven public settings of a bot, without a credential', async () => {
    const { name, greeting, color, position, channels, greetings } = mine.bot;
    const widgetUrl = `http://roster.test/widget.js?bot=${mine.bot.id}`;
    for (const token of [null, 'nonsense', makeContactToken()]) {
      const reply = await call('GET', 'widget', { token });
      assert.equal(reply.status, 200);
      assert.deepEqual(reply.json, { data: { name, greeting, color, position, widgetUrl, channels, greetings } });
    }
  });

  test('a bot that does not exist, or has a malformed id, is 404', async () => {
    for (const id of [makeId('bot', 1), 'x', mine.organizationId]) {
      assert.deepEqual(codeOf(await call('GET', `/v1/bots/${id}/widget`, { token: null })), [404, 'not_found']);
    }
  });

  test('changed settings are returned at once', async () => {
    const { id } = closedBot;
    await closed('GET', 'widget');
    await server.app.tenantCache.updateBot(id, { ...closedBot, greeting: 'Changed' }, sampleContext());
    assert.equal((await closed('GET', 'widget')).json.data.greeting, 'Changed');
  });
});

suite('other origins', () => {
  test('with an empty list any origin may read, the visitor too', async () => {
    const { id } = await createContact(call);
    const { token } = (await call('POST', 'auth/contact', { body: { id } })).json;
    for (const origin of [allowed, 'null', 'http://localhost:3000']) {
      for (const path of ['widget', 'auth/contact']) {
        const { status, headers } = await call('GET', path, { token, headers: { origin } });
        assert.equal(status, 200);
        assert.ok([origin, '*'].includes(headers.get('access-control-allow-origin') ?? ''));
        assert.match(headers.get('vary') ?? '', /\borigin\b/i);
        assert.notEqual(headers.get('cross-origin-resource-policy'), 'same-origin');
      }
    }
  });

  test('with a list only its origins may read, exactly', async () => {
    for (const origin of closedBot.allowedOrigins) {
      const { headers } = await closed('GET', 'widget', { token: null, headers: { origin } });
      assert.equal(headers.get('access-control-allow-origin'), origin);
    }
    const others = [
      'http://shop.example',
      'https://shop.example:444',
      'https://evil-shop.example',
      'null',
      `${allowed}/`,
    ];
    for (const origin of [...others, 'https://shop.example.evil.example', '*']) {
      const { status, headers } = await closed('GET', 'widget', { token: null, headers: { origin } });
      assert.equal(status, 200);
      assert.deepEqual(corsHeadersOf(headers), [], origin);
      assert.match(headers.get('vary') ?? '', /\borigin\b/i);
    }
  });

  test('Vary: Origin is sent without an Origin too, so that no cache mixes answers up', async () => {
    for (const ask of [call, closed]) {
      const { headers } = await ask('GET', 'widget', { token: null });
      assert.match(headers.get('vary') ?? '', /\borigin\b/i);
      assert.equal(headers.get('access-control-allow-origin'), null);
    }
  });

  test('credentials are never allowed', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      for (const path of ['widget', 'auth/contact']) {
        const { headers } = await call(method, path, { token: null, headers: { origin: allowed, cookie: 'a=b' } });
        assert.equal(headers.get('access-control-allow-credentials'), null);
        assert.equal(headers.get('set-cookie'), null);
      }
    }
  });

  test('an allowed page can read errors too', async () => {
    const headers = { origin: allowed };
    const refused = await closed('GET', 'auth/contact', { token: makeContactToken(), headers });
    assert.deepEqual(codeOf(refused), [401, 'unauthorized']);
    assert.equal(refused.headers.get('access-control-allow-origin'), allowed);
    const missing = await call('GET', `/v1/bots/${makeId('bot', 1)}/widget`, { token: null, headers });
    assert.deepEqual(codeOf(missing), [404, 'not_found']);
    assert.ok(missing.headers.has('access-control-allow-origin'));
    assert.match(refused.headers.get('access-control-expose-headers') ?? '', /Retry-After/);
    const forbidden = await closed('GET', 'auth/contact', { token: 'x', headers: { origin: 'https://evil.example' } });
    assert.deepEqual(corsHeadersOf(forbidden.headers), []);
  });
});

suite('preflight', () => {
  const ask = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' };

  test('a preflight of an allowed origin for a GET with an Authorization header succeeds without a credential', async () => {
    for (const path of ['widget', 'auth/contact']) {
      const reply = await closed('OPTIONS', path, { token: null, headers: { origin: allowed, ...ask } });
      assert.deepEqual([reply.status, reply.text], [204, '']);
      assert.equal(reply.headers.get('access-control-allow-origin'), allowed);
      assert.match(reply.headers.get('access-control-allow-methods') ?? '', /\bGET\b/);
      assert.match(reply.headers.get('access-control-allow-headers') ?? '', /\bauthorization\b/i);
      assert.match(reply.headers.get('vary') ?? '', /\borigin\b/i);
      // POST on this path is an organization's operation.
      assert.doesNotMatch(reply.headers.get('access-control-allow-methods') ?? '', /POST|PUT|PATCH|DELETE|\*/);
    }
  });

  test('no preflight allows an organization\u2019s operation of the same path', async () => {
    const headers = { origin: allowed, 'access-control-request-method': 'POST' };
    const reply = await closed('OPTIONS', 'auth/contact', { token: null, headers });
    assert.deepEqual(corsHeadersOf(reply.headers), []);
  });

  test('a preflight of another origin gets no CORS header', async () => {
    for (const path of ['widget', 'auth/contact']) {
      const headers = { origin: 'https://evil.example', ...ask };
      const reply = await closed('OPTIONS', path, { token: null, headers });
      assert.deepEqual(corsHeadersOf(reply.headers), []);
      assert.match(reply.headers.get('vary') ?? '', /\borigin\b/i);
    }
  });

  test('a change of the allowed origins is in force at once', async () => {
    const bot = sampleBot(mine.organizationId);
    await store.createBot(bot, undefined, sampleContext());
    const ofBot = callerOf(server.url, { ...mine, bot });
    const originHeader = { headers: { origin: allowed }, token: null };
    assert.ok((await ofBot('GET', 'widget', originHeader)).headers.has('access-control-allow-origin'));
    await server.app.tenantCache.updateBot(
      bot.id,
      { ...bot, allowedOrigins: ['https://only.example'] },
      sampleContext(),
    );
    assert.ok(!(await ofBot('GET', 'widget', originHeader)).headers.has('access-control-allow-origin'));
  });
});
