// The feed of a bot over HTTP: what each call leaves in it, positions, and the wait at its end.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { EventType, FeedEvent } from '@roster/contract';
import { signInAs } from '../../test/console-client.ts';
import {
  type Caller,
  callerOf,
  codeOf,
  createContact,
  metricsToken,
  type Reply,
  startServer,
  type TestServer,
} from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { until } from '../../test/process/waiting.ts';
import { sampleBot, sampleContext, sampleFields } from '../../test/sample.ts';
import type { Feed } from '../store/events/event-store.ts';

/** A bot of its own, with the calls of its organization's secret. */
async function addBot(server: TestServer): Promise<{ call: Caller; botId: string }> {
  const bot = sampleBot(server.mine.organizationId);
  await server.store.createBot(bot, undefined, sampleContext());
  return { call: callerOf(server.url, { ...server.mine, bot }), botId: bot.id };
}

async function eventsOf(call: Caller, query = ''): Promise<FeedEvent[]> {
  const reply = await call('GET', `events${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data;
}

const endOf = async (call: Caller): Promise<string> => (await call('GET', 'events?after=now')).json.next;

const server = await startServer(wholeFile);
const smallServer = await startServer(wholeFile, { storeOf: server, requestsMax: 20 });

suite('the feed', () => {
  const actor = { kind: 'secret', id: server.mine.secretId };

  test('tells what each call with a secret changed, once', async () => {
    const { call } = await addBot(server);
    const at = new Date(server.clock.nowMs).toISOString();
    await call('PUT', 'attributes/plan', { body: { type: 'text', label: 'Plan' } });
    const contact = await createContact(call, { tags: ['vip', 'lead'] });
    const contactId = contact.id;
    const update = { name: 'New', attributes: { plan: 'pro' }, tags: ['vip'], phone: '' };
    await call('PATCH', `contacts/${contactId}`, { body: update });
    await call('PATCH', `contacts/${contactId}`, { body: update });
    const items = [
      { email: contact.email, wid: '+15550100' },
      { name: 'Joe', email: 'joe@example.com' },
    ];
    const upserted = await call('PATCH', 'contacts', { body: { data: items } });
    const joe = upserted.json.data[1].id;
    const made = await call('PUT', 'auth/contacts', { body: { id: contactId } });
    await call('DELETE', `auth/contacts/${made.json.data.token}`);
    await call('PATCH', 'tags/vip', { body: { name: 'gold' } });
    await call('DELETE', 'tags/gold');
    await call('DELETE', 'attributes/plan');
    await call('POST', 'contacts/delete', { body: { ids: [joe, joe] } });
    await call('DELETE', `contacts/${contactId}`);
    await call('DELETE', `contacts/${contactId}`);
    const events = await eventsOf(call);
    assert.deepEqual(
      events.map(({ id: _, ...event }) => event),
      [
        { type: 'contact.created', contactId },
        { type: 'contact.updated', contactId, fields: ['name', 'attributes.plan', 'tags'] },
        { type: 'contact.updated', contactId, fields: ['wid'] },
        { type: 'contact.created', contactId: joe },
        { type: 'token.created', contactId },
        { type: 'token.revoked', contactId },
        { type: 'tag.renamed', contactId: null, fields: ['tags'] },
        { type: 'tag.deleted', contactId: null, fields: ['tags'] },
        { type: 'attribute.deleted', contactId: null, fields: ['attributes.plan'] },
        { type: 'contact.deleted', contactId: joe },
        { type: 'contact.deleted', contactId },
      ].map((event) => ({ ...event, at, actor })),
    );
  });

  test('names the member who made a change, and is read by members too', async () => {
    const { page, member } = await signInAs(server, 'member');
    const path = `bots/${server.mine.bot.id}`;
    const end = await endOf(server.call);
    const created = await page.call('PUT', `${path}/contacts`, {
      body: { name: 'Jane', email: 'by-member@example.com' },
    });
    const contactId = created.json.data.id;
    await server.call('PUT', 'auth/contacts', { body: { id: contactId } });
    await page.call('DELETE', `${path}/contacts/${contactId}/tokens`);
    await page.call('DELETE', `${path}/contacts/${contactId}/tokens`);
    const reply = await page.call('GET', `${path}/events?after=${end}`);
    assert.equal(reply.status, 200);
    assert.deepEqual(
      reply.json.data.map(({ type, actor }: FeedEvent) => [type, actor.kind, actor.id]),
      [
        ['contact.created', 'member', member.id],
        ['token.created', 'secret', server.mine.secretId],
        ['token.revoked', 'member', member.id],
      ],
    );
    const { page: viewer } = await signInAs(server, 'viewer');
    assert.equal((await viewer.call('GET', `${path}/events?after=${end}`)).json.data.length, 3);
  });

  test('has no contacts for viewers, who would read all of them a page at a time', async () => {
    const [{ page: viewer }, { page: member }] = [await signInAs(server, 'viewer'), await signInAs(server, 'member')];
    for (const include of ['contact', 'attributes', 'contact,tags']) {
      const path = `bots/${server.mine.bot.id}/events?include=${include}`;
      const refused = await viewer.call('GET', path);
      assert.deepEqual([...codeOf(refused), refused.json.permission], [403, 'forbidden', 'member']);
      assert.equal((await member.call('GET', path)).status, 200);
    }
  });

  test('tells that a visitor was recognized, once a day', async () => {
    const { call, botId } = await addBot(server);
    const { id } = await createContact(call);
    const { token } = (await call('PUT', 'auth/contacts', { body: { id } })).json.data;
    for (let times = 0; times < 2; times++) {
      assert.equal((await call('GET', `/v1/bots/${botId}/auth/contact`, { token })).status, 200);
      await server.app.flush();
    }
    const [, , ...seen] = await eventsOf(call);
    assert.deepEqual(
      seen.map(({ type, contactId, actor }) => ({ type, contactId, actor })),
      [{ type: 'visitor.recognized', contactId: id, actor: { kind: 'visitor', id: null } }],
    );
  });

  test('is read once and in order by its positions', async () => {
    const { call } = await addBot(server);
    const data = Array.from({ length: 25 }, (_, n) => ({ name: 'N', email: `n${n}@example.com` }));
    const { json } = await call('PATCH', 'contacts', { body: { data } });
    const read: (string | null)[] = [];
    let after = '';
    for (let pages = 0; pages < 4; pages++) {
      const page = await call('GET', `events?limit=10&after=${after}`);
      read.push(...page.json.data.map(({ contactId }: FeedEvent) => contactId));
      after = page.json.next;
    }
    assert.deepEqual(
      read,
      json.data.map(({ id }: { id: string }) => id),
    );
    assert.equal(await endOf(call), after);
  });

  test('is narrowed by type and by contact', async () => {
    const { call } = await addBot(server);
    const [one, other] = [await createContact(call), await createContact(call)];
    await call('DELETE', `contacts/${one.id}`);
    const typesOf = async (query: string) =>
      (await eventsOf(call, query)).map(({ type, contactId }) => [type, contactId]);
    assert.deepEqual(await typesOf('?type=contact.deleted'), [['contact.deleted', one.id]]);
    assert.equal((await typesOf('?type=contact.deleted&type=contact.created')).length, 3);
    assert.deepEqual(await typesOf(`?contactId=${other.id}`), [['contact.created', other.id]]);
    const none = await call('GET', 'events?type=tag.deleted');
    assert.deepEqual(none.json, { data: [], next: await endOf(call) });
  });

  test('includes contacts as they are now', async () => {
    const { call } = await addBot(server);
    await call('PUT', 'attributes/plan', { body: { type: 'text', label: 'Plan' } });
    const gone = await createContact(call);
    const kept = await createContact(call, { attributes: { plan: 'pro' }, tags: ['vip'] });
    await call('DELETE', `contacts/${gone.id}`);
    const contactsOf = async (include: string) =>
      (await eventsOf(call, `?type=contact.created&include=${include}`)).map(({ contact }) => contact);
    assert.deepEqual(await contactsOf('contact'), [null, kept]);
    const whole = { ...kept, attributes: { plan: 'pro' }, tags: ['vip'] };
    assert.deepEqual(await contactsOf('contact,attributes,tags'), [null, whole]);
    assert.deepEqual(await contactsOf('tags'), [null, { ...kept, tags: ['vip'] }]);
    const [plain] = await eventsOf(call);
    assert.ok(plain !== undefined && !('contact' in plain));
  });

  test('has a hundred events on a page with contacts, and whoever goes on by its positions gets them all', async () => {
    const { call } = await addBot(server);
    const data = Array.from({ length: 250 }, (_, at) => ({ name: `Contact ${at}`, email: `c${at}@example.com` }));
    await call('PATCH', 'contacts', { body: { data } });
    const sizes: number[] = [];
    const names: string[] = [];
    let after = '';
    do {
      const { json } = await call('GET', `events?limit=1000&include=contact&after=${after}`);
      sizes.push(json.data.length);
      for (const { contact } of json.data) names.push(contact.name);
      after = json.next;
    } while (sizes.at(-1) !== 0);
    assert.deepEqual(sizes, [100, 100, 50, 0]);
    assert.deepEqual(
      names,
      data.map(({ name }) => name),
    );
    assert.equal((await eventsOf(call, '?limit=1000')).length, 250);
  });

  test('refuses what it cannot understand', async () => {
    const { call } = await addBot(server);
    const queries = ['after=x', 'after=0-1', 'limit=0', 'limit=1001', 'type=x', 'type=', 'wait=31', 'wait=-1'];
    for (const query of [...queries, 'contactId=x', 'include=lastSeenAt', 'after=now&after=now']) {
      assert.deepEqual(codeOf(await call('GET', `events?${query}`)), [400, 'invalid_request'], query);
    }
  });

  test('says where it ends to whoever has a position of another bot, of another history or beyond the end', async () => {
    const [one, other] = [await addBot(server), await addBot(server)];
    for (const { call } of [one, other]) await createContact(call);
    const end = await endOf(one.call);
    const others = await endOf(other.call);
    for (const position of [others, end.replace(/1$/, '2'), `000000000000-1`]) {
      const reply = await one.call('GET', `events?after=${position}`);
      assert.deepEqual([...codeOf(reply), reply.json.next], [410, 'events_expired', end]);
    }
    assert.deepEqual((await one.call('GET', `events?after=${end}`)).json, { data: [], next: end });
  });

  test('says where it ends to whoever has a position that is not kept any more', async () => {
    const { call } = await addBot(server);
    await createContact(call);
    const first = (await call('GET', 'events?limit=1')).json.next.replace(/1$/, '0');
    assert.equal((await call('GET', `events?after=${first}`)).json.data.length, 1);
    while (await server.store.purge(100, server.clock.nowMs + 1, sampleContext({ nowMs: server.clock.nowMs }))) {}
    const reply = await call('GET', `events?after=${first}`);
    const end = await endOf(call);
    assert.deepEqual([...codeOf(reply), reply.json.next], [410, 'events_expired', end]);
    assert.deepEqual((await call('GET', 'events')).json, { data: [], next: end });
  });
});

suite('the wait at the end of the feed', () => {
  const server = smallServer;

  /** Resolves when so many requests wait. They may not have read yet where `now` is. */
  const areWaiting = (count: number, { call }: Pick<TestServer, 'call'> = server) =>
    until(`${count} waiting readers`, async () => {
      const { text } = await call('GET', '/metrics', { token: metricsToken });
      return Number(/^roster_waiting_readers (\d+)$/m.exec(text)?.[1]) === count;
    });

  test('ends with the first event', async () => {
    const { call } = await addBot(server);
    const held = call('GET', `events?after=${await endOf(call)}&wait=30`);
    await areWaiting(1);
    const { id } = await createContact(call);
    const reply = await held;
    assert.deepEqual(contactIdsIn(reply), [id]);
    assert.equal(reply.json.next, await endOf(call));
  });

  test('is over at once when there is something, and after its time when there is nothing', async () => {
    const { call } = await addBot(server);
    await createContact(call);
    assert.equal((await call('GET', 'events?wait=30')).json.data.length, 1);
    const next = await endOf(call);
    assert.deepEqual((await call('GET', 'events?after=now&wait=1')).json, { data: [], next });
  });

  test('goes on over events that are not wanted', async () => {
    const { call } = await addBot(server);
    const held = call('GET', `events?after=${await endOf(call)}&wait=30&type=contact.deleted`);
    await areWaiting(1);
    const { id } = await createContact(call);
    await call('DELETE', `contacts/${id}`);
    const { json } = await held;
    assert.deepEqual(
      json.data.map(({ type }: FeedEvent) => type),
      ['contact.deleted'],
    );
    assert.equal(json.next, await endOf(call));
  });

  test('ends with what another server wrote', async (t) => {
    const other = await startServer(t, { beside: server });
    const { call, botId } = await addBot(server);
    const held = call('GET', `events?after=${await endOf(call)}&wait=30`);
    await areWaiting(1);
    const { id } = await createContact(callerOf(other.url, { ...server.mine, bot: { ...server.mine.bot, id: botId } }));
    assert.deepEqual(contactIdsIn(await held), [id]);
  });

  test('ends for one reader without ending for those of other bots', async () => {
    const [one, other] = [await addBot(server), await addBot(server)];
    const [after, otherAfter] = [await endOf(one.call), await endOf(other.call)];
    const held = other.call('GET', `events?after=${otherAfter}&wait=30`);
    const ended = one.call('GET', `events?after=${after}&wait=30`);
    await areWaiting(2);
    await createContact(one.call);
    await ended;
    await areWaiting(1);
    await createContact(other.call);
    assert.equal((await held).json.data.length, 1);
  });

  test('is answered with 401 when the secret was revoked meanwhile', async (t) => {
    const own = await startServer(t, { storeOf: server });
    const { page } = await signInAs(own, 'owner');
    const held = own.call('GET', `events?after=${await endOf(own.call)}&wait=30`);
    await areWaiting(1, own);
    assert.equal((await page.call('DELETE', `secrets/${own.mine.secretId}`)).status, 204);
    await own.store.createContact(own.mine.bot.id, sampleFields(), sampleContext({ nowMs: own.clock.nowMs }));
    assert.deepEqual(codeOf(await held), [401, 'unauthorized']);
  });

  test('is answered with 404 when the bot was deleted meanwhile', async (t) => {
    const own = await startServer(t, { storeOf: server });
    const { page } = await signInAs(own, 'owner');
    const held = own.call('GET', 'events?after=now&wait=30');
    await areWaiting(1, own);
    assert.equal((await page.call('DELETE', `bots/${own.mine.bot.id}`)).status, 204);
    // Ends the wait: deleting a bot does not.
    own.app.beginStop();
    assert.deepEqual(codeOf(await held), [404, 'not_found']);
  });

  test('ends at once when the server stops', async (t) => {
    const own = await startServer(t, { storeOf: server });
    const next = await endOf(own.call);
    const held = own.call('GET', 'events?after=now&wait=30');
    await areWaiting(1, own);
    own.app.beginStop();
    const reply = await held;
    assert.deepEqual([reply.status, reply.json], [200, { data: [], next }]);
  });

  test('frees its place when the client leaves', async () => {
    const { botId } = await addBot(server);
    const leaving = new AbortController();
    const { secret } = server.mine;
    const held = fetch(`${server.url}/v1/bots/${botId}/events?after=now&wait=30`, {
      headers: { authorization: `Bearer ${secret}` },
      signal: leaving.signal,
    });
    await areWaiting(1);
    leaving.abort();
    await assert.rejects(held);
    await areWaiting(0);
  });

  test('is refused when too many of an organization wait', async () => {
    const { call } = await addBot(server);
    const after = await endOf(call);
    const held = Array.from({ length: 5 }, () => call('GET', `events?after=${after}&wait=30`));
    await areWaiting(5);
    assert.deepEqual(codeOf(await call('GET', 'events?after=now&wait=30')), [503, 'unavailable']);
    assert.equal((await call('GET', 'events?after=now')).status, 200);
    await createContact(call);
    for (const reply of await Promise.all(held)) assert.equal(reply.json.data.length, 1);
  });
});

suite('the wait at the end of the feed ends with', async () => {
  const feeds = new Map<string, Feed | undefined>();
  const read = new Set<string>();
  const own = await startServer(wholeFile, {
    storeOf: server,
    wrapStore: (store) => ({
      ...store,
      // Each feed as it was at first, so that what looks for the writes of other servers wakes nobody.
      async findFeeds(botIds) {
        for (const id of botIds) if (!feeds.has(id)) feeds.set(id, (await store.findFeeds([id])).get(id));
        return new Map(botIds.map((id) => [id, feeds.get(id) as Feed]));
      },
      async readEvents(botId, ...wanted) {
        const page = await store.readEvents(botId, ...wanted);
        read.add(botId);
        return page;
      },
    }),
  });

  type Made = { call: Caller; botId: string; contactId: string; token: string };
  const cases: [what: string, type: EventType, write: (made: Made) => Promise<unknown>][] = [
    ['a create', 'contact.created', ({ call }) => createContact(call)],
    [
      'an update',
      'contact.updated',
      ({ call, contactId }) => call('PATCH', `contacts/${contactId}`, { body: { phone: '1' } }),
    ],
    [
      'an upsert',
      'contact.created',
      ({ call }) => call('PATCH', 'contacts', { body: { data: [{ name: 'Joe', email: 'joe@example.com' }] } }),
    ],
    ['a deletion', 'contact.deleted', ({ call, contactId }) => call('DELETE', `contacts/${contactId}`)],
    [
      'a deletion of many',
      'contact.deleted',
      ({ call, contactId }) => call('POST', 'contacts/delete', { body: { ids: [contactId] } }),
    ],
    [
      'a new token',
      'token.created',
      ({ call, contactId }) => call('PUT', 'auth/contacts', { body: { id: contactId } }),
    ],
    ['a token that is revoked', 'token.revoked', ({ call, token }) => call('DELETE', `auth/contacts/${token}`)],
    [
      'all tokens of a contact that are revoked',
      'token.revoked',
      async ({ botId, contactId }) => {
        const { page } = await signInAs(own, 'member');
        await page.call('DELETE', `bots/${botId}/contacts/${contactId}/tokens`);
      },
    ],
    [
      'a visitor who is recognized',
      'visitor.recognized',
      async ({ call, botId, token }) => {
        await call('GET', `/v1/bots/${botId}/auth/contact`, { token });
        await own.app.flush();
      },
    ],
    ['an attribute that is deleted', 'attribute.deleted', ({ call }) => call('DELETE', 'attributes/plan')],
    ['a tag that is renamed', 'tag.renamed', ({ call }) => call('PATCH', 'tags/vip', { body: { name: 'gold' } })],
    ['a tag that is deleted', 'tag.deleted', ({ call }) => call('DELETE', 'tags/vip')],
  ];
  for (const [what, type, write] of cases) {
    test(what, async () => {
      const { call, botId } = await addBot(own);
      await call('PUT', 'attributes/plan', { body: { type: 'text', label: 'Plan' } });
      const { id: contactId } = await createContact(call, { attributes: { plan: 'pro' }, tags: ['vip'] });
      const { token } = (await call('PUT', 'auth/contacts', { body: { id: contactId } })).json.data;
      const end = await endOf(call);
      read.delete(botId);
      const startedMs = performance.now();
      const held = call('GET', `events?after=${end}&wait=30`);
      await until('the end of the feed to be read', () => read.has(botId));
      await write({ call, botId, contactId, token });
      assert.deepEqual(
        (await held).json.data.map((event: FeedEvent) => event.type),
        [type],
      );
      assert.ok(performance.now() - startedMs < 29_000, 'the feed was read again when its time was over');
    });
  }
});

function contactIdsIn({ json }: Reply): (string | null)[] {
  return json.data.map(({ contactId }: FeedEvent) => contactId);
}
