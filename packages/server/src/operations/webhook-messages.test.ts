// What webhooks send and what became of it, over HTTP: the test message as a real receiver gets it, secrets, deliveries, replays,
// and what the logs say of all that.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type AuditEntry,
  type Delivery,
  limits,
  type Permission,
  permissionNames,
  webhookMessageSchema,
} from '@roster/contract';
import { Webhook as Verifier } from 'standardwebhooks';
import { verifyWebhook } from '../../../client/src/index.ts';
import { signInAs } from '../../test/console-client.ts';
import { callerOf, codeOf, createContact, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { until } from '../../test/process/waiting.ts';
import { type ReceivedMessage, startReceiver } from '../../test/receiver.ts';
import { sampleContext, sampleFields, sampleSecret } from '../../test/sample.ts';
import { addBot, createWebhook, planDeliveries } from '../../test/webhook-calls.ts';
import { hashCredential, makeSecret } from '../account/credentials.ts';
import { makeId } from '../contacts/ids.ts';

const headersOf = ({ headers }: ReceivedMessage) => headers as Record<string, string>;

/** By the official package and by ours, which both read the clock of this machine. */
async function assertSigned(received: ReceivedMessage, secret: string): Promise<void> {
  assert.deepEqual(new Verifier(secret).verify(received.text, headersOf(received)), received.message);
  assert.deepEqual(await verifyWebhook(received.text, received.headers, secret), received.message);
}

async function assertNotSigned(received: ReceivedMessage, secret: string): Promise<void> {
  assert.throws(() => new Verifier(secret).verify(received.text, headersOf(received)));
  await assert.rejects(verifyWebhook(received.text, received.headers, secret));
}

const plain = await startServer(wholeFile);
// Receivers read the clock of this machine.
const timely = await startServer(wholeFile, { storeOf: plain, clock: { nowMs: Date.now() } });

suite('the test of a webhook', () => {
  const server = timely;

  test('shows nobody what a receiver in a private network answers', async (t) => {
    const receiver = await startReceiver(t, (_, response) => {
      response.writeHead(500).end('the state of the cluster');
      return undefined;
    });
    const { call, botId } = await addBot(server);
    const { id } = await createWebhook(call, { url: receiver.url });
    const { page } = await signInAs(server, 'owner');
    const ofMember = await page.call('POST', `bots/${botId}/webhooks/${id}/test`);
    for (const { json } of [ofMember, await call('POST', `webhooks/${id}/test`)]) {
      assert.deepEqual([json.data.status, json.data.statusCode, json.data.response], ['failed', 500, null]);
    }
  });

  test('counts like a delivery: an organization has 200 in flight, and others their own', async (t) => {
    const held = Promise.withResolvers<number>();
    const receiver = await startReceiver(t, () => held.promise);
    const own = await startServer(t, { storeOf: plain });
    const test = async (tenant = own.mine) => {
      const call = callerOf(own.url, tenant);
      const { id } = await createWebhook(call, { url: receiver.url });
      return () => call('POST', `webhooks/${id}/test`);
    };
    const [mine, others] = [await test(), await test(own.theirs)];
    const inFlight = Array.from({ length: 200 }, mine);
    await until('all to be in flight', () => receiver.received.length === 200);
    assert.deepEqual(codeOf(await mine()), [503, 'unavailable']);
    const other = others();
    await until('another organization’s to be in flight', () => receiver.received.length === 201);
    held.resolve(204);
    for (const reply of await Promise.all([...inFlight, other])) assert.equal(reply.json.data.status, 'succeeded');
    assert.equal((await mine()).status, 200);
  });

  test('sends a signed message, which is not in the feed, and answers with the receiver’s status', async (t) => {
    const receiver = await startReceiver(t, () => 201);
    const { call } = await addBot(server);
    const { id, secret } = await createWebhook(call, { url: `${receiver.url}?key=1`, types: ['tag.deleted'] });
    const { status, json } = await call('POST', `webhooks/${id}/test`);
    const { durationMs, ...result } = json.data;
    assert.equal(status, 200);
    assert.deepEqual(result, { status: 'succeeded', statusCode: 201, response: null, error: null });
    assert.ok(Number.isInteger(durationMs) && durationMs >= 0);

    const [received] = receiver.received;
    assert.ok(received !== undefined && receiver.received.length === 1);
    await assertSigned(received, secret);
    const { type, timestamp, data } = webhookMessageSchema.parse(received.message);
    const { id: eventId, ...event } = data.event;
    const at = new Date(server.clock.nowMs).toISOString();
    assert.deepEqual([type, timestamp, received.id, data.contact], ['webhook.test', at, eventId, null]);
    const actor = { kind: 'secret', id: server.mine.secretId };
    assert.deepEqual(event, { type: 'webhook.test', at, contactId: null, actor });
    assert.deepEqual((await call('GET', 'events')).json.data, []);
    assert.deepEqual((await call('GET', `webhooks/${id}/deliveries`)).json.data, []);
  });

  test('is sent once, also to a webhook that is off, and a failure is a result', async (t) => {
    const receiver = await startReceiver(t, () => 503);
    const { call, botId } = await addBot(server);
    const { id } = await createWebhook(call, { url: receiver.url });
    await call('PATCH', `webhooks/${id}`, { body: { isEnabled: false } });
    const { page, member } = await signInAs(server, 'member');
    const refused = await page.call('POST', `bots/${botId}/webhooks/${id}/test`);
    const { durationMs: _, ...result } = refused.json.data;
    assert.deepEqual([refused.status, result.status, result.statusCode, result.error], [200, 'failed', 503, null]);
    assert.deepEqual(receiver.received.at(-1)?.message.data.event.actor, { kind: 'member', id: member.id });
    await call('PATCH', `webhooks/${id}`, { body: { url: 'http://127.0.0.1:1/hooks' } });
    const unreached = (await call('POST', `webhooks/${id}/test`)).json.data;
    assert.deepEqual([unreached.status, unreached.statusCode, unreached.response], ['failed', null, null]);
    assert.match(unreached.error, /\w/);
    assert.doesNotMatch(unreached.error, /hooks|127\.0\.0\.1/);
    assert.equal(receiver.received.length, 1);
    // A test message is no delivery, and does not change the state of the webhook.
    const { isEnabled, failingSince, disabledReason } = (await call('GET', `webhooks/${id}`)).json.data;
    assert.deepEqual([isEnabled, failingSince, disabledReason], [false, null, null]);
  });

  test('makes what failed due at once, if it is accepted', async (t) => {
    const receiver = await startReceiver(t, () => 500);
    const bot = await addBot(server);
    const { id } = await createWebhook(bot.call, { url: receiver.url });
    const { save } = await planDeliveries(server, bot, id, 2);
    const dueAtMs = server.clock.nowMs + 3_600_000;
    await save({ status: 'pending', statusCode: 500, dueAtMs });
    const dueTimes = async () => {
      const { data } = (await bot.call('GET', `webhooks/${id}/deliveries`)).json;
      return data.map(({ nextAttemptAt }: Delivery) => Date.parse(nextAttemptAt ?? ''));
    };
    assert.equal((await bot.call('POST', `webhooks/${id}/test`)).json.data.status, 'failed');
    assert.deepEqual(await dueTimes(), [dueAtMs, dueAtMs]);
    receiver.answerWith(() => 204);
    assert.equal((await bot.call('POST', `webhooks/${id}/test`)).json.data.status, 'succeeded');
    assert.deepEqual(await dueTimes(), [server.clock.nowMs, server.clock.nowMs]);
  });

  test('is signed with both secrets for a day after a rotation, and then with the new one', async (t) => {
    const receiver = await startReceiver(t);
    const { call } = await addBot(server);
    const { id, secret: first, ...created } = await createWebhook(call, { url: receiver.url });
    const rotated = await call('POST', `webhooks/${id}/rotate`);
    const { secret: second, changedBy, ...rest } = rotated.json.data;
    assert.deepEqual([rotated.status, { ...rest, changedBy: null }], [200, { id, ...created }]);
    assert.equal(changedBy.id, server.mine.secretId);
    assert.notEqual(second, first);
    const send = async () => {
      await call('POST', `webhooks/${id}/test`);
      return receiver.received.at(-1) as ReceivedMessage;
    };
    const signedByBoth = await send();
    await assertSigned(signedByBoth, first);
    await assertSigned(signedByBoth, second);
    const third = (await call('POST', `webhooks/${id}/rotate`)).json.data.secret;
    const later = await send();
    await assertSigned(later, second);
    await assertSigned(later, third);
    await assertNotSigned(later, first);
    // A day later the server signs with the new secret alone. Only its own clock is moved, so receivers would refuse its messages as too new.
    server.clock.nowMs += limits.rotatedSecretMs;
    t.after(() => {
      server.clock.nowMs = Date.now();
    });
    const signatures = (await send()).headers['webhook-signature'];
    assert.equal(String(signatures).split(' ').length, 1);
  });
});

suite('the deliveries of a webhook', () => {
  const server = plain;
  const secretWith = async (permissions: readonly Permission[]) => {
    const text = makeSecret();
    const secret = sampleSecret(server.mine.organizationId, { hash: hashCredential(text), permissions });
    assert.equal(await server.store.createSecret(secret, undefined, sampleContext()), true);
    return text;
  };

  test('are listed newest first, page by page, and by status', async () => {
    const bot = await addBot(server);
    const { id } = await createWebhook(bot.call);
    const list = async (query: string) => (await bot.call('GET', `webhooks/${id}/deliveries${query}`)).json;
    assert.deepEqual(await list(''), { data: [], next: null });
    const atMs = server.clock.nowMs;
    const first = await planDeliveries(server, bot, id, 2);
    await first.save({ response: null });
    const failed = await planDeliveries(server, bot, id, 1);
    const dueAtMs = server.clock.nowMs + 5000;
    await failed.save({ status: 'failed', attempts: 11, statusCode: null, response: null, error: 'Timed out' });
    const pending = await planDeliveries(server, bot, id, 1);
    await pending.save({ status: 'pending', dueAtMs, statusCode: 500, response: '<h1>Oops</h1>' });

    const { data, next } = await list('');
    const events = [...pending.events, ...failed.events, ...first.events.toReversed()];
    assert.deepEqual(
      data.map(({ eventId }: Delivery) => eventId),
      events.map((event) => event.id),
    );
    assert.equal(next, null);
    const at = new Date(atMs).toISOString();
    const shared = {
      ...{ type: 'contact.created', eventAt: at, createdAt: at },
      ...{ lastAttemptAt: at, nextAttemptAt: null, isWaiting: false },
    };
    assert.deepEqual(
      data.slice(0, 3).map(({ eventId: _, ...delivery }: Delivery) => delivery),
      [
        {
          ...{ ...shared, contactId: events[0]?.contactId, status: 'pending', attempts: 1 },
          ...{
            nextAttemptAt: new Date(dueAtMs).toISOString(),
            statusCode: 500,
            response: '<h1>Oops</h1>',
            error: null,
          },
        },
        {
          ...{ ...shared, contactId: events[1]?.contactId, status: 'failed', attempts: 11 },
          ...{ statusCode: null, response: null, error: 'Timed out' },
        },
        {
          ...{ ...shared, contactId: events[2]?.contactId, status: 'succeeded', attempts: 1 },
          ...{ statusCode: 200, response: null, error: null },
        },
      ],
    );

    const paged: string[] = [];
    let before: string | null = '';
    for (let pages = 0; before !== null; pages++) {
      assert.ok(pages < 2, 'the last page says that it is the last');
      const page = await list(`?limit=2&before=${before}`);
      assert.equal(page.data.length, 2);
      paged.push(...page.data.map(({ eventId }: Delivery) => eventId));
      before = page.next;
    }
    assert.deepEqual(
      paged,
      events.map((event) => event.id),
    );
    const succeeded = await list('?status=succeeded&limit=1');
    assert.deepEqual([succeeded.data[0].eventId, succeeded.next !== null], [first.events[1]?.id, true]);
    const rest = await list(`?status=succeeded&limit=1&before=${succeeded.next}`);
    assert.deepEqual([rest.data[0].eventId, rest.next], [first.events[0]?.id, null]);
    assert.equal((await list('?status=failed')).data.length, 1);
    for (const query of [
      '?status=ok',
      '?before=x',
      '?before=0',
      '?limit=0',
      '?limit=201',
      '?status=failed&status=pending',
    ]) {
      const refused = await bot.call('GET', `webhooks/${id}/deliveries${query}`);
      assert.deepEqual(codeOf(refused), [400, 'invalid_request'], query);
    }
  });

  test('say when the next attempt is: never in the past, not while they wait, and not while the webhook is off', async () => {
    const bot = await addBot(server);
    const { call } = bot;
    const { id } = await createWebhook(call);
    const { events, save } = await planDeliveries(server, bot, id, 1);
    await call('PATCH', `contacts/${events[0]?.contactId}`, { body: { name: 'New' } });
    await planDeliveries(server, bot, id, 0);
    await save({ status: 'pending', dueAtMs: server.clock.nowMs + 5000, statusCode: 500 });
    const eventAtMs = server.clock.nowMs;
    const next = async () => {
      const { data } = (await call('GET', `webhooks/${id}/deliveries`)).json;
      return data.map(({ nextAttemptAt, isWaiting }: Delivery) => [
        nextAttemptAt && Date.parse(nextAttemptAt) - server.clock.nowMs,
        isWaiting,
      ]);
    };
    assert.deepEqual(await next(), [
      [null, true],
      [5000, false],
    ]);
    // Nobody delivers here, so that it stays overdue.
    server.clock.nowMs += 60_000;
    assert.deepEqual((await next())[1], [0, false]);
    await call('PATCH', `webhooks/${id}`, { body: { isEnabled: false } });
    assert.deepEqual((await next())[1], [null, false]);
    // A replay makes them anew, of the same events.
    await call('PATCH', `webhooks/${id}`, { body: { isEnabled: true } });
    await call('POST', `webhooks/${id}/replay`, { body: {} });
    await planDeliveries(server, bot, id, 0);
    const [, replayed] = (await call('GET', `webhooks/${id}/deliveries`)).json.data as Delivery[];
    const [eventAt, createdAt] = [eventAtMs, server.clock.nowMs].map((ms) => new Date(ms).toISOString());
    assert.deepEqual([replayed?.eventAt, replayed?.createdAt], [eventAt, createdAt]);
  });

  test('show each attempt, and the request as it would be sent now: its body to those who may read contacts', async () => {
    const bot = await addBot(server);
    const { call, botId } = bot;
    const { id } = await createWebhook(call);
    const { events, save } = await planDeliveries(server, bot, id, 1);
    const [event] = events;
    const earlier = [{ atMs: server.clock.nowMs, statusCode: null, error: 'The connection was refused' }];
    server.clock.nowMs += 5000;
    await save({ status: 'failed', attempts: 2, statusCode: 500, earlier });
    await call('PATCH', `contacts/${event?.contactId}`, { body: { name: 'Now' } });
    const path = `webhooks/${id}/deliveries/${event?.id}`;
    const { status, json } = await call('GET', path, { token: await secretWith(permissionNames) });
    const { history, request, ...delivery } = json.data;
    assert.equal(status, 200);
    assert.deepEqual([delivery], (await call('GET', `webhooks/${id}/deliveries`)).json.data);
    const at = [5000, 0].map((before) => new Date(server.clock.nowMs - before).toISOString());
    assert.deepEqual(history, [
      { at: at[0], statusCode: null, error: 'The connection was refused' },
      { at: at[1], statusCode: 500, error: null },
    ]);
    const { type, data } = webhookMessageSchema.parse(JSON.parse(request.body));
    assert.deepEqual([type, data.event.id, data.contact?.name], ['contact.created', event?.id, 'Now']);
    const timestamp = String(Math.floor(server.clock.nowMs / 1000));
    const { 'user-agent': agent, ...headers } = request.headers;
    assert.match(agent, /^Roster\//);
    assert.deepEqual(headers, {
      ...{ 'content-type': 'application/json', 'webhook-id': event?.id, 'webhook-timestamp': timestamp },
    });
    const other = await call('GET', path, { token: await secretWith(['account:read']) });
    assert.deepEqual(
      [other.json.data.request, other.json.data.history],
      [{ headers: request.headers, body: null }, history],
    );
    const { page } = await signInAs(server, 'member');
    assert.equal((await page.call('GET', `bots/${botId}/${path}`)).json.data.request.body, request.body);
    for (const unknown of ['x', makeId('event', 1)]) {
      assert.deepEqual(codeOf(await call('GET', `webhooks/${id}/deliveries/${unknown}`)), [404, 'not_found']);
    }
  });

  test('show what a receiver answered to those who may read contacts, until the contact is deleted', async () => {
    const bot = await addBot(server);
    const { call, botId } = bot;
    const { id } = await createWebhook(call);
    const { events, save } = await planDeliveries(server, bot, id, 2);
    await save({ status: 'failed', statusCode: 400, response: 'Cannot store jane@example.com' });
    const responsesFor = async (token: string) => {
      const { status, json } = await call('GET', `webhooks/${id}/deliveries`, { token });
      assert.equal(status, 200);
      for (const { statusCode, attempts } of json.data) assert.deepEqual([statusCode, attempts], [400, 1]);
      return json.data.map(({ response }: Delivery) => response);
    };
    const [all, some] = [permissionNames, ['account:read', 'account:write'] as const];
    const [reader, other] = [await secretWith(all), await secretWith(some)];
    const answered = 'Cannot store jane@example.com';
    assert.deepEqual(
      [await responsesFor(reader), await responsesFor(other)],
      [
        [answered, answered],
        [null, null],
      ],
    );
    const { page } = await signInAs(server, 'member');
    const shown = (await page.call('GET', `bots/${botId}/webhooks/${id}/deliveries`)).json.data;
    assert.deepEqual(
      shown.map(({ response }: Delivery) => response),
      [answered, answered],
    );
    assert.equal((await call('DELETE', `contacts/${events[1]?.contactId}`)).status, 204);
    assert.deepEqual(await responsesFor(reader), [null, answered]);
  });

  test('are sent again one by one', async () => {
    const bot = await addBot(server);
    const { id } = await createWebhook(bot.call);
    const { events, save } = await planDeliveries(server, bot, id, 2);
    await save({ status: 'failed', attempts: 11, statusCode: 500 });
    const [event, other] = events;
    server.clock.nowMs += 60_000;
    const retried = await bot.call('POST', `webhooks/${id}/deliveries/${event?.id}/retry`);
    const now = new Date(server.clock.nowMs).toISOString();
    const { eventId, status, attempts, nextAttemptAt } = retried.json.data;
    assert.deepEqual([retried.status, eventId, status, attempts], [202, event?.id, 'pending', 0]);
    assert.equal(nextAttemptAt, now);
    const { data } = (await bot.call('GET', `webhooks/${id}/deliveries?status=pending`)).json;
    assert.deepEqual(data, [retried.json.data]);
    const { id: sibling } = await createWebhook(bot.call);
    for (const path of [
      `${id}/deliveries/${makeId('event', 1)}/retry`,
      `${id}/deliveries/x/retry`,
      `${sibling}/deliveries/${other?.id}/retry`,
    ]) {
      const reply = await bot.call('POST', `webhooks/${path}`);
      assert.deepEqual(codeOf(reply), [404, 'not_found'], path);
      assert.equal(reply.json.detail, 'This webhook has no such delivery.');
    }
  });

  test('that failed are all sent again, however many, and one is skipped', async () => {
    const bot = await addBot(server);
    const { call, botId } = bot;
    const { id } = await createWebhook(call);
    for (let made = 0; made < 3; made++) {
      const items = Array.from({ length: 700 }, () => sampleFields());
      await server.store.upsertContacts(botId, items, sampleContext());
    }
    for (let planned = 0; planned < 3; planned++) {
      await (await planDeliveries(server, bot, id, 0)).save({ status: 'failed', attempts: 11, statusCode: 500 });
    }
    const retried = await call('POST', `webhooks/${id}/deliveries/retry-failed`);
    assert.deepEqual([retried.status, retried.json], [202, { data: { count: 2100 } }]);
    const list = async (status: string) => (await call('GET', `webhooks/${id}/deliveries?status=${status}`)).json.data;
    assert.deepEqual([(await list('failed')).length, (await list('pending')).length], [0, 50]);
    const [{ eventId }] = await list('pending');
    const skipped = await call('POST', `webhooks/${id}/deliveries/${eventId}/skip`);
    const { status, nextAttemptAt } = skipped.json.data;
    assert.deepEqual([skipped.status, status, nextAttemptAt], [200, 'skipped', null]);
    assert.deepEqual(await list('skipped'), [skipped.json.data]);
    const again = await call('POST', `webhooks/${id}/deliveries/${eventId}/skip`);
    assert.deepEqual([again.status, again.json], [200, skipped.json], 'it is skipped already');
    for (const unknown of ['x', makeId('event', 1)]) {
      const reply = await call('POST', `webhooks/${id}/deliveries/${unknown}/skip`);
      assert.deepEqual(codeOf(reply), [404, 'not_found']);
    }
  });
});

suite('a replay', () => {
  const server = plain;

  test('takes the webhook back to a position of the feed, or to the oldest event', async () => {
    const { call, botId } = await addBot(server);
    for (let made = 0; made < 5; made++) await createContact(call);
    const { secret: _, ...webhook } = await createWebhook(call);
    const position = async () => (await server.store.listWebhooks(botId))[0]?.position;
    assert.equal(await position(), 5);
    const { next } = (await call('GET', 'events?limit=2')).json;
    const replayed = await call('POST', `webhooks/${webhook.id}/replay`, { body: { after: next } });
    assert.deepEqual([replayed.status, replayed.json.data, await position()], [202, webhook, 2]);
    const end = (await call('GET', 'events?after=now')).json.next;
    await call('POST', `webhooks/${webhook.id}/replay`, { body: { after: end } });
    assert.equal(await position(), 5);
    for (const body of [undefined, {}, { after: '' }]) {
      await call('POST', `webhooks/${webhook.id}/replay`, { body: { after: end } });
      const whole = await call('POST', `webhooks/${webhook.id}/replay`, { ...(body && { body }) });
      assert.deepEqual([whole.status, await position()], [202, 0]);
    }
  });

  test('may come with a large body, which is read whole long before the answer', async () => {
    const { call } = await addBot(server);
    const { id } = await createWebhook(call);
    const body = { padding: 'x'.repeat(200_000) };
    assert.equal((await call('POST', `webhooks/${id}/replay`, { body })).status, 202);
  });

  test('of a position that is not kept is 410 with the end of the feed, and moves nothing', async () => {
    const [{ call, botId }, other] = [await addBot(server), await addBot(server)];
    for (const each of [call, other.call]) await createContact(each);
    const { id } = await createWebhook(call);
    const end = (await call('GET', 'events?after=now')).json.next as string;
    const foreign = (await other.call('GET', 'events?after=now')).json.next;
    for (const after of [foreign, end.replace(/-\d+$/, '-2')]) {
      const reply = await call('POST', `webhooks/${id}/replay`, { body: { after } });
      assert.deepEqual([...codeOf(reply), reply.json.next], [410, 'events_expired', end], after);
    }
    for (const after of ['now', 'x', `${end} `, 5, null]) {
      const reply = await call('POST', `webhooks/${id}/replay`, { body: { after } });
      assert.deepEqual([...codeOf(reply), reply.json.errors[0].field], [400, 'invalid_request', 'after']);
    }
    assert.equal((await server.store.listWebhooks(botId))[0]?.position, 1);

    // The events up to now are not kept any more.
    while (await server.store.purge(1000, server.clock.nowMs + 1, sampleContext({ nowMs: server.clock.nowMs })));
    const expired = await call('POST', `webhooks/${id}/replay`, { body: { after: end.replace(/-\d+$/, '-0') } });
    assert.deepEqual([...codeOf(expired), expired.json.next], [410, 'events_expired', end]);
    assert.equal((await call('POST', `webhooks/${id}/replay`, { body: { after: end } })).status, 202);
  });
});

suite('what is kept of webhooks', () => {
  test('is their origin alone, by whom, in the audit log, and no secret and no path in the log', async (t) => {
    const server = await startServer(t, { storeOf: plain });
    const { mine, logged, call } = server;
    const { page, member } = await signInAs(server, 'owner');
    const secrets: string[] = [];
    const act = async (send: typeof call, base: string) => {
      const done = async (method: string, path: string, body?: object) => {
        server.clock.nowMs += 10;
        const reply = await send(method, path, { ...(body && { body }) });
        assert.ok(reply.status < 300, reply.text);
        if (reply.json?.data.secret !== undefined) secrets.push(reply.json.data.secret);
        return reply.json?.data;
      };
      const url = 'http://127.0.0.1:1/path-canary?key=query-canary';
      const { id } = await done('POST', base, { url, description: 'description-canary' });
      await done('PATCH', `${base}/${id}`, { url: 'http://127.0.0.1:2/path-canary#fragment-canary' });
      await done('PATCH', `${base}/${id}`, {});
      await done('GET', `${base}/${id}`);
      await done('POST', `${base}/${id}/rotate`);
      await done('POST', `${base}/${id}/test`);
      await done('POST', `${base}/${id}/replay`, {});
      const { events } = await planDeliveries(server, { call, botId: mine.bot.id }, id, 1);
      await done('POST', `${base}/${id}/deliveries/${events[0]?.id}/retry`);
      await done('POST', `${base}/${id}/deliveries/retry-failed`);
      // Nothing failed, and the second skip finds it skipped: neither is an entry.
      for (const _ of [1, 2]) await done('POST', `${base}/${id}/deliveries/${events[0]?.id}/skip`);
      await done('DELETE', `${base}/${id}`);
    };
    await act(call, 'webhooks');
    await act((...args) => page.call(...args), `bots/${mine.bot.id}/webhooks`);
    const { json, text } = await page.call('GET', 'audit');
    const actions = [
      ['webhook.delete', 'http://127.0.0.1:2'],
      ['webhook.skip', 'http://127.0.0.1:2'],
      ['webhook.retry', 'http://127.0.0.1:2'],
      ['webhook.replay', 'http://127.0.0.1:2'],
      ['webhook.rotateSecret', 'http://127.0.0.1:2'],
      ['webhook.update', 'http://127.0.0.1:2'],
      ['webhook.create', 'http://127.0.0.1:1'],
    ];
    assert.deepEqual(
      json.data.map(({ action, object, actor }: AuditEntry) => [action, object.name, actor.kind, actor.id, object.id]),
      [
        ...actions.map((entry) => [...entry, 'member', member.id, mine.bot.id]),
        ...actions.map((entry) => [...entry, 'secret', mine.secretId, mine.bot.id]),
      ],
    );
    assert.equal(secrets.length, 4);
    const log = logged.join('');
    assert.match(log, /webhooks\.create/);
    for (const hidden of ['path-canary', 'query-canary', 'fragment-canary', 'description-canary', ...secrets]) {
      assert.ok(!text.includes(hidden) && !log.includes(hidden), hidden);
    }
  });
});
