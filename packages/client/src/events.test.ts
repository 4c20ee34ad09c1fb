// The feed as the client reads it: pages, and events as they happen, over connections that break.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { badGateway, unavailable } from '../test/faults.ts';
import { clientOfNewBot, clientThrough, rejectionOf, sampleContacts, startServer, wholeFile } from '../test/harness.ts';
import { type ContactEvent, type EventFeed, EventsExpiredError, NotFoundError } from './index.ts';

const server = await startServer(wholeFile);

/** So many events of a feed. */
async function take<Item>(feed: EventFeed<Item>, count: number): Promise<Item[]> {
  const events: Item[] = [];
  for await (const event of feed) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

const idsOf = (events: readonly ContactEvent[]) => events.map(({ contactId }) => contactId);

suite('events.list', () => {
  test('reads pages from the oldest event on', async () => {
    const roster = await clientOfNewBot(server);
    const { data: rows } = await roster.contacts.upsert(sampleContacts(5));
    const first = await roster.events.list({ limit: 3 });
    const second = await roster.events.list({ after: first.next, limit: 3 });
    assert.deepEqual(
      idsOf([...first.data, ...second.data]),
      rows.map(({ id }) => id),
    );
    assert.equal(second.next, (await roster.events.list({ after: 'now' })).next);
  });

  test('takes types, a contact and what to include', async () => {
    const roster = await clientOfNewBot(server);
    const { data: contact } = await roster.contacts.create({ name: 'Jane', email: 'jane@example.com', tags: ['vip'] });
    await roster.contacts.update(contact.id, { name: 'New' });
    const type = ['contact.updated', 'contact.deleted'] as const;
    const { data } = await roster.events.list({ type, contactId: contact.id, include: ['contact', 'tags'] });
    assert.deepEqual(
      data.map(({ type, fields, contact }) => [type, fields, contact?.name, contact?.tags]),
      [['contact.updated', ['name'], 'New', ['vip']]],
    );
    assert.equal((await roster.events.list({ type: 'contact.deleted' })).data.length, 0);
  });

  test('rejects with the end of the feed when a position has expired', async () => {
    const roster = await clientOfNewBot(server);
    const { next } = await roster.events.list();
    const error = await rejectionOf(roster.events.list({ after: '000000000000-1' }));
    assert.ok(error instanceof EventsExpiredError);
    assert.deepEqual([error.status, error.next], [410, next]);
  });
});

suite('events.follow', () => {
  test('yields what there is and what happens later, and ends with its signal', async () => {
    const roster = await clientOfNewBot(server);
    await roster.contacts.upsert(sampleContacts(2));
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { type } of roster.events.follow({ limit: 1, signal: stop.signal })) {
      seen.push(type);
      // The feed has ended by then, and waits for this.
      if (seen.length === 2) setImmediate(() => roster.contacts.create({ name: 'Later', email: 'later@example.com' }));
      if (seen.length === 3) setImmediate(() => stop.abort());
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 3 }, () => 'contact.created'),
    );
  });

  test('begins at the end when it is asked to', async () => {
    const roster = await clientOfNewBot(server);
    await roster.contacts.upsert(sampleContacts(2));
    const { next } = await roster.events.list({ after: 'now' });
    const feed = roster.events.follow({ after: 'now' });
    assert.equal(feed.position, undefined);
    const [event] = await Promise.all([
      take(feed, 1),
      (async () => {
        // The position is known when the feed has begun.
        while (feed.position === undefined) await new Promise(setImmediate);
        assert.equal(feed.position, next);
        await roster.contacts.create({ name: 'New', email: 'new@example.com' });
      })(),
    ]);
    assert.equal(event.length, 1);
  });

  test('skips and repeats nothing over broken connections', async () => {
    const faults = ['drop request', 'cut answer', badGateway, 'pass', 'drop answer', unavailable, 'pass'] as const;
    const { roster: through, retries } = await clientThrough(server, [...faults], { maxRetries: 0 });
    const roster = await clientOfNewBot(server);
    const { data: rows } = await roster.contacts.upsert(sampleContacts(40));
    const feed = through.withOptions({ botId: roster.botId }).events.follow({ limit: 7 });
    assert.deepEqual(
      idsOf(await take(feed, 40)),
      rows.map(({ id }) => id),
    );
    assert.equal(retries.length, 5);
  });

  test('has a position that skips nothing, whenever it is kept after an event', async () => {
    const roster = await clientOfNewBot(server);
    const { data: rows } = await roster.contacts.upsert(sampleContacts(10));
    const wanted = rows.map(({ id }) => id);
    for (let handled = 1; handled <= 9; handled++) {
      const feed = roster.events.follow({ limit: 3 });
      await take(feed, handled);
      const rest = idsOf(await take(roster.events.follow({ after: feed.position, limit: 100 }), 10 - handled));
      const again = idsOf((await roster.events.list({ after: feed.position })).data);
      assert.deepEqual(again, wanted.slice(-again.length));
      assert.ok(again.length >= 10 - handled && again.length < 13 - handled, `${again.length} after ${handled}`);
      assert.equal(rest.length, 10 - handled);
    }
  });

  test('throws what no repetition would change', async () => {
    const roster = await clientOfNewBot(server);
    const expired = roster.events.follow({ after: '000000000000-1' });
    assert.ok((await rejectionOf(take(expired, 1))) instanceof EventsExpiredError);
    const unknown = roster.withOptions({ botId: roster.botId.replace(/.$/, 'x') });
    assert.ok((await rejectionOf(take(unknown.events.follow(), 1))) instanceof NotFoundError);
  });
});
