// Much at once: which organization is refused when there are too many searches, and that the others are served.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { limits } from '@roster/contract';
import { TimeSlices } from '../../src/http/time-slices.ts';
import type { Caller } from '../../src/store/store.ts';
import { callerOf, codeOf, createContact, metricsToken, startServer } from '../harness.ts';
import { until } from '../process/waiting.ts';
import { wholeFile } from '../whole-file.ts';
import { callerOfNewBot } from './every-operation.ts';
import { RawClient } from './raw-client.ts';

const shared = await startServer(wholeFile);

/** More searches or pages than one organization may have pending, even when hundreds are answered before the last enters. */
const pagesAtOnce = 2500;

test('an organization with too many searches is refused with 503; another one is served, and so are reads', async (t) => {
  const flooding: Promise<unknown>[] = [];
  const server = await startServer(t, {
    storeOf: shared,
    // Each search and each export page is asked for in the same turn of the event loop as a flood of its like for one
    // organization. What an engine looks up before they enter the queue, it looks up for all of them at once, so none of
    // the flood is answered before the last one has entered.
    wrapStore(store) {
      const withFlood = async <Page>(
        ask: (botId: string, caller: Caller) => Promise<Page>,
        own: () => Promise<Page>,
      ) => {
        await Promise.all(flooding);
        const { bot, organizationId } = server.mine;
        for (let asked = 0; asked < pagesAtOnce; asked++) {
          flooding.push(ask(bot.id, { organizationId }).catch(() => {}));
        }
        return own();
      };
      return {
        ...store,
        searchContacts: (botId, search, caller) =>
          withFlood(
            (floodedId, flooder) => store.searchContacts(floodedId, search, flooder),
            () => store.searchContacts(botId, search, caller),
          ),
        exportContacts: (botId, page, caller) =>
          withFlood(
            (floodedId, flooder) => store.exportContacts(floodedId, page, flooder),
            () => store.exportContacts(botId, page, caller),
          ),
      };
    },
  });
  const { call, url, theirs } = server;
  const { id } = await createContact(call);
  for (const [method, path] of [
    ['POST', 'contacts?query=jane'],
    ['GET', 'contacts'],
    ['GET', 'export'],
  ] as const) {
    const refused = await call(method, path);
    assert.deepEqual(codeOf(refused), [503, 'unavailable'], path);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await call('GET', `contacts/${id}`)).status, 200);
    assert.equal((await callerOf(url, theirs)(method, path)).status, 200, path);
  }
  await createContact(call);
  const metrics = await call('GET', '/metrics', { token: metricsToken });
  assert.match(metrics.text, /^# TYPE roster_store_refused_searches_total counter$/m);
  assert.match(metrics.text, /^roster_store_refused_searches_total [1-9]\d*$/m);
  assert.match(metrics.text, /^roster_store_pending_searches \d+$/m);
  await Promise.all(flooding);
});

test('searches and exports are requested in the name of the organization, until the client leaves', async (t) => {
  const callers: Caller[] = [];
  const asked = Promise.withResolvers<Caller>();
  const { call, url, mine } = await startServer(t, {
    storeOf: shared,
    wrapStore: (store) => ({
      ...store,
      searchContacts(botId, search, caller) {
        callers.push(caller);
        return store.searchContacts(botId, search, caller);
      },
      exportContacts(_botId, _page, caller) {
        asked.resolve(caller);
        return new Promise(() => {});
      },
    }),
  });
  await call('POST', 'contacts', { body: { ignored: true } });
  await call('GET', 'contacts?query=jane');
  const client = await RawClient.open(url);
  client.write(
    `GET /v1/bots/${mine.bot.id}/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${mine.secret}\r\n\r\n`,
  );
  const caller = await asked.promise;
  assert.equal(caller.signal?.aborted, false);
  const left = new Promise((resolve) => caller.signal?.addEventListener('abort', resolve));
  client.destroy();
  await left;
  for (const { organizationId } of [...callers, caller]) assert.equal(organizationId, mine.organizationId);
  assert.equal(callers.length, 2);
});

suite('of what costs much, one organization has all slots but one, and another one begins at once:', () => {
  for (const [what, method, path] of [
    ['exports', 'GET', 'export'],
    ['searches', 'POST', 'contacts?query=jane'],
    ['lists', 'GET', 'contacts'],
    ['totals of segments', 'GET', 'segments/all?include=total'],
    ['events with contacts', 'GET', 'events?include=contact'],
    ['long pages of events', 'GET', 'events?limit=1000'],
    ['events of some types', 'GET', 'events?type=contact.created'],
  ] as const) {
    test(what, async (t) => {
      const begun: string[] = [];
      const held = Promise.withResolvers<void>();
      const server = await startServer(t, {
        storeOf: shared,
        wrapStore(store) {
          const hold = async <Result>({ organizationId }: Caller, read: () => Promise<Result>) => {
            begun.push(organizationId);
            await held.promise;
            return read();
          };
          return {
            ...store,
            searchContacts: (botId, search, caller) => hold(caller, () => store.searchContacts(botId, search, caller)),
            exportContacts: (botId, page, caller) => hold(caller, () => store.exportContacts(botId, page, caller)),
            readEvents: (botId, wanted, caller) => hold(caller, () => store.readEvents(botId, wanted, caller)),
          };
        },
      });
      const { call, url, mine, theirs } = server;
      const theirCall = callerOf(url, theirs);
      for (const one of [call, theirCall]) await one('PUT', 'segments/all', { body: { label: 'All', filter: {} } });
      const asked = Array.from({ length: 12 }, () => call(method, path));
      await until('all slots but one to be taken', () => begun.length === 7);
      const other = theirCall(method, path);
      await until('the other organization to begin', () => begun.length > 7);
      assert.deepEqual(begun, [...Array(7).fill(mine.organizationId), theirs.organizationId]);
      held.resolve();
      for (const reply of await Promise.all([...asked, other])) assert.equal(reply.status, 200, reply.text);
    });
  }
});

test('large bodies are parsed, and long answers written, in slices, between which others are served', async (t) => {
  const { mock: inSlices } = t.mock.method(TimeSlices.prototype, 'inSlices');
  const call = await callerOfNewBot(shared);
  /** How often the work of a request was sliced. */
  const slicedFor = async (method: string, path: string, body?: unknown) => {
    inSlices.resetCalls();
    const { status, text } = await call(method, path, { body });
    assert.ok(status < 300, text);
    return inSlices.callCount();
  };
  const padded = (email: string, length: number) => ({ name: 'Jane', email, padding: 'x'.repeat(length) });
  assert.equal(await slicedFor('PUT', 'contacts', padded('small@example.com', 60 * 1024)), 0);
  assert.equal(await slicedFor('PUT', 'contacts', padded('large@example.com', 64 * 1024)), 1);
  const data = Array.from({ length: limits.contactsPerUpsert }, (_, at) => ({
    name: 'N',
    email: `n${at}@example.com`,
  }));
  await call('PATCH', 'contacts', { body: { data } });
  assert.deepEqual([await slicedFor('GET', 'export?limit=100'), await slicedFor('GET', 'export?limit=101')], [0, 1]);
});
